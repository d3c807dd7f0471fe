// SPDX-License-Identifier: Apache-2.0
// Rules of elementwise functions, rounding and logic: against finite differences in double, in 16
// bits beside float64, and where a definition decides.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/autograd/expect_right.h"
#include "tests/autograd/sixteen_bits.h"

namespace aclgrad {
namespace {

// Files are compiled together.
namespace elementwise {

using derivatives::expect_right;
using derivatives::expect_right_once;
using X = const std::vector<Value>&;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Value positive(const Value& x) { return x * x + 0.5; }
Value inside(const Value& x) { return tanh(x) * 0.9; }

TEST(ElementwiseRules, FunctionsOfOneTensor) {
  const Shape shape{3, 4};
  using Unary = Value (*)(Operand);
  for (const Unary f : {Unary(square), Unary(exp2), Unary(expm1), Unary(atan), Unary(sinh),
                        Unary(cosh), Unary(asinh), Unary(sinc), Unary(erfc)}) {
    expect_right({shape}, [f](X x) { return f(x[0]); });
  }
  for (const Unary f : {Unary(log1p), Unary(log2), Unary(log10)}) {
    expect_right({shape}, [f](X x) { return f(positive(x[0])); });
  }
  for (const Unary f : {Unary(asin), Unary(acos), Unary(atanh), Unary(erfinv), Unary(tan)}) {
    expect_right({shape}, [f](X x) { return f(inside(x[0])); });
  }
  expect_right({shape}, [](X x) { return acosh(positive(x[0]) + 1); });
  expect_right({shape}, [](X x) { return sinc(x[0] * 0.02); });
  expect_right({shape}, [](X x) { return pow(1.7, x[0]); });
  expect_right_once({shape}, [](X x) { return lgamma(positive(x[0])); });
}

TEST(ElementwiseRules, FunctionsOfSeveralTensors) {
  const std::vector<Shape> two = {{2, 3}, {3}};
  expect_right(two, [](X x) { return atan2(x[0], x[1]); });
  expect_right(two, [](X x) { return logaddexp(x[0], x[1]); });
  expect_right(two, [](X x) { return logaddexp2(x[0], x[1]); });
  expect_right(two, [](X x) { return xlogy(x[0], positive(x[1])); });
  // Its second operand has none, as those of comparisons have.
  expect_right({{2, 3}}, [](X x) { return copysign(x[0], -x[0]) * x[0]; });
  expect_right(two, [](X x) { return lerp(x[0], x[1], 0.3) * x[0]; });
  expect_right({{2, 3}, {3}, {2, 1}}, [](X x) { return lerp(x[0], x[1], x[2]); });
  expect_right({{2, 3}}, [](X x) {
    const Tensor steps = Tensor::from({2, 3}, {-1, 0, 2, 0, 0.5, 0});
    return heaviside(x[0].graph().constant(steps), x[0]) * x[0];
  });
}

TEST(ElementwiseRules, BoundsByTensors) {
  const std::vector<Shape> three = {{2, 3}, {3}, {2, 1}};
  expect_right(three, [](X x) {
    const Value y = clamp(x[0], x[1] - 1, x[2] + 1);  // some of which cross
    return y * y;
  });
  expect_right({{2, 3}, {3}}, [](X x) { return clamp(x[0], x[1], {}) * x[1]; });
  expect_right({{2, 3}, {3}}, [](X x) { return clamp(x[0], {}, x[1]) * x[1]; });
}

// Multiplied with what has a gradient of its own: zeros prove nothing.
TEST(ElementwiseRules, WhatIsRounded) {
  using Unary = Value (*)(Operand);
  for (const Unary f : {Unary(floor), Unary(ceil), Unary(trunc), Unary(frac)}) {
    expect_right({{3, 4}}, [f](X x) { return f(x[0]) * x[0]; });
  }
  expect_right({{3, 4}}, [](X x) { return round(x[0]) * x[0]; });
  expect_right({{3, 4}}, [](X x) { return round(x[0], 1) * x[0]; });
  expect_right({{3, 4}}, [](X x) { return nan_to_num(x[0]) * x[0]; });
  const std::vector<Shape> two = {{2, 3}, {3}};
  for (const Rounding how : {Rounding::floor, Rounding::trunc}) {
    expect_right(two, [=](X x) { return div(x[0] * 4, positive(x[1]), how) * x[0]; });
  }
  expect_right(two, [](X x) { return remainder(x[0], positive(x[1])) * x[1]; });
  expect_right(two, [](X x) { return fmod(x[0], positive(x[1])) * x[1]; });
  expect_right({{2, 3}}, [](X x) { return remainder(-7.3, positive(x[0])) * x[0]; });
}

TEST(ElementwiseRules, SixteenBitsAreNearFloat64) {
  using Function = Value (*)(const Value&);
  struct Row {
    const char* name;
    double low, high;
    Function function;
  };
  const std::vector<Row> rows = {
      {"square", 100, 250, [](const Value& x) { return square(x); }},
      {"exp2", -14, 14, [](const Value& x) { return exp2(x); }},
      {"expm1", -12, 10, [](const Value& x) { return expm1(x); }},
      {"log1p", -0.99, 3e4, [](const Value& x) { return log1p(x); }},
      {"log2", 1e-7, 1e-6, [](const Value& x) { return log2(x); }},
      {"log10", 1e-7, 1e-6, [](const Value& x) { return log10(x); }},
      {"tan", -1.2, 1.2, [](const Value& x) { return tan(x); }},
      {"atan", -6e4, 6e4, [](const Value& x) { return atan(x); }},
      {"asin", -0.99, 0.99, [](const Value& x) { return asin(x); }},
      {"acos", -0.99, 0.99, [](const Value& x) { return acos(x); }},
      {"sinh", -11, 11, [](const Value& x) { return sinh(x); }},
      {"cosh", -11, 11, [](const Value& x) { return cosh(x); }},
      {"asinh", -6e4, 6e4, [](const Value& x) { return asinh(x); }},
      {"acosh", 1.01, 6e4, [](const Value& x) { return acosh(x); }},
      {"atanh", -0.99, 0.99, [](const Value& x) { return atanh(x); }},
      {"sinc", -4, 4, [](const Value& x) { return sinc(x); }},
      {"sinc near 0", -0.1, 0.1, [](const Value& x) { return sinc(x); }},
      {"erfc", -4, 4, [](const Value& x) { return erfc(x); }},
      {"lgamma", 0.01, 6e3, [](const Value& x) { return lgamma(x); }},
      {"pow of a number", -10, 10, [](const Value& x) { return pow(2.5, x); }},
  };
  for (const Row& row : rows) {
    sixteen_bits::expect_near_float64(row.name, 4, [&](sixteen_bits::Drawn& d) {
      return row.function(d.parameter({40, 30}, row.low, row.high));
    });
  }
  const auto two = [](const char* name, double first, double second,
                      Value (*function)(const Value&, const Value&)) {
    sixteen_bits::expect_near_float64(name, 4, [=](sixteen_bits::Drawn& d) {
      const Value a = d.parameter({40, 30}, -first, first);
      return function(a, d.parameter({40, 30}, second / 2, second));
    });
  };
  sixteen_bits::expect_near_float64("lerp by a tensor", 4, [](sixteen_bits::Drawn& d) {
    const Value start = d.parameter({40, 30}, -300, 300);
    const Value end = d.parameter({40, 30}, -300, 300);
    return lerp(start, end, d.parameter({40, 30}, -1, 2));
  });
  using V = const Value&;
  two("atan2", 6e4, 6e4, [](V a, V b) { return atan2(a, b); });
  two("logaddexp", 100, 90, [](V a, V b) { return logaddexp(a, b); });
  two("logaddexp2", 100, 90, [](V a, V b) { return logaddexp2(a, b); });
  two("lerp", 3e4, 3e4, [](V a, V b) { return lerp(a, b, 0.1); });
  two("remainder", 6e4, 30, [](V a, V b) { return remainder(a, b); });
  two("fmod", 6e4, 30, [](V a, V b) { return fmod(a, b); });
}

// The gradients of the sum of what `function` gives of these numbers.
std::vector<Tensor> gradients_of(const std::vector<std::vector<double>>& inputs,
                                 const std::function<Value(X)>& function) {
  Graph graph;
  std::vector<Value> values;
  for (const std::vector<double>& each : inputs) {
    const Shape shape{static_cast<std::int64_t>(each.size())};
    values.push_back(graph.parameter("x" + std::to_string(values.size()),
                                     Tensor::from(shape, std::span<const double>(each))));
  }
  const Value y = function(values);
  std::vector<Tensor> all =
      computed(with_gradients(y, values, graph.constant(Tensor::full(y.shape(), 1))));
  all.erase(all.begin());
  return all;
}

void expect_values(const Tensor& got, const std::vector<double>& wanted) {
  ASSERT_EQ(got.numel(), static_cast<std::int64_t>(wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double number = got.get(static_cast<std::int64_t>(i));
    EXPECT_TRUE(std::isnan(wanted[i]) ? std::isnan(number) : number == wanted[i])
        << "element " << i << ": got " << number << ", expected " << wanted[i];
  }
}

TEST(ElementwiseRules, TheBoundThatIsTakenHasTheGradient) {
  // Within, below, above, at each bound, crossed bounds, equal bounds, NaN.
  const auto held = gradients_of({{3.5, 2, 5, 3, 4, 3.5, 1, 3, kNaN},
                                  {3, 3, 3, 3, 3, 4, 2, 2, 0},
                                  {4, 4, 4, 4, 4, 3, 2, 2, 1}},
                                 [](X x) { return clamp(x[0], x[1], x[2]); });
  expect_values(held[0], {1, 0, 0, 1, 1, 0, 0, 0, kNaN});
  expect_values(held[1], {0, 1, 0, 0, 0, 0, 1, 0, kNaN});
  expect_values(held[2], {0, 0, 1, 0, 0, 1, 0, 1, kNaN});
}

TEST(ElementwiseRules, AtPlacesOfTheirOwn) {
  expect_values(gradients_of({{0, 1}}, [](X x) { return sinc(x[0]); })[0], {0, -1});
  const auto angle = gradients_of({{0, 0, 1}, {0, 2, 0}}, [](X x) { return atan2(x[0], x[1]); });
  expect_values(angle[0], {kNaN, 0.5, 0});
  expect_values(angle[1], {kNaN, 0, -1});
  const auto sums =
      gradients_of({{kInf, -kInf, 3}, {0, 0, kNaN}}, [](X x) { return logaddexp(x[0], x[1]); });
  expect_values(sums[0], {1, 0, kNaN});
  expect_values(sums[1], {0, 1, kNaN});
  const auto products =
      gradients_of({{0, 0, 0, 0}, {0, -1, 1, kNaN}}, [](X x) { return xlogy(x[0], x[1]); });
  expect_values(products[0], {0, 0, 0, kNaN});
  expect_values(products[1], {0, 0, 0, kNaN});
  const auto step =
      gradients_of({{-1, 0, 2}, {5, 6, 7}}, [](X x) { return heaviside(x[0], x[1]); });
  expect_values(step[0], {0, 0, 0});
  expect_values(step[1], {0, 1, 0});
  expect_values(gradients_of({{1, kNaN, kInf, -kInf}}, [](X x) { return nan_to_num(x[0]); })[0],
                {1, 0, 0, 0});
  expect_values(gradients_of({{1, 2, kInf}}, [](X x) { return pow(0.0, x[0]); })[0], {0, 0, 0});
  // Below what they are defined for there is no gradient either.
  expect_values(gradients_of({{0, -2}}, [](X x) { return acosh(x[0]); })[0], {kNaN, kNaN});
}

TEST(ElementwiseRules, DigammaHasNone) {
  Graph graph;
  const Value x = graph.parameter("x", Tensor::full({2}, 1.5));
  try {
    static_cast<void>(backward(reduce_sum(digamma(x)), {x}));
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("trigamma"));
  }
}

}  // namespace elementwise
}  // namespace
}  // namespace aclgrad
