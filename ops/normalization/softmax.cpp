// SPDX-License-Identifier: Apache-2.0
// aclnnSoftmax, aclnnSoftmaxBackward, aclnnLogSoftmax, aclnnLogSoftmaxBackward.
#include "ops/normalization/softmax_kernel.h"

#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"
#include "ops/meta/soc.h"

namespace aclgrad::ops::softmax {
namespace {

size_t axis_of_tensor(const Arguments& arguments, size_t dim, size_t tensor) {
  return normalize_axis(arguments.integer(dim), arguments.shape(tensor).size());
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kDim, kOut };

// Without elements there is nothing more to check.
Rule checked(Rule rule) {
  return when([](const Arguments& arguments) { return !arguments.empty(kSelf); }, std::move(rule));
}

const OperatorSpec kSoftmax{
    "aclnnSoftmax",
    {input("self"), attribute("dim"), output("out")},
    {not_null({kSelf, kOut}), checked(dtype_in(kSelf, kRealFloats)),
     checked(dtype_in(kOut, kRealFloats)), checked(axis_of(kDim, kSelf)), checked(max_rank(kSelf)),
     checked(max_rank(kOut)), checked(same_shape(kOut, kSelf))}};

const OperatorSpec kLogSoftmax{
    "aclnnLogSoftmax",
    {input("self"), attribute("dim"), output("out")},
    Rules{not_null({kSelf, kOut}), axis_of(kDim, kSelf), dtype_in({kSelf, kOut}, kRealFloats),
          max_rank({kSelf, kOut}), same_shape(kOut, kSelf)}};

template <auto kPlan>
Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  return kPlan(arguments, kSelf, kOut, axis_of_tensor(arguments, kDim, kSelf));
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGradOutput, kOutput, kDim, kOut };

bool is_empty(const Arguments& arguments) {
  return arguments.empty(kGradOutput) || arguments.empty(kOutput);
}

// Without elements there is nothing more to check, but for the newest product.
Rule checked(Rule rule) {
  return when(
      [](const Arguments& arguments) {
        return current_soc() == Soc::kAscend950 || !is_empty(arguments);
      },
      std::move(rule));
}

const OperatorSpec kSoftmax{
    "aclnnSoftmaxBackward",
    {input("gradOutput"), input("output"), attribute("dim"), output("out")},
    {not_null({kGradOutput, kOutput, kOut}), checked(dtype_in(kGradOutput, kRealFloats)),
     checked(dtype_in(kOutput, kRealFloats)), checked(dtype_in(kOut, kRealFloats)),
     checked(same_dtype(kGradOutput, kOutput)), checked(axis_of(kDim, kGradOutput)),
     checked(max_rank(kGradOutput)), checked(max_rank(kOutput)), checked(max_rank(kOut)),
     checked(same_shape(kGradOutput, kOutput)), checked(same_shape(kOut, kOutput))}};

const OperatorSpec kLogSoftmax{
    "aclnnLogSoftmaxBackward",
    {input("gradOutput"), input("output"), attribute("dim"), output("out")},
    {not_null({kOutput, kGradOutput, kOut}), checked(dtype_in(kGradOutput, kFloats)),
     checked(dtype_in(kOutput, kFloats)), checked(dtype_in(kOut, kFloats)),
     checked(same_dtype(kGradOutput, kOutput)), checked(max_rank(kGradOutput)),
     checked(max_rank(kOutput)), checked(max_rank(kOut)), checked(same_shape(kGradOutput, kOutput)),
     checked(same_shape(kOut, kOutput)), checked(axis_of(kDim, kGradOutput))}};

template <auto kPlan>
Plan plan(const Arguments& arguments) {
  if (is_empty(arguments)) return {};
  return kPlan(arguments, kGradOutput, kOutput, kOut, axis_of_tensor(arguments, kDim, kOutput));
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnSoftmax, forward::kSoftmax, forward::plan<plan_softmax>)
ACLGRAD_OPERATOR(aclnnSoftmaxBackward, backward::kSoftmax, backward::plan<plan_softmax_backward>)
ACLGRAD_OPERATOR(aclnnLogSoftmax, forward::kLogSoftmax, forward::plan<plan_log_softmax>)
ACLGRAD_OPERATOR(aclnnLogSoftmaxBackward, backward::kLogSoftmax,
                 backward::plan<plan_log_softmax_backward>)

}  // namespace aclgrad::ops::softmax
