// SPDX-License-Identifier: Apache-2.0
// aclnnPermute.
#include "aclnnop/aclnn_permute.h"

#include <fmt/format.h>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/shape/movement_rules.h"

namespace aclgrad::ops::permute {
namespace {

enum : size_t { kSelf, kDims, kOut };

Rule names_each_dimension() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& dims = arguments.int_array(kDims);
    const size_t rank = arguments.shape(kSelf).size();
    if (dims.size() == rank) return std::nullopt;
    return fmt::format("{} must have {} entries, one for each dimension of {}, but is {}.",
                       arguments.name(kDims), rank, arguments.name(kSelf), to_string(dims));
  });
}

Rule names_none_twice() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& dims = arguments.int_array(kDims);
    for (size_t i = 0; i < dims.size(); ++i) {
      for (size_t k = 0; k < i; ++k) {
        const size_t axis = normalize_axis(dims[i], dims.size());
        if (normalize_axis(dims[k], dims.size()) != axis) continue;
        return fmt::format("{} must name each dimension once, but {} names dimension {} twice.",
                           arguments.name(kDims), to_string(dims), static_cast<int64_t>(axis));
      }
    }
    return std::nullopt;
  });
}

Rule names_no_others() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const auto rank = static_cast<int64_t>(arguments.shape(kSelf).size());
    for (const int64_t dim : arguments.int_array(kDims)) {
      if (dim < -rank || dim >= rank) {
        return fmt::format("{} must be within [{}, {}], but has an entry {}.",
                           arguments.name(kDims), -rank, rank - 1, dim);
      }
    }
    return std::nullopt;
  });
}

// Of self's sizes or strides, those in the order of dims.
Dims reordered(const Arguments& arguments, const Dims& values) {
  Dims result;
  for (const int64_t dim : arguments.int_array(kDims)) {
    result.push_back(values[normalize_axis(dim, values.size())]);
  }
  return result;
}

const OperatorSpec kPermute{
    "aclnnPermute",
    {input("self"), attribute("dims"), output("out")},
    Rules{
        not_null({kSelf, kDims, kOut}), dtype_in({kSelf, kOut}, kAllDtypes),
        same_dtype(kOut, kSelf), same_rank(kOut, kSelf), names_each_dimension(), names_none_twice(),
        max_rank(kSelf), names_no_others(),
        has_shape_of(
            kOut,
            [](const Arguments& arguments) { return reordered(arguments, arguments.shape(kSelf)); },
            given({kDims}))}};

Plan plan_permute(const Arguments& arguments) {
  Operand from = whole(arguments, kSelf);
  from.strides = reordered(arguments, from.strides);
  return plan_copies({{arguments.shape(kOut), whole(arguments, kOut), from}});
}

}  // namespace

ACLGRAD_OPERATOR(aclnnPermute, kPermute, plan_permute)

}  // namespace aclgrad::ops::permute
