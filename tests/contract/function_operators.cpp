// SPDX-License-Identifier: Apache-2.0
// Elementwise functions; values at the point 1.
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
#include "tests/contract/operators.h"

namespace aclgrad::contract {
namespace {

const TensorSpec kFull{{2, 4}};

const std::vector<aclDataType> kFloats = {ACL_FLOAT, ACL_FLOAT16};
const std::vector<aclDataType> kReal = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE};
const std::vector<aclDataType> kAll = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64,
                                       ACL_COMPLEX128};
const std::vector<aclDataType> kAllAndBf16 = {ACL_FLOAT,     ACL_FLOAT16,    ACL_DOUBLE,
                                              ACL_COMPLEX64, ACL_COMPLEX128, ACL_BF16};

const std::vector<aclDataType> kRelu = {ACL_FLOAT, ACL_FLOAT16, ACL_INT8,
                                        ACL_UINT8, ACL_INT32,   ACL_INT64};
const std::vector<aclDataType> kThreshold = {ACL_FLOAT, ACL_FLOAT16, ACL_INT8, ACL_UINT8,
                                             ACL_INT32};
const std::vector<aclDataType> kNeg = {ACL_FLOAT,      ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64,
                                       ACL_COMPLEX128, ACL_INT8,    ACL_INT32,  ACL_INT64};
const ScalarSpec kHalf{0.5};
const ScalarSpec kOne{1};
constexpr int64_t kNo = 0;

}  // namespace

std::vector<Operator> function_operators() {
  return {
      describe<decltype(aclnnExpGetWorkspaceSize)>("aclnnExp", {kFull, kFull}, 1, 2.718281828459045,
                                                   kAll),
      describe<decltype(aclnnInplaceExpGetWorkspaceSize)>("aclnnInplaceExp", {kFull}, 0,
                                                          2.718281828459045, kAll),
      describe<decltype(aclnnLogGetWorkspaceSize)>("aclnnLog", {kFull, kFull}, 1, 0, kAll),
      describe<decltype(aclnnInplaceLogGetWorkspaceSize)>("aclnnInplaceLog", {kFull}, 0, 0, kAll),
      describe<decltype(aclnnSqrtGetWorkspaceSize)>("aclnnSqrt", {kFull, kFull}, 1, 1, kAll),
      describe<decltype(aclnnInplaceSqrtGetWorkspaceSize)>("aclnnInplaceSqrt", {kFull}, 0, 1, kAll),
      describe<decltype(aclnnRsqrtGetWorkspaceSize)>("aclnnRsqrt", {kFull, kFull}, 1, 1, kAll),
      describe<decltype(aclnnInplaceRsqrtGetWorkspaceSize)>("aclnnInplaceRsqrt", {kFull}, 0, 1,
                                                            kAll),
      describe<decltype(aclnnReciprocalGetWorkspaceSize)>("aclnnReciprocal", {kFull, kFull}, 1, 1,
                                                          kAll),
      describe<decltype(aclnnInplaceReciprocalGetWorkspaceSize)>("aclnnInplaceReciprocal", {kFull},
                                                                 0, 1, kAll),
      describe<decltype(aclnnSinGetWorkspaceSize)>("aclnnSin", {kFull, kFull}, 1,
                                                   0.8414709848078965, kAll),
      describe<decltype(aclnnInplaceSinGetWorkspaceSize)>("aclnnInplaceSin", {kFull}, 0,
                                                          0.8414709848078965, kAll),
      describe<decltype(aclnnCosGetWorkspaceSize)>("aclnnCos", {kFull, kFull}, 1,
                                                   0.5403023058681398, kAll),
      describe<decltype(aclnnInplaceCosGetWorkspaceSize)>("aclnnInplaceCos", {kFull}, 0,
                                                          0.5403023058681398, kAll),
      describe<decltype(aclnnTanhGetWorkspaceSize)>("aclnnTanh", {kFull, kFull}, 1,
                                                    0.7615941559557649, kFloats),
      describe<decltype(aclnnInplaceTanhGetWorkspaceSize)>("aclnnInplaceTanh", {kFull}, 0,
                                                           0.7615941559557649, kFloats),
      describe<decltype(aclnnSigmoidGetWorkspaceSize)>("aclnnSigmoid", {kFull, kFull}, 1,
                                                       0.7310585786300049, kAllAndBf16, {}),
      describe<decltype(aclnnInplaceSigmoidGetWorkspaceSize)>("aclnnInplaceSigmoid", {kFull}, 0,
                                                              0.7310585786300049, kAllAndBf16, {}),
      describe<decltype(aclnnErfGetWorkspaceSize)>("aclnnErf", {kFull, kFull}, 1,
                                                   0.8427007929497149, kReal),
      describe<decltype(aclnnInplaceErfGetWorkspaceSize)>("aclnnInplaceErf", {kFull}, 0,
                                                          0.8427007929497149, kReal),
      describe<decltype(aclnnTanhBackwardGetWorkspaceSize)>(
          "aclnnTanhBackward", {kFull, TensorSpec{{2, 4}, 0.5}, kFull}, 2, 0.75, kReal),
      describe<decltype(aclnnSigmoidBackwardGetWorkspaceSize)>(
          "aclnnSigmoidBackward", {kFull, TensorSpec{{2, 4}, 0.5}, kFull}, 2, 0.25, kAllAndBf16,
          {}),
      describe<decltype(aclnnReluGetWorkspaceSize)>("aclnnRelu", {kFull, kFull}, 1, 1, kRelu),
      describe<decltype(aclnnInplaceReluGetWorkspaceSize)>("aclnnInplaceRelu", {kFull}, 0, 1,
                                                           kRelu),
      describe<decltype(aclnnThresholdBackwardGetWorkspaceSize)>(
          "aclnnThresholdBackward", {kFull, kFull, kHalf, kFull}, 3, 1, kThreshold),
      describe<decltype(aclnnLeakyReluGetWorkspaceSize)>(
          "aclnnLeakyRelu", {TensorSpec{{2, 4}, -1}, kHalf, kFull}, 2, -0.5, kReal),
      describe<decltype(aclnnInplaceLeakyReluGetWorkspaceSize)>(
          "aclnnInplaceLeakyRelu", {TensorSpec{{2, 4}, -1}, kHalf}, 0, -0.5, kReal),
      describe<decltype(aclnnLeakyReluBackwardGetWorkspaceSize)>(
          "aclnnLeakyReluBackward", {kFull, TensorSpec{{2, 4}, -1}, kHalf, kNo, kFull}, 4, 0.5,
          kReal),
      describe<decltype(aclnnSoftplusGetWorkspaceSize)>(
          "aclnnSoftplus", {kFull, kOne, ScalarSpec{20}, kFull}, 3, 1.3132616875182228, kFloats),
      describe<decltype(aclnnSoftplusBackwardGetWorkspaceSize)>(
          "aclnnSoftplusBackward", {kFull, kFull, kOne, ScalarSpec{20}, kFull}, 4,
          0.7310585786300049, kReal),
      describe<decltype(aclnnNegGetWorkspaceSize)>("aclnnNeg", {kFull, kFull}, 1, -1, kNeg),
      describe<decltype(aclnnInplaceNegGetWorkspaceSize)>("aclnnInplaceNeg", {kFull}, 0, -1, kNeg),
  };
}

}  // namespace aclgrad::contract
