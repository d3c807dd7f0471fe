// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/recurrent_steps.h"

#include "aclgrad/format.h"
#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/matmul.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell_backward.h"

namespace aclgrad {
namespace {

// x w^T, with a bias where there is one.
Value weighted(const Value& x, const Value& weight, const Value& bias) {
  const Value columns = transpose(weight, 0, 1);
  return bias ? linear(x, columns, bias) : matmul(x, columns);
}

// What gru_cell() makes of x w_ih^T + b_ih and h w_hh^T + b_hh.
Value gru_step(const Value& input, const Value& hidden, const Value& h) {
  const std::int64_t size = h.shape()[1];
  const auto part = [&](const Value& all, std::int64_t first, std::int64_t last) {
    return slice(all, 1, first * size, last * size);
  };
  const Value gates = sigmoid(add(part(input, 0, 2), part(hidden, 0, 2)));
  const Value reset = part(gates, 0, 1), update = part(gates, 1, 2);
  const Value fresh = tanh(add(part(input, 2, 3), mul(reset, part(hidden, 2, 3))));
  // (1 - z) n + z h = n + z (h - n)
  return add(fresh, mul(update, sub(h, fresh)));
}

// ---- Steps of layers ----------------------------------------------------------------------------

// One layer in one direction, by nodes for each step.
Value pass_by_steps(const Value& x, bool backwards, const std::vector<Value>& params,
                    RecurrentState& state) {
  const std::int64_t steps = x.shape()[0], batch = x.shape()[1];
  const bool has_biases = params.size() == 4;
  const Value projected = weighted(x, params[0], has_biases ? params[2] : Value());
  std::vector<Value> all(static_cast<std::size_t>(steps));
  for (std::int64_t k = 0; k < steps; ++k) {
    const std::int64_t t = backwards ? steps - 1 - k : k;
    const Value input = reshape(slice(projected, 0, t, t + 1), {batch, projected.shape()[2]});
    const Value hidden = weighted(state.h, params[1], has_biases ? params[3] : Value());
    if (state.c) {
      const auto made = fused_lstm_cell(input, hidden, state.c);
      state = {made[0], made[1]};
    } else {
      state.h = gru_step(input, hidden, state.h);
    }
    all[static_cast<std::size_t>(t)] = state.h;
  }
  return stack(all, 0);
}

// ---- Cells --------------------------------------------------------------------------------------

// Inputs x, h, weights, biases, and c of an LSTM; of gates beside each other.
void check_cell(const Recorder& record, std::int64_t gates, const std::vector<Value>& weights,
                bool has_c) {
  record.require_floating(0);
  const Shape& x = record.input(0).shape();
  const Shape& h = record.input(1).shape();
  record.require_shape(x.rank() == 2 && h.rank() == 2 && h[0] == x[0] && h[1] != 0,
                       "takes an input [N, in] and a state [N, H], got {} and {}", x, h);
  const std::size_t count = 2 + weights.size() + (has_c ? 1 : 0);
  for (std::size_t k = 1; k < count; ++k) record.require_same_dtype(k, 0);
  const Shape wanted[] = {
      {gates * h[1], x[1]}, {gates * h[1], h[1]}, {gates * h[1]}, {gates * h[1]}};
  constexpr const char* kNames[] = {"w_ih", "w_hh", "b_ih", "b_hh"};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    record.require_shape(weights[k].shape() == wanted[k], "{} must be {}, got {}", kNames[k],
                         wanted[k], weights[k].shape());
  }
  if (has_c) record.require_same_shape(count - 1, 1);
}

std::vector<Value> cell_weights(const char* op, Operand input, const Value& w_ih, const Value& w_hh,
                                const Value& b_ih, const Value& b_hh) {
  std::vector<Value> weights = {w_ih, w_hh};
  if ((b_ih.id() >= 0) != (b_hh.id() >= 0)) {
    Recorder(op, {input}, input.where).value_error("takes both biases or neither");
  }
  if (b_ih.id() >= 0) weights.insert(weights.end(), {b_ih, b_hh});
  return weights;
}

std::vector<Value> joined(std::vector<Value> first, const std::vector<Value>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

}  // namespace

RecurrentState lstm_cell(Operand input, const RecurrentState& hx, const Value& w_ih,
                         const Value& w_hh, const Value& b_ih, const Value& b_hh) {
  const RecordScope scope(input);
  const std::vector<Value> weights = cell_weights("lstm_cell", input, w_ih, w_hh, b_ih, b_hh);
  std::vector<Value> all = joined({input, hx.h}, weights);
  all.push_back(hx.c);
  check_cell(Recorder("lstm_cell", std::move(all), input.where), 4, weights, true);
  const auto [h, c, gates] =
      fused_lstm_cell(weighted(input, w_ih, {}), weighted(hx.h, w_hh, {}), hx.c, b_ih, b_hh);
  return {h, c};
}

Value gru_cell(Operand input, const Value& hx, const Value& w_ih, const Value& w_hh,
               const Value& b_ih, const Value& b_hh) {
  const RecordScope scope(input);
  const std::vector<Value> weights = cell_weights("gru_cell", input, w_ih, w_hh, b_ih, b_hh);
  check_cell(Recorder("gru_cell", joined({input, hx}, weights), input.where), 3, weights, false);
  return gru_step(weighted(input, w_ih, b_ih), weighted(hx, w_hh, b_hh), hx);
}

std::array<Value, 3> fused_lstm_cell(Operand input_gates, const Value& hidden_gates, const Value& c,
                                     const Value& b_ih, const Value& b_hh) {
  std::vector<Value> inputs = {input_gates, hidden_gates, c};
  const bool has_biases = b_ih.id() >= 0;
  if (has_biases) inputs.insert(inputs.end(), {b_ih, b_hh});
  Recorder record("lstm_cell", std::move(inputs), input_gates.where);
  record.require_floating(0);
  record.require_same_dtype(1, 0);
  record.require_same_dtype(2, 0);
  record.require_same_shape(1, 0);
  const auto made =
      record.add<LstmCellOp>({has_biases}, {record.like(2), record.like(2), record.like(0)});
  return {made[0], made[1], made[2]};
}

std::array<Value, 3> lstm_cell_backward(Operand grad_h, const Value& grad_c, const Value& c,
                                        const Value& next_c, const Value& gates, bool has_biases) {
  Recorder record("lstm_cell_backward", {grad_h, grad_c, c, next_c, gates}, grad_h.where);
  std::vector<TensorSpec> outputs = {record.like(4), record.like(2)};
  if (has_biases) outputs.push_back({Shape{gates.shape()[1]}, gates.dtype()});
  std::vector<Value> made = record.add<LstmCellBackwardOp>({has_biases}, std::move(outputs));
  made.resize(3);
  return {made[0], made[1], made[2]};
}

namespace detail {

LayersResult layer_by_layer(const Value& x, const RecurrentState& begin,
                            const std::vector<Value>& params,
                            const RecurrentFunctionOptions& options, const RecurrentPass& pass) {
  const std::int64_t batch = x.shape()[1], directions = options.bidirectional ? 2 : 1;
  const std::ptrdiff_t params_each = options.has_biases ? 4 : 2;
  const auto state_of = [&](const Value& states, std::int64_t number) {
    return reshape(slice(states, 0, number, number + 1), {batch, states.shape()[2]});
  };
  Value output = x;
  std::vector<Value> h, c;
  for (std::int64_t layer = 0; layer < options.num_layers; ++layer) {
    std::vector<Value> outputs;
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const std::int64_t number = layer * directions + direction;
      RecurrentState state{.h = state_of(begin.h, number)};
      if (begin.c) state.c = state_of(begin.c, number);
      const auto first = params.begin() + number * params_each;
      outputs.push_back(pass(output, direction == 1, {first, first + params_each}, state));
      h.push_back(state.h);
      if (state.c) c.push_back(state.c);
    }
    output = directions == 2 ? cat(outputs, -1) : outputs.front();
  }
  return {output, {stack(h, 0), c.empty() ? Value() : stack(c, 0)}};
}

LayersResult by_steps(const Value& x, const RecurrentState& begin, const std::vector<Value>& params,
                      const RecurrentFunctionOptions& options) {
  return layer_by_layer(x, begin, params, options, pass_by_steps);
}

}  // namespace detail

namespace calls {

const Declaration<LstmCellAttributes> lstm_cell = {
    "lstm_cell", ACLGRAD_C(aclnnThnnFusedLstmCell), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const bool has = values.has_biases;
      return aclnnThnnFusedLstmCellGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), has ? call.input(3) : nullptr,
          has ? call.input(4) : nullptr, call.output(0), call.output(1), call.output(2), end...);
    }};
const Declaration<LstmCellAttributes> lstm_cell_backward = {
    "lstm_cell_backward", ACLGRAD_C(aclnnThnnFusedLstmCellBackward), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnThnnFusedLstmCellBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), call.input(3), call.input(4),
          values.has_biases, call.output(0), call.output(1),
          values.has_biases ? call.output(2) : nullptr, end...);
    }};

}  // namespace calls
}  // namespace aclgrad
