// SPDX-License-Identifier: Apache-2.0
// Copies 8 bytes more than were allocated. They lie in the padding that aclrtMalloc adds, so
// nothing notices.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::allocate(64);
  char host[72] = {};
  const int status = aclrtMemcpy(memory, 72, host, 72, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtFree(memory);
  return status;
}
