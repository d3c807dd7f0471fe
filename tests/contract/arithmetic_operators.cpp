// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_addmm.h"
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "aclnnop/aclnn_zero.h"
#include "tests/contract/operators.h"

namespace aclgrad::contract {
namespace {

const TensorSpec kOne{{2, 3}};
const TensorSpec kFive{{2, 3}, 5};
const TensorSpec kRight{{3, 2}};
const TensorSpec kSquare{{2, 2}};
const TensorSpec kRow{{2}};
const ScalarSpec kTwo{2, ACL_INT32};  // converts to every dtype
const Shape kLastDim = {-1};
constexpr int64_t kMayUseLess = 1;  // cubeMathType that every product takes with FLOAT
constexpr int64_t kNo = 0;
constexpr auto kFloatDtype = static_cast<int64_t>(ACL_FLOAT);

const std::vector<aclDataType> kFloats = {ACL_FLOAT, ACL_FLOAT16};
const std::vector<aclDataType> kNumbers = {ACL_FLOAT, ACL_FLOAT16,   ACL_DOUBLE,    ACL_INT8,
                                           ACL_INT16, ACL_INT32,     ACL_INT64,     ACL_UINT8,
                                           ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};
const std::vector<aclDataType> kUnsigned = {ACL_UINT16, ACL_UINT32, ACL_UINT64};

std::vector<aclDataType> operator+(std::vector<aclDataType> list,
                                   const std::vector<aclDataType>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

std::vector<aclDataType> without_bool(std::vector<aclDataType> list) {
  std::erase(list, ACL_BOOL);
  return list;
}

}  // namespace

std::vector<Operator> arithmetic_operators() {
  return {
      describe<decltype(aclnnMatmulGetWorkspaceSize)>(
          "aclnnMatmul", {kFive, kRight, kSquare, kMayUseLess}, 2, 15, kFloats),
      describe<decltype(aclnnMmGetWorkspaceSize)>("aclnnMm", {kFive, kRight, kSquare, kMayUseLess},
                                                  2, 15, kFloats),
      describe<decltype(aclnnAddmmGetWorkspaceSize)>(
          "aclnnAddmm", {kSquare, kFive, kRight, kTwo, kTwo, kSquare, kMayUseLess}, 5, 32, kFloats),
      describe<decltype(aclnnInplaceAddmmGetWorkspaceSize)>(
          "aclnnInplaceAddmm", {kSquare, kFive, kRight, kTwo, kTwo, kMayUseLess}, 0, 32, kFloats),
      describe<decltype(aclnnReduceSumGetWorkspaceSize)>(
          "aclnnReduceSum", {kFive, kLastDim, kNo, DtypeSpec{}, kRow}, 4, 15, kNumbers),
      describe<decltype(aclnnMeanGetWorkspaceSize)>(
          "aclnnMean", {kFive, kLastDim, kNo, DtypeSpec{}, kRow}, 4, 5, without_bool(kNumbers)),
      describe<decltype(aclnnMeanV2GetWorkspaceSize)>(
          "aclnnMeanV2", {kFive, kLastDim, kNo, kNo, kRow}, 4, 5, without_bool(kNumbers)),
      describe<decltype(aclnnCastGetWorkspaceSize)>(
          "aclnnCast", {kFive, kFloatDtype, TensorSpec{{2, 3}, 1, ACL_FLOAT}}, 2, 5,
          kNumbers + kUnsigned),
      describe<decltype(aclnnInplaceCopyGetWorkspaceSize)>(
          "aclnnInplaceCopy", {kOne, TensorSpec{{2, 3}, 5, ACL_FLOAT}}, 0, 5,
          kNumbers + kUnsigned + std::vector{ACL_BF16}, {}),
      describe<decltype(aclnnInplaceZeroGetWorkspaceSize)>(
          "aclnnInplaceZero", {kFive}, 0, 0, kNumbers + std::vector{ACL_UINT16, ACL_BF16}, {}),
      describe<decltype(aclnnInplaceFillScalarGetWorkspaceSize)>(
          "aclnnInplaceFillScalar", {kOne, ScalarSpec{7, std::nullopt}}, 0, 7, kNumbers,
          kUnsigned + std::vector{ACL_BF16}),
  };
}

}  // namespace aclgrad::contract
