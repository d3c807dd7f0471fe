// SPDX-License-Identifier: Apache-2.0
// Reserved addresses, physical memory, mappings.
#include <cstdint>

#include "tests/contract/wrong_calls.h"

namespace aclgrad::contract {
namespace {

constexpr size_t kPiece = World::kPiece;
constexpr size_t kTooMuch = size_t{1} << 60;
void* made;
size_t size;

// Memory of the device, with one thing changed; each change has a property of its own.
template <class Change>
aclrtPhysicalMemProp* but(Change change) {
  static aclrtPhysicalMemProp prop;
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  change(prop);
  return &prop;
}

void add_reservations(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclrtReserveMemAddress", aclrtReserveMemAddress, &made, kPiece, 0, nullptr, 0)
      .null<0>("virPtr")
      .with<1>(0, 100000, {"size", "0"})
      .with<1>(kPiece + 1, 107000, {"size", "2097153", "2097152"})
      .with<2>(512, 107000, {"alignment", "512"})
      .with<4>(2, 107000, {"flags", "2"})
      .with<1>(kTooMuch, 207001, {"bytes of addresses are not available"})
      .with<1>(SIZE_MAX / kPiece * kPiece, 207001, {"bytes of addresses are not available"});
  WrongCalls(faults, "aclrtReleaseMemAddress", aclrtReleaseMemAddress, &World::mapped)
      .null<0>("virPtr")
      .with<0>(&World::memory, 107017, {"virPtr", "not a live reservation"})
      .unchanged(107000, {"mapped", "1 places", "aclrtUnmapMem"});
}

void add_physical_memory(std::vector<RuntimeFault>& faults) {
  const auto nothing = [](aclrtPhysicalMemProp&) {};
  WrongCalls(faults, "aclrtMallocPhysical", aclrtMallocPhysical, &made, kPiece, but(nothing), 0)
      .null<0>("handle")
      .null<2>("prop")
      .with<1>(0, 100000, {"size", "0"})
      .with<1>(512, 107000, {"size", "512", "2097152"})
      .with<3>(1, 107000, {"flags", "1"})
      .with<1>(kTooMuch, 207001, {"bytes of memory are not available"})
      .with<2>(but([](auto& prop) { prop.handleType = no_member<aclrtMemHandleType>(); }), 107000,
               {"handleType", "99"})
      .with<2>(but([](auto& prop) { prop.allocationType = no_member<aclrtMemAllocationType>(); }),
               107000, {"allocationType", "99"})
      .with<2>(but([](auto& prop) { prop.memAttr = no_member<aclrtMemAttr>(); }), 107000,
               {"memAttr", "99"})
      .with<2>(but([](auto& prop) { prop.location.type = ACL_MEM_LOCATION_TYPE_HOST; }), 107000,
               {"location.type", "0"})
      .with<2>(but([](auto& prop) { prop.location.id = 4000000000U; }), 107001,
               {"location.id", "4000000000"});
  WrongCalls(faults, "aclrtFreePhysical", aclrtFreePhysical, &World::physical)
      .null<0>("handle")
      .with<0>(&World::stream, 107017, {"handle", "not a live physical memory"});
  WrongCalls(faults, "aclrtMemGetAllocationGranularity", aclrtMemGetAllocationGranularity,
             but(nothing), ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &size)
      .null<0>("prop")
      .null<2>("granularity")
      .with<1>(ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, 107000, {"option", "65535"});
}

void add_mappings(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclrtMapMem", aclrtMapMem, &World::unmapped, kPiece, 0, &World::physical, 0)
      .null<0>("virPtr")
      .null<3>("handle")
      .with<1>(0, 100000, {"size", "0"})
      .with<1>(4096, 107000, {"size", "4096"})
      .with<2>(kPiece, 107000, {"offset", "2097152"})
      .with<4>(1, 107000, {"flags", "1"})
      .with<0>([](World& world) { return world.unmapped() + 512; }, 107000,
               {"virPtr", "a multiple of 2097152"})
      .with<3>(&World::stream, 107017, {"handle", "not a live physical memory"})
      .with<1>(2 * kPiece, 107000, {"size", "4194304", "the size of the physical memory"})
      .with<0>([](World& world) { return world.unmapped() + kPiece; }, 107000,
               {"virPtr", "of one reservation", "has 0"})
      .with<0>(&World::mapped, 107000, {"mapped already", "aclrtUnmapMem"});
  WrongCalls(faults, "aclrtUnmapMem", aclrtUnmapMem, &World::mapped)
      .null<0>("virPtr")
      .with<0>(&World::memory, 107017, {"virPtr", "not a live mapping"})
      .with<0>(&World::unmapped, 107017, {"virPtr", "not a live mapping"});
  // What other functions say of such addresses.
  WrongCalls(faults, "aclrtFree", aclrtFree, &World::mapped)
      .unchanged(107017, {"devPtr", "not a live device allocation"});
  WrongCalls(faults, "aclrtMemcpy", aclrtMemcpy, &World::unmapped, 8, &World::host, 8,
             ACL_MEMCPY_HOST_TO_DEVICE)
      .unchanged(107000, {"dst", "a reserved address without memory", "aclrtMapMem"});
  WrongCalls(faults, "aclrtMemset", aclrtMemset, &World::mapped, 2 * kPiece, 0, kPiece + 1)
      .unchanged(107000, {"devPtr", "pass the end of its allocation"});
}

}  // namespace

std::vector<RuntimeFault> virtual_memory_faults() {
  std::vector<RuntimeFault> faults;
  add_reservations(faults);
  add_physical_memory(faults);
  add_mappings(faults);
  return faults;
}

}  // namespace aclgrad::contract
