// SPDX-License-Identifier: Apache-2.0
// What the contract names but does not describe: functions without their parameters, structures
// without their members, enumerations without their values. The headers declare them as the
// vendor's are known to be; with the vendor's toolkit this file shows whether they are
// so.
#include "acl/acl.h"
#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

// ---- Device ------------------------------------------------------------------------------------

static_assert(ACL_PKG_VERSION_PARTS_MAX_SIZE == 64);
static_assert(sizeof(aclCANNPackageVersion) == 2 * 128 + 4 * 64);
static_assert(kIs<decltype(aclCANNPackageVersion::version), char[128]>);
static_assert(kIs<decltype(aclCANNPackageVersion::majorVersion), char[64]>);
static_assert(kIs<decltype(aclCANNPackageVersion::minorVersion), char[64]>);
static_assert(kIs<decltype(aclCANNPackageVersion::releaseVersion), char[64]>);
static_assert(kIs<decltype(aclCANNPackageVersion::patchVersion), char[64]>);
static_assert(kIs<decltype(aclCANNPackageVersion::reserved), char[128]>);

static_assert(ACL_TS_ID_AICORE == 0);
static_assert(ACL_TS_ID_AIVECTOR == 1);
static_assert(ACL_TS_ID_RESERVED == 2);

static_assert(sizeof(aclrtUtilizationInfo) == 24);
static_assert(kIs<decltype(aclrtUtilizationInfo::cubeUtilization), int32_t>);
static_assert(kIs<decltype(aclrtUtilizationInfo::vectorUtilization), int32_t>);
static_assert(kIs<decltype(aclrtUtilizationInfo::aicpuUtilization), int32_t>);
static_assert(kIs<decltype(aclrtUtilizationInfo::memoryUtilization), int32_t>);
static_assert(kIs<decltype(aclrtUtilizationInfo::utilizationExtend), aclrtUtilizationExtendInfo*>);

static_assert(ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV == 1);
static_assert(ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV == 21);
static_assert(
    kIs<decltype(aclrtGetDeviceCapability), aclError(int32_t, aclrtDevFeatureType, int32_t*)>);
static_assert(kIs<decltype(aclrtGetDevicesTopo), aclError(uint32_t, uint32_t, uint64_t*)>);
static_assert(
    kIs<decltype(aclrtSetDeviceResLimit), aclError(int32_t, aclrtDevResLimitType, uint32_t)>);
static_assert(
    kIs<decltype(aclrtGetDeviceResLimit), aclError(int32_t, aclrtDevResLimitType, uint32_t*)>);

// ---- Stream ------------------------------------------------------------------------------------

static_assert(
    kIs<decltype(aclrtSetStreamResLimit), aclError(aclrtStream, aclrtDevResLimitType, uint32_t)>);
static_assert(
    kIs<decltype(aclrtGetStreamResLimit), aclError(aclrtStream, aclrtDevResLimitType, uint32_t*)>);
static_assert(ACL_STREAM_ATTR_FAILURE_MODE == 1);
static_assert(ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK == 2);
static_assert(ACL_STREAM_ATTR_USER_CUSTOM_TAG == 3);
static_assert(sizeof(aclrtStreamAttrValue) == 16);
static_assert(kIs<decltype(aclrtStreamAttrValue::failureMode), uint64_t>);
static_assert(kIs<decltype(aclrtStreamAttrValue::overflowSwitch), uint32_t>);
static_assert(kIs<decltype(aclrtStreamAttrValue::userCustomTag), uint32_t>);
static_assert(kIs<decltype(aclrtStreamAttrValue::reserve), uint32_t[4]>);
static_assert(kIs<decltype(aclrtSetStreamAttribute),
                  aclError(aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue*)>);
static_assert(kIs<decltype(aclrtGetStreamAttribute),
                  aclError(aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue*)>);
static_assert(kIs<decltype(aclrtSetStreamOverflowSwitch), aclError(aclrtStream, uint32_t)>);
static_assert(kIs<decltype(aclrtGetStreamOverflowSwitch), aclError(aclrtStream, uint32_t*)>);

// ---- Memory ------------------------------------------------------------------------------------

// The values are the contract's, the beginning of their names is not.
static_assert(ACL_RT_MEM_ATTR_RSV == 0);
static_assert(ACL_RT_MEM_ATTR_MODULE_ID == 1);
static_assert(ACL_RT_MEM_ATTR_DEVICE_ID == 2);
static_assert(ACL_RT_MEM_ATTR_VA_FLAG == 3);

static_assert(kIs<decltype(aclrtFreeHostWithDevSync), aclError(void*)>);
static_assert(ACL_HOST_REGISTER_MAPPED == 0);
static_assert(
    kIs<decltype(aclrtHostRegister), aclError(void*, uint64_t, aclrtHostRegisterType, void**)>);
static_assert(kIs<decltype(aclrtHostUnregister), aclError(void*)>);
static_assert(kIs<decltype(aclrtMemFlush), aclError(void*, size_t)>);
static_assert(kIs<decltype(aclrtMemInvalidate), aclError(void*, size_t)>);
static_assert(kIs<decltype(aclrtMemcpyAsyncWithCondition),
                  aclError(void*, size_t, const void*, size_t, aclrtMemcpyKind, aclrtStream)>);

static_assert(sizeof(aclrtMemUsageInfo) == 112);
static_assert(kIs<decltype(aclrtMemUsageInfo::name), char[32]>);
static_assert(kIs<decltype(aclrtMemUsageInfo::curMemSize), uint64_t>);
static_assert(kIs<decltype(aclrtMemUsageInfo::memPeakSize), uint64_t>);
static_assert(kIs<decltype(aclrtMemUsageInfo::reserved), size_t[8]>);
static_assert(
    kIs<decltype(aclrtGetMemUsageInfo), aclError(int32_t, aclrtMemUsageInfo*, size_t, size_t*)>);

// ---- Recorded models ---------------------------------------------------------------------------

static_assert(kIs<decltype(aclmdlRISetName), aclError(aclmdlRI, const char*)>);
static_assert(kIs<decltype(aclmdlRIGetName), aclError(aclmdlRI, uint32_t, char*)>);
static_assert(kIs<decltype(aclmdlRIAbort), aclError(aclmdlRI)>);
static_assert(
    kIs<decltype(aclmdlRIDestroyRegisterCallback), aclError(aclmdlRI, aclrtCallback, void*)>);

}  // namespace aclgrad::specification
