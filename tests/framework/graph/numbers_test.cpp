// SPDX-License-Identifier: Apache-2.0
// A number that the dtype of a tensor cannot hold is an error which names it, in every function
// that takes one; a number that only rounds is not, nor is an infinity that was asked for.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "tests/support/message_of.h"

namespace aclgrad::numbers_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Function = std::function<Value(const Value& x, double number)>;
using Functions = std::vector<std::pair<std::string, Function>>;

// Of any dtype but bool; those of `floating` take no other.
Functions of_any_dtype() {
  using V = const Value&;
  return {{"add", [](V x, double n) { return add(x, n); }},
          {"mul", [](V x, double n) { return mul(x, n); }},
          {"alpha of add", [](V x, double n) { return add(x, x, n); }},
          {"alpha of sub", [](V x, double n) { return sub(x, x, n); }},
          {"clamp, min", [](V x, double n) { return clamp(x, {.min = n}); }},
          {"clamp, max", [](V x, double n) { return clamp(x, {.max = n}); }},
          {"gt", [](V x, double n) { return gt(x, n); }},
          {"ge", [](V x, double n) { return ge(x, n); }},
          {"lt", [](V x, double n) { return lt(x, n); }},
          {"le", [](V x, double n) { return le(x, n); }},
          {"eq", [](V x, double n) { return eq(x, n); }},
          {"ne", [](V x, double n) { return ne(x, n); }},
          {"masked_fill", [](V x, double n) { return masked_fill(x, eq(x, 0), n); }},
          {"pad",
           [](V x, double n) {
             return pad(x, {1, 1}, n);
           }},
          {"full", [](V x, double n) { return full(x.graph(), {2}, n, x.dtype()); }},
          {"Tensor::full",
           [](V x, double n) { return x.graph().constant(Tensor::full({2}, n, x.dtype())); }},
          {"Tensor::scalar",
           [](V x, double n) { return x.graph().constant(Tensor::scalar(n, x.dtype())); }},
          {"Tensor::from",
           [](V x, double n) {
             return x.graph().constant(Tensor::from({2}, {0, n}, x.dtype()));
           }},
          {"Tensor::set", [](V x, double n) {
             Tensor tensor = Tensor::zeros({1}, x.dtype());
             tensor.set(0, n);
             return x.graph().constant(std::move(tensor));
           }}};
}

Functions of_floating_dtypes() {
  using V = const Value&;
  return {{"div", [](V x, double n) { return div(x, n); }},
          {"pow", [](V x, double n) { return pow(x, n); }},
          {"addcmul", [](V x, double n) { return addcmul(x, x, x, n); }},
          {"addcdiv", [](V x, double n) { return addcdiv(x, x, x, n); }},
          {"foreach_mul", [](V x, double n) { return foreach_mul({x}, n)[0]; }}};
}

// What the operators take as floats, whatever the tensors are.
Functions of_floats() {
  using V = const Value&;
  return {{"elu, alpha", [](V x, double n) { return elu(x, n); }},
          {"elu, scale", [](V x, double n) { return elu(x, 1, n); }},
          {"leaky_relu", [](V x, double n) { return leaky_relu(x, n); }},
          {"softplus, beta", [](V x, double n) { return softplus(x, n); }},
          {"softplus, threshold", [](V x, double n) { return softplus(x, 1, n); }},
          {"hardtanh, min", [](V x, double n) { return hardtanh(x, n, n); }},
          {"hardshrink", [](V x, double n) { return hardshrink(x, n); }},
          {"softshrink", [](V x, double n) { return softshrink(x, n); }},
          {"threshold", [](V x, double n) { return threshold(x, n, 0); }},
          {"threshold, value", [](V x, double n) { return threshold(x, 0, n); }},
          {"celu", [](V x, double n) { return celu(x, n); }},
          {"threshold_backward", [](V x, double n) { return threshold_backward(x, x, n); }},
          {"addmm",
           [](V x, double n) {
             const Value matrix = reshape(x, {1, 1});
             return addmm(matrix, matrix, matrix, 1, n);
           }},
          {"baddbmm", [](V x, double n) {
             const Value matrix = reshape(x, {1, 1, 1});
             return baddbmm(matrix, matrix, matrix, n, 1);
           }}};
}

void expect_refused(const Functions& functions, DType dtype, double number,
                    const std::string& problem) {
  for (const auto& [name, apply] : functions) {
    SCOPED_TRACE(fmt::format("{} {} {}", name, dtype, number));
    Graph graph;
    const Value x = graph.input("x", {1}, dtype);
    EXPECT_THAT(message_of<ValueError>([&, f = apply] { f(x, number); }),
                AllOf(HasSubstr(fmt::format("{}", number)), HasSubstr(problem)));
  }
}

void expect_taken(const Functions& functions, DType dtype, double number) {
  for (const auto& [name, apply] : functions) {
    SCOPED_TRACE(fmt::format("{} {} {}", name, dtype, number));
    Graph graph;
    const Value x = graph.input("x", {1}, dtype);
    EXPECT_NO_THROW(apply(x, number));
  }
}

TEST(Numbers, BeyondAFloatingRangeAreRefusedAndAskedForInfinitiesAreNot) {
  for (const Functions& functions : {of_any_dtype(), of_floating_dtypes()}) {
    expect_refused(functions, DType::float16, -1e9, "out of the range of float16, [-65504, 65504]");
    expect_refused(functions, DType::float16, 65520, "out of the range of float16");
    expect_refused(functions, DType::bfloat16, 3.4e38, "out of the range of bfloat16");
    expect_refused(functions, DType::float32, -1e39, "out of the range of float32");
    for (const double number : {0.1, 65519.0, -kInfinity, kInfinity, kNaN}) {
      expect_taken(functions, DType::float16, number);
    }
    expect_taken(functions, DType::bfloat16, 3.39e38);
    expect_taken(functions, DType::float32, 1e38);
    expect_taken(functions, DType::float64, 1e308);
  }
  expect_refused(of_floats(), DType::float16, 1e39, "out of the range of float32");
  expect_taken(of_floats(), DType::float16, 1e9);
  expect_taken(of_floats(), DType::float64, 1e308);
}

TEST(Numbers, ThatAreNotWholeOrOutOfRangeAreNoIntegers) {
  const Functions functions = of_any_dtype();
  expect_refused(functions, DType::int32, 0.5, "not whole");
  expect_refused(functions, DType::int8, 128, "out of the range of int8, [-128, 127]");
  expect_refused(functions, DType::uint8, 300, "out of the range of uint8, [0, 255]");
  expect_refused(functions, DType::int32, 1e10, "out of the range of int32");
  expect_refused(functions, DType::int64, 0x1p63, "out of the range of int64");
  expect_refused(functions, DType::int64, -kInfinity, "out of the range of int64");
  expect_refused(functions, DType::int64, kNaN, "out of the range of int64");
  expect_taken(functions, DType::int8, -128);
  expect_taken(functions, DType::int64, -0x1p63);
}

// x - 1 is x + -1.
TEST(Numbers, ANegativeOneIsTakenFromAUint8) {
  Graph graph;
  const Value x = graph.input("x", {2}, DType::uint8);
  const Value y = x - 1;
  Session session(graph, {y});
  const Tensor input = Tensor::from({2}, {5, 1}, DType::uint8);
  EXPECT_TRUE(bitwise_equal(session.run({{x, input}})[y], Tensor::from({2}, {4, 0}, DType::uint8)));
}

TEST(Numbers, OfRandomTensorsAreFinite) {
  Graph graph;
  EXPECT_THROW(uniform(graph, {1}, kNaN, 1, 0), ValueError);
  EXPECT_THROW(uniform(graph, {1}, -kInfinity, kInfinity, 0), ValueError);
  EXPECT_THROW(uniform(graph, {1}, 0, 1e9, 0, 0, DType::float16), ValueError);
  EXPECT_THROW(normal(graph, {1}, kInfinity, 1, 0), ValueError);
  EXPECT_THROW(normal(graph, {1}, 0, kNaN, 0), ValueError);
  EXPECT_THROW(normal(graph, {1}, 0, 1, 0, 0, DType::int32), DTypeError);
  EXPECT_THROW(arange(graph, 0, 1e6, 1e5, DType::float16), ValueError);
  EXPECT_THROW(arange(graph, 0, 0x1p31 + 1, 0x1p31, DType::int32), ValueError);
}

TEST(Numbers, OfNormalizationsAndNormsHaveARange) {
  Graph graph;
  const Value x = graph.input("x", {2, 4});
  const Value w = graph.input("w", {4});
  const Value mean = graph.parameter("mean", Tensor::zeros({4}));
  const Value var = graph.parameter("var", Tensor::zeros({4}));
  for (const double eps : {-1.0, kNaN, kInfinity}) {
    EXPECT_THROW(layer_norm(x, w, w, eps), ValueError);
    EXPECT_THROW(rms_norm(x, w, eps), ValueError);
    EXPECT_THROW(group_norm(x, 2, w, w, eps), ValueError);
    EXPECT_THROW(batch_norm(x, w, w, mean, var, {.eps = eps}), ValueError);
  }
  for (const double momentum : {-1.0, 2.0, kNaN}) {
    EXPECT_THROW(batch_norm(x, w, w, mean, var, {.momentum = momentum}), ValueError);
  }
  EXPECT_THROW(norm(x, {}, {.p = kNaN}), ValueError);
  EXPECT_THROW(foreach_norm({x}, kNaN), ValueError);
  EXPECT_THROW(cdist(x, x, kNaN), ValueError);
  EXPECT_THROW(threshold_backward(x, x, kNaN), ValueError);
  EXPECT_THROW(logit_backward(x, x, kNaN), ValueError);
}

// Sums of sizes beyond 63 bits.
TEST(Numbers, OfElementsAreCountedWithoutOverflow) {
  Graph graph;
  const Value x = graph.input("x", {1});
  const Value huge = expand(x, {std::int64_t{1} << 62});
  EXPECT_THAT(message_of<ShapeError>([&] {
                cat({huge, huge});
              }),
              HasSubstr("more elements than 63 bits can count"));
  const Value row = graph.input("row", {1, 1, 4});
  const Value kernel = graph.input("kernel", {1, 1, 3});
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(conv1d(row, kernel, {}, {.dilation = kMost}), ShapeError);
  EXPECT_THROW(conv1d(row, kernel, {}, {.padding = kMost}), ShapeError);
  EXPECT_THROW(conv_transpose1d(row, kernel, {}, {.stride = kMost}), ShapeError);
}

}  // namespace
}  // namespace aclgrad::numbers_test
