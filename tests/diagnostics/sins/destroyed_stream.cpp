// SPDX-License-Identifier: Apache-2.0
// Synchronises a stream after destroying it.
#include "sin.h"

void close_up(aclrtStream stream) { sins::require(aclrtDestroyStream(stream)); }

int main() {
  const sins::Device device;
  aclrtStream stream = nullptr;
  sins::require(aclrtCreateStream(&stream));
  close_up(stream);
  return aclrtSynchronizeStream(stream) == ACL_ERROR_RT_INVALID_HANDLE ? 0 : 1;
}
