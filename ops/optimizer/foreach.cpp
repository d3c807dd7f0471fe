// SPDX-License-Identifier: Apache-2.0
// aclnnForeachNorm, aclnnForeachMulScalarV2: one computation for each tensor of a list.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_foreach_mul_scalar_v2.h"
#include "aclnnop/aclnn_foreach_norm.h"
#include "ops/arithmetic/arithmetic_rules.h"
#include "ops/reduction/norm_kernel.h"

namespace aclgrad::ops::foreach {
namespace {

enum : size_t { kX, kScalar, kOut };

// The vendor's code of both operators is generated, and finds wrong sizes when it plans.
Rule size_rule(Rule rule) { return with_status(kInnerTilingError, std::move(rule)); }

size_t first_x(const Arguments& arguments) { return arguments.members(kX).first; }

// The output that belongs to a tensor of x.
size_t output_of(const Arguments& arguments, size_t x) {
  return arguments.members(kOut).first + x - first_x(arguments);
}

Rule all_of_one_dtype(size_t list) {
  return [list](const Arguments& arguments) {
    const size_t first = first_x(arguments);
    return all_members(list, [first](size_t i) { return same_dtype(i, first); })(arguments);
  };
}

Rule one_output_for_each() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const size_t expected = arguments.members(kX).count;
    const size_t count = arguments.members(kOut).count;
    if (count == expected) return std::nullopt;
    return fmt::format("{} must have {} tensors, one for each of {}, but has {}.",
                       arguments.name(kOut), expected, arguments.name(kX), count);
  });
}

// A rule about an output and its tensor of x.
Rule each_output(std::function<Rule(size_t out, size_t x)> rule) {
  return [rule = std::move(rule)](const Arguments& arguments) {
    return all_members(kX, [&](size_t x) { return rule(output_of(arguments, x), x); })(arguments);
  };
}

std::vector<Rule> rules(const DtypeSet& dtypes, const Rule& on_scalar,
                        std::function<Rule(size_t out, size_t x)> on_output) {
  const auto given = [](size_t i) { return not_null({i}); };
  const auto ranked = [](size_t i) { return max_rank(i); };
  std::vector<Rule> list = {
      not_null({kX, kScalar, kOut}),
      all_members(kX, given),
      all_members(kOut, given),
      all_members(kX, [dtypes](size_t i) { return dtype_in(i, dtypes); }),
      all_of_one_dtype(kX),
      when([](const Arguments& arguments) { return arguments.members(kX).count > 0; },
           all_of_one_dtype(kOut))};
  list.push_back(on_scalar);
  for (const Rule& rule : {one_output_for_each(), all_members(kX, ranked),
                           all_members(kOut, ranked), each_output(std::move(on_output))}) {
    list.push_back(size_rule(rule));
  }
  return list;
}

// One plan for each tensor of x, one after the other.
template <class Planner>
Plan plan_each(const Arguments& arguments, const Planner& planner) {
  auto plans = std::make_shared<std::vector<Body>>();
  uint64_t workspace = 0;
  const auto [first, count] = arguments.members(kX);
  for (size_t x = first; x < first + count; ++x) {
    Plan plan = planner(x, output_of(arguments, x));
    if (plan.body) plans->push_back(std::move(plan.body));
    workspace = std::max(workspace, plan.workspace_size);
  }
  if (plans->empty()) return {};
  return {[plans](const Run& run) -> aclError {
            for (const Body& body : *plans) {
              if (const aclError error = body(run); error != ACL_SUCCESS) return error;
            }
            return ACL_SUCCESS;
          },
          workspace};
}

// ---- Norms --------------------------------------------------------------------------------------

const OperatorSpec kNorm{"aclnnForeachNorm",
                         {input("x"), attribute("scalar"), output("out")},
                         rules({{ACL_FLOAT, ACL_FLOAT16}, {ACL_BF16}},
                               dtype_in(kScalar, {ACL_FLOAT, ACL_DOUBLE, ACL_INT64}),
                               [](size_t out, size_t) { return has_one_element(out); })};

Plan plan_norms(const Arguments& arguments) {
  auto p = static_cast<double>(arguments.scalar(kScalar).to_float());
  const bool is_known = p == 1 || (std::isinf(p) && p > 0);
  if (on_950(arguments) && !is_known) p = 2;
  DimSet all;
  all.fill(true);
  return plan_each(arguments,
                   [&](size_t x, size_t out) { return plan_norm(arguments, x, all, p, out); });
}

// ---- Products -----------------------------------------------------------------------------------

// A dtype that suits that of the tensors.
Rule scalar_suits() {
  return [](const Arguments& arguments) {
    if (arguments.members(kX).count == 0) return CheckResult{};
    switch (arguments.dtype(first_x(arguments))) {
      case ACL_FLOAT16:
        return dtype_in(kScalar, {ACL_FLOAT16, ACL_DOUBLE})(arguments);
      case ACL_INT32:
        return dtype_in(kScalar, {ACL_INT32, ACL_INT64})(arguments);
      default:
        return dtype_in(kScalar, {ACL_FLOAT, ACL_DOUBLE})(arguments);
    }
  };
}

const OperatorSpec kMulScalar{
    "aclnnForeachMulScalarV2",
    {input("x"), attribute("scalar"), output("out")},
    rules({{ACL_FLOAT, ACL_FLOAT16, ACL_INT32}, {ACL_BF16}}, scalar_suits(),
          [](size_t out, size_t x) { return same_shape(out, x); })};

Plan plan_products(const Arguments& arguments) {
  return plan_each(arguments, [&](size_t x, size_t out) {
    const aclDataType dtype = arguments.dtype(x);
    // As of aclnnMuls, the factor of BF16 keeps the precision of FLOAT.
    const aclDataType factor_dtype = dtype == ACL_BF16 ? ACL_FLOAT : dtype;
    return plan_arithmetic(
        arguments, out, {x}, dtype,
        product(dtype, KernelScalar::of(arguments.scalar(kScalar), factor_dtype)));
  });
}

}  // namespace

ACLGRAD_OPERATOR(aclnnForeachNorm, kNorm, plan_norms)
ACLGRAD_OPERATOR(aclnnForeachMulScalarV2, kMulScalar, plan_products)

}  // namespace aclgrad::ops::foreach
