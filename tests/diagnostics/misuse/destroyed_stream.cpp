// SPDX-License-Identifier: Apache-2.0
// Synchronises a stream after destroying it.
#include "misuse.h"

void close_up(aclrtStream stream) { misuse::require(aclrtDestroyStream(stream)); }

int main() {
  const misuse::Device device;
  aclrtStream stream = nullptr;
  misuse::require(aclrtCreateStream(&stream));
  close_up(stream);
  return aclrtSynchronizeStream(stream) == ACL_ERROR_RT_INVALID_HANDLE ? 0 : 1;
}
