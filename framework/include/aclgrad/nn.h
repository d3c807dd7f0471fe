// SPDX-License-Identifier: Apache-2.0
// Layers. A layer owns Variables and is called with a Value; the call records nodes into the
// Value's graph. The same layer may be called in several graphs, which then share its parameters:
//
//   Sequential net(Linear("hidden", 2, 16, {.activation = Activation::elu}), Elu{},
//                  Linear("output", 16, 1));
//   Value prediction = net(x);
//   Gradients gradients = backward(loss, net.parameters(graph));
//
// Anything with `Value operator()(const Value&, std::source_location) const` and
// `std::vector<Variable> variables() const` is a layer; there is no base class. One that keeps more
// than it trains, running statistics say, has `std::vector<Variable> state() const` for it. What a
// layer does in training only, it does in graphs of Mode::training.
//
// Layers for images are in nn_images.h, for sequences in nn_sequences.h.
//
// Listings and pages call the values by the layers: what Linear("hidden", ...) returns is `hidden`,
// what an Elu{} after it in a Sequential returns is `elu(hidden)`.
#ifndef ACLGRAD_NN_H_
#define ACLGRAD_NN_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/init.h"
#include "aclgrad/ops.h"
#include "aclgrad/variable.h"

namespace aclgrad {

using Here = std::source_location;

struct LinearOptions {
  /// What follows the layer; its gain goes into the initial weights.
  Activation activation = Activation::none;
  /// Of the initial weights; without one, the layer's name is the seed.
  std::optional<std::uint64_t> seed = std::nullopt;
  bool bias = true;
  DType dtype = DType::float32;
};

/// x @ weight + bias with weight [in, out] (see linear()). Initial weights are normal with
/// deviation gain(activation) / sqrt(in), the bias is 0. The variables are called name.weight and
/// name.bias. It computes in x's dtype, to which it casts variables of another one (see
/// loss_scaler.h).
class Linear {
 public:
  Linear(const std::string& name, std::int64_t in, std::int64_t out, LinearOptions options = {});

  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const;

  const Variable& weight() const { return weight_; }
  const std::optional<Variable>& bias() const { return bias_; }

 private:
  std::string name_;
  Variable weight_;
  std::optional<Variable> bias_;
};

/// Activations as layers, with the parameters of the functions of the same names.
struct Selu {
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

struct Elu {
  double alpha = 1;
  double scale = 1;
  double input_scale = 1;
  BackwardFrom backward_from = BackwardFrom::input;
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

struct Hardswish {
  HardswishGradient gradient = HardswishGradient::v2;
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

struct Gelu {
  Approximate approximate = Approximate::none;
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

/// Halves the last extent.
struct Geglu {
  Approximate approximate = Approximate::none;
  bool activate_left = false;
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

struct Relu {
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

struct Tanh {
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

struct Sigmoid {
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

struct Silu {
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
};

/// dropout() and alpha_dropout() in training, nothing in evaluation. Layers may share a generator.
class Dropout {
 public:
  Dropout(double p, Generator generator) : p_(p), generator_(std::move(generator)) {}
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
  std::vector<Variable> state() const { return {generator_.draws()}; }

 private:
  double p_;
  Generator generator_;
};

class AlphaDropout {
 public:
  AlphaDropout(double p, Generator generator) : p_(p), generator_(std::move(generator)) {}
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {}; }
  std::vector<Variable> state() const { return {generator_.draws()}; }

 private:
  double p_;
  Generator generator_;
};

/// layer_norm() over the last axis, of this width, with name.weight and name.bias.
class LayerNorm {
 public:
  LayerNorm(const std::string& name, std::int64_t width, double eps = 1e-5);
  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const { return {weight_, bias_}; }

 private:
  std::string name_;
  Variable weight_, bias_;
  double eps_;
};

/// Linear(in, 2 hidden), GEGLU, Linear(hidden, out): the feed-forward block of Shazeer (2020). The
/// parts are called name.up and name.down.
class GegluFeedForward {
 public:
  GegluFeedForward(const std::string& name, std::int64_t in, std::int64_t hidden, std::int64_t out,
                   std::optional<std::uint64_t> seed = std::nullopt, Geglu geglu = {});

  Value operator()(const Value& x, Here where = Here::current()) const;
  std::vector<Variable> variables() const;

 private:
  Linear up_;
  Geglu geglu_;
  Linear down_;
};

/// Layers one after the other. Throws ValueError when two variables have the same name.
class Sequential {
 public:
  template <class... Layers>
  explicit Sequential(Layers... layers) {
    (add(std::move(layers)), ...);
  }

  template <class Layer>
  Sequential& add(Layer layer) {
    adopt(layer.variables(), variables_);
    if constexpr (requires { layer.state(); }) adopt(layer.state(), state_);
    layers_.emplace_back(
        [kept = std::move(layer)](const Value& x, Here where) { return kept(x, where); });
    return *this;
  }

  Value operator()(const Value& x, Here where = Here::current()) const;

  /// All variables that are trained, layer by layer.
  const std::vector<Variable>& variables() const { return variables_; }

  /// Those that are not: running statistics, counts of random draws.
  const std::vector<Variable>& state() const { return state_; }

  /// The variables' values in a graph: what to give to backward().
  std::vector<Value> parameters(Graph& graph, Here where = Here::current()) const;

 private:
  void adopt(const std::vector<Variable>& variables, std::vector<Variable>& to);

  std::vector<std::function<Value(const Value&, Here)>> layers_;
  std::vector<Variable> variables_;
  std::vector<Variable> state_;
};

/// x + layer(x) (He et al. 2016).
class Residual {
 public:
  template <class... Layers>
  explicit Residual(Layers... layers) : inner_(std::move(layers)...) {}
  Value operator()(const Value& x, Here where = Here::current()) const;
  const std::vector<Variable>& variables() const { return inner_.variables(); }
  const std::vector<Variable>& state() const { return inner_.state(); }

 private:
  Sequential inner_;
};

/// The values of variables in a graph.
std::vector<Value> parameters(Graph& graph, const std::vector<Variable>& variables,
                              Here where = Here::current());

}  // namespace aclgrad

#endif  // ACLGRAD_NN_H_
