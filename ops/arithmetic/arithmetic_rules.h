// SPDX-License-Identifier: Apache-2.0
// What additions, subtractions and multiplications share: the type they compute in, their checks,
// and the way to a plan.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/operator.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops {

// The type of a computation, or nothing when its operands have no common one.
using Promotion = std::function<std::optional<aclDataType>(const Arguments&)>;

// self and other are both tensors.
Promotion promote_tensors(size_t self, size_t other);
// `other` is a scalar of an addition or subtraction.
Promotion promote_addend(size_t self, size_t other, size_t out);
// `other` is a scalar of a multiplication.
Promotion promote_factor(size_t self, size_t other, size_t out);

// The dtype that all of these tensors promote to.
Promotion promote_tensors(std::vector<size_t> tensors);
// It is one of these.
Rule promotes_to_one_of(std::vector<size_t> tensors, const DtypeSet& set);

// The promotion exists; `self` and `other` are for the message.
Rule promotion_exists(Promotion promotion, size_t self, size_t other);
// The scalar converts to the promoted type; to BOOL it must be an integer or BOOL.
Rule scalar_converts(Promotion promotion, size_t scalar);
// The promoted type converts to the output's.
Rule result_converts(Promotion promotion, size_t out);

// out = kernel(inputs), computed in `dtype` and rounded to it first, as the inputs are on demand.
// Inputs broadcast to out's shape.
Plan plan_arithmetic(const Arguments& arguments, size_t out, std::vector<size_t> inputs,
                     aclDataType dtype, Kernel kernel, bool rounds_inputs = false);

// Parameters, rules and plans of self +- alpha * other; in place, out is kSelf. The sign is that of
// alpha.
namespace additive {
enum : size_t { kSelf, kOther, kAlpha, kOut };
}
enum class Sign { kPlus, kMinus };
// alpha with its sign in the type of the computation; for the 16-bit types as FLOAT.
KernelScalar factor_in(const aclScalar& alpha, aclDataType dtype, Sign sign);
std::vector<Rule> additive_rules(size_t out);
std::vector<Rule> additive_scalar_rules(size_t out);
Plan plan_additive(const Arguments& arguments, size_t out, Sign sign);
Plan plan_additive_scalar(const Arguments& arguments, size_t out, Sign sign);

}  // namespace aclgrad::ops
