// SPDX-License-Identifier: Apache-2.0
// Lets an operator write to memory that was freed before.
#include "misuse.h"

void drop(void* memory) { misuse::require(aclrtFree(memory)); }

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  void* const result = misuse::zeros(64);
  aclTensor* const in = misuse::floats(memory, 16);
  aclTensor* const out = misuse::floats(result, 16);
  aclOpExecutor* const executor = misuse::plan_selu(in, out);
  drop(result);
  misuse::require(aclnnSelu(nullptr, 0, executor, device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
