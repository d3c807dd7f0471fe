// SPDX-License-Identifier: Apache-2.0
// The threads of a peer's library.
#include "bench/peers/entry_points.h"

aclError aclgradSetNumThreads(int32_t count) {
  if (count < 0) return ACL_ERROR_INVALID_PARAM;
  aclgrad::bench::peer_threads = count;
  return ACL_SUCCESS;
}

int32_t aclgradGetNumThreads(void) { return aclgrad::bench::peer_threads; }
