// SPDX-License-Identifier: Apache-2.0
// One stream reads what another writes. With the argument "event" it waits for it properly.
#include <cstring>

#include "sin.h"

void queue_selu(void* from, void* to, aclrtStream stream) {
  aclTensor* const in = sins::floats(from, 16);
  aclTensor* const out = sins::floats(to, 16);
  sins::require(aclnnSelu(nullptr, 0, sins::plan_selu(in, out), stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
}

int main(int argc, char** argv) {
  const sins::Device device;
  const bool ordered = argc > 1 && std::strcmp(argv[1], "event") == 0;
  aclrtStream other = nullptr;
  aclrtEvent written = nullptr;
  sins::require(aclrtCreateStream(&other));
  sins::require(aclrtCreateEvent(&written));
  void* const memory = sins::zeros(192);
  char* const bytes = static_cast<char*>(memory);
  queue_selu(bytes, bytes + 64, device.stream);
  if (ordered) {
    sins::require(aclrtRecordEvent(written, device.stream));
    sins::require(aclrtStreamWaitEvent(other, written));
  }
  queue_selu(bytes + 64, bytes + 128, other);
  sins::require(aclrtSynchronizeDevice());
  aclrtDestroyEvent(written);
  aclrtDestroyStream(other);
  return aclrtFree(memory);
}
