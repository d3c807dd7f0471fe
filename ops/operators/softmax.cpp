// SPDX-License-Identifier: Apache-2.0
// aclnnSoftmax, aclnnSoftmaxBackward.
#include "ops/kernels/softmax.h"

#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "ops/meta/rules.h"
#include "ops/meta/soc.h"

namespace aclgrad::ops {
namespace {

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}, {ACL_BF16}};

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

constexpr size_t kSelf = 0;
constexpr size_t kDim = 1;
constexpr size_t kOut = 2;

// Without elements there is nothing more to check.
Rule checked(Rule rule) {
  return when([](const Arguments& arguments) { return !arguments.empty(kSelf); }, std::move(rule));
}

const OperatorSpec kSpec{
    "aclnnSoftmax",
    {input("self"), attribute("dim"), output("out")},
    {not_null({kSelf, kOut}), checked(dtype_in(kSelf, kDtypes)), checked(dtype_in(kOut, kDtypes)),
     checked(axis_of(kDim, kSelf)), checked(max_rank(kSelf)), checked(max_rank(kOut)),
     checked(same_shape(kOut, kSelf))}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const size_t axis = normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
  return plan_softmax(arguments, kSelf, kOut, axis);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

constexpr size_t kGradOutput = 0;
constexpr size_t kOutput = 1;
constexpr size_t kDim = 2;
constexpr size_t kOut = 3;

// Without elements there is nothing more to check, but for the newest product.
Rule checked(Rule rule) {
  return when(
      [](const Arguments& arguments) {
        return current_soc() == Soc::kAscend950 ||
               !(arguments.empty(kGradOutput) || arguments.empty(kOutput));
      },
      std::move(rule));
}

const OperatorSpec kSpec{
    "aclnnSoftmaxBackward",
    {input("gradOutput"), input("output"), attribute("dim"), output("out")},
    {not_null({kGradOutput, kOutput, kOut}), checked(dtype_in(kGradOutput, kDtypes)),
     checked(dtype_in(kOutput, kDtypes)), checked(dtype_in(kOut, kDtypes)),
     checked(same_dtype(kGradOutput, kOutput)), checked(axis_of(kDim, kGradOutput)),
     checked(max_rank(kGradOutput)), checked(max_rank(kOutput)), checked(max_rank(kOut)),
     checked(same_shape(kGradOutput, kOutput)), checked(same_shape(kOut, kOutput))}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradOutput) || arguments.empty(kOutput)) return {};
  const size_t axis = normalize_axis(arguments.integer(kDim), arguments.shape(kOutput).size());
  return plan_softmax_backward(arguments, kGradOutput, kOutput, kOut, axis);
}

}  // namespace backward
}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnSoftmax, 3, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnSoftmaxBackward, 4, backward::kSpec, backward::plan)
