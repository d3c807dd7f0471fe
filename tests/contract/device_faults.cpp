// SPDX-License-Identifier: Apache-2.0
// Process, devices, contexts, settings.
#include "aclgrad_ext.h"
#include "tests/contract/wrong_calls.h"

namespace aclgrad::contract {
namespace {

int32_t number;
uint32_t count;
int64_t value;
void* made;
aclrtRunMode run_mode;
aclrtDeviceStatus device_status;
constexpr int32_t kNoDevice = 99;

}  // namespace

std::vector<RuntimeFault> device_faults() {
  std::vector<RuntimeFault> faults;
  WrongCalls(faults, "aclInit", aclInit, nullptr)
      .when(100002, {"initialised already"},
            [](World&) {
              aclInit(nullptr);
              aclGetRecentErrMsg();
              const int status = aclInit("");
              return aclFinalize() != 0 ? -1 : status;
            })
      .with<0>("/no/such/file", 100003, {"configPath", "/no/such/file"});
  WrongCalls(faults, "aclFinalize", aclFinalize).when(100037, {"finalized already"}, [](World&) {
    aclInit(nullptr);
    return aclFinalize() != 0 ? -1 : aclFinalize();
  });
  WrongCalls(faults, "aclFinalizeReference", aclFinalizeReference, nullptr)
      .when(100037, {"finalized already"}, [](World&) {
        aclInit(nullptr);
        return aclFinalize() != 0 ? -1 : aclFinalizeReference(nullptr);
      });
  WrongCalls(faults, "aclrtGetLastError", aclrtGetLastError, ACL_RT_THREAD_LEVEL)
      .with<0>(no_member<aclrtLastErrLevel>(), 100000, {"level", "99", "ACL_RT_THREAD_LEVEL"});
  WrongCalls(faults, "aclrtPeekAtLastError", aclrtPeekAtLastError, ACL_RT_THREAD_LEVEL)
      .with<0>(no_member<aclrtLastErrLevel>(), 100000, {"level", "99", "ACL_RT_THREAD_LEVEL"});
  WrongCalls(faults, "aclrtGetVersion", aclrtGetVersion, &number, &number, &number)
      .null<0>("majorVersion")
      .null<1>("minorVersion")
      .null<2>("patchVersion");
  WrongCalls(faults, "aclGetCannAttribute", aclGetCannAttribute, ACL_CANN_ATTR_BF16, &number)
      .null<1>("value")
      .with<0>(no_member<aclCannAttr>(), 100000, {"cannAttr", "99"});
  WrongCalls(faults, "aclrtSetDevice", aclrtSetDevice, 0).with<0>(-1, 107001, {"deviceId", "-1"});
  WrongCalls(faults, "aclrtResetDevice", aclrtResetDevice, 0)
      .with<0>(kNoDevice, 107001, {"deviceId", "99"})
      .when(507007, {"device 0 is not set"},
            [](World&) { return aclrtResetDeviceForce(0) != 0 ? -1 : aclrtResetDevice(0); });
  WrongCalls(faults, "aclrtResetDeviceForce", aclrtResetDeviceForce, 0)
      .with<0>(kNoDevice, 107001, {"deviceId", "99"})
      .when(507007, {"device 0 is not set"},
            [](World&) { return aclrtResetDeviceForce(0) != 0 ? -1 : aclrtResetDeviceForce(0); });
  WrongCalls(faults, "aclrtGetDevice", aclrtGetDevice, &number)
      .null<0>("deviceId")
      .without_context();
  WrongCalls(faults, "aclrtGetDeviceCount", aclrtGetDeviceCount, &count).null<0>("count");
  WrongCalls(faults, "aclrtGetRunMode", aclrtGetRunMode, &run_mode).null<0>("runMode");
  WrongCalls(faults, "aclrtSynchronizeDevice", aclrtSynchronizeDevice)
      .without_context()
      .when(107027, {"being captured"},
            [](World& world) { return world.captured(), aclrtSynchronizeDevice(); });
  WrongCalls(faults, "aclrtSynchronizeDeviceWithTimeout", aclrtSynchronizeDeviceWithTimeout, 1)
      .without_context()
      .with<0>(0, 107000, {"timeout", "0"})
      .with<0>(-2, 107000, {"timeout", "-2"});
  WrongCalls(faults, "aclrtGetDeviceInfo", aclrtGetDeviceInfo, 0, ACL_DEV_ATTR_NPU_ARCH, &value)
      .null<2>("value")
      .with<0>(kNoDevice, 107001, {"deviceId", "99"})
      .with<1>(no_member<aclrtDevAttr>(), 100000, {"attr", "99"});
  WrongCalls(faults, "aclGetDeviceCapability", aclGetDeviceCapability, 0, ACL_DEVICE_INFO_L2_SIZE,
             &value)
      .null<2>("value")
      .with<0>(kNoDevice, 107001, {"deviceId", "99"})
      .with<1>(no_member<aclDeviceInfo>(), 100000, {"deviceInfo", "99"});
  WrongCalls(faults, "aclrtGetResInCurrentThread", aclrtGetResInCurrentThread,
             ACL_RT_DEV_RES_CUBE_CORE, &count)
      .null<1>("value")
      .with<0>(no_member<aclrtDevResLimitType>(), 100000, {"type", "99"})
      .without_context();
  WrongCalls(faults, "aclrtDeviceGetStreamPriorityRange", aclrtDeviceGetStreamPriorityRange,
             &number, &number)
      .null<0>("leastPriority")
      .null<1>("greatestPriority");
  WrongCalls(faults, "aclrtQueryDeviceStatus", aclrtQueryDeviceStatus, 0, &device_status)
      .null<1>("deviceStatus")
      .with<0>(kNoDevice, 107001, {"deviceId", "99"});
  WrongCalls(faults, "aclrtDeviceCanAccessPeer", aclrtDeviceCanAccessPeer, &number, 0, 0)
      .null<0>("canAccessPeer")
      .with<1>(kNoDevice, 107001, {"deviceId", "99"})
      .with<2>(kNoDevice, 107001, {"peerDeviceId", "99"});
  WrongCalls(faults, "aclrtDeviceEnablePeerAccess", aclrtDeviceEnablePeerAccess, 0, 0)
      .with<1>(1, 100000, {"flags", "1"})
      .with<0>(kNoDevice, 107001, {"peerDeviceId", "99"})
      .without_context();
  WrongCalls(faults, "aclrtDeviceDisablePeerAccess", aclrtDeviceDisablePeerAccess, 0)
      .with<0>(kNoDevice, 107001, {"peerDeviceId", "99"})
      .without_context();
  WrongCalls(faults, "aclrtCreateContext", aclrtCreateContext, &made, 0)
      .null<0>("context")
      .with<1>(kNoDevice, 107001, {"deviceId", "99"});
  WrongCalls(faults, "aclrtDestroyContext", aclrtDestroyContext, &World::invalid_handle)
      .null<0>("context")
      .with<0>(&World::invalid_handle, 107000, {"context", "not a live context"})
      .when(107000, {"context", "default context"}, [](World&) {
        return aclrtGetCurrentContext(&made) != 0 ? -1 : aclrtDestroyContext(made);
      });
  WrongCalls(faults, "aclrtSetCurrentContext", aclrtSetCurrentContext, &World::invalid_handle)
      .null<0>("context")
      .with<0>(&World::invalid_handle, 107000, {"context", "not a live context"});
  WrongCalls(faults, "aclrtGetCurrentContext", aclrtGetCurrentContext, &made)
      .null<0>("context")
      .without_context();
  WrongCalls(faults, "aclrtCtxGetCurrentDefaultStream", aclrtCtxGetCurrentDefaultStream, &made)
      .null<0>("stream")
      .without_context();
  WrongCalls(faults, "aclrtGetPrimaryCtxState", aclrtGetPrimaryCtxState, 0, &count, &number)
      .null<1>("flags")
      .null<2>("active")
      .with<0>(kNoDevice, 107001, {"deviceId", "99"});
  WrongCalls(faults, "aclrtSetSysParamOpt", aclrtSetSysParamOpt, ACL_OPT_DETERMINISTIC, 0)
      .with<0>(no_member<aclSysParamOpt>(), 100000, {"opt", "99"})
      .with<1>(4, 100000, {"value", "4", "0..3"});
  WrongCalls(faults, "aclrtGetSysParamOpt", aclrtGetSysParamOpt, ACL_OPT_DETERMINISTIC, &value)
      .null<1>("value")
      .with<0>(no_member<aclSysParamOpt>(), 100000, {"opt", "99"})
      .with<0>(ACL_OPT_STRONG_CONSISTENCY, 107021, {"option 2 was never set"});
  WrongCalls(faults, "aclrtCtxSetSysParamOpt", aclrtCtxSetSysParamOpt, ACL_OPT_DETERMINISTIC, 1)
      .with<0>(no_member<aclSysParamOpt>(), 100000, {"opt", "99"})
      .without_context();
  WrongCalls(faults, "aclrtCtxGetSysParamOpt", aclrtCtxGetSysParamOpt, ACL_OPT_DETERMINISTIC,
             &value)
      .null<1>("value")
      .with<0>(no_member<aclSysParamOpt>(), 100000, {"opt", "99"})
      .without_context();
  WrongCalls(faults, "aclgradEnsureDevices", aclgradEnsureDevices, 1)
      .with<0>(17, 100000, {"count", "17", "at most 16"});
  WrongCalls(faults, "aclgradSetNumThreads", aclgradSetNumThreads, 0)
      .with<0>(-1, 100000, {"count", "-1"});
  WrongCalls(faults, "aclgradSetSocName", aclgradSetSocName, nullptr)
      .with<0>("Pentium", 100000, {"name", "Pentium", "Ascend910B1"});
  return faults;
}

}  // namespace aclgrad::contract
