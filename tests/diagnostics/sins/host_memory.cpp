// SPDX-License-Identifier: Apache-2.0
// Gives an operator memory of the program, which a device could not reach.
#include "sin.h"

int main() {
  const sins::Device device;
  float values[16] = {};
  void* const result = sins::zeros(64);
  aclTensor* const in = sins::floats(values, 16);
  aclTensor* const out = sins::floats(result, 16);
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(in, out), device.stream));
  sins::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  return aclrtFree(result);
}
