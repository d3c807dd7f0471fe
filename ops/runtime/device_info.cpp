// SPDX-License-Identifier: Apache-2.0
// What the runtime tells about devices. Sizes and core counts are those of the machine, the
// architecture is that of the chip whose name is chosen.
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "ops/runtime/context.h"
#include "ops/runtime/device.h"
#include "ops/runtime/soc.h"

namespace aclgrad::runtime {
namespace {

int64_t cache_size() {
  constexpr int64_t kUnknown = 1 << 20;
  const int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return size > 0 ? size : kUnknown;
}

std::optional<int64_t> device_attribute(aclrtDevAttr attribute) {
  switch (attribute) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      return device_cores();
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      return static_cast<int64_t>(device_memory());
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      return cache_size();
    case ACL_DEV_ATTR_NPU_ARCH:
      return current_soc().family->npu_arch;
  }
  return std::nullopt;
}

}  // namespace

size_t device_memory() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

int64_t device_cores() {
  return std::max<int64_t>(1, static_cast<int64_t>(std::thread::hardware_concurrency()));
}

}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtGetDeviceCount(uint32_t* count) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (count == nullptr) return call.null_pointer("count");
    *count = static_cast<uint32_t>(device_count());
    return ACL_SUCCESS;
  });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (runMode == nullptr) return call.null_pointer("runMode");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
  });
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (value == nullptr) return call.null_pointer("value");
    if (!is_device(deviceId)) return call.bad_device("deviceId", deviceId);
    const std::optional<int64_t> found = device_attribute(attr);
    if (!found) {
      return call.bad_value(ACL_ERROR_INVALID_PARAM, "attr", static_cast<int>(attr),
                            "a value of aclrtDevAttr");
    }
    *value = *found;
    return ACL_SUCCESS;
  });
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (value == nullptr) return call.null_pointer("value");
    if (!is_device(deviceId)) return call.bad_device("deviceId", deviceId);
    switch (deviceInfo) {
      case ACL_DEVICE_INFO_AI_CORE_NUM:
      case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = device_cores();
        return ACL_SUCCESS;
      case ACL_DEVICE_INFO_L2_SIZE:
        *value = cache_size();
        return ACL_SUCCESS;
      case ACL_DEVICE_INFO_UNDEFINED:
        break;
    }
    return call.bad_value(ACL_ERROR_INVALID_PARAM, "deviceInfo", static_cast<int>(deviceInfo),
                          "a value of aclDeviceInfo (0..2)");
  });
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (value == nullptr) return call.null_pointer("value");
    if (type != ACL_RT_DEV_RES_CUBE_CORE && type != ACL_RT_DEV_RES_VECTOR_CORE) {
      return call.bad_value(ACL_ERROR_INVALID_PARAM, "type", static_cast<int>(type),
                            "a value of aclrtDevResLimitType (0 or 1)");
    }
    if (current_context() == nullptr) return call.no_context();
    *value = static_cast<uint32_t>(device_cores());
    return ACL_SUCCESS;
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (leastPriority == nullptr) return call.null_pointer("leastPriority");
    if (greatestPriority == nullptr) return call.null_pointer("greatestPriority");
    *leastPriority = static_cast<int32_t>(kLeastPriority);
    *greatestPriority = static_cast<int32_t>(kGreatestPriority);
    return ACL_SUCCESS;
  });
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (deviceStatus == nullptr) return call.null_pointer("deviceStatus");
    if (!is_device(deviceId)) return call.bad_device("deviceId", deviceId);
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return ACL_SUCCESS;
  });
}

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (canAccessPeer == nullptr) return call.null_pointer("canAccessPeer");
    if (!is_device(deviceId)) return call.bad_device("deviceId", deviceId);
    if (!is_device(peerDeviceId)) return call.bad_device("peerDeviceId", peerDeviceId);
    *canAccessPeer = deviceId == peerDeviceId ? 0 : 1;
    return ACL_SUCCESS;
  });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (flags != 0) return call.bad_value(ACL_ERROR_INVALID_PARAM, "flags", flags, "0");
    if (!is_device(peerDeviceId)) return call.bad_device("peerDeviceId", peerDeviceId);
    return current_context() == nullptr ? call.no_context() : ACL_SUCCESS;
  });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return entry(__func__, [&](const Call& call) -> aclError {
    if (!is_device(peerDeviceId)) return call.bad_device("peerDeviceId", peerDeviceId);
    return current_context() == nullptr ? call.no_context() : ACL_SUCCESS;
  });
}
