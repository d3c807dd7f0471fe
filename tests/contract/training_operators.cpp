// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "tests/contract/operators.h"

namespace aclgrad::contract {
namespace {

const TensorSpec kOne{{2, 3}};
const TensorSpec kThree{{2, 3}, 3};
const TensorSpec kNumber{{}};
const TensorSpec kClasses{{3}};
const TensorSpec kTarget{{2}, 0, ACL_INT64};
constexpr int64_t kLastDim = -1;
constexpr int64_t kMean = 1;
constexpr int64_t kSum = 2;
constexpr int64_t kIgnoreNone = -100;

const std::vector<aclDataType> kFloats = {ACL_FLOAT, ACL_FLOAT16};
constexpr double kLogSoftmax = -1.0986122886681098;      // -log 3
constexpr double kLogSoftmaxSlope = -7.154845485377136;  // 1 - 3 e

}  // namespace

std::vector<Operator> training_operators() {
  return {
      describe<decltype(aclnnMseLossGetWorkspaceSize)>(
          "aclnnMseLoss", {kThree, kOne, kMean, kNumber}, 3, 4, kFloats),
      describe<decltype(aclnnMseLossOutGetWorkspaceSize)>(
          "aclnnMseLossOut", {kThree, kOne, kSum, kClasses}, 3, 8, kFloats),
      describe<decltype(aclnnMseLossBackwardGetWorkspaceSize)>(
          "aclnnMseLossBackward", {kOne, kThree, kOne, kSum, kOne}, 4, 4, kFloats),
      describe<decltype(aclnnLogSoftmaxGetWorkspaceSize)>("aclnnLogSoftmax",
                                                          {kThree, kLastDim, kOne}, 2, kLogSoftmax,
                                                          {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}),
      describe<decltype(aclnnLogSoftmaxBackwardGetWorkspaceSize)>(
          "aclnnLogSoftmaxBackward", {kOne, kOne, kLastDim, kOne}, 3, kLogSoftmaxSlope, kFloats),
      describe<decltype(aclnnNLLLossGetWorkspaceSize)>(
          "aclnnNLLLoss", {kThree, kTarget, kClasses, kSum, kIgnoreNone, kNumber, kNumber}, 5, -6,
          kFloats),
      describe<decltype(aclnnNLLLossBackwardGetWorkspaceSize)>(
          "aclnnNLLLossBackward",
          {kNumber, kThree, kTarget, kClasses, kSum, kIgnoreNone, kNumber, kOne}, 7, -1, kFloats),
  };
}

}  // namespace aclgrad::contract
