// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor with a form in place: their checks and their plan.
#pragma once

#include "ops/arithmetic/arithmetic_rules.h"

namespace aclgrad::ops {

// The parameters; in place, kSelf alone.
namespace unary_function {
enum : size_t { kSelf, kOut };
}

// What integers and BOOL are converted to before; kAsFloatOrDouble: to DOUBLE where the output is.
enum class Integers { kAsFloat, kInt64AsDouble, kAsOutput, kAsFloatOrDouble };

struct Unary {
  OperatorSpec out_of_place;
  OperatorSpec in_place;
  Kernel (*kernel)(aclDataType computed_in);
  Integers integers;
};

Plan plan_unary(const Arguments& arguments, size_t out, Integers integers,
                Kernel (*kernel)(aclDataType computed_in));
inline Plan plan_unary(const Arguments& arguments, size_t out, const Unary& unary) {
  return plan_unary(arguments, out, unary.integers, unary.kernel);
}

// The result of self converts to out. Integers count as FLOAT here, whatever they are computed in.
Rule unary_result_converts();

// Rules after those on dtypes.
std::vector<Rule> unary_rules(std::vector<Rule> on_dtypes, std::vector<Rule> more = {});
OperatorSpec unary_in_place(const char* name, const char* tensor, const DtypeSet& dtypes);

}  // namespace aclgrad::ops

// Both phases of aclnn<Name> and aclnnInplace<Name> for the Unary k<Name>.
#define ACLGRAD_UNARY(Name)                                                               \
  ACLGRAD_OPERATOR(aclnn##Name, k##Name.out_of_place, [](const Arguments& arguments) {    \
    return plan_unary(arguments, unary_function::kOut, k##Name);                          \
  })                                                                                      \
  ACLGRAD_OPERATOR(aclnnInplace##Name, k##Name.in_place, [](const Arguments& arguments) { \
    return plan_unary(arguments, unary_function::kSelf, k##Name);                         \
  })
