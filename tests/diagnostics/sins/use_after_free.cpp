// SPDX-License-Identifier: Apache-2.0
// Lets an operator write to memory that was freed before.
#include "sin.h"

void drop(void* memory) { sins::require(aclrtFree(memory)); }

int main() {
  const sins::Device device;
  void* const memory = sins::zeros(64);
  void* const result = sins::zeros(64);
  aclTensor* const in = sins::floats(memory, 16);
  aclTensor* const out = sins::floats(result, 16);
  aclOpExecutor* const executor = sins::plan_selu(in, out);
  drop(result);
  sins::require(aclnnSelu(nullptr, 0, executor, device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
