// SPDX-License-Identifier: Apache-2.0
// The functions of the runtime, in the order of the contract.
#include "acl/acl.h"
#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

// ---- Initialisation and errors ------------------------------------------------------------------

static_assert(kIs<decltype(aclInit), aclError(const char*)>);
static_assert(kIs<decltype(aclFinalize), aclError()>);
static_assert(kIs<decltype(aclFinalizeReference), aclError(uint64_t*)>);
static_assert(kIs<decltype(aclGetRecentErrMsg), const char*()>);
static_assert(kIs<decltype(aclrtGetLastError), aclError(aclrtLastErrLevel)>);
static_assert(kIs<decltype(aclrtPeekAtLastError), aclError(aclrtLastErrLevel)>);
static_assert(kIs<decltype(aclrtGetVersion), aclError(int32_t*, int32_t*, int32_t*)>);
static_assert(
    kIs<decltype(aclsysGetCANNVersion), aclError(aclCANNPackageName, aclCANNPackageVersion*)>);
static_assert(kIs<decltype(aclGetCannAttribute), aclError(aclCannAttr, int32_t*)>);
static_assert(kIs<decltype(aclGetDeviceCapability), aclError(uint32_t, aclDeviceInfo, int64_t*)>);
// Its format attribute cannot go through a template.
[[maybe_unused]] constexpr void (*kAppLog)(aclLogLevel, const char*, const char*, uint32_t,
                                           const char*, ...) = aclAppLog;

// ---- Device -------------------------------------------------------------------------------------

static_assert(kIs<decltype(aclrtSetDevice), aclError(int32_t)>);
static_assert(kIs<decltype(aclrtResetDevice), aclError(int32_t)>);
static_assert(kIs<decltype(aclrtResetDeviceForce), aclError(int32_t)>);
static_assert(kIs<decltype(aclrtGetDevice), aclError(int32_t*)>);
static_assert(kIs<decltype(aclrtGetDeviceCount), aclError(uint32_t*)>);
static_assert(kIs<decltype(aclrtGetRunMode), aclError(aclrtRunMode*)>);
static_assert(kIs<decltype(aclrtGetSocName), const char*()>);
static_assert(kIs<decltype(aclrtSynchronizeDevice), aclError()>);
static_assert(kIs<decltype(aclrtSynchronizeDeviceWithTimeout), aclError(int32_t)>);
static_assert(kIs<decltype(aclrtGetDeviceInfo), aclError(uint32_t, aclrtDevAttr, int64_t*)>);
static_assert(kIs<decltype(aclrtDeviceGetStreamPriorityRange), aclError(int32_t*, int32_t*)>);
static_assert(kIs<decltype(aclrtQueryDeviceStatus), aclError(int32_t, aclrtDeviceStatus*)>);
static_assert(kIs<decltype(aclrtDeviceCanAccessPeer), aclError(int32_t*, int32_t, int32_t)>);
static_assert(kIs<decltype(aclrtDeviceEnablePeerAccess), aclError(int32_t, uint32_t)>);
static_assert(kIs<decltype(aclrtDeviceDisablePeerAccess), aclError(int32_t)>);
static_assert(kIs<decltype(aclrtSetTsDevice), aclError(aclrtTsId)>);
static_assert(
    kIs<decltype(aclrtGetDeviceUtilizationRate), aclError(int32_t, aclrtUtilizationInfo*)>);
static_assert(kIs<decltype(aclrtGetResInCurrentThread), aclError(aclrtDevResLimitType, uint32_t*)>);

// ---- Context ------------------------------------------------------------------------------------

static_assert(kIs<decltype(aclrtCreateContext), aclError(aclrtContext*, int32_t)>);
static_assert(kIs<decltype(aclrtDestroyContext), aclError(aclrtContext)>);
static_assert(kIs<decltype(aclrtSetCurrentContext), aclError(aclrtContext)>);
static_assert(kIs<decltype(aclrtGetCurrentContext), aclError(aclrtContext*)>);
static_assert(kIs<decltype(aclrtCtxGetCurrentDefaultStream), aclError(aclrtStream*)>);
static_assert(kIs<decltype(aclrtSetSysParamOpt), aclError(aclSysParamOpt, int64_t)>);
static_assert(kIs<decltype(aclrtGetSysParamOpt), aclError(aclSysParamOpt, int64_t*)>);
static_assert(kIs<decltype(aclrtCtxSetSysParamOpt), aclError(aclSysParamOpt, int64_t)>);
static_assert(kIs<decltype(aclrtCtxGetSysParamOpt), aclError(aclSysParamOpt, int64_t*)>);
static_assert(kIs<decltype(aclrtGetPrimaryCtxState), aclError(int32_t, uint32_t*, int32_t*)>);
static_assert(kIs<decltype(aclrtCtxGetFloatOverflowAddr), aclError(void**)>);

// ---- Stream -------------------------------------------------------------------------------------

static_assert(kIs<decltype(aclrtCreateStream), aclError(aclrtStream*)>);
static_assert(
    kIs<decltype(aclrtCreateStreamWithConfig), aclError(aclrtStream*, uint32_t, uint32_t)>);
static_assert(kIs<decltype(aclrtDestroyStream), aclError(aclrtStream)>);
static_assert(kIs<decltype(aclrtDestroyStreamForce), aclError(aclrtStream)>);
static_assert(kIs<decltype(aclrtSynchronizeStream), aclError(aclrtStream)>);
static_assert(kIs<decltype(aclrtSynchronizeStreamWithTimeout), aclError(aclrtStream, int32_t)>);
static_assert(kIs<decltype(aclrtStreamQuery), aclError(aclrtStream, aclrtStreamStatus*)>);
static_assert(kIs<decltype(aclrtStreamWaitEvent), aclError(aclrtStream, aclrtEvent)>);
static_assert(
    kIs<decltype(aclrtStreamWaitEventWithTimeout), aclError(aclrtStream, aclrtEvent, int32_t)>);
static_assert(kIs<decltype(aclrtStreamGetId), aclError(aclrtStream, int32_t*)>);
static_assert(kIs<decltype(aclrtStreamGetPriority), aclError(aclrtStream, uint32_t*)>);
static_assert(kIs<decltype(aclrtStreamGetFlags), aclError(aclrtStream, uint32_t*)>);
static_assert(kIs<decltype(aclrtSetStreamFailureMode), aclError(aclrtStream, uint64_t)>);
static_assert(kIs<decltype(aclrtGetStreamAvailableNum), aclError(uint32_t*)>);
static_assert(kIs<decltype(aclrtStreamAbort), aclError(aclrtStream)>);
static_assert(kIs<decltype(aclrtStreamStop), aclError(aclrtStream)>);

// ---- Event --------------------------------------------------------------------------------------

static_assert(kIs<decltype(aclrtCreateEvent), aclError(aclrtEvent*)>);
static_assert(kIs<decltype(aclrtCreateEventWithFlag), aclError(aclrtEvent*, uint32_t)>);
static_assert(kIs<decltype(aclrtCreateEventExWithFlag), aclError(aclrtEvent*, uint32_t)>);
static_assert(kIs<decltype(aclrtDestroyEvent), aclError(aclrtEvent)>);
static_assert(kIs<decltype(aclrtRecordEvent), aclError(aclrtEvent, aclrtStream)>);
static_assert(kIs<decltype(aclrtResetEvent), aclError(aclrtEvent, aclrtStream)>);
static_assert(kIs<decltype(aclrtQueryEvent), aclError(aclrtEvent, aclrtEventStatus*)>);
static_assert(
    kIs<decltype(aclrtQueryEventStatus), aclError(aclrtEvent, aclrtEventRecordedStatus*)>);
static_assert(
    kIs<decltype(aclrtQueryEventWaitStatus), aclError(aclrtEvent, aclrtEventWaitStatus*)>);
static_assert(kIs<decltype(aclrtSynchronizeEvent), aclError(aclrtEvent)>);
static_assert(kIs<decltype(aclrtSynchronizeEventWithTimeout), aclError(aclrtEvent, int32_t)>);
static_assert(kIs<decltype(aclrtEventElapsedTime), aclError(float*, aclrtEvent, aclrtEvent)>);
static_assert(kIs<decltype(aclrtEventGetTimestamp), aclError(aclrtEvent, uint64_t*)>);
static_assert(kIs<decltype(aclrtGetEventId), aclError(aclrtEvent, uint32_t*)>);
static_assert(kIs<decltype(aclrtGetEventAvailNum), aclError(uint32_t*)>);
static_assert(kIs<decltype(aclrtSetOpWaitTimeout), aclError(uint32_t)>);
static_assert(kIs<decltype(aclrtSetOpExecuteTimeOut), aclError(uint32_t)>);

// ---- Memory -------------------------------------------------------------------------------------

static_assert(kIs<decltype(aclrtMalloc), aclError(void**, size_t, aclrtMemMallocPolicy)>);
static_assert(kIs<decltype(aclrtMallocAlign32), aclError(void**, size_t, aclrtMemMallocPolicy)>);
static_assert(kIs<decltype(aclrtMallocCached), aclError(void**, size_t, aclrtMemMallocPolicy)>);
static_assert(kIs<decltype(aclrtMallocWithCfg),
                  aclError(void**, size_t, aclrtMemMallocPolicy, aclrtMallocConfig*)>);
static_assert(kIs<decltype(aclrtFree), aclError(void*)>);
static_assert(kIs<decltype(aclrtFreeWithDevSync), aclError(void*)>);
static_assert(kIs<decltype(aclrtMallocHost), aclError(void**, size_t)>);
static_assert(kIs<decltype(aclrtFreeHost), aclError(void*)>);
static_assert(
    kIs<decltype(aclrtMemcpy), aclError(void*, size_t, const void*, size_t, aclrtMemcpyKind)>);
static_assert(kIs<decltype(aclrtMemcpyAsync),
                  aclError(void*, size_t, const void*, size_t, aclrtMemcpyKind, aclrtStream)>);
static_assert(kIs<decltype(aclrtMemset), aclError(void*, size_t, int32_t, size_t)>);
static_assert(
    kIs<decltype(aclrtMemsetAsync), aclError(void*, size_t, int32_t, size_t, aclrtStream)>);
static_assert(kIs<decltype(aclrtMemcpy2d),
                  aclError(void*, size_t, const void*, size_t, size_t, size_t, aclrtMemcpyKind)>);
static_assert(kIs<decltype(aclrtMemcpy2dAsync), aclError(void*, size_t, const void*, size_t, size_t,
                                                         size_t, aclrtMemcpyKind, aclrtStream)>);
static_assert(kIs<decltype(aclrtGetMemInfo), aclError(aclrtMemAttr, size_t*, size_t*)>);
static_assert(kIs<decltype(aclrtPointerGetAttributes), aclError(const void*, aclrtPtrAttributes*)>);

// ---- Virtual memory -----------------------------------------------------------------------------

static_assert(
    kIs<decltype(aclrtReserveMemAddress), aclError(void**, size_t, size_t, void*, uint64_t)>);
static_assert(kIs<decltype(aclrtReleaseMemAddress), aclError(void*)>);
static_assert(kIs<decltype(aclrtMallocPhysical),
                  aclError(aclrtDrvMemHandle*, size_t, const aclrtPhysicalMemProp*, uint64_t)>);
static_assert(kIs<decltype(aclrtFreePhysical), aclError(aclrtDrvMemHandle)>);
static_assert(
    kIs<decltype(aclrtMapMem), aclError(void*, size_t, size_t, aclrtDrvMemHandle, uint64_t)>);
static_assert(kIs<decltype(aclrtUnmapMem), aclError(void*)>);
static_assert(kIs<decltype(aclrtMemGetAllocationGranularity),
                  aclError(aclrtPhysicalMemProp*, aclrtMemGranularityOptions, size_t*)>);

// ---- Callbacks on a stream ----------------------------------------------------------------------

static_assert(kIs<decltype(aclrtLaunchHostFunc), aclError(aclrtStream, aclrtHostFunc, void*)>);
static_assert(kIs<decltype(aclrtSubscribeReport), aclError(uint64_t, aclrtStream)>);
static_assert(kIs<decltype(aclrtLaunchCallback),
                  aclError(aclrtCallback, void*, aclrtCallbackBlockType, aclrtStream)>);
static_assert(kIs<decltype(aclrtProcessReport), aclError(int32_t)>);
static_assert(kIs<decltype(aclrtUnSubscribeReport), aclError(uint64_t, aclrtStream)>);
static_assert(kIs<decltype(aclrtSetExceptionInfoCallback), aclError(aclrtExceptionInfoCallback)>);

// ---- Graph capture and replay -------------------------------------------------------------------

static_assert(kIs<decltype(aclmdlRICaptureBegin), aclError(aclrtStream, aclmdlRICaptureMode)>);
static_assert(kIs<decltype(aclmdlRICaptureGetInfo),
                  aclError(aclrtStream, aclmdlRICaptureStatus*, aclmdlRI*)>);
static_assert(kIs<decltype(aclmdlRICaptureEnd), aclError(aclrtStream, aclmdlRI*)>);
static_assert(kIs<decltype(aclmdlRICaptureThreadExchangeMode), aclError(aclmdlRICaptureMode*)>);
static_assert(kIs<decltype(aclmdlRIExecuteAsync), aclError(aclmdlRI, aclrtStream)>);
static_assert(kIs<decltype(aclmdlRIExecute), aclError(aclmdlRI, int32_t)>);
static_assert(kIs<decltype(aclmdlRIDestroy), aclError(aclmdlRI)>);
static_assert(kIs<decltype(aclmdlRIDebugPrint), aclError(aclmdlRI)>);
static_assert(kIs<decltype(aclmdlRIDebugJsonPrint), aclError(aclmdlRI, const char*, uint32_t)>);
static_assert(kIs<decltype(aclmdlRICaptureTaskGrpBegin), aclError(aclrtStream)>);
static_assert(kIs<decltype(aclmdlRICaptureTaskGrpEnd), aclError(aclrtStream, aclrtTaskGrp*)>);
static_assert(kIs<decltype(aclmdlRICaptureTaskUpdateBegin), aclError(aclrtStream, aclrtTaskGrp)>);
static_assert(kIs<decltype(aclmdlRICaptureTaskUpdateEnd), aclError(aclrtStream)>);

// ---- Base helpers -------------------------------------------------------------------------------

static_assert(kIs<decltype(aclDataTypeSize), size_t(aclDataType)>);
static_assert(kIs<decltype(aclFloat16ToFloat), float(aclFloat16)>);
static_assert(kIs<decltype(aclFloatToFloat16), aclFloat16(float)>);
static_assert(kIs<decltype(aclCreateDataBuffer), aclDataBuffer*(void*, size_t)>);
static_assert(kIs<decltype(aclDestroyDataBuffer), aclError(const aclDataBuffer*)>);
static_assert(kIs<decltype(aclUpdateDataBuffer), aclError(aclDataBuffer*, void*, size_t)>);
static_assert(kIs<decltype(aclGetDataBufferAddr), void*(const aclDataBuffer*)>);
static_assert(kIs<decltype(aclGetDataBufferSizeV2), size_t(const aclDataBuffer*)>);
static_assert(kIs<decltype(aclGetDataBufferSize), uint32_t(const aclDataBuffer*)>);

}  // namespace aclgrad::specification
