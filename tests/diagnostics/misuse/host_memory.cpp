// SPDX-License-Identifier: Apache-2.0
// Gives an operator memory of the program, which a device could not reach.
#include "misuse.h"

int main() {
  const misuse::Device device;
  float values[16] = {};
  void* const result = misuse::zeros(64);
  aclTensor* const in = misuse::floats(values, 16);
  aclTensor* const out = misuse::floats(result, 16);
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(in, out), device.stream));
  misuse::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  return aclrtFree(result);
}
