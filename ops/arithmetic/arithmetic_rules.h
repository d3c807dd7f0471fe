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
// `number` is a scalar: it changes the tensor's dtype only where its kind is a higher one, a
// floating number beside integers to FLOAT, and beside BOOL to its own unless that is floating.
Promotion promote_number(size_t tensor, size_t number);
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

// ---- Forms --------------------------------------------------------------------------------------
// Operators of a tensor, of two, or of a tensor and a number, out of place and in place. Attributes
// stand before the result, which is the last parameter; in place it is kSelf. The checks come in
// the order of network operators: null, dtypes, conversion, ranks, broadcasting, shape.

namespace operands {
enum : size_t { kSelf, kOther };
}
enum class Form { kOutOfPlace, kInPlace };
// What result a dtype allows: one that it converts to, or any of the operator's for 0 and 1.
enum class Result { kConverted, kTruth };

OperatorSpec of_one(const char* name, Form form, const DtypeSet& dtypes, Result result,
                    const std::vector<Parameter>& attributes = {});
// Without a promotion the result is 0 or 1.
OperatorSpec of_two(const char* name, Form form, const DtypeSet& dtypes, const Promotion& promotion,
                    const std::vector<Parameter>& attributes = {});
OperatorSpec with_number(const char* name, Form form, const DtypeSet& dtypes,
                         const std::vector<Parameter>& attributes = {});

}  // namespace aclgrad::ops

// Both phases of aclnn<Name>; make_spec(name, form) and planner(arguments, out).
#define ACLGRAD_FORM(name, form, make_spec, planner, out)           \
  const OperatorSpec kSpecOf_##name = make_spec(#name, Form::form); \
  ACLGRAD_OPERATOR(name, kSpecOf_##name,                            \
                   [](const Arguments& arguments) { return planner(arguments, out); })
#define ACLGRAD_OUT_OF_PLACE(Name, make_spec, planner) \
  ACLGRAD_FORM(aclnn##Name, kOutOfPlace, make_spec, planner, arguments.spec().parameters.size() - 1)
// Those of aclnnInplace<Name>, too.
#define ACLGRAD_BOTH_FORMS(Name, make_spec, planner) \
  ACLGRAD_OUT_OF_PLACE(Name, make_spec, planner)     \
  ACLGRAD_FORM(aclnnInplace##Name, kInPlace, make_spec, planner, operands::kSelf)
