// SPDX-License-Identifier: Apache-2.0
// What the runtime tells about devices. Sizes and core counts are those of the machine, the
// architecture is that of the chip whose name is chosen.
#include <unistd.h>

#include <optional>

#include "ops/runtime/context/context.h"
#include "ops/runtime/device/device.h"
#include "ops/runtime/device/soc.h"

namespace aclgrad::runtime {
namespace {

int64_t cache_size() {
  constexpr int64_t kUnknown = 1 << 20;
#ifdef _SC_LEVEL2_CACHE_SIZE
  if (const int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE); size > 0) return size;
#endif
  return kUnknown;
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
}  // namespace aclgrad::runtime

using namespace aclgrad::runtime;

aclError aclrtGetDeviceCount(uint32_t* count) {
  return entry(__func__, [&](const Call& call) {
    call.require(count, "count");
    *count = static_cast<uint32_t>(device_count());
  });
}

aclError aclgradEnsureDevices(int32_t count) {
  return entry(__func__, [&](const Call& call) {
    if (count > kMaxDevices) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "count", count, "at most 16");
    }
    ensure_devices(count);
  });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  return entry(__func__, [&](const Call& call) {
    call.require(runMode, "runMode");
    *runMode = ACL_HOST;
  });
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  return entry(__func__, [&](const Call& call) {
    call.require(value, "value");
    require_device(call, "deviceId", deviceId);
    const std::optional<int64_t> found = device_attribute(attr);
    if (!found) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "attr", static_cast<int>(attr),
                     "a value of aclrtDevAttr");
    }
    *value = *found;
  });
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  return entry(__func__, [&](const Call& call) {
    call.require(value, "value");
    require_device(call, "deviceId", deviceId);
    switch (deviceInfo) {
      case ACL_DEVICE_INFO_AI_CORE_NUM:
      case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = device_cores();
        return;
      case ACL_DEVICE_INFO_L2_SIZE:
        *value = cache_size();
        return;
      case ACL_DEVICE_INFO_UNDEFINED:
        break;
    }
    call.bad_value(ACL_ERROR_INVALID_PARAM, "deviceInfo", static_cast<int>(deviceInfo),
                   "a value of aclDeviceInfo (0..2)");
  });
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t* value) {
  return entry(__func__, [&](const Call& call) {
    call.require(value, "value");
    if (type != ACL_RT_DEV_RES_CUBE_CORE && type != ACL_RT_DEV_RES_VECTOR_CORE) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "type", static_cast<int>(type),
                     "a value of aclrtDevResLimitType (0 or 1)");
    }
    require_context(call);
    *value = static_cast<uint32_t>(device_cores());
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  return entry(__func__, [&](const Call& call) {
    call.require(leastPriority, "leastPriority");
    call.require(greatestPriority, "greatestPriority");
    *leastPriority = static_cast<int32_t>(kLeastPriority);
    *greatestPriority = static_cast<int32_t>(kGreatestPriority);
  });
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  return entry(__func__, [&](const Call& call) {
    call.require(deviceStatus, "deviceStatus");
    require_device(call, "deviceId", deviceId);
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
  });
}

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
  return entry(__func__, [&](const Call& call) {
    call.require(canAccessPeer, "canAccessPeer");
    require_device(call, "deviceId", deviceId);
    require_device(call, "peerDeviceId", peerDeviceId);
    *canAccessPeer = deviceId == peerDeviceId ? 0 : 1;
  });
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags) {
  return entry(__func__, [&](const Call& call) {
    if (flags != 0) call.bad_value(ACL_ERROR_INVALID_PARAM, "flags", flags, "0");
    require_device(call, "peerDeviceId", peerDeviceId);
    require_context(call);
  });
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
  return entry(__func__, [&](const Call& call) {
    require_device(call, "peerDeviceId", peerDeviceId);
    require_context(call);
  });
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  return entry(__func__, [&](const Call& call) {
    if (!is_member(mode, ACL_RT_OVERFLOW_MODE_SATURATION, ACL_RT_OVERFLOW_MODE_INFNAN)) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "mode", static_cast<int>(mode),
                     "ACL_RT_OVERFLOW_MODE_SATURATION (0) or ACL_RT_OVERFLOW_MODE_INFNAN (1)");
    }
  });
}

aclError aclrtResetOverflowStatus(aclrtStream stream) {
  return entry(__func__, [&](const Call& call) { choose_stream(call, stream); });
}

aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo*, size_t, size_t* retSize) {
  return entry(__func__, [&](const Call& call) {
    call.require(retSize, "retSize");
    require_device(call, "deviceId", deviceId);
    *retSize = 0;
  });
}
