// SPDX-License-Identifier: Apache-2.0
// Makes a tensor of 32 floats in memory for 16.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  void* const result = misuse::zeros(128);
  aclTensor* const in = misuse::floats(memory, 32);
  aclTensor* const out = misuse::floats(result, 32);
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(in, out), device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  aclrtFree(result);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
