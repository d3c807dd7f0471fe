// SPDX-License-Identifier: Apache-2.0
// The operators that training needs besides the activations, in the order of the contract.
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "aclnnop/aclnn_sub.h"
#include "aclnnop/aclnn_uniform.h"
#include "aclnnop/aclnn_zero.h"

#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

static_assert(kOperator<decltype(aclnnAddGetWorkspaceSize), decltype(aclnnAdd), const aclTensor*,
                        const aclTensor*, const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceAddGetWorkspaceSize), decltype(aclnnInplaceAdd),
                        const aclTensor*, const aclTensor*, const aclScalar*>);
static_assert(kOperator<decltype(aclnnAddsGetWorkspaceSize), decltype(aclnnAdds), const aclTensor*,
                        const aclScalar*, const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceAddsGetWorkspaceSize), decltype(aclnnInplaceAdds),
                        const aclTensor*, const aclScalar*, const aclScalar*>);
static_assert(kOperator<decltype(aclnnSubGetWorkspaceSize), decltype(aclnnSub), const aclTensor*,
                        const aclTensor*, const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceSubGetWorkspaceSize), decltype(aclnnInplaceSub),
                        aclTensor*, const aclTensor*, const aclScalar*>);
static_assert(kOperator<decltype(aclnnSubsGetWorkspaceSize), decltype(aclnnSubs), const aclTensor*,
                        const aclScalar*, const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceSubsGetWorkspaceSize), decltype(aclnnInplaceSubs),
                        aclTensor*, const aclScalar*, const aclScalar*>);
static_assert(kOperator<decltype(aclnnMulGetWorkspaceSize), decltype(aclnnMul), const aclTensor*,
                        const aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnMulsGetWorkspaceSize), decltype(aclnnMuls), const aclTensor*,
                        const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceMulGetWorkspaceSize), decltype(aclnnInplaceMul),
                        aclTensor*, const aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceMulsGetWorkspaceSize), decltype(aclnnInplaceMuls),
                        aclTensor*, const aclScalar*>);
static_assert(kOperator<decltype(aclnnGeluGetWorkspaceSize), decltype(aclnnGelu), const aclTensor*,
                        aclTensor*>);
static_assert(kOperator<decltype(aclnnGeluBackwardGetWorkspaceSize), decltype(aclnnGeluBackward),
                        const aclTensor*, const aclTensor*, const aclTensor*>);
static_assert(kOperator<decltype(aclnnGeluV2GetWorkspaceSize), decltype(aclnnGeluV2),
                        const aclTensor*, int64_t, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnGeluBackwardV2GetWorkspaceSize), decltype(aclnnGeluBackwardV2),
              const aclTensor*, const aclTensor*, char*, aclTensor*>);
static_assert(kOperator<decltype(aclnnMatmulGetWorkspaceSize), decltype(aclnnMatmul),
                        const aclTensor*, const aclTensor*, aclTensor*, int8_t>);
static_assert(kOperator<decltype(aclnnMmGetWorkspaceSize), decltype(aclnnMm), const aclTensor*,
                        const aclTensor*, aclTensor*, int8_t>);
static_assert(kOperator<decltype(aclnnAddmmGetWorkspaceSize), decltype(aclnnAddmm),
                        const aclTensor*, const aclTensor*, const aclTensor*, const aclScalar*,
                        const aclScalar*, aclTensor*, int8_t>);
static_assert(kOperator<decltype(aclnnInplaceAddmmGetWorkspaceSize), decltype(aclnnInplaceAddmm),
                        const aclTensor*, const aclTensor*, const aclTensor*, const aclScalar*,
                        const aclScalar*, int8_t>);
static_assert(kOperator<decltype(aclnnReduceSumGetWorkspaceSize), decltype(aclnnReduceSum),
                        const aclTensor*, const aclIntArray*, bool, aclDataType, aclTensor*>);
static_assert(kOperator<decltype(aclnnMeanGetWorkspaceSize), decltype(aclnnMean), const aclTensor*,
                        const aclIntArray*, bool, aclDataType, aclTensor*>);
static_assert(kOperator<decltype(aclnnCastGetWorkspaceSize), decltype(aclnnCast), const aclTensor*,
                        aclDataType, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceCopyGetWorkspaceSize), decltype(aclnnInplaceCopy),
                        aclTensor*, const aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceZeroGetWorkspaceSize), decltype(aclnnInplaceZero), aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceFillScalarGetWorkspaceSize),
                        decltype(aclnnInplaceFillScalar), aclTensor*, const aclScalar*>);
static_assert(kOperator<decltype(aclnnMseLossGetWorkspaceSize), decltype(aclnnMseLoss),
                        const aclTensor*, const aclTensor*, int64_t, aclTensor*>);
static_assert(
    kIs<decltype(aclnnMseLossOutGetWorkspaceSize), decltype(aclnnMseLossGetWorkspaceSize)>);
static_assert(kIs<decltype(aclnnMseLossOut), decltype(aclnnMseLoss)>);
static_assert(
    kOperator<decltype(aclnnMseLossBackwardGetWorkspaceSize), decltype(aclnnMseLossBackward),
              const aclTensor*, const aclTensor*, const aclTensor*, int64_t, aclTensor*>);
static_assert(kOperator<decltype(aclnnLogSoftmaxGetWorkspaceSize), decltype(aclnnLogSoftmax),
                        const aclTensor*, int64_t, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnLogSoftmaxBackwardGetWorkspaceSize), decltype(aclnnLogSoftmaxBackward),
              const aclTensor*, const aclTensor*, int64_t, aclTensor*>);
static_assert(kOperator<decltype(aclnnSoftmaxGetWorkspaceSize), decltype(aclnnSoftmax),
                        const aclTensor*, int64_t, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnSoftmaxBackwardGetWorkspaceSize), decltype(aclnnSoftmaxBackward),
              const aclTensor*, const aclTensor*, int64_t, aclTensor*>);
static_assert(kOperator<decltype(aclnnLayerNormGetWorkspaceSize), decltype(aclnnLayerNorm),
                        const aclTensor*, const aclIntArray*, const aclTensor*, const aclTensor*,
                        double, aclTensor*, aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnLayerNormBackwardGetWorkspaceSize),
                        decltype(aclnnLayerNormBackward), const aclTensor*, const aclTensor*,
                        const aclIntArray*, const aclTensor*, const aclTensor*, const aclTensor*,
                        const aclTensor*, const aclBoolArray*, aclTensor*, aclTensor*, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnNLLLossGetWorkspaceSize), decltype(aclnnNLLLoss), const aclTensor*,
              const aclTensor*, const aclTensor*, int64_t, int64_t, aclTensor*, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnNLLLossBackwardGetWorkspaceSize), decltype(aclnnNLLLossBackward),
              const aclTensor*, const aclTensor*, const aclTensor*, const aclTensor*, int64_t,
              int64_t, const aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnApplyAdamWV2GetWorkspaceSize), decltype(aclnnApplyAdamWV2),
                        aclTensor*, aclTensor*, aclTensor*, aclTensor*, const aclTensor*,
                        const aclTensor*, float, float, float, float, float, bool, bool>);
static_assert(kOperator<decltype(aclnnInplaceNormalGetWorkspaceSize), decltype(aclnnInplaceNormal),
                        const aclTensor*, float, float, int64_t, int64_t>);
static_assert(
    kOperator<decltype(aclnnInplaceUniformGetWorkspaceSize), decltype(aclnnInplaceUniform),
              const aclTensor*, double, double, uint64_t, uint64_t>);

}  // namespace aclgrad::specification
