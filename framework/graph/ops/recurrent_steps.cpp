// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/recurrent_steps.h"

#include <fmt/format.h>

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

// The weights of one level in one direction.
struct SweepWeights {
  Value w_ih, w_hh, b_ih = {}, b_hh = {};

  SweepWeights(const std::vector<Value>& params, std::size_t number, bool has_biases)
      : w_ih(params[number * (has_biases ? 4 : 2)]),
        w_hh(params[number * (has_biases ? 4 : 2) + 1]) {
    if (!has_biases) return;
    b_ih = params[number * 4 + 2];
    b_hh = params[number * 4 + 3];
  }
};

// One level in one direction: h after every step, and the state after the last.
Value sweep(const Value& x, bool backwards, const SweepWeights& weights, const Value& lengths,
            RecurrentState& state) {
  const std::int64_t steps = x.shape()[0], batch = x.shape()[1];
  const Value projected = weighted(x, weights.w_ih, weights.b_ih);
  const Value counted = lengths ? reshape(lengths, {batch, 1}) : Value();
  std::vector<Value> all(static_cast<std::size_t>(steps));
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t t = backwards ? steps - 1 - step : step;
    const Value input = reshape(slice(projected, 0, t, t + 1), {batch, projected.shape()[2]});
    const Value hidden = weighted(state.h, weights.w_hh, weights.b_hh);
    RecurrentState next;
    if (state.c) {
      const auto made = fused_lstm_cell(input, hidden, state.c);
      next = {made[0], made[1]};
    } else {
      next.h = gru_step(input, hidden, state.h);
    }
    Value output = next.h;
    if (lengths) {
      const Value counts = gt(counted, static_cast<double>(t));
      next.h = where(counts, next.h, state.h);
      if (next.c) next.c = where(counts, next.c, state.c);
      output = masked_fill(output, le(counted, static_cast<double>(t)), 0);
    }
    state = next;
    all[static_cast<std::size_t>(t)] = output;
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
  if (x.rank() != 2 || h.rank() != 2 || h[0] != x[0] || h[1] == 0) {
    record.shape_error(
        fmt::format("takes an input [N, in] and a state [N, H], got {} and {}", x, h));
  }
  const std::size_t count = 2 + weights.size() + (has_c ? 1 : 0);
  for (std::size_t k = 1; k < count; ++k) record.require_same_dtype(k, 0);
  const Shape wanted[] = {
      {gates * h[1], x[1]}, {gates * h[1], h[1]}, {gates * h[1]}, {gates * h[1]}};
  constexpr const char* kNames[] = {"w_ih", "w_hh", "b_ih", "b_hh"};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k].shape() == wanted[k]) continue;
    record.shape_error(
        fmt::format("{} must be {}, got {}", kNames[k], wanted[k], weights[k].shape()));
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

Stepped by_steps(const Value& x, const RecurrentState& begin, const std::vector<Value>& params,
                 const RecurrentFunctionOptions& options) {
  const std::int64_t batch = x.shape()[1], directions = options.bidirectional ? 2 : 1;
  const auto begin_of = [&](const Value& states, std::int64_t number) {
    return reshape(slice(states, 0, number, number + 1), {batch, states.shape()[2]});
  };
  Value output = x;
  std::vector<Value> h, c;
  for (std::int64_t level = 0; level < options.num_layers; ++level) {
    std::vector<Value> ways;
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const std::int64_t number = level * directions + direction;
      RecurrentState state{.h = begin_of(begin.h, number)};
      if (begin.c) state.c = begin_of(begin.c, number);
      const SweepWeights weights(params, static_cast<std::size_t>(number), options.has_biases);
      ways.push_back(sweep(output, direction == 1, weights, options.lengths, state));
      h.push_back(state.h);
      if (state.c) c.push_back(state.c);
    }
    output = directions == 2 ? cat(ways, -1) : ways.front();
  }
  return {output, {stack(h, 0), c.empty() ? Value() : stack(c, 0)}};
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
