// SPDX-License-Identifier: Apache-2.0
// Recurrent layers over sequences [N, T, in]. What nn.h says of layers holds for these. The
// variables have the names of PyTorch's, whose files they load with `from_pytorch`.
#pragma once

#include <cstddef>
#include <vector>

#include "aclgrad/nn.h"
#include "aclgrad/ops/recurrent.h"

namespace aclgrad {

/// Weights of a cell, each with its gates side by side: W [in, gates hidden], U [hidden, gates
/// hidden], and their biases b and c. Initial weights are uniform in +-1 / sqrt(hidden), the biases
/// 0.
struct RecurrentWeights {
  Variable weight_ih, weight_hh, bias_ih, bias_hh;
};

/// A step of a gated recurrent unit (Cho et al. 2014), in the form that PyTorch has:
/// r = sigmoid(x W_r + b_r + h U_r + c_r), z likewise, n = tanh(x W_n + b_n + r (h U_n + c_n)),
/// h' = (1 - z) n + z h. The gates lie in the order r, z, n. Throws ShapeError unless in and hidden
/// are at least 1.
class GruCell : public Module {
 public:
  GruCell(const Name& name, std::int64_t in, std::int64_t hidden,
          std::optional<std::uint64_t> seed = std::nullopt, DType dtype = DType::float32);

  /// h' [N, hidden] of x [N, in] and h [N, hidden].
  Value operator()(Operand x, const Value& h) const;

  std::int64_t hidden() const { return hidden_; }

 private:
  std::int64_t hidden_;
  RecurrentWeights weights_;
};

/// A step of long short-term memory (Hochreiter, Schmidhuber 1997; Gers et al. 2000):
/// i = sigmoid(x W_i + b_i + h U_i + c_i), f and o likewise, g = tanh of the same,
/// c' = f c + i g, h' = o tanh(c'). The gates lie in the order i, f, g, o.
class LstmCell : public Module {
 public:
  LstmCell(const Name& name, std::int64_t in, std::int64_t hidden,
           std::optional<std::uint64_t> seed = std::nullopt, DType dtype = DType::float32);

  /// h' and c' [N, hidden] of x [N, in] and h, c [N, hidden].
  RecurrentState operator()(Operand x, const RecurrentState& state) const;

  std::int64_t hidden() const { return hidden_; }

 private:
  std::int64_t hidden_;
  RecurrentWeights weights_;
};

struct RecurrentOptions {
  std::int64_t num_layers = 1;  ///< At least 1; each reads what the one below returns.
  bool bidirectional = false;   ///< A second one goes backwards; outputs lie side by side.
  std::optional<std::uint64_t> seed = std::nullopt;
  DType dtype = DType::float32;
};

/// What a recurrent layer reads beside x.
struct RecurrentInputs {
  /// How many steps of each sequence count, int64 or int32 [N], as PyTorch's packed sequences have
  /// them: later ones leave the state as it is, and their outputs are 0. Backwards, a sequence
  /// begins with its last step that counts. All steps count where it is empty.
  Value lengths = {};
  /// The state to begin with, [num_layers directions, N, hidden] each; 0 where it is empty.
  RecurrentState state = {};
};

/// What run() of a recurrent layer returns.
struct RecurrentResult {
  Value outputs;         ///< h of the last level after every step, [N, T, directions hidden]
  RecurrentState state;  ///< h, and c, after the last step, [num_layers directions, N, hidden]
};

/// What Gru and Lstm are. Variables are called name.weight_ih_l0, name.weight_hh_l0,
/// name.bias_ih_l0, name.bias_hh_l0, with `_reverse` behind those that go backwards; level k has
/// lk. Throws ShapeError unless in, hidden and num_layers are at least 1; for an x that is not [N,
/// T, in], for T = 0, and for lengths and states of other shapes.
class Recurrent : public Module {
 public:
  /// The outputs.
  Value operator()(Operand x) const { return run(x).outputs; }
  RecurrentResult run(Operand x, const RecurrentInputs& inputs = {}) const;

 protected:
  enum class Kind : std::uint8_t { gru, lstm };
  Recurrent(const Name& name, Kind kind, std::int64_t in, std::int64_t hidden,
            const RecurrentOptions& options);

 private:
  void check(const Value& x, const RecurrentInputs& inputs) const;

  Kind kind_;
  std::int64_t in_, hidden_;
  RecurrentOptions options_;
  std::vector<RecurrentWeights> weights_;  // of each level, of each direction
};

/// Gated recurrent units (Cho et al. 2014), in layers and directions.
class Gru : public Recurrent {
 public:
  Gru(const Name& name, std::int64_t in, std::int64_t hidden, const RecurrentOptions& options = {})
      : Recurrent(name, Kind::gru, in, hidden, options) {}
};

/// Long short-term memory (Hochreiter, Schmidhuber 1997), in layers and directions.
class Lstm : public Recurrent {
 public:
  Lstm(const Name& name, std::int64_t in, std::int64_t hidden, const RecurrentOptions& options = {})
      : Recurrent(name, Kind::lstm, in, hidden, options) {}
};

}  // namespace aclgrad
