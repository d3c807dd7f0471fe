// SPDX-License-Identifier: Apache-2.0
// Recurrent layers and cells as functions of all that they read; Lstm, Gru and their cells
// (nn/recurrent.h) hold the weights.
//
// Weights are as in PyTorch, the gates above each other: w_ih [gates H, in], w_hh [gates H, H],
// and with biases b_ih and b_hh [gates H]. `params` are these two or four of each
// layer and in it of each direction, the forward one first. All tensors are floating, of one dtype.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

/// What a recurrent layer keeps from step to step. A GRU has no c.
struct RecurrentState {
  Value h = {};
  Value c = {};
};

/// What PyTorch's functions are given behind the weights. There is no dropout between layers.
struct RecurrentFunctionOptions {
  bool has_biases = true;
  std::int64_t num_layers = 1;  ///< At least 1; each reads what the one below returns.
  bool bidirectional = false;   ///< A second one goes backwards; outputs lie side by side.
  bool batch_first = false;     ///< Input and output are [N, T, ...], not [T, N, ...].
  /// How many steps of each sequence count, int64 or int32 [N], as packed sequences have them:
  /// later ones leave the state as it is, and their outputs are 0. Backwards, a sequence begins
  /// with its last step that counts. What stands behind a sequence does not matter, NaN included.
  /// A node for each layer and direction, between some that move rows. All steps count where it is
  /// empty.
  Value lengths = {};
  /// Records nodes for each step, not one for all steps.
  bool by_steps = false;
};

/// What lstm() returns.
struct LstmResult {
  Value output;    ///< h of the last layer after every step, [T, N, directions H]
  Value h_n, c_n;  ///< after the last step, [num_layers directions, N, H]
};

/// What gru() returns, in the same shapes.
struct GruResult {
  Value output, h_n;
};

/// torch.lstm: long short-term memory (Hochreiter, Schmidhuber 1997; Gers et al. 2000) over
/// sequences [T, N, in], from states h and c [num_layers directions, N, H]. For every step
/// i, f, o = sigmoid and g = tanh of x w_ih^T + b_ih + h w_hh^T + b_hh, the gates in the order
/// i, f, g, o; c' = f c + i g, h' = o tanh(c'). One node for all layers, directions and steps.
/// Gradients have gradients, which are made of nodes for each step. Throws ShapeError, also for
/// T = 0; DTypeError; ValueError for num_layers below 1 and for another number of params.
LstmResult lstm(Operand input, const RecurrentState& hx, const std::vector<Value>& params,
                const RecurrentFunctionOptions& options = {});

/// torch.gru: gated recurrent units (Cho et al. 2014) in the same way, from a state
/// [num_layers directions, N, H]. The gates are in the order r, z, n. For every step r, z = sigmoid
/// of x w_ih^T + b_ih + h w_hh^T + b_hh, n = tanh(x w_in^T + b_in + r (h w_hn^T + b_hn)),
/// h' = (1 - z) n + z h.
GruResult gru(Operand input, const Value& hx, const std::vector<Value>& params,
              const RecurrentFunctionOptions& options = {});

/// torch.lstm_cell: h' and c' [N, H] after a step of lstm(), of an input [N, in] and h, c [N, H].
/// Two products and one node. Both biases are given or neither.
RecurrentState lstm_cell(Operand input, const RecurrentState& hx, const Value& w_ih,
                         const Value& w_hh, const Value& b_ih = {}, const Value& b_hh = {});

/// torch.gru_cell: h' [N, H] after a step of gru(). Two products and elementwise nodes.
Value gru_cell(Operand input, const Value& hx, const Value& w_ih, const Value& w_hh,
               const Value& b_ih = {}, const Value& b_hh = {});

struct RecurrentAttributes {
  bool has_biases = true;
  std::int64_t num_layers = 1;
  bool bidirectional = false;

  std::size_t directed_layers() const {
    return static_cast<std::size_t>(num_layers) * (bidirectional ? 2 : 1);
  }
  std::size_t params_each() const { return has_biases ? 4 : 2; }
  auto arguments() const {
    return named({"has_biases", "num_layers", "bidirectional"}, has_biases, num_layers,
                 bidirectional);
  }
};

struct LstmCellAttributes {
  bool has_biases = true;
  auto arguments() const { return named({"has_biases"}, has_biases); }
};

namespace calls {
// Inputs x [T, N, in], h, c, params. Outputs output, h_n, c_n, and what the backward reads, [T, N,
// H] of each layer and direction: i, g (the C function's j), f, o, h, c, tanh(c). Where nobody
// reads these they are not written.
extern const Declaration<RecurrentAttributes> lstm;
// The same without c. Kept are r, z, n, h w_hn^T + b_hn, h.
extern const Declaration<RecurrentAttributes> gru;
// Inputs of the forward, what it kept, and gradients of output, h_n and c_n. Outputs the gradients
// of the forward's inputs.
extern const Declaration<RecurrentAttributes> lstm_backward, gru_backward;
// Inputs x w_ih^T, h w_hh^T, c, and the biases. Outputs h', c', and the gates after their
// functions.
extern const Declaration<LstmCellAttributes> lstm_cell;
// Inputs gradients of h' and c', then c, c' and the gates. Outputs the gradients of the products,
// of c, and of the biases if there are any.
extern const Declaration<LstmCellAttributes> lstm_cell_backward;
}  // namespace calls

using LstmOp = DeclaredOp<calls::lstm>;
using LstmBackwardOp = DeclaredOp<calls::lstm_backward>;
using GruOp = DeclaredOp<calls::gru>;
using GruBackwardOp = DeclaredOp<calls::gru_backward>;
using LstmCellOp = DeclaredOp<calls::lstm_cell>;
using LstmCellBackwardOp = DeclaredOp<calls::lstm_cell_backward>;

/// Gradients of the inputs of a node of lstm() or gru(), whose inputs and outputs these are, from
/// those of output, h_n and c_n.
std::vector<Value> lstm_backward(const std::vector<Value>& inputs,
                                 const std::vector<Value>& outputs,
                                 const std::array<Value, 3>& gradients,
                                 const RecurrentAttributes& attributes);
std::vector<Value> gru_backward(const std::vector<Value>& inputs, const std::vector<Value>& outputs,
                                const std::array<Value, 2>& gradients,
                                const RecurrentAttributes& attributes);

/// A step of lstm_cell() behind its products: h', c' and the gates after their functions.
std::array<Value, 3> fused_lstm_cell(Operand input_gates, const Value& hidden_gates, const Value& c,
                                     const Value& b_ih = {}, const Value& b_hh = {});

/// Gradients of both products alike, of c, and of both biases alike if they are there, else empty.
std::array<Value, 3> lstm_cell_backward(Operand grad_h, const Value& grad_c, const Value& c,
                                        const Value& next_c, const Value& gates, bool has_biases);

}  // namespace aclgrad
