// SPDX-License-Identifier: Apache-2.0
// Dtypes and products as the documents of the operators have them; values at the point 1.
#include "aclnnop/aclnn_elu.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_gelu_v2.h"
#include "aclnnop/aclnn_hardswish.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_silu.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "tests/contract/operators.h"

namespace aclgrad::contract {
namespace {

const TensorSpec kFull{{2, 4}};
const TensorSpec kHalf{{2, 2}};
const ScalarSpec kAlpha{1.5};
const ScalarSpec kScale{1.25};
const ScalarSpec kInputScale{0.75};

const std::vector<aclDataType> kFloats = {ACL_FLOAT, ACL_FLOAT16};
const std::vector<aclDataType> kAllFloats = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
const std::vector<aclDataType> kSelu = {ACL_FLOAT, ACL_FLOAT16, ACL_INT32, ACL_INT8};
const std::vector<aclDataType> kElu = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BF16};

constexpr double kLambda = 1.0507009873554805;
constexpr double kHardswish = 4.0 / 6;
constexpr double kHardswishSlope = 1.0 / 3 + 0.5;
constexpr double kGelu = 0.8413447460685429;
constexpr double kGeluSlope = 1.0833154705876863;
constexpr double kTanhGelu = 0.8411919906082768;
constexpr double kTanhGeluSlope = 1.0829640838457826;
constexpr double kSilu = 0.7310585786300049;
constexpr double kSiluSlope = 0.9276705118714869;
constexpr int64_t kLastDim = -1;
constexpr int64_t kErf = 0;
constexpr int64_t kTanh = 1;
constexpr int64_t kNo = 0;

}  // namespace

std::vector<Operator> activation_operators() {
  return {
      describe<decltype(aclnnSeluGetWorkspaceSize)>("aclnnSelu", {kFull, kFull}, 1, kLambda, kSelu),
      describe<decltype(aclnnInplaceSeluGetWorkspaceSize)>("aclnnInplaceSelu", {kFull}, 0, kLambda,
                                                           kSelu),
      describe<decltype(aclnnSeluBackwardGetWorkspaceSize)>(
          "aclnnSeluBackward", {kFull, kFull, kFull}, 2, kLambda, kSelu),
      describe<decltype(aclnnEluGetWorkspaceSize)>(
          "aclnnElu", {kFull, kAlpha, kScale, kInputScale, kFull}, 4, 1.25, kElu, {}),
      describe<decltype(aclnnInplaceEluGetWorkspaceSize)>(
          "aclnnInplaceElu", {kFull, kAlpha, kScale, kInputScale}, 0, 1.25, kElu, {}),
      describe<decltype(aclnnEluBackwardGetWorkspaceSize)>(
          "aclnnEluBackward", {kFull, kAlpha, kScale, kInputScale, kNo, kFull, kFull}, 6, 1.25,
          kFloats),
      describe<decltype(aclnnHardswishGetWorkspaceSize)>("aclnnHardswish", {kFull, kFull}, 1,
                                                         kHardswish, kFloats),
      describe<decltype(aclnnInplaceHardswishGetWorkspaceSize)>("aclnnInplaceHardswish", {kFull}, 0,
                                                                kHardswish, kFloats),
      describe<decltype(aclnnHardswishBackwardGetWorkspaceSize)>(
          "aclnnHardswishBackward", {kFull, kFull, kFull}, 2, kHardswishSlope, kFloats),
      describe<decltype(aclnnHardswishBackwardV2GetWorkspaceSize)>(
          "aclnnHardswishBackwardV2", {kFull, kFull, kFull}, 2, kHardswishSlope, kFloats),
      describe<decltype(aclnnGeGluGetWorkspaceSize)>(
          "aclnnGeGlu", {kFull, kLastDim, kTanh, kHalf, kHalf}, 3, kTanhGelu, kFloats),
      describe<decltype(aclnnGeGluV3GetWorkspaceSize)>(
          "aclnnGeGluV3", {kFull, kLastDim, kTanh, kNo, kHalf, kHalf}, 4, kTanhGelu, kFloats),
      describe<decltype(aclnnGeGluBackwardGetWorkspaceSize)>(
          "aclnnGeGluBackward", {kHalf, kFull, kHalf, kLastDim, kTanh, kFull}, 5, 1, kFloats),
      describe<decltype(aclnnGeGluV3BackwardGetWorkspaceSize)>(
          "aclnnGeGluV3Backward", {kHalf, kFull, kHalf, kLastDim, kTanh, int64_t{1}, kFull}, 6,
          kTanhGeluSlope, kFloats),
      describe<decltype(aclnnGeluGetWorkspaceSize)>("aclnnGelu", {kFull, kFull}, 1, kTanhGelu,
                                                    kFloats),
      describe<decltype(aclnnGeluBackwardGetWorkspaceSize)>(
          "aclnnGeluBackward", {kFull, kFull, kFull}, 2, kTanhGeluSlope, kFloats),
      describe<decltype(aclnnGeluV2GetWorkspaceSize)>("aclnnGeluV2", {kFull, kErf, kFull}, 2, kGelu,
                                                      kFloats),
      describe<decltype(aclnnGeluBackwardV2GetWorkspaceSize)>(
          "aclnnGeluBackwardV2", {kFull, kFull, "none", kFull}, 3, kGeluSlope, kFloats),
      describe<decltype(aclnnSiluGetWorkspaceSize)>("aclnnSilu", {kFull, kFull}, 1, kSilu, kFloats),
      describe<decltype(aclnnSiluBackwardGetWorkspaceSize)>(
          "aclnnSiluBackward", {kFull, kFull, kFull}, 2, kSiluSlope, kAllFloats, {}),
  };
}

}  // namespace aclgrad::contract
