// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn_recurrent.h"

#include <fmt/format.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "nn/support.h"

namespace aclgrad {
namespace {

constexpr std::int64_t kGruGates = 3, kLstmGates = 4;

Module::Name with_units(const Module::Name& name, std::string_view layer, std::int64_t in,
                        std::int64_t hidden) {
  detail::require_size(layer, "in", in);
  detail::require_size(layer, "hidden", hidden);
  return name;
}

// Makes a cell's variables. `parameter(of...)` calls that of the module that they belong to.
template <class Parameter>
RecurrentWeights make_weights(std::int64_t in, std::int64_t hidden, std::int64_t gates, DType dtype,
                              std::optional<std::uint64_t> seed, const std::string& suffix,
                              const Parameter& parameter) {
  const auto weight = [=](std::int64_t rows) -> Module::Draw {
    return [=](std::uint64_t drawn) {
      const double limit = 1 / std::sqrt(static_cast<double>(hidden));
      return init::uniform({rows, gates * hidden}, drawn, -limit, limit, dtype);
    };
  };
  const Tensor bias = Tensor::zeros({gates * hidden}, dtype);
  return {parameter("weight_ih" + suffix, weight(in), seed),
          parameter("weight_hh" + suffix, weight(hidden), seed),
          parameter("bias_ih" + suffix, bias), parameter("bias_hh" + suffix, bias)};
}

// x W + b, for every step at once.
Value project(const Value& x, const RecurrentWeights& weights) {
  return linear(x, detail::value_for(x, weights.weight_ih), detail::value_for(x, weights.bias_ih));
}

Value recurrent_part(const Value& h, const RecurrentWeights& weights) {
  return linear(h, detail::value_for(h, weights.weight_hh), detail::value_for(h, weights.bias_hh));
}

Value gates_of(const Value& all, std::int64_t first, std::int64_t last, std::int64_t hidden) {
  return slice(all, 1, first * hidden, last * hidden);
}

Value gru_step(const Value& projected, const Value& h, const RecurrentWeights& weights) {
  const std::int64_t hidden = h.shape()[1];
  const Value recurrent = recurrent_part(h, weights);
  const auto part = [&](const Value& all, std::int64_t first, std::int64_t last) {
    return gates_of(all, first, last, hidden);
  };
  const Value gates = sigmoid(add(part(projected, 0, 2), part(recurrent, 0, 2)));
  const Value reset = part(gates, 0, 1), update = part(gates, 1, 2);
  const Value fresh = tanh(add(part(projected, 2, 3), mul(reset, part(recurrent, 2, 3))));
  // (1 - z) n + z h = n + z (h - n)
  return add(fresh, mul(update, sub(h, fresh)));
}

RecurrentState lstm_step(const Value& projected, const RecurrentState& state,
                         const RecurrentWeights& weights) {
  const std::int64_t hidden = state.h.shape()[1];
  const Value all = add(projected, recurrent_part(state.h, weights));
  const Value in_and_forget = sigmoid(gates_of(all, 0, 2, hidden));
  const Value fresh = tanh(gates_of(all, 2, 3, hidden));
  const Value out = sigmoid(gates_of(all, 3, 4, hidden));
  const Value c = add(mul(gates_of(in_and_forget, 1, 2, hidden), state.c),
                      mul(gates_of(in_and_forget, 0, 1, hidden), fresh));
  return {mul(out, tanh(c)), c};
}

}  // namespace

// ---- Cells --------------------------------------------------------------------------------------

GruCell::GruCell(const Name& name, std::int64_t in, std::int64_t hidden,
                 std::optional<std::uint64_t> seed, DType dtype)
    : Module(with_units(name, "GruCell", in, hidden), fmt::format("GruCell {} to {}", in, hidden)),
      hidden_(hidden),
      weights_(make_weights(in, hidden, kGruGates, dtype, seed, "",
                            [&](const auto&... of) { return parameter(of...); })) {
  mark_transposed_in_pytorch(weights_.weight_ih);
  mark_transposed_in_pytorch(weights_.weight_hh);
}

Value GruCell::operator()(Operand x, const Value& h) const {
  const RecordScope scope(x);
  return gru_step(project(x, weights_), h, weights_).named(path());
}

LstmCell::LstmCell(const Name& name, std::int64_t in, std::int64_t hidden,
                   std::optional<std::uint64_t> seed, DType dtype)
    : Module(with_units(name, "LstmCell", in, hidden),
             fmt::format("LstmCell {} to {}", in, hidden)),
      hidden_(hidden),
      weights_(make_weights(in, hidden, kLstmGates, dtype, seed, "",
                            [&](const auto&... of) { return parameter(of...); })) {
  mark_transposed_in_pytorch(weights_.weight_ih);
  mark_transposed_in_pytorch(weights_.weight_hh);
}

RecurrentState LstmCell::operator()(Operand x, const RecurrentState& state) const {
  const RecordScope scope(x);
  const RecurrentState next = lstm_step(project(x, weights_), state, weights_);
  next.h.named(path());
  return next;
}

// ---- Layers -------------------------------------------------------------------------------------

Recurrent::Recurrent(const Name& name, Kind kind, std::int64_t in, std::int64_t hidden,
                     const RecurrentOptions& options)
    : Module(with_units(name, kind == Kind::gru ? "Gru" : "Lstm", in, hidden),
             fmt::format("{} {} to {}", kind == Kind::gru ? "Gru" : "Lstm", in, hidden)),
      kind_(kind),
      in_(in),
      hidden_(hidden),
      options_(options) {
  detail::require_size(kind == Kind::gru ? "Gru" : "Lstm", "levels", options.levels);
  const std::int64_t directions = options.bidirectional ? 2 : 1;
  for (std::int64_t level = 0; level < options.levels; ++level) {
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const RecurrentWeights& made = weights_.emplace_back(
          make_weights(level == 0 ? in : directions * hidden, hidden,
                       kind == Kind::gru ? kGruGates : kLstmGates, options.dtype, options.seed,
                       fmt::format("_l{}{}", level, direction == 1 ? "_reverse" : ""),
                       [&](const auto&... of) { return parameter(of...); }));
      mark_transposed_in_pytorch(made.weight_ih);
      mark_transposed_in_pytorch(made.weight_hh);
    }
  }
}

void Recurrent::check(const Value& x, const RecurrentInputs& inputs) const {
  if (x.shape().rank() != 3 || x.shape()[2] != in_) {
    throw ShapeError(fmt::format("`{}` runs over [N, T, {}], got {}", path(), in_, x.shape()));
  }
  const std::int64_t batch = x.shape()[0];
  if (x.shape()[1] == 0) {
    throw ShapeError(
        fmt::format("`{}` runs over at least one step, got none: {}", path(), x.shape()));
  }
  const auto sweeps = static_cast<std::int64_t>(weights_.size());
  for (const Value& state : {inputs.state.h, inputs.state.c}) {
    if (state.id() < 0 || state.shape() == Shape{sweeps, batch, hidden_}) continue;
    throw ShapeError(fmt::format("`{}` begins with states of shape [{}, {}, {}], got {}", path(),
                                 sweeps, batch, hidden_, state.shape()));
  }
  if (inputs.state.c.id() >= 0 && kind_ == Kind::gru) {
    throw ValueError(fmt::format("`{}` is a GRU, whose state has no c", path()));
  }
  const Value& lengths = inputs.lengths;
  if (lengths.id() < 0) return;
  if (lengths.shape() != Shape{batch}) {
    throw ShapeError(fmt::format("`{}` takes the lengths of {} sequences, got {}", path(), batch,
                                 lengths.shape()));
  }
  if (lengths.dtype() != DType::int64 && lengths.dtype() != DType::int32) {
    throw DTypeError(
        fmt::format("`{}` takes lengths of int64 or int32, got {}", path(), lengths.dtype()));
  }
}

// One level in one direction: h after every step, and the state after the last.
Value Recurrent::sweep(const Value& x, std::size_t index, const RecurrentInputs& inputs,
                       RecurrentState& last) const {
  const RecurrentWeights& weights = weights_[index];
  const std::int64_t batch = x.shape()[0], steps = x.shape()[1];
  const bool backwards = options_.bidirectional && index % 2 == 1;
  // [T, N, gates hidden]: the part of a step lies dense
  const Value projected = project(permute(x, {1, 0, 2}), weights);
  const std::int64_t width = projected.shape()[2];
  const auto begin = [&](const Value& given) {
    if (given.id() < 0) return x.graph().constant(Tensor::zeros({batch, hidden_}, x.dtype()));
    const auto place = static_cast<std::int64_t>(index);
    return reshape(slice(given, 0, place, place + 1), {batch, hidden_});
  };
  RecurrentState state{.h = begin(inputs.state.h)};
  if (kind_ == Kind::lstm) state.c = begin(inputs.state.c);
  const bool packed = inputs.lengths.id() >= 0;
  const Value lengths = packed ? reshape(inputs.lengths, {batch, 1}) : Value();
  std::vector<Value> all(static_cast<std::size_t>(steps));
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t t = backwards ? steps - 1 - step : step;
    const Value part = reshape(slice(projected, 0, t, t + 1), {batch, width});
    RecurrentState next = kind_ == Kind::lstm
                              ? lstm_step(part, state, weights)
                              : RecurrentState{.h = gru_step(part, state.h, weights)};
    Value output = next.h;
    if (packed) {
      const Value counts = gt(lengths, static_cast<double>(t));
      next.h = where(counts, next.h, state.h);
      if (kind_ == Kind::lstm) next.c = where(counts, next.c, state.c);
      output = masked_fill(output, le(lengths, static_cast<double>(t)), 0);
    }
    state = next;
    all[static_cast<std::size_t>(t)] = output;
  }
  last = state;
  return stack(all, 1);
}

RecurrentResult Recurrent::run(Operand x, const RecurrentInputs& inputs) const {
  const RecordScope scope(x);
  check(x, inputs);
  Value outputs = x;
  std::vector<Value> h, c;
  const std::size_t directions = options_.bidirectional ? 2 : 1;
  for (std::size_t first = 0; first < weights_.size(); first += directions) {
    std::vector<Value> ways;
    for (std::size_t direction = 0; direction < directions; ++direction) {
      RecurrentState last;
      ways.push_back(sweep(outputs, first + direction, inputs, last));
      h.push_back(last.h);
      if (last.c) c.push_back(last.c);
    }
    outputs = directions == 2 ? cat(ways, -1) : ways.front();
  }
  RecurrentResult result{.outputs = outputs.named(path()), .state = {.h = stack(h, 0)}};
  if (!c.empty()) result.state.c = stack(c, 0);
  return result;
}

}  // namespace aclgrad
