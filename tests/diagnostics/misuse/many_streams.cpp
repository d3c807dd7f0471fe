// SPDX-License-Identifier: Apache-2.0
// No misuse: one stream after the other. The last ones must take no longer than the first.
#include <ctime>

#include "misuse.h"

namespace {

// Of the process's threads together.
std::clock_t use_streams(void* memory) {
  constexpr int kStreams = 250;
  const std::clock_t begun = std::clock();
  for (int i = 0; i < kStreams; ++i) {
    aclrtStream stream = nullptr;
    misuse::require(aclrtCreateStream(&stream));
    misuse::require(aclrtMemsetAsync(memory, 64, 0, 64, stream));
    misuse::require(aclrtSynchronizeStream(stream));
    misuse::require(aclrtDestroyStream(stream));
  }
  return std::clock() - begun;
}

}  // namespace

int main() {
  const misuse::Device device;
  void* const memory = misuse::allocate(64);
  use_streams(memory);
  const std::clock_t first = use_streams(memory);
  for (int i = 0; i < 6; ++i) use_streams(memory);
  const std::clock_t last = use_streams(memory);
  misuse::require(aclrtFree(memory));
  return last < 3 * first ? 0 : 1;
}
