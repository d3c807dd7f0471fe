// SPDX-License-Identifier: Apache-2.0
// Runs a used-up executor once more, after another one was planned that might lie where it lay.
#include "sin.h"

int main() {
  const sins::Device device;
  void* const memory = sins::zeros(64);
  aclTensor* const in = sins::floats(memory, 16);
  aclTensor* const out = sins::floats(memory, 16);
  aclOpExecutor* const first = sins::plan_selu(in, out);
  sins::require(aclnnSelu(nullptr, 0, first, device.stream));
  sins::require(aclrtSynchronizeStream(device.stream));  // the run let go of it, too
  aclOpExecutor* const second = sins::plan_selu(in, out);
  const bool refused = aclnnSelu(nullptr, 0, first, device.stream) == 561103;
  sins::require(aclnnSelu(nullptr, 0, second, device.stream));
  sins::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return refused ? 0 : 1;
}
