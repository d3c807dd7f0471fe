// SPDX-License-Identifier: Apache-2.0
// One stream reads what another writes. With the argument "event" it waits for it properly.
#include <cstring>

#include "misuse.h"

void queue_selu(void* from, void* to, aclrtStream stream) {
  aclTensor* const in = misuse::floats(from, 16);
  aclTensor* const out = misuse::floats(to, 16);
  misuse::require(aclnnSelu(nullptr, 0, misuse::plan_selu(in, out), stream));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
}

int main(int argc, char** argv) {
  const misuse::Device device;
  const bool ordered = argc > 1 && std::strcmp(argv[1], "event") == 0;
  aclrtStream other = nullptr;
  aclrtEvent written = nullptr;
  misuse::require(aclrtCreateStream(&other));
  misuse::require(aclrtCreateEvent(&written));
  void* const memory = misuse::zeros(192);
  char* const bytes = static_cast<char*>(memory);
  queue_selu(bytes, bytes + 64, device.stream);
  if (ordered) {
    misuse::require(aclrtRecordEvent(written, device.stream));
    misuse::require(aclrtStreamWaitEvent(other, written));
  }
  queue_selu(bytes + 64, bytes + 128, other);
  misuse::require(aclrtSynchronizeDevice());
  aclrtDestroyEvent(written);
  aclrtDestroyStream(other);
  return aclrtFree(memory);
}
