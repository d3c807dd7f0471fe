// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"

namespace aclgrad {
namespace {

// The seeds of a layer's parts: far enough apart that neighbouring seeds of layers do not meet.
constexpr std::uint64_t kPartSeed = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio

// FNV-1a: the same on every machine, which std::hash is not.
std::uint64_t seed_of(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return hash;
}

Tensor initial_weight(const std::string& name, std::int64_t in, std::int64_t out,
                      const LinearOptions& options) {
  if (in < 1 || out < 1) {
    throw ShapeError(fmt::format("a linear layer needs positive sizes, got {} and {}", in, out));
  }
  const std::uint64_t seed = options.seed.value_or(seed_of(name));
  return init::he_normal({in, out}, seed, options.activation, options.dtype);
}

std::optional<std::uint64_t> second_seed(std::optional<std::uint64_t> seed) {
  if (seed) *seed ^= kPartSeed;
  return seed;
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
            {.activation = Activation::geglu, .seed = second_seed(seed)}) {}

Value GegluFeedForward::operator()(const Value& x, Here where) const {
  const Value up = up_(x, where);
  return down_(named_after(geglu_(up, where), up), where);
}

std::vector<Variable> GegluFeedForward::variables() const {
  std::vector<Variable> all = up_.variables();
  for (const Variable& variable : down_.variables()) all.push_back(variable);
  return all;
}

void Sequential::adopt(const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    const bool taken =
        std::any_of(variables_.begin(), variables_.end(), [&](const Variable& other) {
          return other.name() == variable.name() && !(other == variable);
        });
    if (taken) throw ValueError(fmt::format("two variables are called `{}`", variable.name()));
    // A layer that occurs twice shares its variables; they are listed once.
    if (std::find(variables_.begin(), variables_.end(), variable) == variables_.end()) {
      variables_.push_back(variable);
    }
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
