// SPDX-License-Identifier: Apache-2.0
// The activation operators, in the order of the contract.
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"

#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

static_assert(kOperator<decltype(aclnnSeluGetWorkspaceSize), decltype(aclnnSelu), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceSeluGetWorkspaceSize), decltype(aclnnInplaceSelu), aclTensor*>);
static_assert(kOperator<decltype(aclnnSeluBackwardGetWorkspaceSize), decltype(aclnnSeluBackward),
                        const aclTensor*, const aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnEluGetWorkspaceSize), decltype(aclnnElu), const aclTensor*,
                        const aclScalar*, const aclScalar*, const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceEluGetWorkspaceSize), decltype(aclnnInplaceElu),
                        aclTensor*, const aclScalar*, const aclScalar*, const aclScalar*>);
static_assert(kOperator<decltype(aclnnEluBackwardGetWorkspaceSize), decltype(aclnnEluBackward),
                        const aclTensor*, const aclScalar*, const aclScalar*, const aclScalar*,
                        bool, const aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnHardswishGetWorkspaceSize), decltype(aclnnHardswish),
                        const aclTensor*, const aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceHardswishGetWorkspaceSize),
                        decltype(aclnnInplaceHardswish), const aclTensor*>);
static_assert(
    kOperator<decltype(aclnnHardswishBackwardGetWorkspaceSize), decltype(aclnnHardswishBackward),
              const aclTensor*, const aclTensor*, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnHardswishBackwardV2GetWorkspaceSize),
              decltype(aclnnHardswishBackwardV2), const aclTensor*, const aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnGeGluGetWorkspaceSize), decltype(aclnnGeGlu),
                        const aclTensor*, int64_t, int64_t, aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnGeGluV3GetWorkspaceSize), decltype(aclnnGeGluV3),
                        const aclTensor*, int64_t, int64_t, bool, aclTensor*, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnGeGluBackwardGetWorkspaceSize), decltype(aclnnGeGluBackward),
              const aclTensor*, const aclTensor*, const aclTensor*, int64_t, int64_t, aclTensor*>);
static_assert(kOperator<decltype(aclnnGeGluV3BackwardGetWorkspaceSize),
                        decltype(aclnnGeGluV3Backward), const aclTensor*, const aclTensor*,
                        const aclTensor*, int64_t, int64_t, bool, aclTensor*>);
static_assert(kOperator<decltype(aclnnSiluGetWorkspaceSize), decltype(aclnnSilu), const aclTensor*,
                        aclTensor*>);
static_assert(kOperator<decltype(aclnnSiluBackwardGetWorkspaceSize), decltype(aclnnSiluBackward),
                        const aclTensor*, const aclTensor*, aclTensor*>);

}  // namespace aclgrad::specification
