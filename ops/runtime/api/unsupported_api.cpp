// SPDX-License-Identifier: Apache-2.0
// The calls of acl/acl_rt_unsupported.h and acl/acl_op_unsupported.h.
#include "acl/acl_op.h"
#include "acl/acl_rt.h"
#include "ops/runtime/call/call.h"

namespace {

aclError unsupported(const char* function, const char* instead = "") {
  return aclgrad::runtime::entry(function, [&](const aclgrad::runtime::Call& call) {
    call.unsupported("this call is declared so that programs compile, and does nothing here",
                     instead);
  });
}

}  // namespace

aclError aclsysGetCANNVersion(aclCANNPackageName, aclCANNPackageVersion*) {
  return aclgrad::runtime::entry(__func__, [](const aclgrad::runtime::Call& call) {
    call.failed(ACL_ERROR_API_NOT_SUPPORT, "no part of the vendor's software is installed", "",
                "aclrtGetVersion tells the version of the runtime's interface.");
  });
}
aclError aclrtSetTsDevice(aclrtTsId) { return unsupported(__func__); }
aclError aclrtGetDeviceUtilizationRate(int32_t, aclrtUtilizationInfo*) {
  return unsupported(__func__);
}
aclError aclrtGetDeviceCapability(int32_t, aclrtDevFeatureType, int32_t*) {
  return unsupported(__func__);
}
aclError aclrtGetDevicesTopo(uint32_t, uint32_t, uint64_t*) { return unsupported(__func__); }
aclError aclrtSetDeviceResLimit(int32_t, aclrtDevResLimitType, uint32_t) {
  return unsupported(__func__, "aclgradSetNumThreads bounds the threads of operators.");
}
aclError aclrtGetDeviceResLimit(int32_t, aclrtDevResLimitType, uint32_t*) {
  return unsupported(__func__);
}
aclError aclrtSetStreamResLimit(aclrtStream, aclrtDevResLimitType, uint32_t) {
  return unsupported(__func__);
}
aclError aclrtGetStreamResLimit(aclrtStream, aclrtDevResLimitType, uint32_t*) {
  return unsupported(__func__);
}
aclError aclrtCtxGetFloatOverflowAddr(void**) { return unsupported(__func__); }
aclError aclrtStreamAbort(aclrtStream) {
  return unsupported(__func__, "aclrtDestroyStreamForce drops the work that has not started.");
}
aclError aclrtStreamStop(aclrtStream) {
  return unsupported(__func__, "aclrtDestroyStreamForce drops the work that has not started.");
}
aclError aclrtSetStreamAttribute(aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue*) {
  return unsupported(__func__,
                     "aclrtSetStreamFailureMode sets what a stream does after a failure.");
}
aclError aclrtGetStreamAttribute(aclrtStream, aclrtStreamAttr, aclrtStreamAttrValue*) {
  return unsupported(__func__);
}
aclError aclrtSetStreamOverflowSwitch(aclrtStream, uint32_t) { return unsupported(__func__); }
aclError aclrtGetStreamOverflowSwitch(aclrtStream, uint32_t*) { return unsupported(__func__); }
aclError aclrtSetOpExecuteTimeOut(uint32_t) { return unsupported(__func__); }
aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback) {
  return unsupported(__func__,
                     "A failed task is reported by the next synchronisation of its stream.");
}
aclError aclrtHostRegister(void*, uint64_t, aclrtHostRegisterType, void**) {
  return unsupported(__func__,
                     "aclrtMallocHost gives memory that asynchronous copies need not wait for.");
}
aclError aclrtHostUnregister(void*) { return unsupported(__func__); }
aclError aclrtMemFlush(void*, size_t) { return unsupported(__func__); }
aclError aclrtMemInvalidate(void*, size_t) { return unsupported(__func__); }
aclError aclrtMemcpyAsyncWithCondition(void*, size_t, const void*, size_t, aclrtMemcpyKind,
                                       aclrtStream) {
  return unsupported(__func__);
}
aclError aclrtGetMemUsageInfo(int32_t, aclrtMemUsageInfo*, size_t, size_t*) {
  return unsupported(__func__, "aclrtGetMemInfo tells free and total memory.");
}
aclError aclmdlRIDebugPrint(aclmdlRI) { return unsupported(__func__); }
aclError aclmdlRIDebugJsonPrint(aclmdlRI, const char*, uint32_t) { return unsupported(__func__); }
aclError aclmdlRISetName(aclmdlRI, const char*) { return unsupported(__func__); }
aclError aclmdlRIGetName(aclmdlRI, uint32_t, char*) { return unsupported(__func__); }
aclError aclmdlRIAbort(aclmdlRI) { return unsupported(__func__); }
aclError aclmdlRIDestroyRegisterCallback(aclmdlRI, aclrtCallback, void*) {
  return unsupported(__func__);
}
aclError aclmdlRICaptureTaskGrpBegin(aclrtStream) { return unsupported(__func__); }
aclError aclmdlRICaptureTaskGrpEnd(aclrtStream, aclrtTaskGrp*) { return unsupported(__func__); }
aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream, aclrtTaskGrp) {
  return unsupported(__func__, "Capture again, or use repeatable executors and aclSetTensorAddr.");
}
aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream) { return unsupported(__func__); }

// ---- Single operators by their names ------------------------------------------------------------

namespace {

aclError no_single_operators(const char* function) {
  return unsupported(function, "Call the two-phase function of the operator (aclnnop/).");
}

}  // namespace

aclError aclopExecuteV2(const char*, int, aclTensorDesc*[], aclDataBuffer*[], int, aclTensorDesc*[],
                        aclDataBuffer*[], aclopAttr*, aclrtStream) {
  return no_single_operators(__func__);
}
aclError aclopCompileAndExecute(const char*, int, const aclTensorDesc* const[],
                                const aclDataBuffer* const[], int, const aclTensorDesc* const[],
                                aclDataBuffer* const[], const aclopAttr*, aclopEngineType,
                                aclopCompileType, const char*, aclrtStream) {
  return no_single_operators(__func__);
}
aclError aclopCompileAndExecuteV2(const char*, int, aclTensorDesc*[], aclDataBuffer*[], int,
                                  aclTensorDesc*[], aclDataBuffer*[], aclopAttr*, aclopEngineType,
                                  aclopCompileType, const char*, aclrtStream) {
  return no_single_operators(__func__);
}
aclError aclGenGraphAndDumpForOp(const char*, int, const aclTensorDesc* const[],
                                 const aclDataBuffer* const[], int, const aclTensorDesc* const[],
                                 aclDataBuffer* const[], const aclopAttr*, aclopEngineType,
                                 const char*, const aclGraphDumpOption*) {
  return no_single_operators(__func__);
}
