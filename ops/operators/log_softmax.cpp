// SPDX-License-Identifier: Apache-2.0
// aclnnLogSoftmax, aclnnLogSoftmaxBackward.
#include "ops/kernels/softmax.h"

#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "ops/meta/rules.h"
#include "ops/meta/soc.h"

namespace aclgrad::ops {
namespace {

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

constexpr size_t kSelf = 0;
constexpr size_t kDim = 1;
constexpr size_t kOut = 2;

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}, {ACL_BF16}};

const OperatorSpec kSpec{
    "aclnnLogSoftmax",
    {input("self"), attribute("dim"), output("out")},
    {not_null({kSelf, kOut}), axis_of(kDim, kSelf), dtype_in(kSelf, kDtypes),
     dtype_in(kOut, kDtypes), max_rank(kSelf), max_rank(kOut), same_shape(kOut, kSelf)}};

Plan plan(const Arguments& arguments) {
  const size_t axis = normalize_axis(arguments.integer(kDim), arguments.shape(kSelf).size());
  return plan_log_softmax(arguments, kSelf, kOut, axis);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

constexpr size_t kGradOutput = 0;
constexpr size_t kOutput = 1;
constexpr size_t kDim = 2;
constexpr size_t kOut = 3;

constexpr DtypeSet kDtypes{{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}};

// Without elements there is nothing more to check, but for the newest product.
bool is_checked(const Arguments& arguments) {
  return current_soc() == Soc::kAscend950 ||
         !(arguments.empty(kGradOutput) || arguments.empty(kOutput));
}

const OperatorSpec kSpec{
    "aclnnLogSoftmaxBackward",
    {input("gradOutput"), input("output"), attribute("dim"), output("out")},
    {not_null({kOutput, kGradOutput, kOut}), when(is_checked, dtype_in(kGradOutput, kDtypes)),
     when(is_checked, dtype_in(kOutput, kDtypes)), when(is_checked, dtype_in(kOut, kDtypes)),
     when(is_checked, same_dtype(kGradOutput, kOutput)), when(is_checked, max_rank(kGradOutput)),
     when(is_checked, max_rank(kOutput)), when(is_checked, max_rank(kOut)),
     when(is_checked, same_shape(kGradOutput, kOutput)),
     when(is_checked, same_shape(kOut, kOutput)), when(is_checked, axis_of(kDim, kGradOutput))}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kGradOutput) || arguments.empty(kOutput)) return {};
  const size_t axis = normalize_axis(arguments.integer(kDim), arguments.shape(kOutput).size());
  return plan_log_softmax_backward(arguments, kGradOutput, kOutput, kOut, axis);
}

}  // namespace backward
}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnLogSoftmax, 3, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnLogSoftmaxBackward, 4, backward::kSpec, backward::plan)
