// SPDX-License-Identifier: Apache-2.0
// Reserved addresses, physical memory, mappings.
#include <cstdint>

#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {
namespace {

constexpr size_t kPiece = size_t{2} << 20;
constexpr size_t kTooMuch = size_t{1} << 60;

aclrtPhysicalMemProp device_memory(void (*change)(aclrtPhysicalMemProp&) = nullptr) {
  aclrtPhysicalMemProp prop = {};
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  if (change != nullptr) change(prop);
  return prop;
}

// Two pieces of addresses, the first of which has memory, and memory of one piece.
struct Pool {
  Pool() {
    const aclrtPhysicalMemProp prop = device_memory();
    aclrtReserveMemAddress(&addresses, 2 * kPiece, 0, nullptr, 1);
    aclrtMallocPhysical(&memory, kPiece, &prop, 0);
    aclrtMapMem(addresses, kPiece, 0, memory, 0);
  }
  ~Pool() {
    aclrtUnmapMem(addresses);
    aclrtFreePhysical(memory);
    aclrtReleaseMemAddress(addresses);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  char* rest() const { return static_cast<char*>(addresses) + kPiece; }

  void* addresses = nullptr;
  aclrtDrvMemHandle memory = nullptr;
};

RuntimeFault of_pool(const char* function, int status, std::vector<std::string> words,
                     int (*call)(World& world, Pool& pool)) {
  return {function, status, std::move(words), [call](World& world) {
            Pool pool;
            return call(world, pool);
          }};
}

RuntimeFault of_memory(int status, std::vector<std::string> words,
                       void (*change)(aclrtPhysicalMemProp&), size_t size = kPiece,
                       uint64_t flags = 0) {
  return {"aclrtMallocPhysical", status, std::move(words), [=](World&) {
            const aclrtPhysicalMemProp prop = device_memory(change);
            aclrtDrvMemHandle handle = nullptr;
            return aclrtMallocPhysical(&handle, size, &prop, flags);
          }};
}

void unchanged(aclrtPhysicalMemProp&) {}

RuntimeFault of_addresses(int status, std::vector<std::string> words, size_t size,
                          size_t alignment = 0, uint64_t flags = 0) {
  return {"aclrtReserveMemAddress", status, std::move(words), [=](World&) {
            void* addresses = nullptr;
            return aclrtReserveMemAddress(&addresses, size, alignment, nullptr, flags);
          }};
}

}  // namespace

std::vector<RuntimeFault> virtual_memory_faults() {
  return {
      {"aclrtReserveMemAddress",
       100000,
       {"virPtr"},
       [](World&) { return aclrtReserveMemAddress(nullptr, kPiece, 0, nullptr, 0); }},
      of_addresses(100000, {"size", "0"}, 0),
      of_addresses(107000, {"size", "2097153", "2097152"}, kPiece + 1),
      of_addresses(107000, {"alignment", "512"}, kPiece, 512),
      of_addresses(107000, {"flags", "2"}, kPiece, 0, 2),
      of_addresses(207001, {"bytes of addresses are not available"}, kTooMuch),
      of_addresses(207001, {"bytes of addresses are not available"}, SIZE_MAX / kPiece * kPiece),
      {"aclrtReleaseMemAddress",
       100000,
       {"virPtr"},
       [](World&) { return aclrtReleaseMemAddress(nullptr); }},
      {"aclrtReleaseMemAddress",
       107017,
       {"virPtr", "not a live reservation"},
       [](World& world) { return aclrtReleaseMemAddress(world.memory); }},
      of_pool("aclrtReleaseMemAddress", 107000, {"mapped", "1 places", "aclrtUnmapMem"},
              [](World&, Pool& pool) { return aclrtReleaseMemAddress(pool.addresses); }),
      {"aclrtMallocPhysical",
       100000,
       {"handle"},
       [](World&) { return aclrtMallocPhysical(nullptr, kPiece, nullptr, 0); }},
      {"aclrtMallocPhysical",
       100000,
       {"prop"},
       [](World&) {
         aclrtDrvMemHandle handle = nullptr;
         return aclrtMallocPhysical(&handle, kPiece, nullptr, 0);
       }},
      of_memory(100000, {"size", "0"}, unchanged, 0),
      of_memory(107000, {"size", "512", "2097152"}, unchanged, 512),
      of_memory(107000, {"flags", "1"}, unchanged, kPiece, 1),
      of_memory(207001, {"bytes of memory are not available"}, unchanged, kTooMuch),
      of_memory(107000, {"handleType", "99"},
                [](auto& prop) { prop.handleType = no_member<aclrtMemHandleType>(); }),
      of_memory(107000, {"allocationType", "99"},
                [](auto& prop) { prop.allocationType = no_member<aclrtMemAllocationType>(); }),
      of_memory(107000, {"memAttr", "99"},
                [](auto& prop) { prop.memAttr = no_member<aclrtMemAttr>(); }),
      of_memory(107000, {"location.type", "0"},
                [](auto& prop) { prop.location.type = ACL_MEM_LOCATION_TYPE_HOST; }),
      of_memory(107001, {"location.id", "4000000000"},
                [](auto& prop) { prop.location.id = 4000000000U; }),
      {"aclrtFreePhysical", 100000, {"handle"}, [](World&) { return aclrtFreePhysical(nullptr); }},
      {"aclrtFreePhysical",
       107017,
       {"handle", "not a live physical memory"},
       [](World& world) { return aclrtFreePhysical(world.stream); }},
      of_pool("aclrtMapMem", 100000, {"virPtr"},
              [](World&, Pool& pool) { return aclrtMapMem(nullptr, kPiece, 0, pool.memory, 0); }),
      of_pool("aclrtMapMem", 100000, {"handle"},
              [](World&, Pool& pool) { return aclrtMapMem(pool.rest(), kPiece, 0, nullptr, 0); }),
      of_pool("aclrtMapMem", 100000, {"size", "0"},
              [](World&, Pool& pool) { return aclrtMapMem(pool.rest(), 0, 0, pool.memory, 0); }),
      of_pool("aclrtMapMem", 107000, {"size", "4096"},
              [](World&, Pool& pool) { return aclrtMapMem(pool.rest(), 4096, 0, pool.memory, 0); }),
      of_pool("aclrtMapMem", 107000, {"offset", "2097152"},
              [](World&, Pool& pool) {
                return aclrtMapMem(pool.rest(), kPiece, kPiece, pool.memory, 0);
              }),
      of_pool(
          "aclrtMapMem", 107000, {"flags", "1"},
          [](World&, Pool& pool) { return aclrtMapMem(pool.rest(), kPiece, 0, pool.memory, 1); }),
      of_pool("aclrtMapMem", 107000, {"virPtr", "a multiple of 2097152"},
              [](World&, Pool& pool) {
                return aclrtMapMem(pool.rest() + 512, kPiece, 0, pool.memory, 0);
              }),
      of_pool("aclrtMapMem", 107017, {"handle", "not a live physical memory"},
              [](World& world, Pool& pool) {
                return aclrtMapMem(pool.rest(), kPiece, 0, world.stream, 0);
              }),
      of_pool("aclrtMapMem", 107000, {"size", "4194304", "the size of the physical memory"},
              [](World&, Pool& pool) {
                return aclrtMapMem(pool.rest(), 2 * kPiece, 0, pool.memory, 0);
              }),
      of_pool("aclrtMapMem", 107000, {"virPtr", "of one reservation", "has 0"},
              [](World&, Pool& pool) {
                return aclrtMapMem(pool.rest() + kPiece, kPiece, 0, pool.memory, 0);
              }),
      of_pool("aclrtMapMem", 107000, {"mapped already", "aclrtUnmapMem"},
              [](World&, Pool& pool) {
                return aclrtMapMem(pool.addresses, kPiece, 0, pool.memory, 0);
              }),
      {"aclrtUnmapMem", 100000, {"virPtr"}, [](World&) { return aclrtUnmapMem(nullptr); }},
      {"aclrtUnmapMem",
       107017,
       {"virPtr", "not a live mapping"},
       [](World& world) { return aclrtUnmapMem(world.memory); }},
      of_pool("aclrtUnmapMem", 107017, {"virPtr", "not a live mapping"},
              [](World&, Pool& pool) { return aclrtUnmapMem(pool.rest()); }),
      of_pool("aclrtFree", 107017, {"devPtr", "not a live device allocation"},
              [](World&, Pool& pool) { return aclrtFree(pool.addresses); }),
      of_pool("aclrtMemcpy", 107000, {"dst", "a reserved address without memory", "aclrtMapMem"},
              [](World& world, Pool& pool) {
                return aclrtMemcpy(pool.rest(), 8, world.host, 8, ACL_MEMCPY_HOST_TO_DEVICE);
              }),
      of_pool("aclrtMemset", 107000, {"devPtr", "pass the end of its allocation"},
              [](World&, Pool& pool) {
                return aclrtMemset(pool.addresses, 2 * kPiece, 0, kPiece + 1);
              }),
      {"aclrtMemGetAllocationGranularity",
       100000,
       {"prop"},
       [](World&) {
         size_t size = 0;
         return aclrtMemGetAllocationGranularity(nullptr, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                                                 &size);
       }},
      {"aclrtMemGetAllocationGranularity",
       100000,
       {"granularity"},
       [](World&) {
         aclrtPhysicalMemProp prop = device_memory();
         return aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM,
                                                 nullptr);
       }},
      {"aclrtMemGetAllocationGranularity",
       107000,
       {"option", "65535"},
       [](World&) {
         aclrtPhysicalMemProp prop = device_memory();
         size_t size = 0;
         return aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &size);
       }},
  };
}

}  // namespace aclgrad::contract
