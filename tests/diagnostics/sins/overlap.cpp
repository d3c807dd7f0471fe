// SPDX-License-Identifier: Apache-2.0
// Writes a result over its input, once in place and once one element further.
#include "sin.h"

void selu(aclTensor* in, aclTensor* out, aclrtStream stream) {
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(in, out), stream));
}

int main() {
  const sins::Device device;
  auto* const memory = static_cast<float*>(sins::zeros(64));
  aclTensor* const in = sins::floats(memory, 15);
  aclTensor* const same = sins::floats(memory, 15);
  aclTensor* const further = sins::floats(memory + 1, 15);
  selu(in, same, device.stream);
  selu(in, further, device.stream);
  const int status = aclrtSynchronizeStream(device.stream);
  aclDestroyTensor(in);
  aclDestroyTensor(same);
  aclDestroyTensor(further);
  aclrtFree(memory);
  return status;
}
