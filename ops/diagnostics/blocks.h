// SPDX-License-Identifier: Apache-2.0
// The memory of the runtime with what the checks add to it: a redzone on both sides, a poison in
// what was never written, and a quarantine for what was freed, so that its addresses mean nothing
// else for a while.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ops/diagnostics/checks.h"
#include "ops/diagnostics/region.h"

namespace aclgrad::diagnostics {

// Memory for a program that asked for `size` bytes and is promised `padded_size`; null without.
void* make_block(size_t size, size_t padded_size, size_t alignment, bool on_device) noexcept;

// Memory of a device that the program mapped to these addresses: without redzones and poison, since
// it keeps what it held when it was mapped before.
void mapping_made(void* address, size_t size) noexcept;

// The program, or the end of its device, gave the memory back. It is freed, now or later; a mapping
// is only forgotten.
void block_freed(void* address) noexcept;

// Whether an access keeps to the rules. kForeign: not the runtime's memory.
enum class Standing { kFine, kForeign, kFreed, kOutside };

struct Finding {
  Standing standing = Standing::kFine;
  uint64_t serial = 0;            // of the allocation, never used twice; 0 when it is foreign
  const void* address = nullptr;  // of the allocation; null when it is foreign
  size_t size = 0;                // of the allocation
  int64_t first = 0;              // the access, in bytes from the address on
  int64_t last = 0;
  bool fits_padding = false;  // outside, but in the bytes that aclrtMalloc adds
};
Finding find_in_blocks(const Region& region);

// The first bytes that were not written since the allocation, as far as they still look so; a
// program may have written them through a pointer of its own.
Bytes first_unwritten(const Region& region);
void mark_written(const Region& region);

// An access used the bytes that aclrtMalloc adds, which is reported and allowed: from now on only
// the redzone behind them is watched.
void allow_padding(const Region& region);

// Reports redzones that were written to, once each: of the allocation that the byte belongs to,
// or of all. Freed memory is looked at too, the latest `most_freed` bytes of it. `when` begins the
// sentence: "after aclnnSelu on stream 1".
void check_redzones(uintptr_t near, const std::string& when) noexcept;
void check_all_redzones(const std::string& when, size_t most_freed = SIZE_MAX) noexcept;

// "bytes 0 to 63 of allocation 2 (64 bytes of device memory)".
std::string describe_bytes(const Bytes& bytes);

}  // namespace aclgrad::diagnostics
