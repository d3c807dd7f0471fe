// SPDX-License-Identifier: Apache-2.0
// aclnnMaxUnpool2d, aclnnMaxUnpool3d.
#include <fmt/format.h>

#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "ops/pooling/pooling_rules.h"
#include "ops/resampling/resampling_rules.h"

namespace aclgrad::ops::max_unpool {
namespace {

enum : size_t { kSelf, kIndices, kOutputSize };
constexpr size_t kOut2d = 3;
enum : size_t { kStride = 3, kPadding, kOut3d };

// Of what nothing else depends on.
Rule has_one_or_three(size_t array) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& values = arguments.int_array(array);
    if (values.size() == 1 || values.size() == 3) return std::nullopt;
    return fmt::format("{} must be 1 or 3 values, but is {}.", arguments.name(array),
                       to_string(values));
  });
}

std::vector<Rule> rules(size_t out, size_t axes) {
  return {dtype_in(kSelf, kRealFloats),
          dtype_in(kIndices, kPlaceDtypes),
          same_dtype(out, kSelf),
          is_spatial(kSelf, axes),
          is_spatial(kIndices, axes),
          is_spatial(out, axes),
          same_shape(kIndices, kSelf),
          same_planes(out, kSelf, axes),
          sizes_are_outs(kOutputSize, out, axes)};
}

std::vector<Rule> with(std::vector<Rule> list, const std::vector<Rule>& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

const OperatorSpec k2d{"aclnnMaxUnpool2d",
                       {input("self"), input("indices"), attribute("outputSize"), output("out")},
                       with({not_null({kSelf, kIndices, kOutputSize, kOut2d})}, rules(kOut2d, 2))};

const OperatorSpec k3d{
    "aclnnMaxUnpool3d",
    {input("self"), input("indices"), attribute("outputSize"), attribute("stride"),
     attribute("padding"), output("out")},
    with({not_null({kSelf, kIndices, kOutputSize, kStride, kPadding, kOut3d})},
         with(rules(kOut3d, 3), {has_one_or_three(kStride), has_one_or_three(kPadding)}))};

Plan plan(const Arguments& arguments, size_t out, size_t axes) {
  if (arguments.empty(out)) return {};
  return plan_max_unpool(Planes(arguments, kSelf, axes), Planes(arguments, kIndices, axes),
                         Planes(arguments, out, axes));
}

}  // namespace

ACLGRAD_OPERATOR(aclnnMaxUnpool2d, k2d,
                 [](const Arguments& arguments) { return plan(arguments, kOut2d, 2); })
ACLGRAD_OPERATOR(aclnnMaxUnpool3d, k3d,
                 [](const Arguments& arguments) { return plan(arguments, kOut3d, 3); })

}  // namespace aclgrad::ops::max_unpool
