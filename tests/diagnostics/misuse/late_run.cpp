// SPDX-License-Identifier: Apache-2.0
// Runs a used-up executor once more, after another one was planned that might lie where it lay.
#include "misuse.h"

int main() {
  const misuse::Device device;
  void* const memory = misuse::zeros(64);
  aclTensor* const in = misuse::floats(memory, 16);
  aclTensor* const out = misuse::floats(memory, 16);
  aclOpExecutor* const first = misuse::plan_selu(in, out);
  misuse::require(aclnnSelu(nullptr, 0, first, device.stream));
  misuse::require(aclrtSynchronizeStream(device.stream));  // the run let go of it, too
  aclOpExecutor* const second = misuse::plan_selu(in, out);
  const bool refused = aclnnSelu(nullptr, 0, first, device.stream) == 561103;
  misuse::require(aclnnSelu(nullptr, 0, second, device.stream));
  misuse::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(memory);
  return refused ? 0 : 1;
}
