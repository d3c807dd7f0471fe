// SPDX-License-Identifier: Apache-2.0
// Everything that can go wrong between the phases, one after the other.
#include "misuse.h"

static void* g_memory = nullptr;

aclTensor* make() { return misuse::floats(g_memory, 16); }

bool run_twice(aclTensor* in, aclTensor* out, aclrtStream stream) {
  aclOpExecutor* const executor = misuse::plan_selu(in, out);
  misuse::require(aclnnSelu(nullptr, 0, executor, stream));
  return aclnnSelu(nullptr, 0, executor, stream) == 561103;
}

void change_between(aclTensor* in, aclTensor* out, aclrtStream stream) {
  aclOpExecutor* const executor = misuse::plan_selu(in, out);
  misuse::require(aclSetRawTensorAddr(in, static_cast<char*>(g_memory) + 64));
  misuse::require(aclnnSelu(nullptr, 0, executor, stream));
}

void destroy_between(aclTensor* out, aclrtStream stream) {
  aclTensor* const in = make();
  aclOpExecutor* const executor = misuse::plan_selu(in, out);
  misuse::require(aclDestroyTensor(in));
  misuse::require(aclnnSelu(nullptr, 0, executor, stream));
}

int main() {
  const misuse::Device device;
  g_memory = misuse::zeros(128);
  aclTensor* const in = make();
  aclTensor* const out = make();
  const bool refused = run_twice(in, out, device.stream);
  change_between(in, out, device.stream);
  destroy_between(out, device.stream);
  misuse::plan_selu(in, out);  // and never run
  misuse::require(aclrtSynchronizeStream(device.stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  aclrtFree(g_memory);
  return refused ? 0 : 1;
}
