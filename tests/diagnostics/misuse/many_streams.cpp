// SPDX-License-Identifier: Apache-2.0
// No misuse: one stream after the other. Nothing is left of those that are destroyed.
#include <atomic>
#include <cstdlib>
#include <new>

#include "misuse.h"

namespace {

// What operators new of the program and its libraries have given and not got back.
std::atomic<long> blocks = 0;

void use_streams(void* memory) {
  constexpr int kStreams = 250;
  for (int i = 0; i < kStreams; ++i) {
    aclrtStream stream = nullptr;
    misuse::require(aclrtCreateStream(&stream));
    misuse::require(aclrtMemsetAsync(memory, 64, 0, 64, stream));
    misuse::require(aclrtSynchronizeStream(stream));
    misuse::require(aclrtDestroyStream(stream));
  }
}

}  // namespace

void* operator new(size_t size) {
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  ++blocks;
  return block;
}
void operator delete(void* block) noexcept {
  if (block != nullptr) --blocks;
  std::free(block);
}
void operator delete(void* block, size_t) noexcept { operator delete(block); }

int main() {
  const misuse::Device device;
  void* const memory = misuse::allocate(64);
  use_streams(memory);
  const long before = blocks;
  for (int i = 0; i < 8; ++i) use_streams(memory);
  const long after = blocks;
  misuse::require(aclrtFree(memory));
  return before > 0 && after < before + 100 ? 0 : 1;
}
