// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
#include "nn/seeds.h"

namespace aclgrad {
namespace {

Tensor initial_weight(const std::string& name, std::int64_t in, std::int64_t out,
                      const LinearOptions& options) {
  if (in < 1 || out < 1) {
    throw ShapeError(fmt::format("a linear layer needs positive sizes, got {} and {}", in, out));
  }
  const std::uint64_t seed = options.seed.value_or(detail::seed_of(name));
  return init::he_normal({in, out}, seed, options.activation, options.dtype);
}

// What a layer returns is called by what it does to what, unless it has a name: "elu(hidden1)".
Value named_after(const Value& result, const Value& x) {
  constexpr std::size_t kMaxLength = 80;  // of a name made of many
  if (!result.name().empty() || x.name().empty() || x.name().size() > kMaxLength) return result;
  return result.named(fmt::format("{}({})", result.node().op->name(), x.name()));
}

}  // namespace

Linear::Linear(const std::string& name, std::int64_t in, std::int64_t out, LinearOptions options)
    : name_(name), weight_(name + ".weight", initial_weight(name, in, out, options)) {
  if (options.bias) bias_.emplace(name + ".bias", Tensor::zeros({out}, options.dtype));
}

Value Linear::operator()(const Value& x, Here where) const {
  Graph graph = x.graph();
  const Value weight = cast(graph.parameter(weight_, where), x.dtype(), where);
  if (!bias_) return matmul(x, weight, where).named(name_);
  return linear(x, weight, cast(graph.parameter(*bias_, where), x.dtype(), where), where)
      .named(name_);
}

std::vector<Variable> Linear::variables() const {
  std::vector<Variable> all = {weight_};
  if (bias_) all.push_back(*bias_);
  return all;
}

Value Selu::operator()(const Value& x, Here where) const { return selu(x, where); }
Value Elu::operator()(const Value& x, Here where) const {
  return elu(x, alpha, scale, input_scale, backward_from, where);
}
Value Hardswish::operator()(const Value& x, Here where) const {
  return hardswish(x, gradient, where);
}
Value Gelu::operator()(const Value& x, Here where) const { return gelu(x, approximate, where); }
Value Geglu::operator()(const Value& x, Here where) const {
  return geglu(x, -1, approximate, activate_left, where);
}

GegluFeedForward::GegluFeedForward(const std::string& name, std::int64_t in, std::int64_t hidden,
                                   std::int64_t out, std::optional<std::uint64_t> seed, Geglu geglu)
    : up_(name + ".up", in, 2 * hidden, {.activation = Activation::none, .seed = seed}),
      geglu_(geglu),
      down_(name + ".down", hidden, out,
            {.activation = Activation::geglu, .seed = detail::next_seed(seed)}) {}

Value GegluFeedForward::operator()(const Value& x, Here where) const {
  const Value up = up_(x, where);
  return down_(named_after(geglu_(up, where), up), where);
}

std::vector<Variable> GegluFeedForward::variables() const {
  std::vector<Variable> all = up_.variables();
  for (const Variable& variable : down_.variables()) all.push_back(variable);
  return all;
}

Value Relu::operator()(const Value& x, Here where) const { return relu(x, where); }
Value Tanh::operator()(const Value& x, Here where) const { return tanh(x, where); }
Value Sigmoid::operator()(const Value& x, Here where) const { return sigmoid(x, where); }
Value Silu::operator()(const Value& x, Here where) const { return silu(x, where); }

Value Dropout::operator()(const Value& x, Here where) const {
  if (x.graph().mode() == Mode::evaluation) return x;
  return dropout(x, p_, generator_, where);
}
Value AlphaDropout::operator()(const Value& x, Here where) const {
  if (x.graph().mode() == Mode::evaluation) return x;
  return alpha_dropout(x, p_, generator_, where);
}

LayerNorm::LayerNorm(const std::string& name, std::int64_t width, double eps)
    : name_(name),
      weight_(name + ".weight", Tensor::full({width}, 1)),
      bias_(name + ".bias", Tensor::zeros({width})),
      eps_(eps) {}

Value LayerNorm::operator()(const Value& x, Here where) const {
  Graph graph = x.graph();
  const Value weight = cast(graph.parameter(weight_, where), x.dtype(), where);
  const Value bias = cast(graph.parameter(bias_, where), x.dtype(), where);
  return layer_norm(x, weight, bias, eps_, where).named(name_);
}

Value Residual::operator()(const Value& x, Here where) const {
  return add(x, inner_(x, where), 1, where);
}

void Sequential::adopt(const std::vector<Variable>& variables, std::vector<Variable>& to) {
  for (const Variable& variable : variables) {
    // A layer that occurs twice shares its variables; they are listed once.
    if (std::find(to.begin(), to.end(), variable) != to.end()) continue;
    const auto is_called_so = [&](const Variable& other) {
      return other.name() == variable.name();
    };
    if (std::any_of(to.begin(), to.end(), is_called_so)) {
      throw ValueError(fmt::format("two variables are called `{}`", variable.name()));
    }
    to.push_back(variable);
  }
}

Value Sequential::operator()(const Value& x, Here where) const {
  Value result = x;
  for (const auto& layer : layers_) result = named_after(layer(result, where), result);
  return result;
}

std::vector<Value> Sequential::parameters(Graph& graph, Here where) const {
  return aclgrad::parameters(graph, variables_, where);
}

std::vector<Value> parameters(Graph& graph, const std::vector<Variable>& variables, Here where) {
  std::vector<Value> values;
  for (const Variable& variable : variables) values.push_back(graph.parameter(variable, where));
  return values;
}

}  // namespace aclgrad
