// SPDX-License-Identifier: Apache-2.0
// aclnnFloor, aclnnCeil, aclnnTrunc, aclnnRound, aclnnRoundDecimals, aclnnFrac, and their forms in
// place.
#include "aclnnop/aclnn_ceil.h"
#include "aclnnop/aclnn_floor.h"
#include "aclnnop/aclnn_frac.h"
#include "aclnnop/aclnn_round.h"
#include "aclnnop/aclnn_trunc.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/rounding_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::rounding_operators {
namespace {

using namespace operands;

constexpr size_t kDecimals = 1;

constexpr DtypeSet kRounded{{ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT32, ACL_INT64}, {ACL_BF16}};

OperatorSpec of_any_number(const char* name, Form form) {
  return of_one(name, form, kRealNumbers, Result::kConverted);
}
OperatorSpec of_number(const char* name, Form form) {
  return of_one(name, form, kRounded, Result::kConverted);
}
OperatorSpec to_decimals(const char* name, Form form) {
  return of_one(name, form, kRounded, Result::kConverted, {attribute("decimals")});
}

template <Rounding kind>
Plan plan_rounding(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, out, {kSelf}, dtype, rounding(kind, dtype));
}

Plan plan_decimals(const Arguments& arguments, size_t out) {
  const aclDataType dtype = arguments.dtype(kSelf);
  return plan_arithmetic(arguments, out, {kSelf}, dtype,
                         rounding_to_decimals(arguments.integer(kDecimals), dtype));
}

}  // namespace

ACLGRAD_BOTH_FORMS(Floor, of_any_number, plan_rounding<Rounding::kFloor>)
ACLGRAD_BOTH_FORMS(Ceil, of_any_number, plan_rounding<Rounding::kCeil>)
ACLGRAD_BOTH_FORMS(Trunc, of_any_number, plan_rounding<Rounding::kTrunc>)
ACLGRAD_BOTH_FORMS(Frac, of_any_number, plan_rounding<Rounding::kFraction>)
ACLGRAD_BOTH_FORMS(Round, of_number, plan_rounding<Rounding::kNearest>)
ACLGRAD_BOTH_FORMS(RoundDecimals, to_decimals, plan_decimals)

}  // namespace aclgrad::ops::rounding_operators
