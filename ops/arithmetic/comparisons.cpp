// SPDX-License-Identifier: Apache-2.0
// aclnnGtScalar, aclnnGtTensor and their forms in place; so for Ge, Lt, Le, Eq, Ne.
#include <cmath>
#include <limits>

#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_ge_scalar.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_le_scalar.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_lt_scalar.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_ne_scalar.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/selection_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::comparisons {
namespace {

enum : size_t { kSelf, kOther, kOut };

bool is_equality(Comparison comparison) {
  return comparison == Comparison::kEqual || comparison == Comparison::kNotEqual;
}

// ---- Data types ---------------------------------------------------------------------------------

const DtypeSet& operands(Comparison comparison) {
  if (!is_equality(comparison)) return kAllReal;
  return current_soc() == Soc::kAscend950 ? kAllDtypesAndBf16 : kNumbersAndBool;
}

Rule operand_dtype(Comparison comparison, size_t i) {
  return [=](const Arguments& arguments) { return dtype_in(i, operands(comparison))(arguments); };
}

Rule result_dtype(Comparison comparison, size_t out) {
  return [=](const Arguments& arguments) {
    if (is_equality(comparison)) return dtype_in(out, operands(comparison))(arguments);
    const bool real = comparison == Comparison::kLess && before_950(arguments);
    return dtype_in(out, real ? kAllReal : kAllDtypes)(arguments);
  };
}

// Whether rounding to a dtype changes the number by at most the precision of FLOAT.
bool represents(aclDataType dtype, double number) {
  return std::abs(number - round_to_dtype(number, dtype)) <= std::numeric_limits<float>::epsilon();
}

std::optional<aclDataType> promote_number(Comparison comparison, aclDataType self,
                                          const aclScalar& other) {
  const bool is_less = comparison == Comparison::kLess || comparison == Comparison::kLessEqual;
  if (is_floating(self)) {
    if (is_less || (is_equality(comparison) && !is_complex(other.dtype))) return self;
    if (other.dtype == ACL_DOUBLE && represents(self, other.to_double())) return self;
  }
  const bool narrow = is_less && other.dtype == ACL_DOUBLE;
  return promote_types(self, narrow ? ACL_FLOAT : other.dtype);
}

// What both operands are compared in.
Promotion promotion(Comparison comparison) {
  return [comparison](const Arguments& arguments) -> std::optional<aclDataType> {
    const aclDataType self = arguments.dtype(kSelf);
    const auto common = arguments[kOther].tensor() != nullptr
                            ? promote_types(self, arguments.dtype(kOther))
                            : promote_number(comparison, self, arguments.scalar(kOther));
    return common == ACL_BOOL ? ACL_INT8 : common;
  };
}

// ---- Operators ----------------------------------------------------------------------------------

OperatorSpec with_number(const char* name, Comparison comparison) {
  return {name,
          {input("self"), attribute("other"), output("out")},
          Rules{not_null({kSelf, kOther, kOut}), operand_dtype(comparison, kSelf),
                operand_dtype(comparison, kOther), result_dtype(comparison, kOut),
                promotion_exists(promotion(comparison), kSelf, kOther), max_rank({kSelf, kOut}),
                same_shape(kOut, kSelf)}};
}
OperatorSpec with_number_in_place(const char* name, Comparison comparison) {
  return {name,
          {in_out("selfRef"), attribute("other")},
          {not_null({kSelf, kOther}), operand_dtype(comparison, kSelf),
           operand_dtype(comparison, kOther),
           promotion_exists(promotion(comparison), kSelf, kOther), max_rank(kSelf)}};
}

OperatorSpec with_tensor(const char* name, Comparison comparison) {
  std::vector<Rule> dtypes = {operand_dtype(comparison, kSelf), operand_dtype(comparison, kOther),
                              result_dtype(comparison, kOut)};
  if (comparison == Comparison::kGreater) dtypes = {dtypes[2], dtypes[0], dtypes[1]};
  return {
      name,
      {input("self"), input("other"), output("out")},
      Rules{not_null({kSelf, kOther, kOut}), dtypes[0], dtypes[1], dtypes[2],
            promotion_exists(promotion(comparison), kSelf, kOther), max_rank({kSelf, kOther, kOut}),
            broadcastable(kSelf, kOther), shape_is_broadcast(kOut, kSelf, kOther)}};
}
OperatorSpec with_tensor_in_place(const char* name, Comparison comparison) {
  return {name,
          {in_out("selfRef"), input("other")},
          Rules{not_null({kSelf, kOther}), operand_dtype(comparison, kSelf),
                operand_dtype(comparison, kOther),
                promotion_exists(promotion(comparison), kSelf, kOther), max_rank({kSelf, kOther}),
                broadcastable(kSelf, kOther), shape_is_broadcast(kSelf, kSelf, kOther)}};
}

Plan plan_comparison(const Arguments& arguments, size_t out, Comparison kind) {
  const aclDataType dtype = *promotion(kind)(arguments);
  std::vector<size_t> inputs = {kSelf};
  Kernel kernel;
  if (arguments[kOther].tensor() != nullptr) {
    inputs.push_back(kOther);
    kernel = comparison(kind, dtype);
  } else {
    kernel = comparison(kind, dtype, KernelScalar::of(arguments.scalar(kOther), dtype));
  }
  return plan_arithmetic(arguments, out, inputs, dtype, kernel, true);
}

template <Comparison kComparison, size_t out>
Plan planned(const Arguments& arguments) {
  return plan_comparison(arguments, out, kComparison);
}

}  // namespace

// One operator: the Comparison, the index of the result, and what makes the spec.
#define ACLGRAD_COMPARISON(name, kKind, out, spec)                    \
  const OperatorSpec kSpecOf_##name = spec(#name, Comparison::kKind); \
  ACLGRAD_OPERATOR(name, kSpecOf_##name, (planned<Comparison::kKind, out>))

// The four operators of one comparison.
#define ACLGRAD_COMPARISONS(Name, kKind)                                             \
  ACLGRAD_COMPARISON(aclnn##Name##Scalar, kKind, kOut, with_number)                  \
  ACLGRAD_COMPARISON(aclnnInplace##Name##Scalar, kKind, kSelf, with_number_in_place) \
  ACLGRAD_COMPARISON(aclnn##Name##Tensor, kKind, kOut, with_tensor)                  \
  ACLGRAD_COMPARISON(aclnnInplace##Name##Tensor, kKind, kSelf, with_tensor_in_place)

ACLGRAD_COMPARISONS(Gt, kGreater)
ACLGRAD_COMPARISONS(Ge, kGreaterEqual)
ACLGRAD_COMPARISONS(Lt, kLess)
ACLGRAD_COMPARISONS(Le, kLessEqual)
ACLGRAD_COMPARISONS(Eq, kEqual)
ACLGRAD_COMPARISONS(Ne, kNotEqual)

}  // namespace aclgrad::ops::comparisons
