// SPDX-License-Identifier: Apache-2.0
// aclnnClamp, aclnnClampMin, aclnnClampMax, aclnnInplaceClampMax, and those with tensors as bounds.
#include "aclnnop/aclnn_clamp.h"

#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/arithmetic/rounding_kernel.h"
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

// ---- Tensors as bounds --------------------------------------------------------------------------

std::vector<size_t> given_tensors(const Arguments& arguments, const Bounds& bounds) {
  std::vector<size_t> given = {kSelf};
  for (const std::optional<size_t>& bound : {bounds.low, bounds.high}) {
    if (bound && arguments.given(*bound)) given.push_back(*bound);
  }
  return given;
}

Promotion promote_given(const Bounds& bounds) {
  return [bounds](const Arguments& arguments) {
    return promote_tensors(given_tensors(arguments, bounds))(arguments);
  };
}

// The rule that this is of the tensors that are given.
template <class MakeRule>
Rule of_given(const Bounds& bounds, const MakeRule& make) {
  return [bounds, make](const Arguments& arguments) {
    return make(given_tensors(arguments, bounds))(arguments);
  };
}

Rules tensor_rules(size_t out, const Bounds& bounds, std::vector<size_t> tensors, Rules nulls) {
  const auto fits = [out](const std::vector<size_t>& given) {
    return shape_is_broadcast(out, given);
  };
  const auto broadcasts = [](const std::vector<size_t>& given) { return broadcastable(given); };
  return {std::move(nulls),
          dtype_in(tensors, kRealNumbers),
          result_converts(promote_given(bounds), out),
          max_rank(tensors),
          of_given(bounds, broadcasts),
          of_given(bounds, fits)};
}

constexpr Bounds kBoth{kLow, kHigh}, kLowAlone{kOneBound, std::nullopt},
    kHighAlone{std::nullopt, kOneBound};

const OperatorSpec kClampTensor{
    "aclnnClampTensor",
    {input("self"), input("clipValueMin"), input("clipValueMax"), output("out")},
    tensor_rules(kOut, kBoth, {kSelf, kLow, kHigh, kOut},
                 Rules{not_null({kSelf}), live_if_given({kLow, kHigh}), not_null({kOut}),
                       one_bound_given()})};

OperatorSpec with_one_tensor(const char* name, const char* bound, const Bounds& bounds) {
  return {name,
          {input("self"), input(bound), output("out")},
          tensor_rules(kOutOfOne, bounds, {kSelf, kOneBound, kOutOfOne},
                       Rules{not_null({kSelf, kOneBound, kOutOfOne})})};
}
OperatorSpec with_one_tensor_in_place(const char* name, const char* bound, const Bounds& bounds) {
  return {name,
          {in_out("selfRef"), input(bound)},
          tensor_rules(kSelf, bounds, {kSelf, kOneBound}, Rules{not_null({kSelf, kOneBound})})};
}

const OperatorSpec kClampMinTensor =
    with_one_tensor("aclnnClampMinTensor", "clipValueMin", kLowAlone);
const OperatorSpec kClampMaxTensor =
    with_one_tensor("aclnnClampMaxTensor", "clipValueMax", kHighAlone);
const OperatorSpec kInplaceClampMinTensor =
    with_one_tensor_in_place("aclnnInplaceClampMinTensor", "clipValueMin", kLowAlone);
const OperatorSpec kInplaceClampMaxTensor =
    with_one_tensor_in_place("aclnnInplaceClampMaxTensor", "clipValueMax", kHighAlone);

Plan plan_clamp_tensor(const Arguments& arguments, size_t out, const Bounds& bounds) {
  const std::vector<size_t> given = given_tensors(arguments, bounds);
  const aclDataType dtype = *promote_tensors(given)(arguments);
  const bool has_low = bounds.low && arguments.given(*bounds.low);
  return plan_arithmetic(arguments, out, given, dtype,
                         given.size() == 3 ? holding_between(dtype) : extremum(dtype, has_low),
                         true);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnClampTensor, kClampTensor, [](const Arguments& arguments) {
  return plan_clamp_tensor(arguments, kOut, kBoth);
})
ACLGRAD_OPERATOR(aclnnClampMinTensor, kClampMinTensor, [](const Arguments& arguments) {
  return plan_clamp_tensor(arguments, kOutOfOne, kLowAlone);
})
ACLGRAD_OPERATOR(aclnnClampMaxTensor, kClampMaxTensor, [](const Arguments& arguments) {
  return plan_clamp_tensor(arguments, kOutOfOne, kHighAlone);
})
ACLGRAD_OPERATOR(aclnnInplaceClampMinTensor, kInplaceClampMinTensor,
                 [](const Arguments& arguments) {
                   return plan_clamp_tensor(arguments, kSelf, kLowAlone);
                 })
ACLGRAD_OPERATOR(aclnnInplaceClampMaxTensor, kInplaceClampMaxTensor,
                 [](const Arguments& arguments) {
                   return plan_clamp_tensor(arguments, kSelf, kHighAlone);
                 })

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
