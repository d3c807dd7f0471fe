// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/recurrent.h"

#include "aclgrad/backward.h"
#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

// ---- A cell -------------------------------------------------------------------------------------
// Of the gates s = (i, f, g, o) behind their functions, with t = tanh(c') and the gradients h and c
// of h' and c', the backward is
//
//   d = c + h o (1 - t^2),  of c: d f,
//   of the products: d g s_i, d c s_f, d i s_g, h t s_o,  with slopes s_i = i (1 - i) and so on.

struct CellGates {
  Value i, f, g, o;
};

CellGates cut_gates(const Value& all) {
  const std::int64_t size = all.shape()[1] / 4;
  const auto gate = [&](std::int64_t k) { return slice(all, 1, k * size, (k + 1) * size); };
  return {gate(0), gate(1), gate(2), gate(3)};
}

Value joined_gates(const CellGates& gates) { return cat({gates.i, gates.f, gates.g, gates.o}, 1); }

Value sigmoid_slope_at(const Value& s) { return mul(s, 1 - s); }
Value tanh_slope_at(const Value& t) { return mul(1 - t, t + 1); }

CellGates cell_slopes(const CellGates& s) {
  return {sigmoid_slope_at(s.i), sigmoid_slope_at(s.f), tanh_slope_at(s.g), sigmoid_slope_at(s.o)};
}

// What arrived at an output, or zeros.
Value arrived_at(const RuleCall& call, std::size_t output) {
  return call.has_gradient(output) ? call.gradient(output) : zeros_for(call.output(output));
}

InputGradients of_cell(const LstmCellOp& op, const RuleCall& call) {
  auto [products, of_c, of_bias] =
      lstm_cell_backward(arrived_at(call, 0), arrived_at(call, 1), call.input(2), call.output(1),
                         call.output(2), op.has_biases);
  if (call.has_gradient(2)) {  // only from gradients of gradients
    const Value slopes = joined_gates(cell_slopes(cut_gates(call.output(2))));
    const Value more = mul(call.gradient(2), slopes);
    add_to(products, more);
    if (op.has_biases) add_to(of_bias, reduce_sum(more, {0}));
  }
  InputGradients gradients = {products, products, of_c};
  if (op.has_biases) gradients.insert(gradients.end(), {of_bias, of_bias});
  return gradients;
}

InputGradients of_cell_backward(const LstmCellBackwardOp&, const RuleCall& call) {
  const Value &h = call.input(0), &c_before = call.input(2);
  const CellGates s = cut_gates(call.input(4)), slope = cell_slopes(s);
  const Value t = tanh(call.input(3)), t_slope = tanh_slope_at(t);
  const Value d = add(call.input(1), mul(mul(h, s.o), t_slope));
  // v of the products, to which the biases add; w of d.
  Value of_products = arrived_at(call, 0);
  if (call.node().outputs.size() > 2 && call.has_gradient(2)) {
    of_products = add(of_products, call.gradient(2));
  }
  const CellGates v = cut_gates(of_products);
  const Value e = arrived_at(call, 1);
  const Value v_i = mul(v.i, slope.i), v_f = mul(v.f, slope.f), v_g = mul(v.g, slope.g),
              v_o = mul(v.o, slope.o);
  const Value w = add(add(mul(v_i, s.g), mul(v_f, c_before)), add(mul(v_g, s.i), mul(e, s.f)));
  const Value by_t = sub(mul(v_o, h), mul(mul(mul(w, h), s.o), t * 2));
  const CellGates by_gates = {add(mul(d, mul(mul(v.i, s.g), 1 - s.i * 2)), mul(d, v_g)),
                              add(mul(d, mul(mul(v.f, c_before), 1 - s.f * 2)), mul(d, e)),
                              sub(mul(d, v_i), mul(d, mul(mul(v.g, s.i), s.g * 2))),
                              mul(h, add(mul(w, t_slope), mul(mul(v.o, t), 1 - s.o * 2)))};
  return {add(mul(mul(w, s.o), t_slope), mul(v_o, t)), w, mul(v_f, d), mul(by_t, t_slope),
          joined_gates(by_gates)};
}

// ---- Layers -------------------------------------------------------------------------------------

std::vector<Value> inputs_between(const RuleCall& call, std::size_t first, std::size_t end) {
  std::vector<Value> values;
  for (std::size_t k = first; k < end; ++k) values.push_back(call.input(k));
  return values;
}

std::vector<Value> outputs_of(const RuleCall& call) {
  std::vector<Value> values;
  for (std::size_t k = 0; k < call.node().outputs.size(); ++k) values.push_back(call.output(k));
  return values;
}

void refuse_gradients_of_kept(const RuleCall& call, std::size_t first) {
  for (std::size_t k = first; k < call.node().outputs.size(); ++k) {
    refuse_use(call, k, "what is kept of single steps");
  }
}

// output, h_n and c_n of nodes for each step; `given` has x, the states and the params.
std::vector<Value> recorded_by_steps(const RecurrentAttributes& op, std::size_t states,
                                     const std::vector<Value>& given) {
  const RecurrentFunctionOptions options{.has_biases = op.has_biases,
                                         .num_layers = op.num_layers,
                                         .bidirectional = op.bidirectional,
                                         .by_steps = true};
  const std::vector<Value> params(given.begin() + 1 + static_cast<std::ptrdiff_t>(states),
                                  given.end());
  if (states == 2) {
    const LstmResult of = lstm(given[0], {given[1], given[2]}, params, options);
    return {of.output, of.h_n, of.c_n};
  }
  const GruResult of = gru(given[0], given[1], params, options);
  return {of.output, of.h_n};
}

// Gradients of the gradients: those of the same layers, recorded again as nodes for each step. What
// the backward reads of the forward follows from the inputs of both.
template <class Forward>
InputGradients of_layers_backward(const RecurrentAttributes& op, const RuleCall& call,
                                  std::size_t states) {
  const std::size_t count = call.node().inputs.size();
  const std::size_t given = 1 + states + op.directed_layers() * op.params_each();
  const std::size_t first_gradient = count - 1 - states;
  require_kept_of_inputs<Forward>(call, given,
                                  "a gradient from steps that are not those of its inputs");

  // Views, so that inputs which depend on each other are told apart.
  std::vector<Value> views;
  const auto view = [&](std::size_t k) {
    return views.emplace_back(expand(call.input(k), call.input(k).shape()));
  };
  for (std::size_t k = 0; k < given; ++k) view(k);
  const std::vector<Value> inputs = views;
  const std::vector<Value> outputs = recorded_by_steps(op, states, inputs);
  Value weighted;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    add_to(weighted, reduce_sum(mul(outputs[k], view(first_gradient + k))));
  }
  const Gradients first = backward(weighted, inputs);
  Value sum;
  for (std::size_t k = 0; k < given; ++k) {
    if (call.has_gradient(k)) add_to(sum, reduce_sum(mul(first[inputs[k]], call.gradient(k))));
  }
  const Gradients second = backward(sum, views, {.allow_unused = true});
  InputGradients gradients(count);
  for (std::size_t k = 0; k < views.size(); ++k) {
    gradients[k < given ? k : first_gradient + k - given] = second[views[k]];
  }
  return gradients;
}

}  // namespace

void add_recurrent_rules(RuleTable& table) {
  table.add<LstmCellOp, of_cell>();
  table.add<LstmCellBackwardOp, of_cell_backward>();
  table.add<LstmOp>([](auto& op, Call call) {
    refuse_gradients_of_kept(call, 3);
    return lstm_backward(inputs_between(call, 0, call.node().inputs.size()), outputs_of(call),
                         {arrived_at(call, 0), arrived_at(call, 1), arrived_at(call, 2)}, op);
  });
  table.add<LstmBackwardOp>(
      [](auto& op, Call call) { return of_layers_backward<LstmOp>(op, call, 2); });
  table.add<GruOp>([](auto& op, Call call) {
    refuse_gradients_of_kept(call, 2);
    return gru_backward(inputs_between(call, 0, call.node().inputs.size()), outputs_of(call),
                        {arrived_at(call, 0), arrived_at(call, 1)}, op);
  });
  table.add<GruBackwardOp>(
      [](auto& op, Call call) { return of_layers_backward<GruOp>(op, call, 1); });
}

}  // namespace aclgrad::detail
