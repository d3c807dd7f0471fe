// SPDX-License-Identifier: Apache-2.0
// Moves a tensor of 32 floats into memory for 16, when phase one has looked at where it was.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  void* const result = misuse::zeros(128);
  aclTensor* const in = misuse::floats(result, 32);
  aclTensor* const out = misuse::floats(result, 32);
  aclOpExecutor* const executor = misuse::plan_selu(in, out);
  misuse::require(aclSetInputTensorAddr(executor, 0, in, memory));
  misuse::require(aclnnSelu(nullptr, 0, executor, device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  aclrtFree(result);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
