// SPDX-License-Identifier: Apache-2.0
// Memory: allocations, copies, fills; data buffers.
#include <cstdint>

#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {
namespace {

void* made;
size_t size;
aclrtPtrAttributes attributes;

constexpr auto kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr auto kToDevice = ACL_MEMCPY_HOST_TO_DEVICE;
constexpr size_t kMuch = size_t{1} << 60;

std::vector<RuntimeFault> of_allocations() {
  const bool bare = true;
  return {
      {"aclrtMalloc", 100000, {"devPtr"}, [](World&) { return aclrtMalloc(nullptr, 1, kPolicy); }},
      {"aclrtMalloc", 100000, {"size", "0"}, [](World&) { return aclrtMalloc(&made, 0, kPolicy); }},
      {"aclrtMalloc",
       100000,
       {"size", "18446744073709551615"},
       [](World&) { return aclrtMalloc(&made, SIZE_MAX, kPolicy); }},
      {"aclrtMalloc",
       207001,
       {"bytes of memory are not available"},
       [](World&) { return aclrtMalloc(&made, kMuch, kPolicy); }},
      {"aclrtMalloc",
       107002,
       {"no context"},
       [](World&) { return aclrtMalloc(&made, 1, kPolicy); },
       bare},
      {"aclrtMallocAlign32",
       100000,
       {"devPtr"},
       [](World&) { return aclrtMallocAlign32(nullptr, 1, kPolicy); }},
      {"aclrtMallocCached",
       100000,
       {"size", "0"},
       [](World&) { return aclrtMallocCached(&made, 0, kPolicy); }},
      {"aclrtMallocWithCfg",
       100000,
       {"devPtr"},
       [](World&) { return aclrtMallocWithCfg(nullptr, 1, kPolicy, nullptr); }},
      {"aclrtMallocHost", 100000, {"hostPtr"}, [](World&) { return aclrtMallocHost(nullptr, 1); }},
      {"aclrtMallocHost", 100000, {"size", "0"}, [](World&) { return aclrtMallocHost(&made, 0); }},
      {"aclrtMallocHost",
       107002,
       {"no context"},
       [](World&) { return aclrtMallocHost(&made, 1); },
       bare},
      {"aclrtFree", 100000, {"devPtr"}, [](World&) { return aclrtFree(nullptr); }},
      {"aclrtFree",
       107017,
       {"devPtr"},
       [](World& world) { return aclrtFree(world.invalid_handle()); }},
      {"aclrtFreeHost", 100000, {"hostPtr"}, [](World&) { return aclrtFreeHost(nullptr); }},
      {"aclrtFreeHost",
       107017,
       {"hostPtr"},
       [](World& world) { return aclrtFreeHost(world.invalid_handle()); }},
      {"aclrtFreeWithDevSync",
       100000,
       {"devPtr"},
       [](World&) { return aclrtFreeWithDevSync(nullptr); }},
      {"aclrtFreeHostWithDevSync",
       100000,
       {"hostPtr"},
       [](World&) { return aclrtFreeHostWithDevSync(nullptr); }},
      {"aclrtGetMemInfo",
       100000,
       {"free"},
       [](World&) { return aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &size); }},
      {"aclrtGetMemInfo",
       100000,
       {"total"},
       [](World&) { return aclrtGetMemInfo(ACL_HBM_MEM, &size, nullptr); }},
      {"aclrtGetMemInfo",
       107000,
       {"attr", "99"},
       [](World&) { return aclrtGetMemInfo(no_member<aclrtMemAttr>(), &size, &size); }},
      {"aclrtGetMemInfo",
       107002,
       {"no context"},
       [](World&) { return aclrtGetMemInfo(ACL_HBM_MEM, &size, &size); },
       bare},
      {"aclrtPointerGetAttributes",
       100000,
       {"ptr"},
       [](World&) { return aclrtPointerGetAttributes(nullptr, &attributes); }},
      {"aclrtPointerGetAttributes",
       100000,
       {"attributes"},
       [](World& world) { return aclrtPointerGetAttributes(world.memory, nullptr); }},
  };
}

std::vector<RuntimeFault> of_copies() {
  const bool bare = true;
  return {
      {"aclrtMemcpy",
       100000,
       {"dst"},
       [](World& world) { return aclrtMemcpy(nullptr, 8, world.host, 8, kToDevice); }},
      {"aclrtMemcpy",
       100000,
       {"src"},
       [](World& world) { return aclrtMemcpy(world.memory, 8, nullptr, 8, kToDevice); }},
      {"aclrtMemcpy",
       100000,
       {"kind", "99"},
       [](World& world) {
         return aclrtMemcpy(world.memory, 8, world.host, 8, no_member<aclrtMemcpyKind>());
       }},
      {"aclrtMemcpy",
       107000,
       {"destMax", "7", "count"},
       [](World& world) { return aclrtMemcpy(world.memory, 7, world.host, 8, kToDevice); }},
      {"aclrtMemcpy",
       107002,
       {"no context"},
       [](World& world) { return aclrtMemcpy(world.memory, 8, world.host, 8, kToDevice); },
       bare},
      {"aclrtMemcpy",
       107000,
       {"dst"},
       [](World& world) { return aclrtMemcpy(world.memory, kMuch, world.host, kMuch, kToDevice); }},
      {"aclrtMemcpyAsync",
       100000,
       {"dst"},
       [](World& world) {
         return aclrtMemcpyAsync(nullptr, 8, world.host, 8, kToDevice, world.stream);
       }},
      {"aclrtMemcpyAsync",
       207000,
       {"host to host", "aclrtMemcpy"},
       [](World& world) {
         return aclrtMemcpyAsync(world.host, 8, world.host + 8, 8, ACL_MEMCPY_HOST_TO_HOST,
                                 world.stream);
       }},
      {"aclrtMemcpyAsync",
       107017,
       {"stream", "not a live stream"},
       [](World& world) {
         return aclrtMemcpyAsync(world.memory, 8, world.host, 8, kToDevice, world.invalid_handle());
       }},
      {"aclrtMemset", 100000, {"devPtr"}, [](World&) { return aclrtMemset(nullptr, 8, 0, 8); }},
      {"aclrtMemset",
       107000,
       {"count", "9", "maxCount"},
       [](World& world) { return aclrtMemset(world.memory, 8, 0, 9); }},
      {"aclrtMemset",
       107002,
       {"no context"},
       [](World& world) { return aclrtMemset(world.memory, 8, 0, 8); },
       bare},
      {"aclrtMemset",
       107000,
       {"devPtr"},
       [](World& world) { return aclrtMemset(world.memory, kMuch, 0, kMuch); }},
      {"aclrtMemsetAsync",
       100000,
       {"devPtr"},
       [](World& world) { return aclrtMemsetAsync(nullptr, 8, 0, 8, world.stream); }},
      {"aclrtMemsetAsync",
       107000,
       {"count", "9", "maxCount"},
       [](World& world) { return aclrtMemsetAsync(world.memory, 8, 0, 9, world.stream); }},
      {"aclrtMemcpy2d",
       100000,
       {"dst"},
       [](World& world) { return aclrtMemcpy2d(nullptr, 8, world.host, 8, 8, 2, kToDevice); }},
      {"aclrtMemcpy2d",
       100000,
       {"src"},
       [](World& world) { return aclrtMemcpy2d(world.memory, 8, nullptr, 8, 8, 2, kToDevice); }},
      {"aclrtMemcpy2d",
       100000,
       {"width", "9", "dpitch and spitch"},
       [](World& world) { return aclrtMemcpy2d(world.memory, 8, world.host, 8, 9, 2, kToDevice); }},
      {"aclrtMemcpy2d",
       100000,
       {"kind", "0", "1 to 4"},
       [](World& world) {
         return aclrtMemcpy2d(world.memory, 8, world.host, 8, 8, 2, ACL_MEMCPY_HOST_TO_HOST);
       }},
      {"aclrtMemcpy2d",
       107000,
       {"dst"},
       [](World& world) {
         return aclrtMemcpy2d(world.memory, kMuch, world.host, 8, 8, 64, kToDevice);
       }},
      {"aclrtMemcpy2dAsync",
       100000,
       {"dst"},
       [](World& world) {
         return aclrtMemcpy2dAsync(nullptr, 8, world.host, 8, 8, 2, kToDevice, world.stream);
       }},
      {"aclDestroyDataBuffer",
       100000,
       {"dataBuffer"},
       [](World&) { return aclDestroyDataBuffer(nullptr); }},
      {"aclUpdateDataBuffer",
       100000,
       {"dataBuffer"},
       [](World& world) { return aclUpdateDataBuffer(nullptr, world.host, 8); }},
  };
}

}  // namespace

std::vector<RuntimeFault> memory_faults() {
  std::vector<RuntimeFault> all = of_allocations();
  for (RuntimeFault& fault : of_copies()) all.push_back(std::move(fault));
  return all;
}

}  // namespace aclgrad::contract
