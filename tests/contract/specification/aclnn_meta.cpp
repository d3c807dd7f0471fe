// SPDX-License-Identifier: Apache-2.0
// The functions on tensors, scalars, lists and executors, in the order of the contract.
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

static_assert(std::is_same_v<aclnnStatus, int32_t>);
static_assert(OK == 0);

// ---- Creating and destroying objects ------------------------------------------------------------

static_assert(kIs<decltype(aclCreateTensor),
                  aclTensor*(const int64_t*, uint64_t, aclDataType, const int64_t*, int64_t,
                             aclFormat, const int64_t*, uint64_t, void*)>);
static_assert(kIs<decltype(aclCreateScalar), aclScalar*(void*, aclDataType)>);
static_assert(kIs<decltype(aclCreateIntArray), aclIntArray*(const int64_t*, uint64_t)>);
static_assert(kIs<decltype(aclCreateFloatArray), aclFloatArray*(const float*, uint64_t)>);
static_assert(kIs<decltype(aclCreateBoolArray), aclBoolArray*(const bool*, uint64_t)>);
static_assert(
    kIs<decltype(aclCreateTensorList), aclTensorList*(const aclTensor* const*, uint64_t)>);
static_assert(
    kIs<decltype(aclCreateScalarList), aclScalarList*(const aclScalar* const*, uint64_t)>);
static_assert(kIs<decltype(aclDestroyTensor), aclnnStatus(const aclTensor*)>);
static_assert(kIs<decltype(aclDestroyScalar), aclnnStatus(const aclScalar*)>);
static_assert(kIs<decltype(aclDestroyIntArray), aclnnStatus(const aclIntArray*)>);
static_assert(kIs<decltype(aclDestroyFloatArray), aclnnStatus(const aclFloatArray*)>);
static_assert(kIs<decltype(aclDestroyBoolArray), aclnnStatus(const aclBoolArray*)>);
static_assert(kIs<decltype(aclDestroyTensorList), aclnnStatus(const aclTensorList*)>);
static_assert(kIs<decltype(aclDestroyScalarList), aclnnStatus(const aclScalarList*)>);

// ---- Getters and re-initialisation --------------------------------------------------------------

static_assert(kIs<decltype(aclGetViewShape), aclnnStatus(const aclTensor*, int64_t**, uint64_t*)>);
static_assert(
    kIs<decltype(aclGetStorageShape), aclnnStatus(const aclTensor*, int64_t**, uint64_t*)>);
static_assert(
    kIs<decltype(aclGetViewStrides), aclnnStatus(const aclTensor*, int64_t**, uint64_t*)>);
static_assert(kIs<decltype(aclGetViewOffset), aclnnStatus(const aclTensor*, int64_t*)>);
static_assert(kIs<decltype(aclGetFormat), aclnnStatus(const aclTensor*, aclFormat*)>);
static_assert(kIs<decltype(aclGetDataType), aclnnStatus(const aclTensor*, aclDataType*)>);
static_assert(kIs<decltype(aclGetIntArraySize), aclnnStatus(const aclIntArray*, uint64_t*)>);
static_assert(kIs<decltype(aclGetFloatArraySize), aclnnStatus(const aclFloatArray*, uint64_t*)>);
static_assert(kIs<decltype(aclGetBoolArraySize), aclnnStatus(const aclBoolArray*, uint64_t*)>);
static_assert(kIs<decltype(aclGetTensorListSize), aclnnStatus(const aclTensorList*, uint64_t*)>);
static_assert(kIs<decltype(aclGetScalarListSize), aclnnStatus(const aclScalarList*, uint64_t*)>);
static_assert(kIs<decltype(aclInitTensor),
                  aclnnStatus(aclTensor*, const int64_t*, uint64_t, aclDataType, const int64_t*,
                              int64_t, aclFormat, const int64_t*, uint64_t, void*)>);

// ---- Repeatable executors -----------------------------------------------------------------------

static_assert(kIs<decltype(aclSetAclOpExecutorRepeatable), aclnnStatus(aclOpExecutor*)>);
static_assert(kIs<decltype(aclDestroyAclOpExecutor), aclnnStatus(aclOpExecutor*)>);
static_assert(
    kIs<decltype(aclSetInputTensorAddr), aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*)>);
static_assert(
    kIs<decltype(aclSetOutputTensorAddr), aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*)>);
static_assert(
    kIs<decltype(aclSetTensorAddr), aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*)>);
static_assert(kIs<decltype(aclSetDynamicInputTensorAddr),
                  aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*)>);
static_assert(kIs<decltype(aclSetDynamicOutputTensorAddr),
                  aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*)>);
static_assert(kIs<decltype(aclSetDynamicTensorAddr),
                  aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*)>);

// The older spelling of the same six.
static_assert(kIs<decltype(AclSetInputTensorAddr), decltype(aclSetInputTensorAddr)>);
static_assert(kIs<decltype(AclSetOutputTensorAddr), decltype(aclSetOutputTensorAddr)>);
static_assert(kIs<decltype(AclSetTensorAddr), decltype(aclSetTensorAddr)>);
static_assert(kIs<decltype(AclSetDynamicInputTensorAddr), decltype(aclSetDynamicInputTensorAddr)>);
static_assert(
    kIs<decltype(AclSetDynamicOutputTensorAddr), decltype(aclSetDynamicOutputTensorAddr)>);
static_assert(kIs<decltype(AclSetDynamicTensorAddr), decltype(aclSetDynamicTensorAddr)>);

static_assert(kIs<decltype(aclSetRawTensorAddr), aclnnStatus(aclTensor*, void*)>);
static_assert(kIs<decltype(aclGetRawTensorAddr), aclnnStatus(const aclTensor*, void**)>);

// ---- Library init -------------------------------------------------------------------------------

static_assert(kIs<decltype(aclnnInit), aclnnStatus(const char*)>);
static_assert(kIs<decltype(aclnnFinalize), aclnnStatus()>);
static_assert(kIs<decltype(aclDumpOpTensors),
                  aclnnStatus(const char*, const char*, aclTensor**, size_t, size_t, aclrtStream)>);

// ---- Of one phase -------------------------------------------------------------------------------

static_assert(kIs<decltype(aclnnCalculateMatmulWeightSizeV2),
                  aclnnStatus(const aclIntArray*, aclDataType, uint64_t*)>);

}  // namespace aclgrad::specification
