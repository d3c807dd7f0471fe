// SPDX-License-Identifier: Apache-2.0
#include "bench/checkers/checkers.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "aclgrad/random.h"
#include "gradcheck/core/problem.h"

namespace aclgrad::bench {
namespace {

using namespace gradcheck;

// A check that needs a dtype; what throws is blamed.
template <class Check>
bool blames(const mutants::Mutant& mutant, DType dtype, Check check) {
  try {
    Callee callee(mutant, dtype);
    return check(callee);
  } catch (const std::exception&) {
    return true;
  }
}

bool is_close(Number actual, Number expected, Number absolute, Number relative) {
  return std::abs(actual - expected) <= absolute + relative * std::abs(expected);
}

Arrays moved(const Callee& callee, Arrays inputs, const Arrays& direction, Number by) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    for (std::size_t i = 0; i < direction[k].values.size(); ++i) {
      Number& x = inputs[k].values[i];
      x = round_to(x + by * direction[k].values[i], callee.dtype());
    }
  }
  return inputs;
}

// Element by element, of the sum of the results.
bool central_differences(Callee& callee, Number step, Number tolerance) {
  Arrays inputs = callee.draw(1);
  const auto sum_at = [&](const Arrays& at) {
    Number total = 0;
    for (const Number value : callee.forward(at).values) total += value;
    return total;
  };
  Array ones = callee.forward(inputs);
  std::ranges::fill(ones.values, 1);
  const Arrays point = inputs;
  const Arrays gradients = callee.backward(inputs, ones);
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const std::size_t which = callee.differentiable()[k];
    Arrays direction(point.size());
    direction[which] = point[which];
    std::ranges::fill(direction[which].values, 0);
    for (std::size_t i = 0; i < gradients[k].values.size(); ++i) {
      direction[which].values[i] = 1;
      const Number numeric = (sum_at(moved(callee, point, direction, step)) -
                              sum_at(moved(callee, point, direction, -step))) /
                             (2 * step);
      direction[which].values[i] = 0;
      if (!is_close(gradients[k].values[i], numeric, tolerance, tolerance)) return true;
    }
  }
  return false;
}

// As jax.test_util.check_grads with modes=("rev",): one normal direction of all inputs together,
// one normal upstream gradient; a step of 1e-4; a tolerance by dtype, relative and absolute.
bool random_projection(Callee& callee, Number tolerance) {
  constexpr Number kStep = 1e-4L;
  const DType dtype = callee.dtype();
  RandomSequence random(0);
  const auto draw_like = [&](Array array) {
    for (Number& value : array.values) value = round_to(random.normal(), dtype);
    return array;
  };
  Arrays inputs = callee.draw(1);
  Arrays tangent(inputs.size());
  for (const std::size_t which : callee.differentiable()) tangent[which] = draw_like(inputs[which]);
  const Array above = callee.forward(moved(callee, inputs, tangent, kStep));
  const Array below = callee.forward(moved(callee, inputs, tangent, -kStep));
  Array cotangent = draw_like(above);
  Number numeric = 0;
  for (std::size_t i = 0; i < above.values.size(); ++i) {
    const Number difference = round_to(above.values[i] - below.values[i], dtype);
    numeric += difference * (0.5L / kStep) * cotangent.values[i];
  }
  const Arrays gradients = callee.backward(inputs, cotangent);
  Number analytic = 0;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const std::vector<Number>& along = tangent[callee.differentiable()[k]].values;
    for (std::size_t i = 0; i < along.size(); ++i) analytic += along[i] * gradients[k].values[i];
  }
  return !is_close(analytic, numeric, tolerance, tolerance);
}

// The largest error at random points, in parts of the largest element of its gradient; of a
// backward that fails, 1. The upstream gradient is random, too, or 1.
Number error_at_random_points(const mutants::Mutant& mutant, bool is_one) {
  constexpr std::uint64_t kPoints = 4;
  Callee callee(mutant, DType::float64);
  Number worst = 0;
  for (std::uint64_t seed = 1; seed <= kPoints; ++seed) {
    Arrays inputs = callee.draw(seed);
    const gradcheck::detail::Jacobian jacobian =
        gradcheck::detail::differentiate(callee.candidate(), inputs);
    Array upstream = callee.forward(inputs);
    RandomSequence random(seed);
    for (Number& value : upstream.values) value = is_one ? 1 : random.normal();
    const auto expected =
        gradcheck::detail::project(jacobian, upstream, callee.candidate().is_elementwise());
    Arrays gradients;
    try {
      gradients = callee.backward(inputs, upstream);
    } catch (const std::exception&) {
      return 1;
    }
    for (std::size_t k = 0; k < gradients.size(); ++k) {
      Number largest = 0;
      Number error = 0;
      for (std::size_t i = 0; i < expected[k].size(); ++i) {
        const gradcheck::detail::Expected& e = expected[k][i];
        if (e.kind == PointKind::unknown) continue;
        const Number actual = gradients[k].values[i];
        largest = std::max({largest, std::abs(e.low), std::abs(e.high), std::abs(actual)});
        error = std::max(error, std::abs(actual - std::clamp(actual, e.low, e.high)) - e.error);
      }
      if (largest > 0) worst = std::max(worst, error / largest);
    }
  }
  return worst;
}

}  // namespace

const std::vector<Checker>& checkers() {
  static const std::vector<Checker> all = {
      {"differences", "central, of the sum; float32, step 1e-3, tolerances 1e-3",
       [](const mutants::Mutant& m) {
         return blames(m, DType::float32,
                       [](Callee& c) { return central_differences(c, 1e-3L, 1e-3L); });
       }},
      {"differences, float64", "the same with step 1e-6, tolerances 1e-6",
       [](const mutants::Mutant& m) {
         return blames(m, DType::float64,
                       [](Callee& c) { return central_differences(c, 1e-6L, 1e-6L); });
       }},
      {"projection", "as JAX's check_grads, reverse mode; float32, step 1e-4, tolerances 2e-3",
       [](const mutants::Mutant& m) {
         return blames(m, DType::float32, [](Callee& c) { return random_projection(c, 2e-3L); });
       }},
      {"projection, float64", "the same; step 1e-4, tolerances 1e-5", [](const mutants::Mutant& m) {
         return blames(m, DType::float64, [](Callee& c) { return random_projection(c, 1e-5L); });
       }}};
  return all;
}

const char* to_string(Class kind) {
  constexpr const char* kNames[kClasses] = {"random inputs, by over 1 %",
                                            "upstream gradients other than ones",
                                            "random inputs, by less than 1 %",
                                            "special inputs",
                                            "corners",
                                            "NaN",
                                            "other saved tensors",
                                            "16-bit dtypes",
                                            "strides and memory",
                                            "other lengths and ranks",
                                            "other runs, memory contents, threads",
                                            "masks"};
  return kNames[static_cast<std::size_t>(kind)];
}

Class class_of(const mutants::Mutant& mutant, const Finding& finding) {
  constexpr Number kPlain = 1e-2L;
  constexpr Number kNothing = 1e-9L;
  const Number error = error_at_random_points(mutant, false);
  if (error > kNothing && error_at_random_points(mutant, true) < kNothing) return Class::upstream;
  if (error > kPlain) return Class::plain;
  if (error > kNothing) return Class::slight;
  const auto is = [&](std::initializer_list<std::string_view> checks) {
    return std::ranges::count(checks, finding.check) > 0;
  };
  if (is({"corner"})) return Class::corner;
  if (is({"NaN"})) return Class::nan;
  if (is({"saved"})) return Class::saved;
  if (is({"repeatability"})) return Class::repeating;
  if (is({"position"})) return Class::shape;
  if (is({"needs-gradient mask"})) return Class::masks;
  const bool is_contiguous = !finding.layout || *finding.layout == Layout::contiguous;
  if (is({"layout", "in place"}) || !is_contiguous) return Class::layout;
  if (finding.shape != mutant.make().shape()) return Class::shape;
  if (is({"memory"})) return Class::layout;
  const bool is_short = finding.dtype && *finding.dtype != DType::float32;
  return is_short ? Class::rounding : Class::special;
}

}  // namespace aclgrad::bench
