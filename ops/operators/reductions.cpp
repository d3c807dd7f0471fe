// SPDX-License-Identifier: Apache-2.0
#include "ops/operators/reductions.h"

#include <fmt/format.h>

#include <algorithm>

namespace aclgrad::ops {
namespace {

using P = ReductionParameters;

int64_t counted_rank(const Arguments& arguments) {
  return static_cast<int64_t>(std::max<size_t>(arguments.shape(P::kSelf).size(), 1));
}

// Which dimensions of self are reduced. No entry at all means every one.
std::array<bool, kMaxRank> reduced_dims(const Arguments& arguments) {
  std::array<bool, kMaxRank> reduced{};
  const std::vector<int64_t>& dims = arguments.int_array(P::kDims);
  if (dims.empty()) reduced.fill(true);
  const size_t rank = arguments.shape(P::kSelf).size();
  for (int64_t dim : dims) reduced[normalize_axis(dim, rank)] = true;
  return reduced;
}

Dims reduced_shape(const Arguments& arguments) {
  const std::array<bool, kMaxRank> reduced = reduced_dims(arguments);
  const Dims& shape = arguments.shape(P::kSelf);
  Dims result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced[i]) {
      result.push_back(shape[i]);
    } else if (arguments.flag(P::kKeepDims)) {
      result.push_back(1);
    }
  }
  return result;
}

}  // namespace

Rule attribute_dtype_in(size_t attribute, const DtypeSet& set) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const auto dtype = static_cast<aclDataType>(arguments.integer(attribute));
    if (set.contains(dtype)) return std::nullopt;
    return fmt::format("{} {} is not supported, expected a dtype of {}.", arguments.name(attribute),
                       dtype_name(dtype), set.to_string());
  });
}

Rule dims_in_range() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t n = counted_rank(arguments);
    for (int64_t dim : arguments.int_array(P::kDims)) {
      if (dim >= -n && dim < n) continue;
      return fmt::format("{} must be within [{}, {}], but has an entry {}.",
                         arguments.name(P::kDims), -n, n - 1, dim);
    }
    return std::nullopt;
  });
}

Rule dims_are_distinct() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = arguments.shape(P::kSelf).size();
    std::array<bool, kMaxRank> seen{};
    for (int64_t dim : arguments.int_array(P::kDims)) {
      const size_t axis = normalize_axis(dim, rank);
      if (seen[axis]) {
        return fmt::format("{} names dimension {} twice, expected every dimension once.",
                           arguments.name(P::kDims), axis);
      }
      seen[axis] = true;
    }
    return std::nullopt;
  });
}

Rule out_is_reduced() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims expected = reduced_shape(arguments);
    const Dims& shape = arguments.shape(P::kOut);
    if (shape == expected || (count_elements(shape) == 1 && count_elements(expected) == 1)) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(P::kOut),
                       to_string(expected), to_string(shape));
  });
}

Plan plan_reduction(const Arguments& arguments, aclDataType dtype, Reduction reduction) {
  return plan_reduce(arguments, {P::kSelf, P::kOut, reduced_dims(arguments), dtype, reduction});
}

}  // namespace aclgrad::ops
