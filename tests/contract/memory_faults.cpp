// SPDX-License-Identifier: Apache-2.0
// Memory: allocations, copies, fills; data buffers.
#include <cstdint>

#include "tests/contract/wrong_calls.h"

namespace aclgrad::contract {
namespace {

void* made;
size_t size;
aclrtPtrAttributes attributes;

constexpr auto kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr auto kToDevice = ACL_MEMCPY_HOST_TO_DEVICE;
constexpr size_t kMuch = size_t{1} << 60;

void add_allocations(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclrtMalloc", aclrtMalloc, &made, 1, kPolicy)
      .null<0>("devPtr")
      .with<1>(0, 100000, {"size", "0"})
      .with<1>(SIZE_MAX, 100000, {"size", "18446744073709551615"})
      .with<1>(kMuch, 207001, {"bytes of memory are not available"})
      .without_context();
  WrongCalls(faults, "aclrtMallocAlign32", aclrtMallocAlign32, &made, 1, kPolicy).null<0>("devPtr");
  WrongCalls(faults, "aclrtMallocCached", aclrtMallocCached, &made, 1, kPolicy)
      .null<0>("devPtr")
      .with<1>(0, 100000, {"size", "0"});
  WrongCalls(faults, "aclrtMallocWithCfg", aclrtMallocWithCfg, &made, 1, kPolicy, nullptr)
      .null<0>("devPtr");
  WrongCalls(faults, "aclrtMallocHost", aclrtMallocHost, &made, 1)
      .null<0>("hostPtr")
      .with<1>(0, 100000, {"size", "0"})
      .without_context();
  WrongCalls(faults, "aclrtFree", aclrtFree, &World::memory)
      .null<0>("devPtr")
      .with<0>(&World::invalid_handle, 107017, {"devPtr"});
  WrongCalls(faults, "aclrtFreeHost", aclrtFreeHost, &World::invalid_handle)
      .null<0>("hostPtr")
      .with<0>(&World::invalid_handle, 107017, {"hostPtr"});
  WrongCalls(faults, "aclrtFreeWithDevSync", aclrtFreeWithDevSync, &World::memory)
      .null<0>("devPtr")
      .without_context();
  WrongCalls(faults, "aclrtFreeHostWithDevSync", aclrtFreeHostWithDevSync, &World::invalid_handle)
      .null<0>("hostPtr");
  WrongCalls(faults, "aclrtGetMemInfo", aclrtGetMemInfo, ACL_HBM_MEM, &size, &size)
      .null<1>("free")
      .null<2>("total")
      .with<0>(no_member<aclrtMemAttr>(), 107000, {"attr", "99"})
      .without_context();
  WrongCalls(faults, "aclrtPointerGetAttributes", aclrtPointerGetAttributes, &World::memory,
             &attributes)
      .null<0>("ptr")
      .null<1>("attributes");
}

void add_copies(std::vector<RuntimeFault>& faults) {
  WrongCalls(faults, "aclrtMemcpy", aclrtMemcpy, &World::memory, 8, &World::host, 8, kToDevice)
      .null<0>("dst")
      .null<2>("src")
      .with<4>(no_member<aclrtMemcpyKind>(), 100000, {"kind", "99"})
      .with<1>(7, 107000, {"destMax", "7", "count"})
      .without_context()
      .when(107000, {"dst"}, [](World& world) {
        return aclrtMemcpy(world.memory, kMuch, world.host, kMuch, kToDevice);
      });
  WrongCalls(faults, "aclrtMemcpyAsync", aclrtMemcpyAsync, &World::memory, 8, &World::host, 8,
             kToDevice, &World::stream)
      .null<0>("dst")
      .null<2>("src")
      .with<4>(no_member<aclrtMemcpyKind>(), 100000, {"kind", "99"})
      .with<1>(7, 107000, {"destMax", "7", "count"})
      .without_context()
      .when(207000, {"host to host", "aclrtMemcpy"},
            [](World& world) {
              return aclrtMemcpyAsync(world.host, 8, world.host + 8, 8, ACL_MEMCPY_HOST_TO_HOST,
                                      world.stream);
            })
      .with<5>(&World::invalid_handle, 107017, {"stream", "not a live stream"});
  WrongCalls(faults, "aclrtMemset", aclrtMemset, &World::memory, 8, 0, 8)
      .null<0>("devPtr")
      .with<3>(9, 107000, {"count", "9", "maxCount"})
      .without_context()
      .when(107000, {"devPtr"},
            [](World& world) { return aclrtMemset(world.memory, kMuch, 0, kMuch); });
  WrongCalls(faults, "aclrtMemsetAsync", aclrtMemsetAsync, &World::memory, 8, 0, 8, &World::stream)
      .null<0>("devPtr")
      .without_context()
      .with<3>(9, 107000, {"count", "9", "maxCount"});
  WrongCalls(faults, "aclrtMemcpy2d", aclrtMemcpy2d, &World::memory, 8, &World::host, 8, 8, 2,
             kToDevice)
      .null<0>("dst")
      .null<2>("src")
      .without_context()
      .with<4>(9, 100000, {"width", "9", "dpitch and spitch"})
      .with<6>(ACL_MEMCPY_HOST_TO_HOST, 100000, {"kind", "0", "1 to 4"})
      .when(107000, {"dst"}, [](World& world) {
        return aclrtMemcpy2d(world.memory, kMuch, world.host, 8, 8, 64, kToDevice);
      });
  WrongCalls(faults, "aclrtMemcpy2dAsync", aclrtMemcpy2dAsync, &World::memory, 8, &World::host, 8,
             8, 2, kToDevice, &World::stream)
      .null<0>("dst");
  WrongCalls(faults, "aclDestroyDataBuffer", aclDestroyDataBuffer, nullptr).null<0>("dataBuffer");
  WrongCalls(faults, "aclUpdateDataBuffer", aclUpdateDataBuffer, nullptr, &World::host, 8)
      .null<0>("dataBuffer");
}

}  // namespace

std::vector<RuntimeFault> memory_faults() {
  std::vector<RuntimeFault> faults;
  add_allocations(faults);
  add_copies(faults);
  return faults;
}

}  // namespace aclgrad::contract
