// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/problem.h"

#include <algorithm>
#include <cmath>

#include "gradcheck/core/checkable.h"
#include "gradcheck/core/failure.h"

namespace aclgrad::gradcheck {

Operator Operator::with_shape(const Dims& shape) const {
  Operator other = *this;
  for (Input& input : other.inputs) input.shape = shape;
  other.command_shape.reset();
  return other;
}

namespace detail {
namespace {

// Element i of every input.
std::vector<Number> arguments_at(const Arrays& inputs, std::size_t i) {
  std::vector<Number> arguments;
  for (const Array& input : inputs) arguments.push_back(input.values[i]);
  return arguments;
}

std::vector<Slopes> elementwise_slopes(const Operator& op, const Arrays& inputs,
                                       std::size_t which) {
  std::vector<Slopes> slopes;
  const std::size_t count = inputs[which].values.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Number> arguments = arguments_at(inputs, i);
    const Number x = arguments[which];
    slopes.push_back(slopes_at(
        [&](long double at) {
          arguments[which] = at;
          return op.scalar(arguments);
        },
        x, op.noise));
  }
  return slopes;
}

// A row of the Jacobian: how every output changes with one element of an input.
std::vector<Slopes> row_of_slopes(const Operator& op, Arrays& inputs, std::size_t which,
                                  std::size_t i, const Array& centre) {
  Number& element = inputs[which].values[i];
  const Number x = element;
  // An output is a sum of many terms, of the order of 1 even where all that is seen is small: its
  // rounding is that of the largest number in sight.
  Number largest = 1;
  for (const std::vector<Number>& values : {centre.values, inputs[which].values}) {
    for (const Number value : values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  }
  std::vector<Slopes> row = slopes_at(
      [&](long double shift) {
        element = x + shift;
        std::vector<Number> values = op.forward(inputs)[0].values;
        if (values.size() == centre.values.size()) return values;
        throw Failure("the forward gave another number of results for other numbers",
                      "the forward");
      },
      x, op.noise, largest);
  element = x;
  return row;
}

// Specials worth a place among the elements, as the dtype stores them.
std::vector<Number> special_values(const Input& input, DType dtype,
                                   std::span<const Number> corners) {
  std::vector<Number> specials;
  const auto add = [&](Number x) {
    const Number stored = round_to(x, dtype);
    if (stored >= input.low && stored <= input.high &&
        std::find(specials.begin(), specials.end(), stored) == specials.end()) {
      specials.push_back(stored);
    }
  };
  for (const Number corner : corners) {
    const Number stored = round_to(corner, dtype);
    add(stored);
    if (!is_float(dtype)) continue;
    add(next_above(stored, dtype));
    add(-next_above(-stored, dtype));
  }
  add(0);
  add(input.low);
  add(input.high);
  return specials;
}

}  // namespace

Arrays forward_of(const Operator& op, const Arrays& inputs) {
  if (!op.is_elementwise()) return op.forward(inputs);
  Array out{inputs[0].shape, {}};
  for (std::size_t i = 0; i < inputs[0].values.size(); ++i) {
    out.values.push_back(op.scalar(arguments_at(inputs, i)));
  }
  return {out};
}

std::vector<std::size_t> differentiable(const Operator& op) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].differentiable) positions.push_back(i);
  }
  return positions;
}

DType given_dtype(const Operator& op, std::size_t position, DType dtype) {
  return position < op.saved_dtypes.size() ? op.saved_dtypes[position].value_or(dtype) : dtype;
}

DType gradient_dtype(const Operator& op, std::size_t position, DType dtype) {
  return position < op.gradient_dtypes.size() ? op.gradient_dtypes[position].value_or(dtype)
                                              : dtype;
}

std::vector<Number> corners_of(const Operator& op) {
  if (!op.is_elementwise() || op.inputs.size() != 1) return {};
  const Input& input = op.inputs[0];
  return find_corners([&](long double x) { return op.scalar(std::span(&x, 1)); }, input.low,
                      input.high, op.noise);
}

Arrays draw_inputs(const Operator& op, DType dtype, std::uint64_t seed,
                   std::span<const Number> corners) {
  Arrays drawn;
  for (std::size_t k = 0; k < op.inputs.size(); ++k) {
    const Input& input = op.inputs[k];
    const DType stored = input.dtype.value_or(dtype);
    Array array{input.shape, {}};
    const std::int64_t count = count_of(input.shape);
    for (std::int64_t i = 0; i < count; ++i) {
      const Number unit = random_unit(seed * 31 + k, static_cast<std::uint64_t>(i));
      const Number value = input.low + (input.high - input.low) * unit;
      array.values.push_back(round_to(is_float(stored) ? value : std::round(value), stored));
    }
    if (op.is_elementwise() && op.inputs.size() == 1) {
      // Not always in the same places, nor all of them where there is little room.
      const auto specials = special_values(input, dtype, corners);
      for (std::size_t s = 0; s < specials.size() && 2 * s < array.values.size(); ++s) {
        array.values[(2 * s + seed) % array.values.size()] = specials[(s + seed) % specials.size()];
      }
    }
    drawn.push_back(std::move(array));
  }
  return drawn;
}

Array draw_cotangent(const Dims& shape, DType dtype, std::uint64_t seed) {
  Array cotangent{shape, {}};
  for (std::int64_t i = 0; i < count_of(shape); ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const Number size = std::exp2(4 * random_unit(seed + 7001, index) - 2);
    const bool negative = (random_bits(seed + 7002, index) & 1) != 0;
    cotangent.values.push_back(round_to(negative ? -size : size, dtype));
  }
  return cotangent;
}

Jacobian differentiate(const Operator& op, const Arrays& inputs) {
  Jacobian jacobian;
  if (op.is_elementwise()) {
    for (const std::size_t which : differentiable(op)) {
      jacobian.of_input.push_back(elementwise_slopes(op, inputs, which));
    }
    return jacobian;
  }
  const Arrays outputs = op.forward(inputs);
  jacobian.columns = outputs[0].values.size();
  std::size_t elements = 0;
  for (const std::size_t which : differentiable(op)) elements += inputs[which].values.size();
  require_jacobian(op, elements, jacobian.columns);
  Arrays moved = inputs;
  for (const std::size_t which : differentiable(op)) {
    std::vector<Slopes> rows;
    for (std::size_t i = 0; i < inputs[which].values.size(); ++i) {
      std::vector<Slopes> row = row_of_slopes(op, moved, which, i, outputs[0]);
      std::move(row.begin(), row.end(), std::back_inserter(rows));
    }
    jacobian.of_input.push_back(std::move(rows));
  }
  return jacobian;
}

void add(Expected& e, const Slopes& s, Number weight) {
  if (s.kind == PointKind::unknown) {
    e.kind = PointKind::unknown;
    e.reason = s.reason;
    return;
  }
  const Number a = weight * s.low();
  const Number b = weight * s.high();
  e.low += std::min(a, b);
  e.high += std::max(a, b);
  e.error += std::abs(weight) * s.error();
  e.magnitude += std::max(std::abs(a), std::abs(b));
  const bool is_corner = s.kind == PointKind::corner;
  if (is_corner && e.kind == PointKind::smooth) e.kind = PointKind::corner;
  e.left += weight * (is_corner ? s.left.value : s.best.value);
  e.right += weight * (is_corner ? s.right.value : s.best.value);
}

std::vector<std::vector<Expected>> project(const Jacobian& jacobian, const Array& cotangent,
                                           bool elementwise) {
  std::vector<std::vector<Expected>> all;
  for (const std::vector<Slopes>& slopes : jacobian.of_input) {
    const std::size_t columns = elementwise ? 1 : jacobian.columns;
    std::vector<Expected> gradient(columns == 0 ? 0 : slopes.size() / columns);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      for (std::size_t k = 0; k < columns; ++k) {
        const Number g = cotangent.values[elementwise ? i : k];
        if (g != 0) add(gradient[i], slopes[i * columns + k], g);
      }
    }
    all.push_back(std::move(gradient));
  }
  return all;
}

void set_cotangent(const Operator& op, Problem& problem, Array cotangent) {
  problem.cotangent = std::move(cotangent);
  if (op.saved) {
    problem.given = op.saved(problem.inputs, problem.outputs, problem.cotangent);
  } else {
    problem.given = {problem.cotangent};
    problem.given.insert(problem.given.end(), problem.inputs.begin(), problem.inputs.end());
  }
  problem.expected = project(problem.jacobian, problem.cotangent, op.is_elementwise());
}

Array repeated(Array array, std::uint64_t seed) {
  const std::size_t rank = array.shape.size();
  if (rank == 0 || array.values.empty()) return array;
  const std::uint64_t mask = 1 + random_bits(seed, 11) % ((std::uint64_t{1} << rank) - 1);
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    std::size_t from = i;
    std::size_t inner = 1;
    for (std::size_t d = rank; d-- > 0;) {
      const auto extent = static_cast<std::size_t>(array.shape[d]);
      if ((mask >> d & 1) != 0) from -= i / inner % extent * inner;
      inner *= extent;
    }
    array.values[i] = array.values[from];
  }
  return array;
}

Problem make_problem(const Operator& op, DType dtype, std::uint64_t seed,
                     std::span<const Number> corners, bool repeat) {
  Problem problem;
  problem.dtype = dtype;
  problem.inputs = draw_inputs(op, dtype, seed, corners);
  constexpr int kLines = 2;
  put_on_corners(op, dtype, seed, kLines, problem.inputs);
  if (repeat) {
    for (std::size_t k = 0; k < problem.inputs.size(); ++k) {
      // Not classes: all of them the ignored one would leave nothing to differentiate.
      if (!is_float(op.inputs[k].dtype.value_or(dtype))) continue;
      problem.inputs[k] = repeated(std::move(problem.inputs[k]), seed + k);
    }
  }
  problem.outputs = forward_of(op, problem.inputs);
  problem.jacobian = differentiate(op, problem.inputs);
  Array cotangent = draw_cotangent(problem.outputs[0].shape, dtype, seed);
  if (repeat) cotangent = repeated(std::move(cotangent), seed + problem.inputs.size());
  set_cotangent(op, problem, std::move(cotangent));
  return problem;
}

}  // namespace detail
}  // namespace aclgrad::gradcheck
