// SPDX-License-Identifier: Apache-2.0
// Functions of one's own, with their gradients. An elementwise one is two lambdas over numbers:
//
//   const CustomElementwise squareplus = custom_elementwise(
//       "squareplus", [](double x) { return (x + std::sqrt(x * x + 4)) / 2; },
//       [](double gradient, double x) { return gradient * (1 + x / std::sqrt(x * x + 4)) / 2; });
//   const Sequential network(Linear("hidden", 2, 16), squareplus, Linear("output", 16, 1));
//
// and gradcheck::check_elementwise(squareplus) says whether the second is the derivative of the
// first. Functions made of others have their gradient already; custom_gradient() gives them another
// one.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

namespace detail {

/// The loops over an elementwise function and its gradient.
struct ElementwiseLoops {
  template <class T>
  using Loop = std::function<void(const T* gradient, const T* x, T* result, std::int64_t count)>;

  std::string name;
  Loop<float> forward_float, backward_float;
  Loop<double> forward_double, backward_double;
};

template <class T, class Function>
ElementwiseLoops::Loop<T> forward_loop(Function function) {
  return [function](const T*, const T* x, T* result, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) result[i] = static_cast<T>(function(x[i]));
  };
}

template <class T, class Function>
ElementwiseLoops::Loop<T> backward_loop(Function function) {
  return [function](const T* gradient, const T* x, T* result, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      result[i] = static_cast<T>(function(gradient[i], x[i]));
    }
  };
}

}  // namespace detail

/// An elementwise function, and a layer. Copies share it.
class CustomElementwise {
 public:
  /// Of a floating x of any dtype and layout: the shape and dtype of x. Throws DTypeError for an x
  /// that is not floating.
  Value operator()(Operand x) const;

  const std::string& name() const { return loops_->name; }

  explicit CustomElementwise(detail::ElementwiseLoops loops);

 private:
  std::shared_ptr<const detail::ElementwiseLoops> loops_;
};

/// Makes one of forward(x) and backward(gradient, x), the gradient times the slope at x. Both are
/// called with float, for tensors of float32 and 16 bits, or with double for float64; a function
/// that takes double computes in it always. They are called by several threads at a time, so they
/// change nothing but their result; what they throw fails the run, with its words. `name` is what
/// listings call the nodes. The gradient has no gradient of its own. Throws ValueError for an empty
/// name.
template <class Forward, class Backward>
CustomElementwise custom_elementwise(std::string name, Forward forward, Backward backward) {
  static_assert(
      std::is_invocable_v<Forward, double> && std::is_invocable_v<Backward, double, double>,
      "custom_elementwise takes forward(x) and backward(gradient, x) of numbers");
  return CustomElementwise({std::move(name), detail::forward_loop<float>(forward),
                            detail::backward_loop<float>(backward),
                            detail::forward_loop<double>(forward),
                            detail::backward_loop<double>(backward)});
}

/// A function of values that returns one, and a rule for its gradient: that of every input, in
/// order, of the input's shape or one that broadcasting made of it; an empty Value where there is
/// none, as of whole numbers.
using ComposedFunction = std::function<Value(const std::vector<Value>& inputs)>;
using GradientRule = std::function<std::vector<Value>(
    const Value& gradient, const std::vector<Value>& inputs, const Value& result)>;

/// A function of values whose gradient is a rule of its own; custom_gradient() makes it.
class CustomGradient {
 public:
  /// What the function records, for inputs of one graph. What the function reads besides, such as a
  /// parameter of a module that it captured, has no gradient: make it an input. Throws ValueError
  /// for no inputs, and when the function returns nothing.
  Value operator()(Operands inputs) const;

  CustomGradient(std::string name, ComposedFunction function, GradientRule rule);

 private:
  std::string name_;
  ComposedFunction function_;
  std::shared_ptr<const GradientRule> rule_;
};

/// The function with that rule instead of the gradients of what it is made of. A quantizer, say,
/// whose gradient passes straight through:
///
///   const CustomGradient round_to_tenths = custom_gradient(
///       "round", [](const auto& x) { return my_round(x[0]); },
///       [](const Value& gradient, const auto&, const Value&) { return std::vector{gradient}; });
///
/// backward() throws ValueError, which names the node, when the rule returns another number of
/// gradients than there are inputs. Throws ValueError for an empty name, function or rule.
CustomGradient custom_gradient(std::string name, ComposedFunction function, GradientRule rule);

}  // namespace aclgrad
