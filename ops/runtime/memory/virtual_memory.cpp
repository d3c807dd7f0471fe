// SPDX-License-Identifier: Apache-2.0
// The functions of acl/acl_rt_virtual_memory.h: a reservation is a mapping that must not be
// touched, physical memory a file in memory, which shared mappings take the places of parts of it.
#include "ops/runtime/memory/virtual_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/call/handles.h"
#include "ops/runtime/device/device.h"
#include "ops/runtime/memory/memory.h"

namespace aclgrad::runtime {
namespace {

class PhysicalMemory : public Handled {
 public:
  static constexpr const char* kKind = "physical memory";

  PhysicalMemory(int file, size_t size, int32_t device)
      : file_(file), size_(size), device_(device) {}
  ~PhysicalMemory() { close(file_); }
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;

  int file() const { return file_; }
  size_t size() const { return size_; }
  int32_t device() const { return device_; }

 private:
  int file_;
  size_t size_;
  int32_t device_;
};

HandleTable<PhysicalMemory>& physical_memories() {
  return never_destroyed<HandleTable<PhysicalMemory>>();
}

struct Mapping {
  size_t size = 0;
  std::shared_ptr<PhysicalMemory> memory;  // lives on without its handle
};

struct Reservation {
  size_t size = 0;
  std::map<uintptr_t, Mapping> mappings;
};

struct Reservations {
  std::mutex mutex;
  std::map<uintptr_t, Reservation> by_address;
  std::atomic<size_t> count = 0;  // for programs without any
};

Reservations& reservations() { return never_destroyed<Reservations>(); }

uintptr_t to_number(const void* address) { return reinterpret_cast<uintptr_t>(address); }
void* to_pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }

// The item with the latest address up to this one, if it reaches beyond that.
template <class Item>
Item* find_around(std::map<uintptr_t, Item>& items, uintptr_t address) {
  auto next = items.upper_bound(address);
  if (next == items.begin()) return nullptr;
  const auto found = std::prev(next);
  return address - found->first < found->second.size ? &found->second : nullptr;
}

// ---- Checks -------------------------------------------------------------------------------------

void check_size(const Call& call, size_t size) {
  if (size == 0) call.bad_value(ACL_ERROR_INVALID_PARAM, "size", size, "1 or more");
  if (size % kGranularity == 0) return;
  call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "size", size,
                 "a multiple of 2097152, which aclrtMemGetAllocationGranularity tells");
}

void check_zero(const Call& call, const char* parameter, uint64_t value) {
  if (value != 0) call.bad_value(ACL_ERROR_RT_PARAM_INVALID, parameter, value, "0");
}

void check_properties(const Call& call, const aclrtPhysicalMemProp* prop) {
  call.require(prop, "prop");
  const auto check = [&](bool is_right, const char* member, auto value, const char* expected) {
    if (is_right) return;
    call.bad_value(ACL_ERROR_RT_PARAM_INVALID, member, static_cast<int>(value), expected);
  };
  check(prop->handleType == ACL_MEM_HANDLE_TYPE_NONE, "prop->handleType", prop->handleType,
        "ACL_MEM_HANDLE_TYPE_NONE (0)");
  check(prop->allocationType == ACL_MEM_ALLOCATION_TYPE_PINNED, "prop->allocationType",
        prop->allocationType, "ACL_MEM_ALLOCATION_TYPE_PINNED (0)");
  check(is_member(prop->memAttr, ACL_DDR_MEM, ACL_MEM_P2P_HUGE1G), "prop->memAttr", prop->memAttr,
        "a value of aclrtMemAttr (0..17)");
  check(prop->location.type == ACL_MEM_LOCATION_TYPE_DEVICE, "prop->location.type",
        prop->location.type, "ACL_MEM_LOCATION_TYPE_DEVICE (1)");
  require_device(call, "prop->location.id", prop->location.id);
}

[[noreturn]] void no_more(const Call& call, const char* what, size_t size) {
  call.failed(ACL_ERROR_RT_MEMORY_ALLOCATION,
              fmt::format("{} bytes of {} are not available", size, what), "",
              "Free memory, or work on smaller pieces.");
}

// ---- Addresses ----------------------------------------------------------------------------------

void* map_nothing(void* address, size_t size, int more_flags) {
  return mmap(address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | more_flags,
              -1, 0);
}

// Addresses from a multiple of the granularity on; null without.
void* reserve(size_t size, void* welcome) {
  const size_t total = size + kGranularity;
  void* const all = total < size ? MAP_FAILED : map_nothing(welcome, total, 0);
  if (all == MAP_FAILED) return nullptr;
  const uintptr_t begin = to_number(all);
  const uintptr_t start = (begin + kGranularity - 1) / kGranularity * kGranularity;
  if (start > begin) munmap(all, start - begin);
  munmap(to_pointer(start + size), begin + kGranularity - start);
  return to_pointer(start);
}

void reserve_addresses(const Call& call, void** pointer, size_t size, void* welcome) {
  void* const address = reserve(size, welcome);
  if (address == nullptr) no_more(call, "addresses", size);
  try {
    const std::lock_guard lock(reservations().mutex);
    reservations().by_address[to_number(address)].size = size;
    ++reservations().count;
  } catch (...) {
    munmap(address, size);
    throw;
  }
  *pointer = address;
}

void release_addresses(const Call& call, void* address) {
  const std::lock_guard lock(reservations().mutex);
  const auto found = reservations().by_address.find(to_number(address));
  if (found == reservations().by_address.end()) {
    call.bad_handle("virPtr", address, "reservation of addresses");
  }
  if (const size_t count = found->second.mappings.size(); count > 0) {
    call.failed(ACL_ERROR_RT_PARAM_INVALID,
                fmt::format("memory is mapped to the addresses in {} places", count), "",
                "Call aclrtUnmapMem for each of them first.");
  }
  munmap(address, found->second.size);
  reservations().by_address.erase(found);
  --reservations().count;
}

// ---- Memory -------------------------------------------------------------------------------------

void make_memory(const Call& call, aclrtDrvMemHandle* handle, size_t size, int32_t device) {
  // A file may promise more than there is.
  const int file = size <= device_memory() ? memfd_create("aclgrad", MFD_CLOEXEC) : -1;
  if (file < 0) no_more(call, "memory", size);
  const auto memory = std::make_shared<PhysicalMemory>(file, size, device);
  if (ftruncate(file, static_cast<off_t>(size)) != 0) no_more(call, "memory", size);
  *handle = physical_memories().add(memory);
}

// ---- Mappings -----------------------------------------------------------------------------------

// With the reservations locked: where a mapping is to stand.
Reservation& find_place(const Call& call, void* address, size_t size) {
  const uintptr_t begin = to_number(address);
  auto& all = reservations().by_address;
  Reservation* const reservation = find_around(all, begin);
  // From `begin` to the end of the reservation.
  const size_t left = reservation == nullptr
                          ? 0
                          : std::prev(all.upper_bound(begin))->first + reservation->size - begin;
  if (size > left) {
    call.failed(ACL_ERROR_RT_PARAM_INVALID,
                fmt::format("{} bytes from argument virPtr ({}) on are not all addresses of one "
                            "reservation, which has {} there",
                            size, address, left),
                "", "Reserve more with aclrtReserveMemAddress.");
  }
  auto& mappings = reservation->mappings;
  const auto next = mappings.lower_bound(begin);
  const bool meets_next = next != mappings.end() && next->first - begin < size;
  if (meets_next || find_around(mappings, begin) != nullptr) {
    call.failed(
        ACL_ERROR_RT_PARAM_INVALID,
        fmt::format("memory is mapped already to some of the {} bytes from argument virPtr ({}) on",
                    size, address),
        "", "Call aclrtUnmapMem for it first.");
  }
  return *reservation;
}

void map_memory(const Call& call, void* address, size_t size, const void* handle) {
  Mapping mapping{size, physical_memories().find(handle)};
  if (!mapping.memory) call.bad_handle("handle", handle, PhysicalMemory::kKind);
  if (size > mapping.memory->size()) {
    call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "size", size,
                   "at most the size of the physical memory");
  }
  const int file = mapping.memory->file();
  const int32_t device = mapping.memory->device();
  const std::lock_guard lock(reservations().mutex);
  auto& mappings = find_place(call, address, size).mappings;
  const auto place = mappings.emplace(to_number(address), std::move(mapping)).first;
  try {
    add_mapping(address, size, device);
  } catch (...) {
    mappings.erase(place);
    throw;
  }
  if (mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED) {
    remove_mapping(address);
    mappings.erase(place);
    no_more(call, "mapped memory", size);
  }
#ifdef MADV_HUGEPAGE
  madvise(address, size, MADV_HUGEPAGE);  // where the system has none, small pages do
#endif
}

void unmap_memory(const Call& call, void* address) {
  const std::lock_guard lock(reservations().mutex);
  const uintptr_t begin = to_number(address);
  Reservation* const reservation = find_around(reservations().by_address, begin);
  const auto none = std::map<uintptr_t, Mapping>::iterator();
  const auto found = reservation == nullptr ? none : reservation->mappings.find(begin);
  if (reservation == nullptr || found == reservation->mappings.end()) {
    call.bad_handle("virPtr", address, "mapping of memory");
  }
  if (map_nothing(address, found->second.size, MAP_FIXED) == MAP_FAILED) {
    no_more(call, "addresses", found->second.size);
  }
  remove_mapping(address);
  reservation->mappings.erase(found);
}

}  // namespace

bool is_reserved(const void* address) {
  if (reservations().count == 0) return false;
  const std::lock_guard lock(reservations().mutex);
  return find_around(reservations().by_address, to_number(address)) != nullptr;
}

}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t alignment, void* expectPtr,
                                uint64_t flags) {
  return entry(__func__, [&](const Call& call) {
    call.require(virPtr, "virPtr");
    check_size(call, size);
    check_zero(call, "alignment", alignment);
    if (flags > 1) call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "flags", flags, "0 or 1");
    reserve_addresses(call, virPtr, size, expectPtr);
  });
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  return entry(__func__, [&](const Call& call) {
    call.require(virPtr, "virPtr");
    release_addresses(call, virPtr);
  });
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                             const aclrtPhysicalMemProp* prop, uint64_t flags) {
  return entry(__func__, [&](const Call& call) {
    call.require(handle, "handle");
    check_size(call, size);
    check_properties(call, prop);
    check_zero(call, "flags", flags);
    make_memory(call, handle, size, static_cast<int32_t>(prop->location.id));
  });
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return entry(__func__, [&](const Call& call) {
    call.require(handle, "handle");
    if (!physical_memories().remove(handle)) {
      call.bad_handle("handle", handle, PhysicalMemory::kKind);
    }
  });
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                     uint64_t flags) {
  return entry(__func__, [&](const Call& call) {
    call.require(virPtr, "virPtr");
    call.require(handle, "handle");
    check_size(call, size);
    check_zero(call, "offset", offset);
    check_zero(call, "flags", flags);
    if (to_number(virPtr) % kGranularity != 0) {
      call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "virPtr", virPtr,
                     "a multiple of 2097152 from the start of a reservation on");
    }
    map_memory(call, virPtr, size, handle);
  });
}

aclError aclrtUnmapMem(void* virPtr) {
  return entry(__func__, [&](const Call& call) {
    call.require(virPtr, "virPtr");
    unmap_memory(call, virPtr);
  });
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop,
                                          aclrtMemGranularityOptions option, size_t* granularity) {
  return entry(__func__, [&](const Call& call) {
    call.require(granularity, "granularity");
    check_properties(call, prop);
    if (!is_member(option, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                   ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)) {
      call.bad_value(ACL_ERROR_RT_PARAM_INVALID, "option", static_cast<int>(option),
                     "ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM (0) or _RECOMMENDED (1)");
    }
    *granularity = kGranularity;
  });
}
