// SPDX-License-Identifier: Apache-2.0
// Operators that are declared only: those that are there are stated by their contracts
// (operators.cpp).
#include "aclnnop/aclnn_operators_unsupported.h"
#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

static_assert(
    kIs<decltype(aclnnMatmulAllReduceGetWorkspaceSize),
        aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const char*, const char*,
                    int64_t, int64_t, const aclTensor*, uint64_t*, aclOpExecutor**)>);
static_assert(
    kIs<decltype(aclnnMatmulAllReduce), aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(kIs<decltype(aclnnAllGatherMatmulGetWorkspaceSize),
                  aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const char*,
                              int64_t, int64_t, int64_t, const aclTensor*, const aclTensor*,
                              uint64_t*, aclOpExecutor**)>);
static_assert(
    kIs<decltype(aclnnAllGatherMatmul), aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(
    kIs<decltype(aclnnMatmulReduceScatterGetWorkspaceSize),
        aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const char*, const char*,
                    int64_t, int64_t, const aclTensor*, uint64_t*, aclOpExecutor**)>);
static_assert(kIs<decltype(aclnnMatmulReduceScatter),
                  aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(
    kIs<decltype(aclnnFlashAttentionVarLenScoreGetWorkspaceSize),
        aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*,
                    const aclTensor*, const aclTensor*, const aclTensor*, const aclIntArray*,
                    const aclIntArray*, const aclIntArray*, double, double, int64_t, int64_t,
                    int64_t, char*, int64_t, int64_t, aclTensor*, aclTensor*, aclTensor*,
                    aclTensor*, uint64_t*, aclOpExecutor**)>);
static_assert(kIs<decltype(aclnnFlashAttentionVarLenScore),
                  aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(
    kIs<decltype(aclnnFlashAttentionUnpaddingScoreGradGetWorkspaceSize),
        aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*,
                    const aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*,
                    const aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*,
                    const aclIntArray*, const aclIntArray*, const aclIntArray*, double, double,
                    int64_t, int64_t, int64_t, char*, int64_t, int64_t, aclTensor*, aclTensor*,
                    aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**)>);
static_assert(kIs<decltype(aclnnFlashAttentionUnpaddingScoreGrad),
                  aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(
    kIs<decltype(aclnnInplaceQuantScatterGetWorkspaceSize),
        aclnnStatus(aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*,
                    const aclTensor*, int64_t, int64_t, int64_t, uint64_t*, aclOpExecutor**)>);
static_assert(kIs<decltype(aclnnInplaceQuantScatter),
                  aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(kIs<decltype(aclnnInplaceQuantScatterV2GetWorkspaceSize),
                  aclnnStatus(aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*,
                              const aclTensor*, int64_t, int64_t, int64_t, const char*, uint64_t*,
                              aclOpExecutor**)>);
static_assert(kIs<decltype(aclnnInplaceQuantScatterV2),
                  aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(kIs<decltype(aclnnInplaceAttentionWorkerSchedulerGetWorkspaceSize),
                  aclnnStatus(aclTensor*, uint64_t*, aclOpExecutor**)>);
static_assert(kIs<decltype(aclnnInplaceAttentionWorkerScheduler),
                  aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(kIs<decltype(aclnnInplaceFfnWorkerSchedulerGetWorkspaceSize),
                  aclnnStatus(aclTensor*, int32_t, int32_t, uint64_t*, aclOpExecutor**)>);
static_assert(kIs<decltype(aclnnInplaceFfnWorkerScheduler),
                  aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(kIs<decltype(aclnnGlobalAveragePoolGetWorkspaceSize),
                  aclnnStatus(const aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**)>);
static_assert(kIs<decltype(aclnnGlobalAveragePool),
                  aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);
static_assert(kIs<decltype(aclnnResizeGetWorkspaceSize),
                  aclnnStatus(const aclTensor*, const aclFloatArray*, const char*, aclTensor*,
                              uint64_t*, aclOpExecutor**)>);
static_assert(
    kIs<decltype(aclnnResize), aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>);

}  // namespace aclgrad::specification
