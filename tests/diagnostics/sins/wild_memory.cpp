// SPDX-License-Identifier: Apache-2.0
// Gives an operator an address where nothing is. Unchecked, the program crashes.
#include <cstdint>

#include "sin.h"

int main() {
  const sins::Device device;
  void* const result = sins::zeros(64);
  aclTensor* const in = sins::floats(reinterpret_cast<void*>(uintptr_t{64}), 16);
  aclTensor* const out = sins::floats(result, 16);
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(in, out), device.stream));
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(result);
  return status == ACL_ERROR_RT_AICORE_EXCEPTION ? 0 : 1;
}
