// SPDX-License-Identifier: Apache-2.0
// Fills half of what an operator then reads.
#include "sin.h"

int main() {
  const sins::Device device;
  void* const memory = sins::allocate(64);
  void* const result = sins::allocate(64);
  sins::require(aclrtMemset(memory, 64, 0, 32));
  aclTensor* const in = sins::floats(memory, 16);
  aclTensor* const out = sins::floats(result, 16);
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(in, out), device.stream));
  sins::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return aclrtFree(result);
}
