// SPDX-License-Identifier: Apache-2.0
// Allocation functions of acl/acl_rt.h.
#include "ops/runtime/memory/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "aclgrad_ext.h"
#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/context/context.h"
#include "ops/runtime/context/synchronize.h"
#include "ops/runtime/device/device.h"
#include "ops/runtime/device/soc.h"
#include "ops/runtime/memory/virtual_memory.h"

namespace aclgrad::runtime {
namespace {

constexpr size_t kAlignment = 512;  // as on devices; programs compute with it
constexpr size_t kGranule = 32;
constexpr size_t kHugePage = size_t{1} << 21;

struct Allocation {
  size_t size = 0;
  MemoryKind kind = MemoryKind::kDevice;
  int32_t device = 0;
  uint64_t id = 0;
  MemoryBlock block;
};

struct Register {
  std::shared_mutex mutex;
  std::map<uintptr_t, Allocation> by_address;
  uint64_t latest_id = 0;
};

Register& live() { return never_destroyed<Register>(); }

// Counts every change of the register, made while it is locked: what was read of it before holds
// as long as this does not change.
constinit std::atomic<uint64_t> changes{1};
void count_change() noexcept { changes.fetch_add(1, std::memory_order_release); }

// A thread's cache of what find_memory() answered, direct-mapped by bits of the address.
struct Answer {
  uint64_t change = 0;
  uintptr_t address = 0;
  size_t bytes = 0;
};
constinit thread_local std::array<Answer, 256> answers{};

Answer& answer_for(uintptr_t address) {
  return answers[(address / kGranule ^ address / kAlignment) % answers.size()];
}

uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }

// Rounded up to `multiple` with `extra` bytes behind; nothing on overflow.
std::optional<size_t> padded(size_t size, size_t multiple, size_t extra) {
  size_t sum = 0;
  if (__builtin_add_overflow(size, multiple - 1 + extra, &sum)) return std::nullopt;
  return (size + multiple - 1) / multiple * multiple + extra;
}

struct Wanted {
  size_t size;
  size_t extra;  // bytes behind it
  MemoryKind kind;
  bool huge_pages = false;
};

bool wants_huge_pages(aclrtMemMallocPolicy policy) {
  constexpr unsigned kPages = 0xff;  // the other bits say which memory
  const auto pages = static_cast<unsigned>(policy) & kPages;
  return pages != ACL_MEM_MALLOC_NORMAL_ONLY && pages != ACL_MEM_MALLOC_NORMAL_ONLY_P2P;
}

// `real_size` bytes for a program that asked for less.
MemoryBlock obtain(size_t real_size, const Wanted& wanted) {
  const size_t total = *padded(real_size, kAlignment, 0);
  if (RuntimeHooks* const active = hooks()) {
    const bool on_device = wanted.kind == MemoryKind::kDevice;
    return MemoryBlock(active->allocate(wanted.size, real_size, kAlignment, on_device));
  }
  // Columns of large matrices touch more pages than a processor has entries for. Smaller
  // allocations would hardly hold a whole huge page.
  const bool huge = wanted.huge_pages && total >= 2 * kHugePage;
  const size_t alignment = huge ? kHugePage : kAlignment;
  // What is there only to make it a whole number of pages is never touched.
  const size_t whole = *padded(total, alignment, 0);
  void* const address = std::aligned_alloc(alignment, whole);
#ifdef MADV_HUGEPAGE
  // Where the system has none, small pages do.
  if (huge && address != nullptr) {
    madvise(address, total / kHugePage * kHugePage, MADV_HUGEPAGE);
  }
#endif
  return MemoryBlock(address);
}

void allocate(const Call& call, const char* parameter, void** pointer, const Wanted& wanted) {
  call.require(pointer, parameter);
  const std::optional<size_t> real_size = padded(wanted.size, kGranule, wanted.extra);
  if (wanted.size == 0 || !real_size || !padded(*real_size, kAlignment, 0)) {
    call.bad_value(ACL_ERROR_INVALID_PARAM, "size", wanted.size,
                   "1 or more, and small enough to be padded");
  }
  const Context& context = require_context(call);
  *pointer = nullptr;
  MemoryBlock block;
  // The allocator might promise more than there is, so the size of the memory is a limit too.
  if (*real_size <= device_memory()) {
    block = obtain(*real_size, wanted);
  }
  if (!block) {
    call.failed(ACL_ERROR_RT_MEMORY_ALLOCATION,
                fmt::format("{} bytes of memory are not available", *real_size), "",
                "Free memory, or work on smaller pieces.");
  }
  void* const address = block.get();
  {
    const std::unique_lock lock(live().mutex);
    // Its device may have been reset meanwhile, and the memory would never be freed.
    if (context.has_lost_memory()) call.no_context();
    live().by_address[number(address)] =
        Allocation{*real_size, wanted.kind, context.device(), ++live().latest_id, std::move(block)};
    count_change();
  }
  *pointer = address;
}

void allocate_on_device(const Call& call, void** pointer, size_t size,
                        aclrtMemMallocPolicy policy) {
  return allocate(call, "devPtr", pointer,
                  {size, current_soc().family->allocation_extra, MemoryKind::kDevice,
                   wants_huge_pages(policy)});
}

// Takes it out of the register; null when it is none of this kind.
MemoryBlock take(const void* address, MemoryKind kind) noexcept {
  const std::unique_lock lock(live().mutex);
  const auto found = live().by_address.find(number(address));
  if (found == live().by_address.end() || found->second.kind != kind) return nullptr;
  MemoryBlock block = std::move(found->second.block);
  live().by_address.erase(found);
  count_change();
  return block;
}

void free_memory(const Call& call, const char* parameter, void* address, MemoryKind kind) {
  call.require(address, parameter);
  const char* const what = kind == MemoryKind::kDevice ? "device allocation" : "host allocation";
  if (!take(address, kind)) call.bad_handle(parameter, address, what);
}

void free_after_synchronising(const Call& call, const char* parameter, void* address,
                              MemoryKind kind) {
  call.require(address, parameter);
  const aclError tasks = wait_for_device(call, require_context(call).device(), {});
  free_memory(call, parameter, address, kind);
  if (tasks != ACL_SUCCESS) throw Failure{tasks};
}

}  // namespace

MemoryRange find_memory(const void* address) {
  const std::shared_lock lock(live().mutex);
  auto next = live().by_address.upper_bound(number(address));
  if (next == live().by_address.begin()) return {};
  const auto& [start, allocation] = *std::prev(next);
  uintptr_t end = start + allocation.size;
  if (number(address) >= end) return {};
  const auto continues = [&] {
    return next != live().by_address.end() && next->first == end &&
           next->second.kind == MemoryKind::kMapped;
  };
  if (allocation.kind == MemoryKind::kMapped) {
    for (; continues(); ++next) end += next->second.size;
  }
  return {true, allocation.kind, allocation.device, end - number(address), allocation.id};
}

void add_mapping(void* address, size_t size, int32_t device) {
  MemoryBlock block(address, FreeDeleter{.is_mapping = true});
  {
    const std::unique_lock lock(live().mutex);
    live().by_address[number(address)] =
        Allocation{size, MemoryKind::kMapped, device, ++live().latest_id, std::move(block)};
    count_change();
  }
  if (RuntimeHooks* const active = hooks()) active->mapped(address, size);
}

void remove_mapping(void* address) noexcept { take(address, MemoryKind::kMapped); }

std::vector<MemoryBlock> take_memory_of(int32_t device,
                                        const std::vector<std::shared_ptr<Context>>& contexts) {
  std::vector<MemoryBlock> taken;
  const std::unique_lock lock(live().mutex);
  auto& all = live().by_address;
  const auto is_taken = [&](const Allocation& allocation) {
    return allocation.kind == MemoryKind::kDevice && allocation.device == device;
  };
  // All or, without memory for the list, none: what was taken halfway would be freed too early.
  taken.reserve(static_cast<size_t>(std::count_if(
      all.begin(), all.end(), [&](const auto& each) { return is_taken(each.second); })));
  for (const auto& context : contexts) context->lose_memory();
  count_change();
  for (auto it = all.begin(); it != all.end();) {
    if (is_taken(it->second)) {
      taken.push_back(std::move(it->second.block));
      it = all.erase(it);
    } else {
      ++it;
    }
  }
  return taken;
}

void check_range(const Call& call, const char* parameter, const void* address, size_t count) {
  const MemoryRange range = find_memory(address);
  if (!range.known && is_reserved(address)) {
    call.failed(
        ACL_ERROR_RT_PARAM_INVALID,
        fmt::format("argument {} ({}) is a reserved address without memory", parameter, address),
        "", "Call aclrtMapMem first.");
  }
  if (!range.known || count <= range.bytes_from_here) return;
  call.failed(ACL_ERROR_RT_PARAM_INVALID,
              fmt::format("{} bytes from argument {} pass the end of its allocation, which "
                          "is {} bytes away",
                          count, parameter, range.bytes_from_here));
}

}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

// Of an allocation policy only the size of pages counts on a CPU: huge ones, or normal ones only.

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return entry(__func__,
               [&](const Call& call) { return allocate_on_device(call, devPtr, size, policy); });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return entry(__func__, [&](const Call& call) {
    allocate(call, "devPtr", devPtr,
             {size, /*extra=*/0, MemoryKind::kDevice, wants_huge_pages(policy)});
  });
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return entry(__func__,
               [&](const Call& call) { return allocate_on_device(call, devPtr, size, policy); });
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                            aclrtMallocConfig* /*cfg*/) {
  return entry(__func__,
               [&](const Call& call) { return allocate_on_device(call, devPtr, size, policy); });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return entry(__func__, [&](const Call& call) {
    allocate(call, "hostPtr", hostPtr, {size, /*extra=*/0, MemoryKind::kPinnedHost});
  });
}

aclError aclrtFree(void* devPtr) {
  return entry(__func__,
               [&](const Call& call) { free_memory(call, "devPtr", devPtr, MemoryKind::kDevice); });
}

aclError aclrtFreeHost(void* hostPtr) {
  return entry(__func__, [&](const Call& call) {
    free_memory(call, "hostPtr", hostPtr, MemoryKind::kPinnedHost);
  });
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  return entry(__func__, [&](const Call& call) {
    free_after_synchronising(call, "devPtr", devPtr, MemoryKind::kDevice);
  });
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  return entry(__func__, [&](const Call& call) {
    free_after_synchronising(call, "hostPtr", hostPtr, MemoryKind::kPinnedHost);
  });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  return entry(__func__, [&](const Call& call) {
    call.require(free, "free");
    call.require(total, "total");
    if (!is_member(attr, ACL_DDR_MEM, ACL_MEM_P2P_HUGE1G)) {
      call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "attr", static_cast<int>(attr),
                     "a value of aclrtMemAttr (0..17)");
    }
    require_context(call);
    // Pools reserve what they are told here, to the byte.
    const auto whole = [](size_t bytes) { return bytes / kGranularity * kGranularity; };
    const auto pages = static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES));
    *total = whole(device_memory());
    *free = whole(pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return entry(__func__, [&](const Call& call) {
    call.require(ptr, "ptr");
    call.require(attributes, "attributes");
    const MemoryRange range = find_memory(ptr);
    *attributes = {};
    attributes->pageSize = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
    if (!range.known) {
      attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    } else if (range.kind == MemoryKind::kPinnedHost) {
      attributes->location.type = ACL_MEM_LOCATION_TYPE_HOST;
    } else {
      attributes->location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
      attributes->location.id = static_cast<uint32_t>(range.device);
    }
  });
}

uint64_t aclgradAllocationId(const void* address) { return find_memory(address).id; }

size_t aclgradAllocationBytes(const void* address) {
  const uint64_t change = changes.load(std::memory_order_acquire);
  Answer& answer = answer_for(number(address));
  if (answer.change != change || answer.address != number(address)) {
    answer = {change, number(address), find_memory(address).bytes_from_here};
  }
  return answer.bytes;
}
