// SPDX-License-Identifier: Apache-2.0
// What is of a kind of its own: aclnnForeachNorm, aclnnForeachRoundOffNumber and its V2,
// aclnnForeachCopy, aclnnForeachZeroInplace, aclnnForeachNonFiniteCheckAndUnscale.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <utility>

#include "aclnnop/aclnn_foreach_copy.h"
#include "aclnnop/aclnn_foreach_non_finite_check_and_unscale.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "aclnnop/aclnn_foreach_round_off_number.h"
#include "aclnnop/aclnn_foreach_round_off_number_v2.h"
#include "aclnnop/aclnn_foreach_zero_inplace.h"
#include "ops/engine/elementwise.h"
#include "ops/lists/lists.h"
#include "ops/reduction/norm_kernel.h"

namespace aclgrad::ops::lists {

// ---- Norms --------------------------------------------------------------------------------------

static const OperatorSpec kNorm =
    spec("aclnnForeachNorm", kFloats, {list("x"), number("scalar")}, Results::kOneElement,
         DtypeSet{ACL_FLOAT, ACL_DOUBLE, ACL_INT64});

static Plan plan_norm_of(Member& member) {
  const Arguments arguments(kNorm, member.values);
  auto p = static_cast<double>(arguments.scalar(1).to_float());
  const bool is_known = p == 1 || (std::isinf(p) && p > 0);
  if (on_950(arguments) && !is_known) p = 2;
  DimSet all;
  all.fill(true);
  return plan_norm(arguments, 0, all, p, 2);
}

ACLGRAD_OPERATOR(aclnnForeachNorm, kNorm,
                 [](const Arguments& arguments) { return plan_members(arguments, plan_norm_of); })

// ---- Rounding -----------------------------------------------------------------------------------

ACLGRAD_SINGLE(Round)
ACLGRAD_SINGLE(Floor)
ACLGRAD_SINGLE(Ceil)
ACLGRAD_SINGLE(Trunc)
ACLGRAD_SINGLE(Frac)

// The mode says which operator's plan a member has.
static Plan plan_rounded(Member& member) {
  const int64_t mode = member.values[1].scalar()->to_int64();
  member.erase(1);
  switch (mode) {
    case 1:
      return plan_of(aclnnRoundEntry, member);
    case 2:
      return plan_of(aclnnFloorEntry, member);
    case 3:
      return plan_of(aclnnCeilEntry, member);
    case 5:
      return plan_of(aclnnTruncEntry, member);
    case 7:
      return plan_of(aclnnFracEntry, member);
    default:
      throw PlanError{kInvalidParameter,
                      fmt::format("roundMode must be 1, 2, 3, 5 or 7, but is {}.", mode)};
  }
}

static constexpr DtypeSet kModes{ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};
static const OperatorSpec kRoundOffNumber =
    spec("aclnnForeachRoundOffNumber", kFloats, {list("x"), element("roundMode")}, Results::kLikeX,
         kModes);
static const OperatorSpec kRoundOffNumberV2 =
    spec("aclnnForeachRoundOffNumberV2", kFloats, {list("x"), number("roundMode")}, Results::kLikeX,
         kModes);

ACLGRAD_OPERATOR(aclnnForeachRoundOffNumber, kRoundOffNumber,
                 [](const Arguments& arguments) { return plan_members(arguments, plan_rounded); })
ACLGRAD_OPERATOR(aclnnForeachRoundOffNumberV2, kRoundOffNumberV2,
                 [](const Arguments& arguments) { return plan_members(arguments, plan_rounded); })

// ---- Copies and zeros ---------------------------------------------------------------------------

ACLGRAD_SINGLE(InplaceCopy)
ACLGRAD_SINGLE(InplaceZero)

static const OperatorSpec kCopy = spec("aclnnForeachCopy",
                                       {{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16,
                                         ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL},
                                        {ACL_BF16}},
                                       {list("x")}, Results::kOfAnyDtype);

// aclnnInplaceCopy takes the result first.
static Plan plan_copy_of(Member& member) {
  std::swap(member.values[0], member.values[1]);
  std::swap(member.places[0], member.places[1]);
  return plan_of(aclnnInplaceCopyEntry, member);
}

ACLGRAD_OPERATOR(aclnnForeachCopy, kCopy,
                 [](const Arguments& arguments) { return plan_members(arguments, plan_copy_of); })

static const OperatorSpec kZeroInplace{
    "aclnnForeachZeroInplace",
    {output("x")},
    {not_null({0}), members_given(0),
     members_of_dtypes(
         0, DtypeSet{ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_FLOAT16, ACL_FLOAT, ACL_BOOL,
                     ACL_DOUBLE, ACL_INT16, ACL_UINT16, ACL_BF16, ACL_COMPLEX64, ACL_COMPLEX128}),
     members_of_one_dtype(0, 0), size_rule(members_ranked(0))}};

ACLGRAD_OPERATOR(aclnnForeachZeroInplace, kZeroInplace, [](const Arguments& arguments) {
  return plan_members(arguments,
                      [](Member& member) { return plan_of(aclnnInplaceZeroEntry, member); });
})

// ---- Gradients of a scaled loss -----------------------------------------------------------------

namespace {

enum : size_t { kGrads, kFound, kScale };

// Or DOUBLE, while aclgradSetAcceptDouble is on.
Rule has_dtype_float(size_t tensor) { return dtype_in(tensor, {ACL_FLOAT}); }

}  // namespace

static const OperatorSpec kNonFiniteCheckAndUnscale{
    "aclnnForeachNonFiniteCheckAndUnscale",
    {in_out("scaledGrads"), in_out("foundInf"), input("inverseScale")},
    {not_null({kGrads, kFound, kScale}), members_given(kGrads), members_of_dtypes(kGrads, kFloats),
     members_of_one_dtype(kGrads, kGrads), has_dtype_float(kFound), has_dtype_float(kScale),
     size_rule(members_ranked(kGrads)), size_rule(has_one_element(kFound)),
     size_rule(has_one_element(kScale))}};

// The scale is known when the task runs, so each member is planned then. `found` becomes true where
// an element is infinite or NaN; a product of two numbers of FLOAT is exact in double.
static Plan plan_unscale(const Arguments& arguments) {
  struct Grad {
    size_t place;
    Dims shape;
    Operand operand;
  };
  auto grads = std::make_shared<std::vector<Grad>>();
  const auto [first, count] = arguments.members(kGrads);
  for (size_t i = first; i < first + count; ++i) {
    if (arguments.empty(i)) continue;
    grads->push_back({i, arguments.shape(i), operand(arguments, i, arguments.shape(i))});
  }
  if (grads->empty()) return {};
  const bool scale_is_double = arguments.dtype(kScale) == ACL_DOUBLE;
  const bool found_is_double = arguments.dtype(kFound) == ACL_DOUBLE;
  return {[=](const Run& run) -> aclError {
    const double scale = scale_is_double ? *run.data<const double>(kScale)
                                         : static_cast<double>(*run.data<const float>(kScale));
    std::atomic<bool> found = false;
    const RealKernel unscale = [&found, scale](const double* const* in, double* const* out,
                                               size_t size) {
      int64_t non_finite = 0;
      for (size_t k = 0; k < size; ++k) {
        non_finite |= static_cast<int64_t>(in[0][k] - in[0][k] != 0);
        out[0][k] = in[0][k] * scale;
      }
      if (non_finite != 0) found.store(true, std::memory_order_relaxed);
    };
    for (const Grad& grad : *grads) {
      const Elementwise work(grad.shape, {grad.operand}, {grad.operand}, unscale);
      if (const aclError error = work(run); error != ACL_SUCCESS) return error;
    }
    if (found && found_is_double) *run.data<double>(kFound) = 1;
    if (found && !found_is_double) *run.data<float>(kFound) = 1;
    return ACL_SUCCESS;
  }};
}

ACLGRAD_OPERATOR(aclnnForeachNonFiniteCheckAndUnscale, kNonFiniteCheckAndUnscale, plan_unscale)

}  // namespace aclgrad::ops::lists
