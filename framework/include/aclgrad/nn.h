// SPDX-License-Identifier: Apache-2.0
// Layers. A layer is what can be called with a Value and records nodes into the Value's graph; one
// that has variables is a Module (module.h), with a name:
//
//   Sequential net(Linear("hidden", 2, 16, {.init_for = Activation::elu}), Elu{},
//                  Linear("output", 16, 1));
//   Value prediction = net(x);
//   Gradients gradients = backward(loss, net.parameters(graph));
//
// A function of a Value that returns one is a layer, too. Convolutions are in nn/convolution.h,
// other layers for images in nn/images.h, for sequences in nn/sequences.h.
//
// Listings and pages call the values by the layers: what Linear("hidden", ...) returns is `hidden`,
// what an Elu{} after it in a Sequential returns is `elu(hidden)`.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/nn/init.h"
#include "aclgrad/nn/module.h"
#include "aclgrad/ops.h"
#include "aclgrad/variable.h"

namespace aclgrad {

/// A layer that takes an Operand shows the line of the network that it is part of.
template <class T>
concept Layer = requires(const T& layer, Operand x) {
  { layer(x) } -> std::convertible_to<Value>;
};

struct LinearOptions {
  /// What follows the layer; its gain goes into the initial weights.
  Activation init_for = Activation::none;
  /// Of the initial weights; without one, the layer's name is the seed.
  std::optional<std::uint64_t> seed = std::nullopt;
  bool bias = true;
  /// Of the variables, any floating one, as in all layers. A layer of float64 takes an input of
  /// float64 and no other layer does: DTypeError names both. Module::to() converts a whole network.
  DType dtype = DType::float32;
};

/// x @ weight + bias with weight [in, out] (see linear()). Initial weights are normal with
/// standard deviation gain(init_for) / sqrt(in), the bias is 0. The variables are called
/// name.weight and name.bias. It computes in x's dtype, to which it casts variables of 16 bits or
/// float32 (see loss_scaler.h). Throws ShapeError unless in and out are at least 1.
class Linear : public Module {
 public:
  Linear(const Name& name, std::int64_t in, std::int64_t out, LinearOptions options = {});

  Value operator()(Operand x) const;

  const Variable& weight() const { return weight_; }
  const std::optional<Variable>& bias() const { return bias_; }

 private:
  Variable weight_;
  std::optional<Variable> bias_;
};

/// Activations as layers, with the parameters of the functions of the same names.
struct Selu {
  Value operator()(Operand x) const;
};
struct Elu {
  double alpha = 1;
  double scale = 1;
  double input_scale = 1;
  BackwardFrom backward_from = BackwardFrom::input;
  Value operator()(Operand x) const;
};
struct Hardswish {
  Value operator()(Operand x) const;
};
struct Gelu {
  Approximate approximate = Approximate::none;
  Value operator()(Operand x) const;
};
struct Relu {
  Value operator()(Operand x) const;
};
struct Tanh {
  Value operator()(Operand x) const;
};
struct Sigmoid {
  Value operator()(Operand x) const;
};
struct Silu {
  Value operator()(Operand x) const;
};
struct LeakyRelu {
  double negative_slope = 0.01;
  Value operator()(Operand x) const;
};
struct Softplus {
  double beta = 1;
  double threshold = 20;
  Value operator()(Operand x) const;
};
struct Mish {
  Value operator()(Operand x) const;
};

/// geglu() of the last axis as a layer, which halves its extent.
struct Geglu {
  Approximate approximate = Approximate::none;
  bool activate_left = false;
  Value operator()(Operand x) const;
};

struct PreluOptions {
  std::int64_t channels = 1;  ///< A slope for each element of axis 1 of x, or one for all.
  double initial = 0.25;      ///< of the slopes; finite
  DType dtype = DType::float32;
};

/// prelu() with name.weight [channels]. Throws ShapeError unless channels is at least 1.
class Prelu : public Module {
 public:
  explicit Prelu(const Name& name, PreluOptions options = {});
  Value operator()(Operand x) const;

 private:
  Variable weight_;
};

/// The activation of that kind, with its default parameters; none changes nothing. For networks
/// that are compared with several.
struct Activate {
  Activation kind = Activation::none;
  Value operator()(Operand x) const;
};

/// The kind of that name, as Activation has it: "none", "relu", "leaky_relu", ... Throws
/// ValueError, which lists them, for another.
Activation activation_named(const std::string& name);

/// dropout() and alpha_dropout() in training, nothing in evaluation or when frozen. The masks
/// follow from the seed, or the name where none is given, and from how many were drawn, which the
/// buffer name.draws says. Throws ValueError unless p is in [0, 1], for alpha dropout in [0, 1).
class Dropout : public Module {
 public:
  Dropout(const Name& name, double p, std::optional<std::uint64_t> seed = std::nullopt);
  Value operator()(Operand x) const;

 private:
  double p_;
  Generator generator_;
};

/// alpha_dropout() in training; all else as for Dropout.
class AlphaDropout : public Module {
 public:
  AlphaDropout(const Name& name, double p, std::optional<std::uint64_t> seed = std::nullopt);
  Value operator()(Operand x) const;

 private:
  double p_;
  Generator generator_;
};

/// layer_norm() over the last axis, of this width, with name.weight and name.bias. This and RmsNorm
/// throw ShapeError unless width is at least 1, ValueError unless eps is at least 0 and finite.
class LayerNorm : public Module {
 public:
  LayerNorm(const Name& name, std::int64_t width, double eps = 1e-5, DType dtype = DType::float32);
  Value operator()(Operand x) const;

 private:
  Variable weight_, bias_;
  double eps_;
};

/// rms_norm() over the last axis, of this width, with name.weight.
class RmsNorm : public Module {
 public:
  RmsNorm(const Name& name, std::int64_t width, double eps = 1e-6, DType dtype = DType::float32);
  Value operator()(Operand x) const;

 private:
  Variable weight_;
  double eps_;
};

/// Linear(in, 2 hidden), GEGLU, Linear(hidden, out): the feed-forward block of Shazeer (2020). The
/// parts are called name.up and name.down.
class GegluFeedForward : public Module {
 public:
  GegluFeedForward(const Name& name, std::int64_t in, std::int64_t hidden, std::int64_t out,
                   std::optional<std::uint64_t> seed = std::nullopt, Geglu geglu = {},
                   DType dtype = DType::float32);
  Value operator()(Operand x) const;

 private:
  Linear up_;
  Geglu geglu_;
  Linear down_;
};

/// Layers one after the other. With a name, those of its layers go after it. Throws ValueError when
/// two variables have the same name, and for a layer that this one is a part of.
class Sequential : public Module {
 public:
  template <Layer... Layers>
  requires(!(sizeof...(Layers) == 1 &&
             (std::same_as<Layers, Sequential> && ...))) explicit Sequential(Layers... layers)
      : Sequential(Name(), std::move(layers)...) {}

  template <Layer... Layers>
  explicit Sequential(const Name& name, Layers... layers) : Module(name) {
    (add(std::move(layers)), ...);
  }

  template <Layer L>
  Sequential& add(L layer) {
    if constexpr (std::derived_from<L, Module>) adopt(layer);
    layers_.emplace_back(std::move(layer));
    return *this;
  }

  Value operator()(Operand x) const;

 private:
  std::vector<std::function<Value(Operand)>> layers_;
};

/// x + layers(x) (He et al. 2016).
class Residual : public Module {
 public:
  template <Layer... Layers>
  requires(!(sizeof...(Layers) == 1 &&
             (std::same_as<Layers, Residual> && ...))) explicit Residual(Layers... layers)
      : inner_(std::move(layers)...) {
    adopt(inner_);
  }
  Value operator()(Operand x) const;

 private:
  Sequential inner_;
};

}  // namespace aclgrad
