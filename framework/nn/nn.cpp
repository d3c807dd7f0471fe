// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "aclgrad/error.h"
#include "nn/support.h"
#include "tensor/option.h"

namespace aclgrad {
namespace {

Module::Name with_sizes(const Module::Name& name, std::int64_t in, std::int64_t out) {
  if (in >= 1 && out >= 1) return name;
  throw ShapeError(
      fmt::format("Linear `{}`: sizes must be at least 1, got {} and {}", name.path(), in, out));
}

// The name of a norm, once its width and eps are found to be right.
Module::Name with_width(const Module::Name& name, std::string_view layer, std::int64_t width,
                        double eps) {
  detail::require_size(layer, "width", width);
  detail::require_option(layer, "eps", eps, detail::kNotNegative);
  return name;
}

Module::Name with_probability(const Module::Name& name, std::string_view layer, double p,
                              const detail::Range& range) {
  detail::require_option(layer, "p", p, range);
  return name;
}

// What a layer returns is called by what it does to what, unless it has a name: "elu(hidden1)".
Value named_after(const Value& result, const Value& x) {
  constexpr std::size_t kMaxLength = 80;  // of a name made of many
  if (!result.name().empty() || x.name().empty() || x.name().size() > kMaxLength) return result;
  return result.named(fmt::format("{}({})", result.node().op->name(), x.name()));
}

}  // namespace

Linear::Linear(const Name& name, std::int64_t in, std::int64_t out, LinearOptions options)
    : Module(with_sizes(name, in, out), fmt::format("Linear {} to {}", in, out)),
      weight_(parameter(
          "weight",
          [=](std::uint64_t seed) {
            return init::he_normal({in, out}, seed, options.init_for, options.dtype);
          },
          options.seed)) {
  mark_transposed_in_pytorch(weight_);
  if (options.bias) bias_ = parameter("bias", Tensor::zeros({out}, options.dtype));
}

Value Linear::operator()(const Value& x, SourceLocation where) const {
  const Value weight = detail::value_for(x, weight_, where);
  if (!bias_) return matmul(x, weight, where).named(path());
  return linear(x, weight, detail::value_for(x, *bias_, where), where).named(path());
}

Value Selu::operator()(const Value& x, SourceLocation where) const { return selu(x, where); }
Value Elu::operator()(const Value& x, SourceLocation where) const {
  return elu(x, alpha, scale, input_scale, backward_from, where);
}
Value Hardswish::operator()(const Value& x, SourceLocation where) const {
  return hardswish(x, gradient, where);
}
Value Gelu::operator()(const Value& x, SourceLocation where) const {
  return gelu(x, approximate, where);
}
Value Geglu::operator()(const Value& x, SourceLocation where) const {
  return geglu(x, -1, approximate, activate_left, where);
}

Value Activate::operator()(const Value& x, SourceLocation where) const {
  switch (kind) {
    case Activation::none:
      return x;
    case Activation::relu:
      return Relu{}(x, where);
    case Activation::selu:
      return Selu{}(x, where);
    case Activation::elu:
      return Elu{}(x, where);
    case Activation::hardswish:
      return Hardswish{}(x, where);
    case Activation::gelu:
      return Gelu{}(x, where);
    case Activation::geglu:
      return Geglu{}(x, where);
  }
  throw ValueError("an activation of no kind");
}

Activation activation_named(const std::string& name) {
  // In the order of the enumeration.
  constexpr std::array<std::string_view, 7> kNames = {"none",      "relu", "selu", "elu",
                                                      "hardswish", "gelu", "geglu"};
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    throw ValueError(
        fmt::format("no activation is called `{}`, but {}", name, fmt::join(kNames, ", ")));
  }
  return static_cast<Activation>(found - kNames.begin());
}

GegluFeedForward::GegluFeedForward(const Name& name, std::int64_t in, std::int64_t hidden,
                                   std::int64_t out, std::optional<std::uint64_t> seed, Geglu geglu,
                                   DType dtype)
    : Module(name),
      up_(child("up"), in, 2 * hidden, {.seed = seed, .dtype = dtype}),
      geglu_(geglu),
      down_(child("down"), hidden, out,
            {.init_for = Activation::geglu, .seed = detail::next_seed(seed), .dtype = dtype}) {}

Value GegluFeedForward::operator()(const Value& x, SourceLocation where) const {
  const Value up = up_(x, where);
  return down_(named_after(geglu_(up, where), up), where);
}

Value Relu::operator()(const Value& x, SourceLocation where) const { return relu(x, where); }
Value Tanh::operator()(const Value& x, SourceLocation where) const { return tanh(x, where); }
Value Sigmoid::operator()(const Value& x, SourceLocation where) const { return sigmoid(x, where); }
Value Silu::operator()(const Value& x, SourceLocation where) const { return silu(x, where); }

Dropout::Dropout(const Name& name, double p, std::optional<std::uint64_t> seed)
    : Module(with_probability(name, "Dropout", p, detail::kUnit), fmt::format("Dropout {}", p)),
      p_(p),
      generator_(generator("draws", seed)) {}

Value Dropout::operator()(const Value& x, SourceLocation where) const {
  if (x.graph().mode() == Mode::evaluation || is_frozen()) return x;
  return dropout(x, p_, generator_, where);
}

AlphaDropout::AlphaDropout(const Name& name, double p, std::optional<std::uint64_t> seed)
    : Module(with_probability(name, "AlphaDropout", p, detail::kBelowOne),
             fmt::format("AlphaDropout {}", p)),
      p_(p),
      generator_(generator("draws", seed)) {}

Value AlphaDropout::operator()(const Value& x, SourceLocation where) const {
  if (x.graph().mode() == Mode::evaluation || is_frozen()) return x;
  return alpha_dropout(x, p_, generator_, where);
}

LayerNorm::LayerNorm(const Name& name, std::int64_t width, double eps, DType dtype)
    : Module(with_width(name, "LayerNorm", width, eps), fmt::format("LayerNorm {}", width)),
      weight_(parameter("weight", Tensor::full({width}, 1, dtype))),
      bias_(parameter("bias", Tensor::zeros({width}, dtype))),
      eps_(eps) {}

Value LayerNorm::operator()(const Value& x, SourceLocation where) const {
  const Value weight = detail::value_for(x, weight_, where);
  return layer_norm(x, weight, detail::value_for(x, bias_, where), eps_, where).named(path());
}

RmsNorm::RmsNorm(const Name& name, std::int64_t width, double eps, DType dtype)
    : Module(with_width(name, "RmsNorm", width, eps), fmt::format("RmsNorm {}", width)),
      weight_(parameter("weight", Tensor::full({width}, 1, dtype))),
      eps_(eps) {}

Value RmsNorm::operator()(const Value& x, SourceLocation where) const {
  return rms_norm(x, detail::value_for(x, weight_, where), eps_, where).named(path());
}

Value Residual::operator()(const Value& x, SourceLocation where) const {
  return add(x, inner_(x, where), 1, where);
}

Value Sequential::operator()(const Value& x, SourceLocation where) const {
  Value result = x;
  for (const auto& layer : layers_) result = named_after(layer(result, where), result);
  return result;
}

}  // namespace aclgrad
