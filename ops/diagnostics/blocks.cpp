// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <optional>

#include "ops/diagnostics/objects.h"
#include "ops/diagnostics/report.h"
#include "ops/runtime/base/never_destroyed.h"

namespace aclgrad::diagnostics {
namespace {

constexpr size_t kRedzone = 512;  // before and behind; a multiple of every alignment
constexpr unsigned char kRedzoneByte = 0xA5;
constexpr unsigned char kFreedByte = 0xDB;
// NaN as FLOAT16, BF16, FLOAT and DOUBLE, and no number that programs compute.
constexpr uint16_t kPoison = 0xFFEE;

// Freed memory that is kept from being used again.
constexpr size_t kQuarantine = size_t{256} << 20;

struct Block {
  uint64_t serial = 0;
  Bytes whole;    // with the redzones
  Bytes payload;  // what the program asked for
  Bytes behind;   // padding and redzone
  uintptr_t padded_end = 0;
  bool on_device = false;
  bool is_mapping = false;
  bool is_live = true;
  bool is_damage_known = false;
  ByteSet written;
};

struct Blocks {
  std::mutex mutex;
  std::map<uintptr_t, Block> by_begin;  // of `whole`
  std::deque<uintptr_t> quarantine;     // begins, the longest there first
  size_t quarantined = 0;               // bytes
  uint64_t latest_serial = 0;
};

Blocks& blocks() { return runtime::never_destroyed<Blocks>(); }

void* pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }
uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

void fill(const Bytes& bytes, unsigned char value) {
  std::memset(pointer(bytes.begin), value, bytes.size());
}

void insert(Block&& block) {
  const std::lock_guard lock(blocks().mutex);
  block.serial = ++blocks().latest_serial;
  blocks().by_begin[block.whole.begin] = std::move(block);
}

// The block that holds the byte, redzones included; null when there is none.
Block* find(uintptr_t byte) {
  auto next = blocks().by_begin.upper_bound(byte);
  if (next == blocks().by_begin.begin()) return nullptr;
  Block& block = std::prev(next)->second;
  return byte < block.whole.end ? &block : nullptr;
}

// The end of the bytes that the block's program sees as one range: mappings may lie side by side.
uintptr_t end_of_range(const Block& block) {
  uintptr_t end = block.payload.end;
  if (!block.is_mapping) return end;
  for (const Block* next = find(end); next != nullptr && next->is_mapping; next = find(end)) {
    end = next->payload.end;
  }
  return end;
}

std::optional<uintptr_t> first_other(const Bytes& bytes, unsigned char value) {
  const auto* const at = static_cast<const unsigned char*>(pointer(bytes.begin));
  const auto* const end = at + bytes.size();
  const auto* const found = std::find_if(at, end, [&](unsigned char b) { return b != value; });
  return found == end ? std::nullopt : std::optional(number(found));
}

// Whether the bytes hold nothing but the poison, which repeats from the payload's begin on.
bool is_poison(const Block& block, const Bytes& bytes) {
  const auto* const at = static_cast<const unsigned char*>(pointer(bytes.begin));
  const uint16_t poison = kPoison;
  unsigned char pattern[2];
  std::memcpy(pattern, &poison, sizeof(pattern));
  const size_t phase = (bytes.begin - block.payload.begin) % 2;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (at[i] != pattern[(phase + i) % 2]) return false;
  }
  return true;
}

void poison(const Bytes& bytes) {
  auto* const at = static_cast<unsigned char*>(pointer(bytes.begin));
  const uint16_t value = kPoison;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::memcpy(at + i, reinterpret_cast<const unsigned char*>(&value) + i % 2, 1);
  }
}

std::string describe_damage(const Block& block, uintptr_t byte) {
  const bool before = byte < block.payload.begin;
  const size_t distance = before ? block.payload.begin - byte : byte - block.payload.end + 1;
  return fmt::format("byte {} {} {}", distance, before ? "before" : "behind",
                     name_of_object(pointer(block.payload.begin)));
}

// The report of damage, empty when there is none or it was reported. Called with the blocks locked.
std::string find_damage(Block& block) {
  if (!enabled(kMemory) || block.is_damage_known) return "";
  if (!block.is_live) {
    const auto byte = first_other(block.payload, kFreedByte);
    if (!byte) return "";
    block.is_damage_known = true;
    return fmt::format("byte {} of {}, which is freed", *byte - block.payload.begin,
                       name_of_object(pointer(block.payload.begin)));
  }
  auto byte = first_other({block.whole.begin, block.payload.begin}, kRedzoneByte);
  if (!byte) byte = first_other(block.behind, kRedzoneByte);
  if (!byte) return "";
  block.is_damage_known = true;
  return describe_damage(block, *byte);
}

void report_damage(const std::string& damage, uintptr_t payload, const std::string& when) {
  report(kMemory,
         fmt::format("something wrote to {}; it was noticed {}.\n{}"
                     "  To fix: look for a host function, a task or a pointer of the program that "
                     "writes there; operators and copies are held to their memory.\n",
                     damage, when, history_of(pointer(payload), "  ")),
         damage);
}

void check_redzones_of(Block& block, std::unique_lock<std::mutex>& lock, const std::string& when) {
  const std::string damage = find_damage(block);
  if (damage.empty()) return;
  const uintptr_t payload = block.payload.begin;
  lock.unlock();
  report_damage(damage, payload, when);
  lock.lock();
}

void shrink_quarantine(Blocks& all) {
  while (all.quarantined > kQuarantine) {
    const auto oldest = all.by_begin.find(all.quarantine.front());
    all.quarantine.pop_front();
    all.quarantined -= oldest->second.whole.size();
    std::free(pointer(oldest->second.whole.begin));
    all.by_begin.erase(oldest);
  }
}

// False when there is no memory for it.
bool put_in_quarantine(Block& block) {
  try {
    blocks().quarantine.push_back(block.whole.begin);
  } catch (const std::bad_alloc&) {
    return false;
  }
  block.is_live = false;
  block.is_damage_known = false;
  fill(block.payload, kFreedByte);
  blocks().quarantined += block.whole.size();
  shrink_quarantine(blocks());
  return true;
}

}  // namespace

void* make_block(size_t size, size_t padded_size, size_t alignment, bool on_device) noexcept {
  const size_t redzone = enabled(kMemory) ? kRedzone : 0;
  const size_t total = (padded_size + alignment - 1) / alignment * alignment + 2 * redzone;
  auto* const base = static_cast<std::byte*>(std::aligned_alloc(alignment, total));
  if (base == nullptr) return nullptr;
  void* const address = base + redzone;
  quietly([&] {
    object_made(address, "allocation",
                fmt::format("({} bytes of {} memory)", size, on_device ? "device" : "pinned host"));
    Block block;
    block.whole = {number(base), number(base) + total};
    block.payload = {number(address), number(address) + size};
    block.behind = {block.payload.end, block.whole.end};
    block.padded_end = number(address) + padded_size;
    block.on_device = on_device;
    if (enabled(kMemory)) {
      fill({block.whole.begin, block.payload.begin}, kRedzoneByte);
      fill(block.behind, kRedzoneByte);
    }
    if (enabled(kUninit) && on_device) poison(block.payload);
    insert(std::move(block));
  });
  return address;
}

void mapping_made(void* address, size_t size) noexcept {
  quietly([&] {
    object_made(address, "mapping", fmt::format("({} bytes of device memory)", size));
    Block block;
    block.payload = {number(address), number(address) + size};
    block.whole = block.payload;
    block.behind = {block.payload.end, block.payload.end};
    block.padded_end = block.payload.end;
    block.is_mapping = true;
    insert(std::move(block));
  });
}

void block_freed(void* address) noexcept {
  object_gone(address);
  check_redzones(number(address), "when it was freed");
  quietly([&] {
    const std::lock_guard lock(blocks().mutex);
    Block* const block = find(number(address));
    // Its registration ran out of memory; better lost than freed twice.
    if (block == nullptr) return;
    const uintptr_t begin = block->whole.begin;
    if (block->is_mapping) {
      blocks().by_begin.erase(begin);
    } else if (!enabled(kMemory) || !put_in_quarantine(*block)) {
      blocks().by_begin.erase(begin);
      std::free(pointer(begin));
    }
  });
}

Finding find_in_blocks(const Region& region) {
  const Bytes& hull = region.hull();
  const std::lock_guard lock(blocks().mutex);
  const Block* block = find(hull.begin);
  // A view that begins in memory of no allocation may still reach into an allocation's.
  if (block == nullptr) block = find(hull.end - 1);
  if (block == nullptr) return {.standing = Standing::kForeign};
  Finding finding{Standing::kFine,
                  block->serial,
                  pointer(block->payload.begin),
                  block->payload.size(),
                  static_cast<int64_t>(hull.begin) - static_cast<int64_t>(block->payload.begin),
                  static_cast<int64_t>(hull.end - 1) - static_cast<int64_t>(block->payload.begin)};
  if (!block->is_live) {
    finding.standing = Standing::kFreed;
  } else if (hull.begin < block->payload.begin || hull.end > end_of_range(*block)) {
    finding.standing = Standing::kOutside;
    finding.fits_padding = hull.begin >= block->payload.begin && hull.end <= block->padded_end;
  }
  return finding;
}

Bytes first_unwritten(const Region& region) {
  std::vector<Bytes> pieces;
  if (region.empty() || !region.pieces(pieces)) return {};
  const std::lock_guard lock(blocks().mutex);
  const Block* const block = find(region.hull().begin);
  if (block == nullptr || !block->is_live || !block->on_device) return {};
  for (const Bytes& piece : pieces) {
    for (const Bytes& gap : block->written.missing(piece.common(block->payload))) {
      if (is_poison(*block, gap)) return gap;
    }
  }
  return {};
}

void mark_written(const Region& region) {
  std::vector<Bytes> pieces;
  if (region.empty()) return;
  if (!region.pieces(pieces)) pieces = {region.hull()};
  const std::lock_guard lock(blocks().mutex);
  Block* const block = find(region.hull().begin);
  if (block == nullptr) return;
  for (const Bytes& piece : pieces) block->written.add(piece.common(block->payload));
}

void allow_padding(const Region& region) {
  const std::lock_guard lock(blocks().mutex);
  if (Block* const block = find(region.hull().begin)) block->behind.begin = block->padded_end;
}

void check_redzones(uintptr_t near, const std::string& when) noexcept {
  quietly([&] {
    std::unique_lock lock(blocks().mutex);
    if (Block* const block = find(near)) check_redzones_of(*block, lock, when);
  });
}

void check_all_redzones(const std::string& when, size_t most_freed) noexcept {
  if (!enabled(kMemory)) return;
  quietly([&] {
    std::vector<std::pair<std::string, uintptr_t>> damages;
    const auto look_at = [&](Block& block) {
      std::string damage = find_damage(block);
      if (!damage.empty()) damages.emplace_back(std::move(damage), block.payload.begin);
    };
    {
      Blocks& all = blocks();
      const std::lock_guard lock(all.mutex);
      for (auto& [begin, block] : all.by_begin) {
        if (block.is_live) look_at(block);
      }
      size_t looked_at = 0;
      for (auto begin = all.quarantine.rbegin();
           begin != all.quarantine.rend() && looked_at < most_freed; ++begin) {
        Block& block = all.by_begin.at(*begin);
        look_at(block);
        looked_at += block.whole.size();
      }
    }
    for (const auto& [damage, payload] : damages) report_damage(damage, payload, when);
  });
}

std::string describe_bytes(const Bytes& bytes) {
  const Finding found = find_in_blocks(Region(pointer(bytes.begin), bytes.size()));
  if (found.address == nullptr)
    return fmt::format("{} bytes of the program's memory", bytes.size());
  return fmt::format("bytes {} to {} of {}", found.first, found.last,
                     name_of_object(found.address));
}

}  // namespace aclgrad::diagnostics
