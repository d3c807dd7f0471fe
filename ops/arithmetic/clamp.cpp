// SPDX-License-Identifier: Apache-2.0
// aclnnClamp, aclnnClampMin, aclnnClampMax, aclnnInplaceClampMax.
#include "aclnnop/aclnn_clamp.h"

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/selection_kernel.h"

namespace aclgrad::ops {
namespace {

constexpr DtypeSet kDtypes{
    {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8},
    {ACL_BF16}};

// Where the bounds stand among the arguments.
struct Bounds {
  std::optional<size_t> low;
  std::optional<size_t> high;
};

// One of two bounds is enough.
Rule one_bound_given() {
  return [](const Arguments& arguments) {
    return arguments.given(1) || arguments.given(2) ? CheckResult() : not_null({1, 2})(arguments);
  };
}

OperatorSpec spec(const char* name, std::initializer_list<const char*> bounds) {
  std::vector<Parameter> parameters = {input("self")};
  for (const char* bound : bounds) parameters.push_back(attribute(bound));
  parameters.push_back(output("out"));
  const size_t out = parameters.size() - 1;
  std::vector<Rule> rules;
  if (bounds.size() == 2) {
    rules = {not_null({0}), live_if_given(1), live_if_given(2), not_null({out}), one_bound_given()};
  } else {
    rules = {not_null({0, 1, out})};
  }
  rules.insert(rules.end(), {dtype_in(0, kDtypes), dtype_in(out, kDtypes), same_shape(out, 0),
                             max_rank(0), can_cast_tensor(0, out)});
  return {name, parameters, rules};
}

const OperatorSpec kClamp = spec("aclnnClamp", {"clipValueMin", "clipValueMax"});
const OperatorSpec kClampMin = spec("aclnnClampMin", {"clipValueMin"});
const OperatorSpec kClampMax = spec("aclnnClampMax", {"clipValueMax"});
const OperatorSpec kInplaceClampMax{"aclnnInplaceClampMax",
                                    {in_out("selfRef"), attribute("clipValueMax")},
                                    {not_null({0, 1}), dtype_in(0, kDtypes), max_rank(0)}};

Plan plan_clamp(const Arguments& arguments, size_t out, const Bounds& bounds) {
  aclDataType dtype = on_950(arguments) ? arguments.dtype(0) : arguments.dtype(out);
  const auto given = [&](std::optional<size_t> bound) { return bound && arguments.given(*bound); };
  for (const std::optional<size_t>& bound : {bounds.low, bounds.high}) {
    if (!on_950(arguments) || !given(bound)) continue;
    dtype = promote_types(dtype, arguments.scalar(*bound).dtype).value_or(dtype);
  }
  // A bound beyond an integer dtype's limits bounds nothing.
  const aclDataType of_bounds = is_integer(dtype) ? ACL_INT64 : dtype;
  const auto number = [&](std::optional<size_t> bound) {
    return given(bound) ? std::optional(Number::of(arguments.scalar(*bound), of_bounds))
                        : std::nullopt;
  };
  return plan_arithmetic(arguments, out, {0}, dtype,
                         clamp(dtype, number(bounds.low), number(bounds.high)), true);
}

}  // namespace
}  // namespace aclgrad::ops

using namespace aclgrad::ops;

ACLGRAD_OPERATOR(aclnnClamp, 4, kClamp, [](const Arguments& arguments) {
  return plan_clamp(arguments, 3, {1, 2});
})
ACLGRAD_OPERATOR(aclnnClampMin, 3, kClampMin, [](const Arguments& arguments) {
  return plan_clamp(arguments, 2, {1, std::nullopt});
})
ACLGRAD_OPERATOR(aclnnClampMax, 3, kClampMax, [](const Arguments& arguments) {
  return plan_clamp(arguments, 2, {std::nullopt, 1});
})
ACLGRAD_OPERATOR(aclnnInplaceClampMax, 2, kInplaceClampMax, [](const Arguments& arguments) {
  return plan_clamp(arguments, 0, {std::nullopt, 1});
})
