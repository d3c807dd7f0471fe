// SPDX-License-Identifier: Apache-2.0
// The elementwise functions, in the order of the contract.
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"

#include "tests/contract/specification/signature.h"

namespace aclgrad::specification {

static_assert(kOperator<decltype(aclnnExpGetWorkspaceSize), decltype(aclnnExp), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceExpGetWorkspaceSize), decltype(aclnnInplaceExp), aclTensor*>);
static_assert(kOperator<decltype(aclnnLogGetWorkspaceSize), decltype(aclnnLog), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceLogGetWorkspaceSize), decltype(aclnnInplaceLog), aclTensor*>);
static_assert(kOperator<decltype(aclnnSqrtGetWorkspaceSize), decltype(aclnnSqrt), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceSqrtGetWorkspaceSize), decltype(aclnnInplaceSqrt), aclTensor*>);
static_assert(kOperator<decltype(aclnnRsqrtGetWorkspaceSize), decltype(aclnnRsqrt),
                        const aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceRsqrtGetWorkspaceSize), decltype(aclnnInplaceRsqrt),
                        aclTensor*>);
static_assert(kOperator<decltype(aclnnReciprocalGetWorkspaceSize), decltype(aclnnReciprocal),
                        const aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceReciprocalGetWorkspaceSize),
                        decltype(aclnnInplaceReciprocal), const aclTensor*>);
static_assert(kOperator<decltype(aclnnSinGetWorkspaceSize), decltype(aclnnSin), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceSinGetWorkspaceSize), decltype(aclnnInplaceSin), aclTensor*>);
static_assert(kOperator<decltype(aclnnCosGetWorkspaceSize), decltype(aclnnCos), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceCosGetWorkspaceSize), decltype(aclnnInplaceCos), aclTensor*>);
static_assert(kOperator<decltype(aclnnTanhGetWorkspaceSize), decltype(aclnnTanh), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceTanhGetWorkspaceSize), decltype(aclnnInplaceTanh), aclTensor*>);
static_assert(kOperator<decltype(aclnnSigmoidGetWorkspaceSize), decltype(aclnnSigmoid),
                        const aclTensor*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceSigmoidGetWorkspaceSize),
                        decltype(aclnnInplaceSigmoid), aclTensor*>);
static_assert(kOperator<decltype(aclnnErfGetWorkspaceSize), decltype(aclnnErf), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceErfGetWorkspaceSize), decltype(aclnnInplaceErf), aclTensor*>);
static_assert(kOperator<decltype(aclnnTanhBackwardGetWorkspaceSize), decltype(aclnnTanhBackward),
                        const aclTensor*, const aclTensor*, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnSigmoidBackwardGetWorkspaceSize), decltype(aclnnSigmoidBackward),
              const aclTensor*, const aclTensor*, aclTensor*>);

}  // namespace aclgrad::specification
