// SPDX-License-Identifier: Apache-2.0
// A node of all layers is one for each layer. Their weights stay what they are called: the file
// puts the gates in ONNX's order, which runtimes do once, as they are constants.
#include "aclgrad/ops/recurrent.h"

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// Where ONNX's gates lie in ours: i, o, f, c in i, f, g, o; z, r, h in r, z, n.
const Ints kLstmGates = {0, 3, 1, 2};
const Ints kGruGates = {1, 0, 2};

struct Layers {
  const RecurrentAttributes& attributes;
  const Call& call;
  std::size_t states;  // of h, and c
  std::int64_t hidden;

  std::size_t directions() const { return attributes.bidirectional ? 2 : 1; }
  std::size_t first_param(std::size_t number) const {
    return 1 + states + number * attributes.params_each();
  }
};

Term in_order(const Term& param, const Ints& gates, std::int64_t hidden) {
  const auto size = static_cast<std::int64_t>(gates.size());
  // [gates H, ...] by gates: a whole gate is a slice of its own.
  std::vector<Term> parts = ops("Split", {param, ints(param, Ints(gates.size(), hidden))},
                                {{"axis", std::int64_t{0}}}, static_cast<std::size_t>(size));
  std::vector<Term> sorted;
  for (const std::int64_t gate : gates) sorted.push_back(parts[static_cast<std::size_t>(gate)]);
  return concat(sorted, 0);
}

// A parameter of both directions, [directions, gates H, ...].
Term of_directions(const Layers& of, const Ints& gates, std::size_t layer, std::size_t kind) {
  std::vector<Term> all;
  for (std::size_t d = 0; d < of.directions(); ++d) {
    const std::size_t at = of.first_param(layer * of.directions() + d);
    Term param = in_order(of.call.wide(at + kind), gates, of.hidden);
    // ONNX has both biases behind each other.
    if (kind == 2) {
      param = concat({param, in_order(of.call.wide(at + 3), gates, of.hidden)}, 0);
    }
    all.push_back(unsqueeze(param, {0}));
  }
  return concat(all, 0);
}

// The state that a layer begins with, of all states [layers directions, N, H].
Term state_of(const Layers& of, std::size_t input, std::size_t layer) {
  const Term all = of.call.wide(input);
  if (of.attributes.num_layers == 1) return all;
  const auto begin = static_cast<std::int64_t>(layer * of.directions());
  return slice(all, 0, begin, begin + static_cast<std::int64_t>(of.directions()));
}

// Output, and the last states.
std::vector<Term> layers(const char* name, const Ints& gates, const Layers& of) {
  const std::size_t made_by_node = 1 + of.states;
  for (std::size_t k = made_by_node; k < of.call.node().outputs.size(); ++k) {
    if (of.call.is_needed(k)) refuse("what it keeps of each step is no output there");
  }
  Attributes attributes{{"hidden_size", of.hidden},
                        {"direction", of.attributes.bidirectional ? "bidirectional" : "forward"}};
  if (of.states == 1) attributes.emplace_back("linear_before_reset", std::int64_t{1});
  Term x = of.call.wide(0);
  std::vector<std::vector<Term>> last(of.states);
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(of.attributes.num_layers); ++layer) {
    const Term none{x.builder, ""};
    std::vector<Term> inputs = {
        x, of_directions(of, gates, layer, 0), of_directions(of, gates, layer, 1),
        of.attributes.has_biases ? of_directions(of, gates, layer, 2) : none, none};
    for (std::size_t k = 0; k < of.states; ++k) inputs.push_back(state_of(of, 1 + k, layer));
    const std::vector<Term> made = ops(name, inputs, attributes, made_by_node);
    for (std::size_t k = 0; k < of.states; ++k) last[k].push_back(made[1 + k]);
    // [T, directions, N, H] to [T, N, directions H].
    x = of.directions() == 1
            ? squeeze(made[0], {1})
            : op("Reshape", {transpose(made[0], {0, 2, 1, 3}), ints(x, {0, 0, -1})});
  }
  std::vector<Term> all{of.call.narrowed(x)};
  for (const std::vector<Term>& each : last) all.push_back(of.call.narrowed(concat(each, 0)));
  return all;
}

// A step of an LSTM behind its products: i, f, g, o = x w_ih + h w_hh + biases.
std::vector<Term> lstm_cell(const LstmCellOp& a, const Call& call) {
  Term gates = call.wide(0) + call.wide(1);
  if (a.has_biases) gates = gates + call.wide(3) + call.wide(4);
  const std::int64_t size = call.shape(2)[-1];
  const std::vector<Term> parts =
      ops("Split", {gates, ints(gates, Ints(4, size))}, {{"axis", std::int64_t{-1}}}, 4);
  const auto sigmoid = [](const Term& x) { return op("Sigmoid", {x}); };
  const Term in = sigmoid(parts[0]), forget = sigmoid(parts[1]);
  const Term fresh = op("Tanh", {parts[2]}), out = sigmoid(parts[3]);
  const Term c = forget * call.wide(2) + in * fresh;
  std::vector<Term> made{call.narrowed(out * op("Tanh", {c})), call.narrowed(c)};
  if (call.is_needed(2)) made.push_back(call.narrowed(concat({in, forget, fresh, out}, -1)));
  return made;
}

}  // namespace

void add_recurrent(Table& table) {
  table.add<LstmOp>([](auto& a, Call& call) {
    return layers("LSTM", kLstmGates, {a, call, 2, call.shape(1)[2]});
  });
  table.add<GruOp>([](auto& a, Call& call) {
    return layers("GRU", kGruGates, {a, call, 1, call.shape(1)[2]});
  });
  table.add<LstmCellOp>([](auto& a, Call& call) { return lstm_cell(a, call); });
}

}  // namespace aclgrad::onnx::saving
