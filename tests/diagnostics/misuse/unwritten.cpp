// SPDX-License-Identifier: Apache-2.0
// Fills half of what an operator then reads.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::allocate(64);
  void* const result = misuse::allocate(64);
  misuse::require(aclrtMemset(memory, 64, 0, 32));
  aclTensor* const in = misuse::floats(memory, 16);
  aclTensor* const out = misuse::floats(result, 16);
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(in, out), device.stream));
  misuse::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return aclrtFree(result);
}
