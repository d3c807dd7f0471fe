// SPDX-License-Identifier: Apache-2.0
// A host function writes one byte behind an allocation.
#include "sin.h"

void overrun(void* memory) { static_cast<char*>(memory)[64] = 1; }

int main() {
  const sins::Device device;
  void* const memory = sins::zeros(64);
  sins::require(aclrtLaunchHostFunc(device.stream, overrun, memory));
  sins::require(aclrtSynchronizeStream(device.stream));
  return aclrtFree(memory);
}
