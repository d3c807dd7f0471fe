// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_apply_adam_w.h"
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "tests/contract/operators.h"

namespace aclgrad::contract {
namespace {

const TensorSpec kOne{{2, 3}};
const TensorSpec kThree{{2, 3}, 3};
const TensorSpec kNumber{{}};
const TensorSpec kClasses{{3}};
const TensorSpec kTarget{{2}, 0, ACL_INT64};
const TensorSpec kIndex{{1}, 1, ACL_INT64};
const TensorSpec kAbsent{{2, 3}, 1, std::nullopt, true};
constexpr int64_t kLastDim = -1;
constexpr int64_t kMean = 1;
constexpr int64_t kSum = 2;
constexpr int64_t kIgnoreNone = -100;
constexpr int64_t kNo = 0;

const std::vector<aclDataType> kFloats = {ACL_FLOAT, ACL_FLOAT16};
const std::vector<aclDataType> kUniform = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8,
                                           ACL_INT16, ACL_INT32,   ACL_INT64,  ACL_UINT8};
const std::vector<aclDataType> kNormal = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16,
                                          ACL_INT32, ACL_INT64,   ACL_UINT8,  ACL_BOOL};

// The step with lr, both betas and both powers 1/2 and everything else 1 or 0:
// 1 - (1/2)/(3/4) * sqrt(3/4).
constexpr double kStepped = 0.4226497308103742;
constexpr double kLogSoftmax = -1.0986122886681098;      // -log 3
constexpr double kLogSoftmaxSlope = -7.154845485377136;  // 1 - 3 e

TensorSpec number(double value) { return {{1}, value}; }

}  // namespace

std::vector<Operator> training_operators() {
  const TensorSpec half = number(0.5);
  const TensorSpec zero = number(0);
  return {
      describe<decltype(aclnnApplyAdamWGetWorkspaceSize)>(
          "aclnnApplyAdamW",
          {kOne, kOne, kOne, half, half, half, zero, half, half, zero, kOne, kAbsent, kNo, kNo}, 0,
          kStepped, kFloats),
      describe<decltype(aclnnApplyAdamWV2GetWorkspaceSize)>(
          "aclnnApplyAdamWV2",
          {kOne, kOne, kOne, kAbsent, kOne, kIndex, 0.5, 0.5, 0.5, 0.0, 0.0, kNo, kNo}, 0, kStepped,
          kFloats),
      describe<decltype(aclnnInplaceNormalGetWorkspaceSize)>(
          "aclnnInplaceNormal", {kOne, 1.5, 0.0, int64_t{1}, kNo}, 0, 1.5, kNormal),
      describe<decltype(aclnnInplaceNormalTensorGetWorkspaceSize)>(
          "aclnnInplaceNormalTensor", {kOne, 1.5, 0.0, kIndex, kIndex, kNo}, 0, 1.5, kNormal),
      describe<decltype(aclnnInplaceUniformGetWorkspaceSize)>(
          "aclnnInplaceUniform", {kOne, 2.25, 2.25, int64_t{1}, kNo}, 0, 2.25, kUniform),
      describe<decltype(aclnnInplaceUniformTensorGetWorkspaceSize)>(
          "aclnnInplaceUniformTensor", {kOne, 2.25, 2.25, kIndex, kIndex, kNo}, 0, 2.25, kUniform),
  };
}

}  // namespace aclgrad::contract
