// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <ranges>
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

Value Linear::operator()(Operand x) const {
  const Value weight = detail::value_for(x, weight_);
  if (!bias_) return matmul(x, weight).named(path());
  return linear(x, weight, detail::value_for(x, *bias_)).named(path());
}

Value Selu::operator()(Operand x) const { return selu(x); }
Value Elu::operator()(Operand x) const { return elu(x, alpha, scale, input_scale, backward_from); }
Value Hardswish::operator()(Operand x) const { return hardswish(x); }
Value Gelu::operator()(Operand x) const { return gelu(x, approximate); }
Value Geglu::operator()(Operand x) const { return geglu(x, -1, approximate, activate_left); }

namespace {

struct ActivationKind {
  std::string_view name;
  double gain;  // 1 / sqrt(E f(x)^2) of a normal x
  Value (*record)(Operand x);
};

template <class Layer>
Value by_default(Operand x) {
  return Layer{}(x);
}

// By Activation.
constexpr std::array<ActivationKind, 12> kActivations = {
    {{"none", 1, [](Operand x) -> Value { return x; }},
     {"relu", std::numbers::sqrt2, by_default<Relu>},
     {"selu", 1, by_default<Selu>},
     {"elu", 1.245198300700750, by_default<Elu>},
     {"hardswish", 1.736657212723726, by_default<Hardswish>},
     {"gelu", 1.533530441195571, by_default<Gelu>},
     {"geglu", 1.533530441195571, by_default<Geglu>},
     {"silu", 1.676532470331091, by_default<Silu>},
     {"mish", 1.486847581273208, by_default<Mish>},
     {"leaky_relu", 1.414142856997835, by_default<LeakyRelu>},
     {"tanh", 1.592537419722831, by_default<Tanh>},
     {"sigmoid", 1.846228545338605, by_default<Sigmoid>}}};

const ActivationKind& kind_of(Activation activation) {
  const auto index = static_cast<std::size_t>(activation);
  if (index >= kActivations.size()) throw ValueError("an activation of no kind");
  return kActivations[index];
}

}  // namespace

double init::gain(Activation activation) { return kind_of(activation).gain; }

Value Activate::operator()(Operand x) const { return kind_of(kind).record(x); }

Activation activation_named(const std::string& name) {
  const auto found = std::ranges::find(kActivations, name, &ActivationKind::name);
  if (found == kActivations.end()) {
    throw ValueError(
        fmt::format("no activation is called `{}`, but {}", name,
                    fmt::join(kActivations | std::views::transform(&ActivationKind::name), ", ")));
  }
  return static_cast<Activation>(found - kActivations.begin());
}

GegluFeedForward::GegluFeedForward(const Name& name, std::int64_t in, std::int64_t hidden,
                                   std::int64_t out, std::optional<std::uint64_t> seed, Geglu geglu,
                                   DType dtype)
    : Module(name),
      up_(child("up"), in, 2 * hidden, {.seed = seed, .dtype = dtype}),
      geglu_(geglu),
      down_(child("down"), hidden, out,
            {.init_for = Activation::geglu, .seed = detail::next_seed(seed), .dtype = dtype}) {}

Value GegluFeedForward::operator()(Operand x) const {
  const RecordScope scope(x);
  const Value up = up_(x);
  return down_(named_after(geglu_(up), up));
}

Value Relu::operator()(Operand x) const { return relu(x); }
Value Tanh::operator()(Operand x) const { return tanh(x); }
Value Sigmoid::operator()(Operand x) const { return sigmoid(x); }
Value Silu::operator()(Operand x) const { return silu(x); }
Value LeakyRelu::operator()(Operand x) const { return leaky_relu(x, negative_slope); }
Value Softplus::operator()(Operand x) const { return softplus(x, beta, threshold); }
Value Mish::operator()(Operand x) const { return mish(x); }

namespace {

Module::Name checked(const Module::Name& name, const PreluOptions& options) {
  detail::require_size("Prelu", "channels", options.channels);
  detail::require_option("Prelu", "initial", options.initial, detail::kFinite);
  return name;
}

}  // namespace

Prelu::Prelu(const Name& name, PreluOptions options)
    : Module(checked(name, options), fmt::format("Prelu {}", options.channels)),
      weight_(
          parameter("weight", Tensor::full({options.channels}, options.initial, options.dtype))) {}

Value Prelu::operator()(Operand x) const {
  return prelu(x, detail::value_for(x, weight_)).named(path());
}

Dropout::Dropout(const Name& name, double p, std::optional<std::uint64_t> seed)
    : Module(with_probability(name, "Dropout", p, detail::kUnit), fmt::format("Dropout {}", p)),
      p_(p),
      generator_(generator("draws", seed)) {}

Value Dropout::operator()(Operand x) const {
  if (!is_training(x.graph())) return x;
  return dropout(x, p_, generator_);
}

AlphaDropout::AlphaDropout(const Name& name, double p, std::optional<std::uint64_t> seed)
    : Module(with_probability(name, "AlphaDropout", p, detail::kBelowOne),
             fmt::format("AlphaDropout {}", p)),
      p_(p),
      generator_(generator("draws", seed)) {}

Value AlphaDropout::operator()(Operand x) const {
  if (!is_training(x.graph())) return x;
  return alpha_dropout(x, p_, generator_);
}

LayerNorm::LayerNorm(const Name& name, std::int64_t width, double eps, DType dtype)
    : Module(with_width(name, "LayerNorm", width, eps), fmt::format("LayerNorm {}", width)),
      weight_(parameter("weight", Tensor::full({width}, 1, dtype))),
      bias_(parameter("bias", Tensor::zeros({width}, dtype))),
      eps_(eps) {}

Value LayerNorm::operator()(Operand x) const {
  const Value weight = detail::value_for(x, weight_);
  return layer_norm(x, weight, detail::value_for(x, bias_), eps_).named(path());
}

RmsNorm::RmsNorm(const Name& name, std::int64_t width, double eps, DType dtype)
    : Module(with_width(name, "RmsNorm", width, eps), fmt::format("RmsNorm {}", width)),
      weight_(parameter("weight", Tensor::full({width}, 1, dtype))),
      eps_(eps) {}

Value RmsNorm::operator()(Operand x) const {
  return rms_norm(x, detail::value_for(x, weight_), eps_).named(path());
}

Value Residual::operator()(Operand x) const { return add(x, inner_(x)); }

Value Sequential::operator()(Operand x) const {
  Value result = x;
  for (const auto& layer : layers_) result = named_after(layer({result, x.where}), result);
  return result;
}

}  // namespace aclgrad
