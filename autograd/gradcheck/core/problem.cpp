// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/core/checkable.h"
#include "gradcheck/core/failure.h"

namespace aclgrad::gradcheck {

namespace detail {

Number number_at(const Candidate& candidate, std::span<const Number> x) {
  return guard("the forward", [&] {
    return candidate.forward.op().results.formula.number(x, candidate.forward.numbers());
  });
}

namespace {

// Element i of every input.
std::vector<Number> arguments_at(const Arrays& inputs, std::size_t i) {
  std::vector<Number> arguments;
  for (const Array& input : inputs) arguments.push_back(input.values[i]);
  return arguments;
}

std::vector<Slopes> elementwise_slopes(const Candidate& candidate, const Arrays& inputs,
                                       std::size_t which) {
  std::vector<Slopes> slopes;
  const std::size_t count = inputs[which].values.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Number> arguments = arguments_at(inputs, i);
    const Number x = arguments[which];
    slopes.push_back(slopes_at(
        [&](long double at) {
          arguments[which] = at;
          return number_at(candidate, arguments);
        },
        x, candidate.noise));
  }
  return slopes;
}

void require_values(const std::string& what, const Array& array) {
  if (!array.values.empty() || count_of(array.shape) == 0) return;
  throw Failure(fmt::format("{} gave no numbers for shape {}", what, dims_text(array.shape)), what);
}

// Specials worth a place among the elements, as the dtype stores them.
std::vector<Number> special_values(const contract::TensorSpec& input, DType dtype,
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

std::vector<Slopes> row_of_slopes(const Candidate& candidate, Arrays& inputs, std::size_t which,
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
        std::vector<Number> values = differentiated(candidate, inputs).values;
        if (values.size() == centre.values.size()) return values;
        throw Failure("the forward gave another number of results for other numbers",
                      "the forward");
      },
      x, candidate.noise, largest);
  element = x;
  return row;
}

Arrays forward_of(const Candidate& candidate, const Arrays& inputs) {
  Arrays results =
      guard("the forward", [&] { return contract::results_of(candidate.forward, inputs); });
  const std::size_t first = contract::differentiated_result(candidate.forward);
  if (results.size() <= first) throw Failure("the forward gave no outputs", "the forward");
  std::swap(results[0], results[first]);
  require_values("the forward", results.front());
  return results;
}

Array differentiated(const Candidate& candidate, const Arrays& inputs) {
  const contract::Reference& reference = candidate.gradient.differentiated;
  if (!reference) return forward_of(candidate, inputs)[0];
  const char* const what = "`gradient.differentiated`";
  const Arrays results = guard(what, [&] { return reference(candidate.forward, inputs); });
  if (results.empty()) throw Failure("it gave no results", what);
  require_values(what, results[0]);
  return results[0];
}

Arrays given_to(const Candidate& candidate, const Arrays& inputs, const Arrays& outputs,
                const Array& cotangent) {
  if (!candidate.gradient.inputs) {
    Arrays given = {cotangent};
    given.insert(given.end(), inputs.begin(), inputs.end());
    return given;
  }
  const char* const what = "`gradient.inputs`";
  Arrays given = guard(what, [&] {
    Arrays results = outputs;
    std::swap(results[0], results[contract::differentiated_result(candidate.forward)]);
    return candidate.gradient.inputs(candidate.backward.value_or(candidate.forward), inputs,
                                     results, cotangent);
  });
  for (const Array& array : given) require_values(what, array);
  return given;
}

Arrays exact_backward(const Candidate& candidate, const Arrays& given) {
  return guard("the backward's contract",
               [&] { return contract::results_of(*candidate.backward, given); });
}

Arrays backward_magnitude(const Candidate& candidate, const Arrays& given) {
  const contract::Reference& magnitude = candidate.backward->op().results.magnitude;
  return magnitude ? guard("`magnitude`", [&] { return magnitude(*candidate.backward, given); })
                   : exact_backward(candidate, given);
}

std::vector<std::size_t> differentiable(const Candidate& candidate) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < candidate.inputs().size(); ++i) {
    if (candidate.is_differentiable(i)) positions.push_back(i);
  }
  const std::vector<std::string>& order = candidate.gradient.order;
  if (order.empty()) return positions;
  const std::vector<const contract::Parameter*> inputs = candidate.inputs();
  std::ranges::sort(positions, {}, [&](std::size_t i) {
    return std::ranges::find(order, inputs[i]->name) - order.begin();
  });
  return positions;
}

DType given_dtype(const Candidate& candidate, std::size_t position, DType dtype) {
  if (candidate.backward) {
    return stored_dtype(*inputs_of(*candidate.backward)[position]->tensor(), dtype);
  }
  if (candidate.gradient.inputs) return dtype;
  if (position > 0) return stored_dtype(input_of(candidate, position - 1), dtype);
  const std::vector<const contract::Parameter*> outputs = outputs_of(candidate.forward);
  return outputs.empty() ? dtype : stored_dtype(*outputs.front()->tensor(), dtype);
}

DType gradient_dtype(const Candidate& candidate, std::size_t position, DType dtype) {
  if (candidate.mixed) {
    return stored_dtype(input_of(candidate, differentiable(candidate)[position]), dtype);
  }
  if (!candidate.backward) return dtype;
  return stored_dtype(*outputs_of(*candidate.backward)[position]->tensor(), dtype);
}

std::vector<Number> corners_of(const Candidate& candidate) {
  if (!candidate.is_elementwise() || candidate.inputs().size() != 1) return {};
  const contract::TensorSpec& input = input_of(candidate, 0);
  return find_corners([&](long double x) { return number_at(candidate, std::span(&x, 1)); },
                      input.low, input.high, candidate.noise);
}

Number round_within(Number x, Number low, Number high, DType dtype) {
  const Number nearest = round_to(x, dtype);
  if (!is_float(dtype) || (nearest >= low && nearest <= high) || !(low <= x && x <= high)) {
    return nearest;
  }
  const Number other = nearest > high ? -next_above(-nearest, dtype) : next_above(nearest, dtype);
  return other >= low && other <= high ? other : nearest;
}

Arrays draw_inputs(const Candidate& candidate, DType dtype, std::uint64_t seed,
                   std::span<const Number> corners) {
  Arrays drawn;
  for (std::size_t k = 0; k < candidate.inputs().size(); ++k) {
    const contract::TensorSpec& input = input_of(candidate, k);
    const DType stored = stored_dtype(input, dtype);
    Array array{input.shape, {}};
    const std::int64_t count = count_of(input.shape);
    for (std::int64_t i = 0; i < count; ++i) {
      const Number unit = random_unit(seed * 31 + k, static_cast<std::uint64_t>(i));
      const Number value = input.drawn(static_cast<std::size_t>(i), unit);
      array.values.push_back(round_within(is_float(stored) ? value : std::round(value), input.low,
                                          input.high, stored));
    }
    if (candidate.is_elementwise() && candidate.inputs().size() == 1) {
      // Not always in the same places, nor all of them where there is little room.
      const auto specials = special_values(input, dtype, corners);
      for (std::size_t s = 0; s < specials.size() && 2 * s < array.values.size(); ++s) {
        array.values[(2 * s + seed) % array.values.size()] = specials[(s + seed) % specials.size()];
      }
    }
    if (!is_float(stored)) {
      for (Number& each : array.values) each += 0;  // integers have one zero
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

Jacobian differentiate(const Candidate& candidate, const Arrays& inputs) {
  Jacobian jacobian;
  if (candidate.is_elementwise()) {
    for (const std::size_t which : differentiable(candidate)) {
      jacobian.of_input.push_back(elementwise_slopes(candidate, inputs, which));
    }
    return jacobian;
  }
  const Array centre = differentiated(candidate, inputs);
  jacobian.columns = centre.values.size();
  std::size_t elements = 0;
  for (const std::size_t which : differentiable(candidate)) elements += inputs[which].values.size();
  require_jacobian(candidate, elements, jacobian.columns);
  Arrays moved = inputs;
  std::vector<std::vector<std::vector<Slopes>>> sparse;
  if (candidate.sparse) sparse = sparse_slopes(candidate, inputs, centre);
  for (const std::size_t which : differentiable(candidate)) {
    std::vector<Slopes> rows;
    for (std::size_t i = 0; i < inputs[which].values.size(); ++i) {
      std::vector<Slopes> row = candidate.sparse
                                    ? std::move(sparse[which][i])
                                    : row_of_slopes(candidate, moved, which, i, centre);
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
  if (a != 0 || b != 0) ++e.terms;
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

void set_cotangent(const Candidate& candidate, Problem& problem, Array cotangent) {
  problem.cotangent = std::move(cotangent);
  problem.given = given_to(candidate, problem.inputs, problem.outputs, problem.cotangent);
  problem.expected = project(problem.jacobian, problem.cotangent, candidate.is_elementwise());
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

namespace {

// To where the contract says that there are slopes, as the dtype stores it.
void smooth(const Candidate& candidate, DType dtype, Arrays& inputs) {
  if (!candidate.gradient.smooth) return;
  inputs = guard("`gradient.smooth`",
                 [&] { return candidate.gradient.smooth(candidate.forward, std::move(inputs)); });
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const DType stored = stored_dtype(input_of(candidate, k), dtype);
    for (Number& value : inputs[k].values) value = round_to(value, stored);
  }
}

}  // namespace

Problem make_problem(const Candidate& candidate, DType dtype, std::uint64_t seed,
                     std::span<const Number> corners, bool repeat) {
  Problem problem;
  problem.dtype = dtype;
  problem.inputs = draw_inputs(candidate, dtype, seed, corners);
  smooth(candidate, dtype, problem.inputs);
  constexpr int kLines = 2;
  put_on_corners(candidate, dtype, seed, kLines, problem.inputs);
  if (repeat) {
    for (std::size_t k = 0; k < problem.inputs.size(); ++k) {
      // Not classes: all of them the ignored one would leave nothing to differentiate.
      if (!is_float(stored_dtype(input_of(candidate, k), dtype))) continue;
      problem.inputs[k] = repeated(std::move(problem.inputs[k]), seed + k);
    }
  }
  problem.outputs = forward_of(candidate, problem.inputs);
  problem.jacobian = differentiate(candidate, problem.inputs);
  if (problem.jacobian.columns != problem.outputs[0].values.size() && !candidate.is_elementwise()) {
    throw Failure("it gave another number of elements than the result has",
                  "`gradient.differentiated`");
  }
  Array cotangent = draw_cotangent(problem.outputs[0].shape, dtype, seed);
  if (repeat) cotangent = repeated(std::move(cotangent), seed + problem.inputs.size());
  set_cotangent(candidate, problem, std::move(cotangent));
  return problem;
}

}  // namespace detail
}  // namespace aclgrad::gradcheck
