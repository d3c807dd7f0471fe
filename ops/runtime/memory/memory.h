// SPDX-License-Identifier: Apache-2.0
// The memory that the runtime hands out. Device memory is host memory too; the register tells them
// apart, and knows every live allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "ops/runtime/call/call.h"
#include "ops/runtime/call/hooks.h"

namespace aclgrad::runtime {

class Context;  // context.h

// kMapped: of a device, by aclrtMapMem.
enum class MemoryKind { kDevice, kPinnedHost, kMapped };

struct FreeDeleter {
  void operator()(void* address) const {
    if (RuntimeHooks* const active = hooks()) {
      active->free(address);
    } else if (!is_mapping) {
      std::free(address);
    }
  }

  bool is_mapping = false;  // whose memory is another's
};
using MemoryBlock = std::unique_ptr<void, FreeDeleter>;

// What is known about an address inside a live allocation.
struct MemoryRange {
  bool known = false;  // false: memory that does not come from the runtime
  MemoryKind kind = MemoryKind::kDevice;
  int32_t device = 0;
  size_t bytes_from_here = 0;
  uint64_t id = 0;  // never used again
};

MemoryRange find_memory(const void* address);

// Puts memory of a device that is mapped into the register, and takes it out. What is mapped side
// by side is one range.
void add_mapping(void* address, size_t size, int32_t device);
void remove_mapping(void* address) noexcept;

// Takes the device's memory out of the register; it is freed with the result. The contexts, which
// end, get no more.
std::vector<MemoryBlock> take_memory_of(int32_t device,
                                        const std::vector<std::shared_ptr<Context>>& contexts);

// 107000 when `count` bytes from the address would pass the end of its allocation, or where
// addresses are reserved for memory and have none.
void check_range(const Call& call, const char* parameter, const void* address, size_t count);

}  // namespace aclgrad::runtime
