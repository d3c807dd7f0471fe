// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/reduction_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/meta/objects.h"

namespace aclgrad::ops {
namespace {

using P = ReductionParameters;

int64_t counted_rank(const Arguments& arguments) {
  return static_cast<int64_t>(std::max<size_t>(arguments.shape(P::kSelf).size(), 1));
}

// The dimensions as given, not normalized.
std::vector<int64_t> dims_of(const Arguments& arguments, ReductionAttributes attributes) {
  const Argument& dims = arguments[attributes.dims];
  if (dims.kind() == Argument::Kind::kInteger) return {dims.integer()};
  return dims.int_array() == nullptr ? std::vector<int64_t>{} : dims.int_array()->values;
}

Dims reduced_shape(const Arguments& arguments, ReductionAttributes attributes) {
  const std::array<bool, kMaxRank> reduced = reduced_dims(arguments, attributes);
  const Dims& shape = arguments.shape(P::kSelf);
  Dims result;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced[i]) {
      result.push_back(shape[i]);
    } else if (arguments.flag(attributes.keep_dims)) {
      result.push_back(1);
    }
  }
  return result;
}

}  // namespace

std::array<bool, kMaxRank> reduced_dims(const Arguments& arguments,
                                        ReductionAttributes attributes) {
  std::array<bool, kMaxRank> reduced{};
  const std::vector<int64_t> dims = dims_of(arguments, attributes);
  if (dims.empty()) reduced.fill(true);
  const size_t rank = arguments.shape(P::kSelf).size();
  for (int64_t dim : dims) reduced[normalize_axis(dim, rank)] = true;
  return reduced;
}

Rule dims_in_range(ReductionAttributes attributes) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t n = counted_rank(arguments);
    for (int64_t dim : dims_of(arguments, attributes)) {
      if (dim >= -n && dim < n) continue;
      return fmt::format("{} must be within [{}, {}], but has an entry {}.",
                         arguments.name(attributes.dims), -n, n - 1, dim);
    }
    return std::nullopt;
  });
}

Rule dims_are_distinct(ReductionAttributes attributes) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = arguments.shape(P::kSelf).size();
    std::array<bool, kMaxRank> seen{};
    for (int64_t dim : dims_of(arguments, attributes)) {
      const size_t axis = normalize_axis(dim, rank);
      if (seen[axis]) {
        return fmt::format("{} names dimension {} twice, expected every dimension once.",
                           arguments.name(attributes.dims), axis);
      }
      seen[axis] = true;
    }
    return std::nullopt;
  });
}

Rule out_is_reduced(size_t out) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims expected = reduced_shape(arguments, {});
    const Dims& shape = arguments.shape(out);
    if (shape == expected || (count_elements(shape) == 1 && count_elements(expected) == 1)) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have size {}, but is {}.", arguments.name(out),
                       to_string(expected), to_string(shape));
  });
}

Rule out_has_dtype(size_t out, size_t attribute) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const auto dtype = static_cast<aclDataType>(arguments.integer(attribute));
    if (arguments.dtype(out) == dtype) return std::nullopt;
    return fmt::format("tensor {} expected dtype {}, but found {}.", arguments.name(out),
                       dtype_name(dtype), dtype_name(arguments.dtype(out)));
  });
}

Rule dims_have_elements(ReductionAttributes attributes) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(P::kSelf);
    const std::array<bool, kMaxRank> reduced = reduced_dims(arguments, attributes);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (!reduced[axis] || shape[axis] != 0) continue;
      return fmt::format("{} names dimension {} of tensor {} {}, which must not have size 0.",
                         arguments.name(attributes.dims), axis, arguments.name(P::kSelf),
                         to_string(shape));
    }
    return std::nullopt;
  });
}

Rule takes_indices(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (can_cast(ACL_INT64, arguments.dtype(tensor))) return std::nullopt;
    return fmt::format("an index cannot be cast to {}, the dtype of {}; expected an integer dtype.",
                       dtype_name(arguments.dtype(tensor)), arguments.name(tensor));
  });
}

Rule has_reduced_shape(size_t tensor, ReductionAttributes attributes) {
  return [=](const Arguments& arguments) {
    return has_shape(tensor, reduced_shape(arguments, attributes))(arguments);
  };
}

Plan plan_reduction(const Arguments& arguments, aclDataType dtype, Reduction reduction) {
  return plan_reduce(arguments, {P::kSelf, P::kOut, reduced_dims(arguments), dtype, reduction});
}

}  // namespace aclgrad::ops
