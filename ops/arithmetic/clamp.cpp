// SPDX-License-Identifier: Apache-2.0
// aclnnClamp, aclnnClampMin, aclnnClampMax, aclnnInplaceClampMax.
#include "aclnnop/aclnn_clamp.h"

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/selection_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"

namespace aclgrad::ops::clamp_operator {
namespace {

// aclnnClamp has both bounds, the others one of them.
enum : size_t { kSelf, kLow, kHigh, kOut };
enum : size_t { kOneBound = 1, kOutOfOne };

// Where the bounds stand among the arguments.
struct Bounds {
  std::optional<size_t> low;
  std::optional<size_t> high;
};

// One of two bounds is enough.
Rule one_bound_given() {
  return [](const Arguments& arguments) {
    return arguments.given(kLow) || arguments.given(kHigh) ? CheckResult()
                                                           : not_null({kLow, kHigh})(arguments);
  };
}

OperatorSpec spec(const char* name, std::initializer_list<const char*> bounds) {
  std::vector<Parameter> parameters = {input("self")};
  for (const char* bound : bounds) parameters.push_back(attribute(bound));
  parameters.push_back(output("out"));
  const size_t out = parameters.size() - 1;
  std::vector<Rule> rules;
  if (bounds.size() == 2) {
    rules = {not_null({kSelf}), live_if_given(kLow), live_if_given(kHigh), not_null({out}),
             one_bound_given()};
  } else {
    rules = {not_null({kSelf, kOneBound, out})};
  }
  rules.insert(rules.end(), {dtype_in(kSelf, kRealNumbers), dtype_in(out, kRealNumbers),
                             same_shape(out, kSelf), max_rank(kSelf), can_cast_tensor(kSelf, out)});
  return {name, parameters, rules};
}

const OperatorSpec kClamp = spec("aclnnClamp", {"clipValueMin", "clipValueMax"});
const OperatorSpec kClampMin = spec("aclnnClampMin", {"clipValueMin"});
const OperatorSpec kClampMax = spec("aclnnClampMax", {"clipValueMax"});
const OperatorSpec kInplaceClampMax{
    "aclnnInplaceClampMax",
    {in_out("selfRef"), attribute("clipValueMax")},
    {not_null({kSelf, kOneBound}), dtype_in(kSelf, kRealNumbers), max_rank(kSelf)}};

Plan plan_clamp(const Arguments& arguments, size_t out, const Bounds& bounds) {
  aclDataType dtype = on_950(arguments) ? arguments.dtype(kSelf) : arguments.dtype(out);
  const auto given = [&](std::optional<size_t> bound) { return bound && arguments.given(*bound); };
  for (const std::optional<size_t>& bound : {bounds.low, bounds.high}) {
    if (!on_950(arguments) || !given(bound)) continue;
    dtype = promote_types(dtype, arguments.scalar(*bound).dtype).value_or(dtype);
  }
  // A bound outside the range of an integer dtype has no effect.
  const aclDataType of_bounds = is_integer(dtype) ? ACL_INT64 : dtype;
  const auto number = [&](std::optional<size_t> bound) {
    return given(bound) ? std::optional(KernelScalar::of(arguments.scalar(*bound), of_bounds))
                        : std::nullopt;
  };
  return plan_arithmetic(arguments, out, {kSelf}, dtype,
                         clamp(dtype, number(bounds.low), number(bounds.high)), true);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnClamp, kClamp, [](const Arguments& arguments) {
  return plan_clamp(arguments, kOut, {kLow, kHigh});
})
ACLGRAD_OPERATOR(aclnnClampMin, kClampMin, [](const Arguments& arguments) {
  return plan_clamp(arguments, kOutOfOne, {kOneBound, std::nullopt});
})
ACLGRAD_OPERATOR(aclnnClampMax, kClampMax, [](const Arguments& arguments) {
  return plan_clamp(arguments, kOutOfOne, {std::nullopt, kOneBound});
})
ACLGRAD_OPERATOR(aclnnInplaceClampMax, kInplaceClampMax, [](const Arguments& arguments) {
  return plan_clamp(arguments, kSelf, {std::nullopt, kOneBound});
})

}  // namespace aclgrad::ops::clamp_operator
