// SPDX-License-Identifier: Apache-2.0
// The table of live handles: which addresses are objects of this library right now, and of what
// kind.
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "aclgrad_ext.h"
#include "ops/meta/hooks.h"

using aclgrad::ops::hooks;
using aclgrad::ops::OperatorHooks;

namespace {

// Objects come from operator new, so that at most one begins in so many bytes.
constexpr uintptr_t kSlotBytes = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
constexpr uintptr_t kRegionBytes = 65536;

// The kinds of the live objects that begin in 64 KiB of memory, 0 where there is none. Objects that
// were made one after the other stand side by side here, which keeps a table of millions fast.
struct Region {
  uintptr_t number;
  Region* next;
  std::array<std::atomic<uint8_t>, kRegionBytes / kSlotBytes> kinds{};
};

// Regions with the same remainder of their numbers. They stay for ever: they take no more than a
// sixteenth of the memory that objects have been in, and no lock is needed.
constexpr size_t kLists = 16384;
constinit std::array<std::atomic<Region*>, kLists> lists{};

uintptr_t region_number(const void* handle) {
  return reinterpret_cast<uintptr_t>(handle) / kRegionBytes;
}

Region* find(Region* first, const Region* end, uintptr_t number) {
  while (first != end && first->number != number) first = first->next;
  return first == end ? nullptr : first;
}

// Null when there is none.
Region* region_of(const void* handle) {
  const uintptr_t number = region_number(handle);
  return find(lists[number % kLists].load(std::memory_order_acquire), nullptr, number);
}

// Throws std::bad_alloc.
Region& region_for(const void* handle) {
  const uintptr_t number = region_number(handle);
  std::atomic<Region*>& list = lists[number % kLists];
  Region* first = list.load(std::memory_order_acquire);
  if (Region* const known = find(first, nullptr, number)) return *known;
  std::unique_ptr<Region> made(new Region{number, first});
  while (!list.compare_exchange_weak(first, made.get(), std::memory_order_acq_rel)) {
    // Another thread may have been faster.
    if (Region* const known = find(first, made->next, number)) return *known;
    made->next = first;
  }
  return *made.release();
}

std::atomic<uint8_t>& slot(Region& region, const void* handle) {
  return region.kinds[reinterpret_cast<uintptr_t>(handle) % kRegionBytes / kSlotBytes];
}

// Whether there can be an object of this kind at this address.
bool is_possible(const void* handle, aclgradHandleKind kind) {
  const bool aligned = reinterpret_cast<uintptr_t>(handle) % kSlotBytes == 0;
  return aligned && std::in_range<uint8_t>(static_cast<int64_t>(kind)) && kind != 0;
}

// The slot that holds the kind of a live object; null for an address that has no slot.
std::atomic<uint8_t>* find_slot(const void* handle, aclgradHandleKind kind) {
  Region* const region = is_possible(handle, kind) ? region_of(handle) : nullptr;
  return region != nullptr ? &slot(*region, handle) : nullptr;
}

const char* name_of(aclgradHandleKind kind) {
  constexpr std::array kNames{"handle",        "aclTensor",     "aclScalar",
                              "aclIntArray",   "aclFloatArray", "aclBoolArray",
                              "aclTensorList", "aclScalarList", "aclOpExecutor"};
  const auto index = static_cast<size_t>(kind);
  return kNames.at(index < kNames.size() ? index : 0);
}

void tell_missing(const void* handle, aclgradHandleKind kind) {
  if (OperatorHooks* const active = hooks()) active->object_missing(handle, name_of(kind));
}

}  // namespace

aclError aclgradHandleAdd(const void* handle, aclgradHandleKind kind) {
  if (!is_possible(handle, kind)) return ACL_ERROR_INVALID_PARAM;
  try {
    slot(region_for(handle), handle).store(static_cast<uint8_t>(kind), std::memory_order_release);
    if (OperatorHooks* const active = hooks()) active->object_made(handle, name_of(kind));
    return ACL_SUCCESS;
  } catch (const std::bad_alloc&) {
    return ACL_ERROR_BAD_ALLOC;
  }
}

int32_t aclgradHandleRemove(const void* handle, aclgradHandleKind kind) {
  auto expected = static_cast<uint8_t>(kind);
  std::atomic<uint8_t>* const found = find_slot(handle, kind);
  if (found != nullptr && found->compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) {
    if (OperatorHooks* const active = hooks()) active->object_gone(handle);
    return 1;
  }
  tell_missing(handle, kind);
  return 0;
}

int32_t aclgradHandleCheck(const void* handle, aclgradHandleKind kind) {
  const std::atomic<uint8_t>* const found = find_slot(handle, kind);
  if (found != nullptr && found->load(std::memory_order_acquire) == static_cast<uint8_t>(kind)) {
    return 1;
  }
  tell_missing(handle, kind);
  return 0;
}
