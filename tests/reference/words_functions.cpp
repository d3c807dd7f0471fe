// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops.h"
#include "tests/reference/words.h"

namespace aclgrad::reference {
namespace {

using Unary = std::function<Value(const Value&)>;
using Binary = std::function<Value(const Value&, const Value&)>;

std::function<Recorded(Graph&)> of(Unary function) {
  return [function](Graph& graph) {
    const Value x = graph.input("x", {2, 4});
    return Recorded{function(x), {x}};
  };
}

std::function<Recorded(Graph&)> of_two(Binary function) {
  return [function](Graph& graph) {
    const Value g = graph.input("g", {2, 4});
    const Value x = graph.input("x", {2, 4});
    return Recorded{function(g, x), {g, x}};
  };
}

// The derivative with respect to x is 0.
std::function<Recorded(Graph&)> linear_in_gradient(Binary function) {
  return [function](Graph& graph) {
    const Recorded both = of_two(function)(graph);
    return Recorded{both.result, {both.inputs.front()}};
  };
}

}  // namespace

Section functions() {
  return {
      {"Functions", "函数"},
      {
          {{"aclnnExp", "aclnnInplaceExp"}, {"eˣ", "eˣ"}, "exp(x)", of([](const Value& x) {
             return exp(x);
           })},
          {{"aclnnLog", "aclnnInplaceLog"}, {"ln x", "ln x"}, "log(x)", of([](const Value& x) {
             return log(x);
           })},
          {{"aclnnSqrt", "aclnnInplaceSqrt"}, {"√x", "√x"}, "sqrt(x)", of([](const Value& x) {
             return sqrt(x);
           })},
          {{"aclnnRsqrt", "aclnnInplaceRsqrt"},
           {"1/√x", "1/√x"},
           "rsqrt(x)",
           of([](const Value& x) { return rsqrt(x); })},
          {{"aclnnReciprocal", "aclnnInplaceReciprocal"},
           {"1/x", "1/x"},
           "reciprocal(x)",
           of([](const Value& x) { return reciprocal(x); })},
          {{"aclnnSin", "aclnnInplaceSin"}, {"sin x", "sin x"}, "sin(x)", of([](const Value& x) {
             return sin(x);
           })},
          {{"aclnnCos", "aclnnInplaceCos"}, {"cos x", "cos x"}, "cos(x)", of([](const Value& x) {
             return cos(x);
           })},
          {{"aclnnTanh", "aclnnInplaceTanh"},
           {"tanh x", "tanh x"},
           "tanh(x)",
           of([](const Value& x) { return tanh(x); })},
          {{"aclnnSigmoid", "aclnnInplaceSigmoid"},
           {"1/(1 + e⁻ˣ)", "1/(1 + e⁻ˣ)"},
           "sigmoid(x)",
           of([](const Value& x) { return sigmoid(x); })},
          {{"aclnnErf", "aclnnInplaceErf"}, {"erf x", "erf x"}, "erf(x)", of([](const Value& x) {
             return erf(x);
           })},
          {{"aclnnTanhBackward"},
           {"g·(1 − y²); y is the forward's output", "g·(1 − y²)；y 是正向的输出"},
           "tanh_backward(g, y)",
           of_two([](const Value& g, const Value& y) { return tanh_backward(g, y); })},
          {{"aclnnSigmoidBackward"},
           {"g·y·(1 − y); y is the forward's output", "g·y·(1 − y)；y 是正向的输出"},
           "sigmoid_backward(g, y)",
           of_two([](const Value& g, const Value& y) { return sigmoid_backward(g, y); })},
          {{"aclnnRelu", "aclnnInplaceRelu"},
           {"max(x, 0)", "max(x, 0)"},
           "relu(x)",
           of([](const Value& x) { return relu(x); })},
          {{"aclnnThresholdBackward"},
           {"g for x > threshold, 0 otherwise", "x > threshold 时为 g，否则为 0"},
           "threshold_backward(g, x, threshold)",
           linear_in_gradient(
               [](const Value& g, const Value& x) { return threshold_backward(g, x); })},
          {{"aclnnLeakyRelu", "aclnnInplaceLeakyRelu"},
           {"x for x > 0, negativeSlope·x otherwise", "x > 0 时为 x，否则为 negativeSlope·x"},
           "leaky_relu(x, negative_slope)",
           of([](const Value& x) { return leaky_relu(x); })},
          {{"aclnnLeakyReluBackward"},
           {"g for x > 0, negativeSlope·g otherwise", "x > 0 时为 g，否则为 negativeSlope·g"},
           "leaky_relu_backward(g, x, negative_slope)",
           linear_in_gradient(
               [](const Value& g, const Value& x) { return leaky_relu_backward(g, x); })},
          {{"aclnnSoftplus"},
           {"x for beta·x > threshold, ln(1 + e^(beta·x))/beta otherwise",
            "beta·x > threshold 时为 x，否则为 ln(1 + e^(beta·x))/beta"},
           "softplus(x, beta, threshold)",
           of([](const Value& x) { return softplus(x); })},
          {{"aclnnSoftplusBackward"},
           {"g for beta·x > threshold, g/(1 + e^(−beta·x)) otherwise",
            "beta·x > threshold 时为 g，否则为 g/(1 + e^(−beta·x))"},
           "softplus_backward(g, x, beta, threshold)",
           of_two([](const Value& g, const Value& x) { return softplus_backward(g, x); })},
          {{"aclnnNeg", "aclnnInplaceNeg"}, {"−x", "−x"}, "neg(x)", of([](const Value& x) {
             return neg(x);
           })},
      }};
}

}  // namespace aclgrad::reference
