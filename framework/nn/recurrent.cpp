// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn/recurrent.h"

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

// Makes a cell's variables. `make(arguments...)` calls that of the module that they belong to.
template <class Make>
RecurrentWeights make_weights(std::int64_t in, std::int64_t hidden, std::int64_t gates, DType dtype,
                              std::optional<std::uint64_t> seed, const std::string& suffix,
                              const Make& make) {
  const auto weight = [=](std::int64_t rows) -> std::function<Tensor(std::uint64_t)> {
    return [=](std::uint64_t drawn) {
      const double limit = 1 / std::sqrt(static_cast<double>(hidden));
      return init::uniform({rows, gates * hidden}, drawn, -limit, limit, dtype);
    };
  };
  const Tensor bias = Tensor::zeros({gates * hidden}, dtype);
  return {make("weight_ih" + suffix, weight(in), seed),
          make("weight_hh" + suffix, weight(hidden), seed), make("bias_ih" + suffix, bias),
          make("bias_hh" + suffix, bias)};
}

// The weights as recording functions take them: the gates above each other.
std::vector<Value> params_of(const Value& x, const RecurrentWeights& weights) {
  const auto transposed = [&](const Variable& weight) {
    return transpose(detail::value_for(x, weight), 0, 1);
  };
  return {transposed(weights.weight_ih), transposed(weights.weight_hh),
          detail::value_for(x, weights.bias_ih), detail::value_for(x, weights.bias_hh)};
}

}  // namespace

// ---- Cells --------------------------------------------------------------------------------------

GruCell::GruCell(const Name& name, std::int64_t in, std::int64_t hidden,
                 std::optional<std::uint64_t> seed, DType dtype)
    : Module(with_units(name, "GruCell", in, hidden), fmt::format("GruCell {} to {}", in, hidden)),
      hidden_(hidden),
      weights_(make_weights(in, hidden, kGruGates, dtype, seed, "",
                            [&](const auto&... arguments) { return parameter(arguments...); })) {
  mark_transposed_in_pytorch(weights_.weight_ih);
  mark_transposed_in_pytorch(weights_.weight_hh);
}

Value GruCell::operator()(Operand x, const Value& h) const {
  const RecordScope scope(x);
  const std::vector<Value> params = params_of(x, weights_);
  return gru_cell(x, h, params[0], params[1], params[2], params[3]).named(path());
}

LstmCell::LstmCell(const Name& name, std::int64_t in, std::int64_t hidden,
                   std::optional<std::uint64_t> seed, DType dtype)
    : Module(with_units(name, "LstmCell", in, hidden),
             fmt::format("LstmCell {} to {}", in, hidden)),
      hidden_(hidden),
      weights_(make_weights(in, hidden, kLstmGates, dtype, seed, "",
                            [&](const auto&... arguments) { return parameter(arguments...); })) {
  mark_transposed_in_pytorch(weights_.weight_ih);
  mark_transposed_in_pytorch(weights_.weight_hh);
}

RecurrentState LstmCell::operator()(Operand x, const RecurrentState& state) const {
  const RecordScope scope(x);
  const std::vector<Value> params = params_of(x, weights_);
  const RecurrentState next = lstm_cell(x, state, params[0], params[1], params[2], params[3]);
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
  detail::require_size(kind == Kind::gru ? "Gru" : "Lstm", "num_layers", options.num_layers);
  const std::int64_t directions = options.bidirectional ? 2 : 1;
  for (std::int64_t layer = 0; layer < options.num_layers; ++layer) {
    for (std::int64_t direction = 0; direction < directions; ++direction) {
      const RecurrentWeights& made = weights_.emplace_back(
          make_weights(layer == 0 ? in : directions * hidden, hidden,
                       kind == Kind::gru ? kGruGates : kLstmGates, options.dtype, options.seed,
                       fmt::format("_l{}{}", layer, direction == 1 ? "_reverse" : ""),
                       [&](const auto&... arguments) { return parameter(arguments...); }));
      mark_transposed_in_pytorch(made.weight_ih);
      mark_transposed_in_pytorch(made.weight_hh);
    }
  }
}

// States and lengths are checked where they are used, by gru() and lstm().
void Recurrent::check(const Value& x, const RecurrentInputs& inputs) const {
  if (x.shape().rank() != 3 || x.shape()[2] != in_) {
    throw ShapeError(fmt::format("`{}` runs over [N, T, {}], got {}", path(), in_, x.shape()));
  }
  if (inputs.state.c.id() >= 0 && kind_ == Kind::gru) {
    throw ValueError(fmt::format("`{}` is a GRU, whose state has no c", path()));
  }
}

RecurrentResult Recurrent::run(Operand x, const RecurrentInputs& inputs) const {
  const RecordScope scope(x);
  check(x, inputs);
  const Shape states{static_cast<std::int64_t>(weights_.size()), x.shape()[0], hidden_};
  const auto begin = [&](const Value& given) {
    return given.id() >= 0 ? given : x.graph().constant(Tensor::zeros(states, x.dtype()));
  };
  std::vector<Value> params;
  for (const RecurrentWeights& weights : weights_) {
    for (const Value& param : params_of(x, weights)) params.push_back(param);
  }
  const RecurrentFunctionOptions options{.num_layers = options_.num_layers,
                                         .bidirectional = options_.bidirectional,
                                         .batch_first = true,
                                         .lengths = inputs.lengths};
  if (kind_ == Kind::gru) {
    const GruResult result = gru(x, begin(inputs.state.h), params, options);
    return {.outputs = result.output.named(path()), .state = {.h = result.h_n}};
  }
  const LstmResult result =
      lstm(x, {begin(inputs.state.h), begin(inputs.state.c)}, params, options);
  return {.outputs = result.output.named(path()), .state = {result.h_n, result.c_n}};
}

}  // namespace aclgrad
