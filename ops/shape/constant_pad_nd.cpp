// SPDX-License-Identifier: Apache-2.0
// aclnnConstantPadNd.
#include "aclnnop/aclnn_constant_pad_nd.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/arithmetic/arithmetic_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::constant_pad_nd {
namespace {

enum : size_t { kSelf, kPad, kValue, kOut };

// What pad does to a dimension.
struct Ends {
  size_t axis;
  int64_t begin;
  int64_t end;
};

// From the last dimension on.
std::vector<Ends> ends_of(const Arguments& arguments) {
  const std::vector<int64_t>& pad = arguments.int_array(kPad);
  std::vector<Ends> all;
  for (size_t k = 0; k < pad.size() / 2; ++k) {
    all.push_back({arguments.shape(kSelf).size() - 1 - k, pad[2 * k], pad[2 * k + 1]});
  }
  return all;
}

Rule is_pairs() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& pad = arguments.int_array(kPad);
    const size_t most = 2 * arguments.shape(kSelf).size();
    if (pad.size() % 2 == 0 && pad.size() <= most) return std::nullopt;
    return fmt::format("{} must be pairs of numbers, at most {} numbers for {} {}, but is {}.",
                       arguments.name(kPad), most, arguments.name(kSelf),
                       to_string(arguments.shape(kSelf)), to_string(pad));
  });
}

// Each dimension with a pair: negative padding cuts at most its size, and out has the padded size.
Rule sizes_fit() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::string pad = to_string(arguments.int_array(kPad));
    for (const auto& [axis, begin, end] : ends_of(arguments)) {
      const int64_t size = arguments.shape(kSelf)[axis];
      const int64_t wanted = saturating_sum(saturating_sum(size, begin), end);
      if (std::min({begin, end, saturating_sum(begin, end)}) < -size) {
        return fmt::format("{} {} must not cut more than the {} elements of dimension {} of {}.",
                           arguments.name(kPad), pad, size, axis, arguments.name(kSelf));
      }
      if (arguments.shape(kOut)[axis] != wanted) {
        return fmt::format("tensor {} must have size {} in dimension {} for {} {}, but is {}.",
                           arguments.name(kOut), wanted, axis, arguments.name(kPad), pad,
                           to_string(arguments.shape(kOut)));
      }
    }
    return std::nullopt;
  });
}

// Dimensions without a pair keep their size.
Rule others_stay() {
  return has_shape_of(
      kOut,
      [](const Arguments& arguments) {
        Dims shape = arguments.shape(kSelf);
        for (const Ends& ends : ends_of(arguments)) {
          shape[ends.axis] = arguments.shape(kOut)[ends.axis];
        }
        return shape;
      },
      given({kPad}));
}

Rule none_vanishes() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& pad = arguments.int_array(kPad);
    if (std::none_of(pad.begin(), pad.end(), [](int64_t each) { return each > 0; })) {
      return std::nullopt;
    }
    for (const Ends& ends : ends_of(arguments)) {
      if (arguments.shape(kOut)[ends.axis] != 0) continue;
      return fmt::format("tensor {} {} must have elements along dimension {}, since {} is {}.",
                         arguments.name(kOut), to_string(arguments.shape(kOut)), ends.axis,
                         arguments.name(kPad), to_string(pad));
    }
    return std::nullopt;
  });
}

const OperatorSpec kConstantPadNd{
    "aclnnConstantPadNd",
    {input("self"), attribute("pad"), attribute("value"), output("out")},
    Rules{not_null({kSelf, kPad, kValue, kOut}), same_dtype(kOut, kSelf),
          dtype_in(kSelf, kAllDtypes),
          when(
              [](const Arguments& arguments) {
                return arguments.tensor(kSelf).format != ACL_FORMAT_ND;
              },
              same_format(kOut, kSelf)),
          max_rank({kSelf, kOut}), same_rank(kOut, kSelf), is_pairs(), sizes_fit(), others_stay(),
          none_vanishes()}};

Plan plan_pad(const Arguments& arguments) {
  if (arguments.empty(kOut)) return {};
  const aclDataType dtype = arguments.dtype(kOut);
  const Plan fill = elementwise(arguments, {kOut}, {},
                                constant(dtype, KernelScalar::of(arguments.scalar(kValue), dtype)));
  // The region that self and out share.
  Operand from = whole(arguments, kSelf);
  Operand to = whole(arguments, kOut);
  Dims shape = arguments.shape(kSelf);
  for (const auto& [axis, begin, end] : ends_of(arguments)) {
    shape[axis] += std::min<int64_t>(begin, 0) + std::min<int64_t>(end, 0);
    from.offset += std::max<int64_t>(-begin, 0) * from.strides[axis];
    to.strides[axis] = arguments.strides(kOut)[axis];
    to.offset += std::max<int64_t>(begin, 0) * to.strides[axis];
  }
  const Plan copy = plan_copies({{shape, to, from}});
  return {[fill = fill.body, copy = copy.body](const Run& run) -> aclError {
    const aclError error = fill(run);
    return error != ACL_SUCCESS || !copy ? error : copy(run);
  }};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnConstantPadNd, kConstantPadNd, plan_pad)

}  // namespace aclgrad::ops::constant_pad_nd
