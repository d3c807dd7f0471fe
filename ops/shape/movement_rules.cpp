// SPDX-License-Identifier: Apache-2.0
#include "ops/shape/movement_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace aclgrad::ops {

Rule dtype_in(size_t tensor, const DtypeSet& others, const DtypeSet& of_950) {
  return [=](const Arguments& arguments) {
    return dtype_in(tensor, on_950(arguments) ? of_950 : others)(arguments);
  };
}

Rule has_shape_of(size_t tensor, ShapeOf shape, std::function<std::string(const Arguments&)> why) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims expected = shape(arguments);
    if (arguments.shape(tensor) == expected) return std::nullopt;
    return fmt::format("tensor {} must have size {}{}, but is {}.", arguments.name(tensor),
                       to_string(expected), why ? why(arguments) : std::string(),
                       to_string(arguments.shape(tensor)));
  });
}

Rule same_rank(size_t tensor, size_t reference) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = arguments.shape(tensor).size();
    const size_t expected = arguments.shape(reference).size();
    if (rank == expected) return std::nullopt;
    return fmt::format("tensor {} must have as many dimensions as {}, which has {}, but has {}.",
                       arguments.name(tensor), arguments.name(reference), expected, rank);
  });
}

Rule min_rank(size_t tensor, size_t least) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    if (shape.size() >= least) return std::nullopt;
    return fmt::format("tensor {} must have at least {} dimensions, but is {}.",
                       arguments.name(tensor), least, to_string(shape));
  });
}

Rule has_elements_along(size_t tensor, size_t axis, size_t index) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    if (shape.empty() || arguments.empty(index)) return std::nullopt;
    if (shape[normalize_axis(arguments.integer(axis), shape.size())] != 0) return std::nullopt;
    return fmt::format("tensor {} {} must have elements along {} {}, for tensor {} {}.",
                       arguments.name(tensor), to_string(shape), arguments.name(axis),
                       arguments.integer(axis), arguments.name(index),
                       to_string(arguments.shape(index)));
  });
}

Rule real_beside_real(size_t scalar, size_t tensor) {
  return when([=](const Arguments& arguments) { return !is_complex(arguments.dtype(tensor)); },
              scalar_castable_to_float(scalar));
}

std::string to_string(const std::vector<int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::function<std::string(const Arguments&)> given(std::initializer_list<size_t> arrays) {
  return [list = std::vector<size_t>(arrays)](const Arguments& arguments) {
    std::string text;
    for (const size_t i : list) {
      text += fmt::format("{} {} {}", text.empty() ? " for" : ",", arguments.name(i),
                          arguments[i].int_array() != nullptr
                              ? to_string(arguments.int_array(i))
                              : fmt::format("{}", arguments.integer(i)));
    }
    return text;
  };
}

Operand whole(const Arguments& arguments, size_t tensor) {
  return operand(arguments, tensor, arguments.shape(tensor));
}

Operand part_of(const Arguments& arguments, size_t tensor, size_t axis, int64_t start) {
  Operand part = whole(arguments, tensor);
  // Of a dimension of size 1 only the element at 0 is there.
  part.strides[axis] = arguments.strides(tensor)[axis];
  part.offset = start * part.strides[axis];
  return part;
}

int64_t saturating_sum(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

}  // namespace aclgrad::ops
