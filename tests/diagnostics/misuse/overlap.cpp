// SPDX-License-Identifier: Apache-2.0
// Writes a result over its input, once in place and once one element further.
#include "misuse.h"

void selu(aclTensor* in, aclTensor* out, aclrtStream stream) {
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(in, out), stream));
}

int main() {
  const misuse::Device device;
  auto* const memory = static_cast<float*>(misuse::zeros(64));
  aclTensor* const in = misuse::floats(memory, 15);
  aclTensor* const same = misuse::floats(memory, 15);
  aclTensor* const further = misuse::floats(memory + 1, 15);
  selu(in, same, device.stream);
  selu(in, further, device.stream);
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(same);
  aclDestroyTensor(further);
  aclrtFree(memory);
  return status;
}
