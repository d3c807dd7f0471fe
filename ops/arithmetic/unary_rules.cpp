// SPDX-License-Identifier: Apache-2.0
#include "ops/arithmetic/unary_rules.h"

namespace aclgrad::ops {
namespace {

using namespace unary_function;

aclDataType dtype_of(const Arguments& arguments, Integers integers, size_t out) {
  const aclDataType self = arguments.dtype(kSelf);
  if (is_floating(self) || is_complex(self)) return self;
  if (integers == Integers::kAsOutput) return arguments.dtype(out);
  if (integers == Integers::kAsFloatOrDouble && arguments.dtype(out) == ACL_DOUBLE) {
    return ACL_DOUBLE;
  }
  return self == ACL_INT64 && integers == Integers::kInt64AsDouble ? ACL_DOUBLE : ACL_FLOAT;
}

}  // namespace

Plan plan_unary(const Arguments& arguments, size_t out, Integers integers,
                Kernel (*kernel)(aclDataType computed_in)) {
  const aclDataType dtype = dtype_of(arguments, integers, out);
  const Dims& shape = arguments.shape(out);
  Operand source = operand(arguments, kSelf, shape);
  Operand result = operand(arguments, out, shape);
  source.intermediate_dtype = dtype;
  result.intermediate_dtype = dtype;
  Elementwise body(shape, {result}, {source}, kernel(dtype));
  if (arguments.empty(out)) return {};
  return body.plan();
}

Rule unary_result_converts() {
  return result_converts(
      [](const Arguments& arguments) {
        return std::optional(dtype_of(arguments, Integers::kAsFloat, kOut));
      },
      kOut);
}

std::vector<Rule> unary_rules(std::vector<Rule> on_dtypes, std::vector<Rule> more) {
  std::vector<Rule> rules = {not_null({kSelf, kOut})};
  rules.insert(rules.end(), on_dtypes.begin(), on_dtypes.end());
  rules.push_back(same_shape(kOut, kSelf));
  rules.push_back(max_rank(kSelf));
  rules.insert(rules.end(), more.begin(), more.end());
  return rules;
}

OperatorSpec unary_in_place(const char* name, const char* tensor, const DtypeSet& dtypes) {
  return {name, {in_out(tensor)}, {not_null({kSelf}), dtype_in(kSelf, dtypes), max_rank(kSelf)}};
}

}  // namespace aclgrad::ops
