// SPDX-License-Identifier: Apache-2.0
// The elementwise functions, in the order of the contract.
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_leaky_relu.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sigmoid.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_softplus.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tanh.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"

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
static_assert(kOperator<decltype(aclnnReluGetWorkspaceSize), decltype(aclnnRelu), const aclTensor*,
                        const aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceReluGetWorkspaceSize), decltype(aclnnInplaceRelu), aclTensor*>);
static_assert(
    kOperator<decltype(aclnnThresholdBackwardGetWorkspaceSize), decltype(aclnnThresholdBackward),
              const aclTensor*, const aclTensor*, const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnLeakyReluGetWorkspaceSize), decltype(aclnnLeakyRelu),
                        const aclTensor*, const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnInplaceLeakyReluGetWorkspaceSize),
                        decltype(aclnnInplaceLeakyRelu), aclTensor*, const aclScalar*>);
static_assert(
    kOperator<decltype(aclnnLeakyReluBackwardGetWorkspaceSize), decltype(aclnnLeakyReluBackward),
              const aclTensor*, const aclTensor*, const aclScalar*, bool, aclTensor*>);
static_assert(kOperator<decltype(aclnnSoftplusGetWorkspaceSize), decltype(aclnnSoftplus),
                        const aclTensor*, const aclScalar*, const aclScalar*, aclTensor*>);
static_assert(
    kOperator<decltype(aclnnSoftplusBackwardGetWorkspaceSize), decltype(aclnnSoftplusBackward),
              const aclTensor*, const aclTensor*, const aclScalar*, const aclScalar*, aclTensor*>);
static_assert(kOperator<decltype(aclnnNegGetWorkspaceSize), decltype(aclnnNeg), const aclTensor*,
                        aclTensor*>);
static_assert(
    kOperator<decltype(aclnnInplaceNegGetWorkspaceSize), decltype(aclnnInplaceNeg), aclTensor*>);

}  // namespace aclgrad::specification
