// SPDX-License-Identifier: Apache-2.0
// No misuse: one stream after the other. The last ones must cost no more than the first: what is
// known of those that are destroyed is forgotten, and not copied and searched with each call.
#include <atomic>
#include <cstdlib>
#include <new>

#include "misuse.h"

namespace {

// Blocks of memory that the program and its libraries have asked for: a measure of what is copied.
std::atomic<long> blocks = 0;

long use_streams(void* memory) {
  constexpr int kStreams = 250;
  const long before = blocks;
  for (int i = 0; i < kStreams; ++i) {
    aclrtStream stream = nullptr;
    misuse::require(aclrtCreateStream(&stream));
    misuse::require(aclrtMemsetAsync(memory, 64, 0, 64, stream));
    misuse::require(aclrtSynchronizeStream(stream));
    misuse::require(aclrtDestroyStream(stream));
  }
  return blocks - before;
}

}  // namespace

void* operator new(size_t size) {
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  ++blocks;
  return block;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }

int main() {
  const misuse::Device device;
  void* const memory = misuse::allocate(64);
  use_streams(memory);
  const long first = use_streams(memory);
  for (int i = 0; i < 6; ++i) use_streams(memory);
  const long last = use_streams(memory);
  misuse::require(aclrtFree(memory));
  return first > 0 && last < 2 * first ? 0 : 1;
}
