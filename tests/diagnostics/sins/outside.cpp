// SPDX-License-Identifier: Apache-2.0
// Makes a tensor of 32 floats in memory for 16.
#include "sin.h"

int main() {
  const sins::Device device;
  void* const memory = sins::zeros(64);
  void* const result = sins::zeros(128);
  aclTensor* const in = sins::floats(memory, 32);
  aclTensor* const out = sins::floats(result, 32);
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(in, out), device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  aclrtFree(result);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
