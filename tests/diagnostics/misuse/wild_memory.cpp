// SPDX-License-Identifier: Apache-2.0
// Gives an operator an address where nothing is. Unchecked, the program crashes.
#include <cstdint>

#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const result = misuse::zeros(64);
  aclTensor* const in = misuse::floats(reinterpret_cast<void*>(uintptr_t{64}), 16);
  aclTensor* const out = misuse::floats(result, 16);
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(in, out), device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(result);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
