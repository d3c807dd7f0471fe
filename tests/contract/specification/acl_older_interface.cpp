// SPDX-License-Identifier: Apache-2.0
// Descriptions of tensors, single operators, dumps, the profiler, overflow.
#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

// ---- Descriptions of tensors --------------------------------------------------------------------

using Desc = const aclTensorDesc*;
static_assert(ACL_TENSOR_SHAPE_RANGE_NUM == 2);
static_assert(kIs<decltype(aclCreateTensorDesc),
                  aclTensorDesc*(aclDataType, int, const int64_t*, aclFormat)>);
static_assert(kIs<decltype(aclDestroyTensorDesc), void(Desc)>);
static_assert(kIs<decltype(aclGetTensorDescType), aclDataType(Desc)>);
static_assert(kIs<decltype(aclGetTensorDescFormat), aclFormat(Desc)>);
static_assert(kIs<decltype(aclGetTensorDescSize), size_t(Desc)>);
static_assert(kIs<decltype(aclGetTensorDescElementCount), size_t(Desc)>);
static_assert(kIs<decltype(aclGetTensorDescNumDims), size_t(Desc)>);
static_assert(kIs<decltype(aclGetTensorDescDim), int64_t(Desc, size_t)>);
static_assert(kIs<decltype(aclGetTensorDescDimV2), aclError(Desc, size_t, int64_t*)>);
static_assert(kIs<decltype(aclGetTensorDescName), const char*(aclTensorDesc*)>);
static_assert(kIs<decltype(aclSetTensorDescName), void(aclTensorDesc*, const char*)>);
static_assert(kIs<decltype(aclSetTensorFormat), aclError(aclTensorDesc*, aclFormat)>);
static_assert(kIs<decltype(aclSetTensorShape), aclError(aclTensorDesc*, int, const int64_t*)>);
static_assert(
    kIs<decltype(aclSetTensorShapeRange), aclError(aclTensorDesc*, size_t, int64_t (*)[2])>);
static_assert(kIs<decltype(aclSetTensorConst), aclError(aclTensorDesc*, void*, size_t)>);
static_assert(kIs<decltype(aclSetTensorPlaceMent), aclError(aclTensorDesc*, aclMemType)>);

// ---- Single operators ---------------------------------------------------------------------------

static_assert(kIs<decltype(aclopCreateAttr), aclopAttr*()>);
static_assert(kIs<decltype(aclopDestroyAttr), void(const aclopAttr*)>);
static_assert(kIs<decltype(aclopSetAttrBool), aclError(aclopAttr*, const char*, uint8_t)>);
static_assert(kIs<decltype(aclopSetAttrInt), aclError(aclopAttr*, const char*, int64_t)>);
static_assert(kIs<decltype(aclopSetAttrFloat), aclError(aclopAttr*, const char*, float)>);
static_assert(kIs<decltype(aclopSetAttrString), aclError(aclopAttr*, const char*, const char*)>);
static_assert(kIs<decltype(aclopSetAttrDataType), aclError(aclopAttr*, const char*, aclDataType)>);
static_assert(
    kIs<decltype(aclopSetAttrListBool), aclError(aclopAttr*, const char*, int, const uint8_t*)>);
static_assert(
    kIs<decltype(aclopSetAttrListInt), aclError(aclopAttr*, const char*, int, const int64_t*)>);
static_assert(
    kIs<decltype(aclopSetAttrListFloat), aclError(aclopAttr*, const char*, int, const float*)>);
static_assert(kIs<decltype(aclopSetAttrListListInt),
                  aclError(aclopAttr*, const char*, int, const int*, const int64_t* const*)>);
static_assert(kIs<decltype(aclopSetModelDir), aclError(const char*)>);
static_assert(kIs<decltype(aclSetCompileopt), aclError(aclCompileOpt, const char*)>);

// ---- Dumps, the profiler, overflow --------------------------------------------------------------

static_assert(kIs<decltype(aclmdlInitDump), aclError()>);
static_assert(kIs<decltype(aclmdlSetDump), aclError(const char*)>);
static_assert(kIs<decltype(aclmdlFinalizeDump), aclError()>);
static_assert(kIs<decltype(aclprofInit), aclError(const char*, size_t)>);
static_assert(kIs<decltype(aclprofFinalize), aclError()>);
static_assert(
    kIs<decltype(aclprofCreateConfig), aclprofConfig*(uint32_t*, uint32_t, aclprofAicoreMetrics,
                                                      const aclprofAicoreEvents*, uint64_t)>);
static_assert(kIs<decltype(aclprofDestroyConfig), aclError(const aclprofConfig*)>);
static_assert(kIs<decltype(aclprofStart), aclError(const aclprofConfig*)>);
static_assert(kIs<decltype(aclprofStop), aclError(const aclprofConfig*)>);
static_assert(ACL_RT_OVERFLOW_MODE_SATURATION == 0);
static_assert(ACL_RT_OVERFLOW_MODE_INFNAN == 1);
static_assert(kIs<decltype(aclrtSetDeviceSatMode), aclError(aclrtFloatOverflowMode)>);
static_assert(kIs<decltype(aclrtGetOverflowStatus), aclError(void*, size_t, aclrtStream)>);
static_assert(kIs<decltype(aclrtResetOverflowStatus), aclError(aclrtStream)>);
static_assert(
    kIs<decltype(aclrtGetMemUceInfo), aclError(int32_t, aclrtMemUceInfo*, size_t, size_t*)>);

// ---- Values -------------------------------------------------------------------------------------

static_assert(ACL_ENGINE_SYS == 0);
static_assert(ACL_ENGINE_AICORE == 1);
static_assert(ACL_ENGINE_VECTOR == 2);
static_assert(ACL_COMPILE_SYS == 0);
static_assert(ACL_COMPILE_UNREGISTERED == 1);
static_assert(ACL_PRECISION_MODE == 0);
static_assert(ACL_AICORE_NUM == 1);
static_assert(ACL_AUTO_TUNE_MODE == 2);
static_assert(ACL_OP_SELECT_IMPL_MODE == 3);
static_assert(ACL_OPTYPELIST_FOR_IMPLMODE == 4);
static_assert(ACL_OP_DEBUG_LEVEL == 5);
static_assert(ACL_DEBUG_DIR == 6);
static_assert(ACL_OP_COMPILER_CACHE_MODE == 7);
static_assert(ACL_OP_COMPILER_CACHE_DIR == 8);
static_assert(ACL_OP_PERFORMANCE_MODE == 9);
static_assert(ACL_OP_JIT_COMPILE == 10);
static_assert(ACL_OP_DETERMINISTIC == 11);
static_assert(ACL_CUSTOMIZE_DTYPES == 12);
static_assert(ACL_OP_PRECISION_MODE == 13);
static_assert(ACL_ALLOW_HF32 == 14);
static_assert(ACL_PRECISION_MODE_V2 == 15);
static_assert(ACL_OP_DEBUG_OPTION == 16);
static_assert(ACL_AICORE_ARITHMETIC_UTILIZATION == 0);
static_assert(ACL_AICORE_PIPE_UTILIZATION == 1);
static_assert(ACL_AICORE_MEMORY_BANDWIDTH == 2);
static_assert(ACL_AICORE_L0B_AND_WIDTH == 3);
static_assert(ACL_AICORE_RESOURCE_CONFLICT_RATIO == 4);
static_assert(ACL_AICORE_MEMORY_UB == 5);
static_assert(ACL_AICORE_L2_CACHE == 6);
static_assert(ACL_AICORE_NONE == 0xFF);
static_assert(ACL_PROF_ACL_API == 0x0001ULL);
static_assert(ACL_PROF_TASK_TIME == 0x0002ULL);
static_assert(ACL_PROF_AICORE_METRICS == 0x0004ULL);
static_assert(ACL_PROF_AICPU == 0x0008ULL);
static_assert(ACL_PROF_L2CACHE == 0x0010ULL);
static_assert(ACL_PROF_HCCL_TRACE == 0x0020ULL);
static_assert(ACL_PROF_TRAINING_TRACE == 0x0040ULL);
static_assert(ACL_PROF_MSPROFTX == 0x0080ULL);
static_assert(ACL_PROF_RUNTIME_API == 0x0100ULL);
static_assert(ACL_PROF_MAX_OP_NAME_LEN == 257);
static_assert(ACL_PROF_MAX_OP_TYPE_LEN == 65);

// ---- What is declared only ----------------------------------------------------------------------

using ConstDescs = const aclTensorDesc* const*;
using ConstBuffers = const aclDataBuffer* const*;
static_assert(kIs<decltype(aclopExecuteV2),
                  aclError(const char*, int, aclTensorDesc**, aclDataBuffer**, int, aclTensorDesc**,
                           aclDataBuffer**, aclopAttr*, aclrtStream)>);
static_assert(
    kIs<decltype(aclopCompileAndExecute),
        aclError(const char*, int, ConstDescs, ConstBuffers, int, ConstDescs, aclDataBuffer* const*,
                 const aclopAttr*, aclopEngineType, aclopCompileType, const char*, aclrtStream)>);
static_assert(kIs<decltype(aclopCompileAndExecuteV2),
                  aclError(const char*, int, aclTensorDesc**, aclDataBuffer**, int, aclTensorDesc**,
                           aclDataBuffer**, aclopAttr*, aclopEngineType, aclopCompileType,
                           const char*, aclrtStream)>);
static_assert(
    kIs<decltype(aclGenGraphAndDumpForOp),
        aclError(const char*, int, ConstDescs, ConstBuffers, int, ConstDescs, aclDataBuffer* const*,
                 const aclopAttr*, aclopEngineType, const char*, const aclGraphDumpOption*)>);

}  // namespace aclgrad::specification
