// SPDX-License-Identifier: Apache-2.0
// Frees memory that a task on a stream may still write to.
#include "sin.h"

int main() {
  const sins::Device device;
  void* const memory = sins::zeros(64);
  sins::require(aclrtMemsetAsync(memory, 64, 1, 64, device.stream));
  sins::require(aclrtFree(memory));
  aclrtSynchronizeStream(device.stream);
  return 0;
}
