// SPDX-License-Identifier: Apache-2.0
// A host function writes one byte behind an allocation.
#include "misuse.h"

void overrun(void* memory) { static_cast<char*>(memory)[64] = 1; }

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  misuse::require(aclrtLaunchHostFunc(device.stream, overrun, memory));
  misuse::require(aclrtSynchronizeStream(device.stream));
  return aclrtFree(memory);
}
