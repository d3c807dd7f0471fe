// SPDX-License-Identifier: Apache-2.0
// Frees memory that a task on a stream may still write to.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  misuse::require(aclrtMemsetAsync(memory, 64, 1, 64, device.stream));
  misuse::require(aclrtFree(memory));
  aclrtSynchronizeStream(device.stream);
  return 0;
}
