// SPDX-License-Identifier: Apache-2.0
// Wrong gradients of recurrent layers: those of the same steps with a mistake in one place. And
// wrong backwards of one step.
#include <cmath>

#include "aclgrad/backward.h"
#include "aclgrad/ops.h"
#include "tests/mutants/rule_mutant.h"

namespace aclgrad::mutants {
namespace {

// ---- Layers -------------------------------------------------------------------------------------

constexpr std::int64_t kSteps = 3, kBatch = 2, kIn = 3, kUnits = 2;

// The steps of one direction, from a state without levels, with a mistake or none.
struct WrongSteps {
  std::string edit;

  bool is(const char* other) const { return edit == other; }

  // y, with a slope of 1.
  static Value without_slope(const Value& y, const Value& x) {
    return add(stop_gradient(sub(y, x)), x);
  }
  Value gate(const Value& all, std::int64_t number) const {
    return slice(all, 1, number * kUnits, (number + 1) * kUnits);
  }
  Value side(const Value& x, const Value& weight, const Value& bias) const {
    return linear(x, transpose(weight, 0, 1), bias);
  }

  std::array<Value, 2> lstm_step(const Value& input, const Value& hidden, Value c) const {
    const Value all = add(input, hidden);
    const bool swapped = is("input and forget gates exchanged"), turned = is("o before g");
    const Value i = sigmoid(gate(all, swapped ? 1 : 0)), f = sigmoid(gate(all, swapped ? 0 : 1));
    const Value a_g = gate(all, turned ? 3 : 2), a_o = gate(all, turned ? 2 : 3);
    const Value g = is("tanh of g without its slope") ? without_slope(tanh(a_g), a_g) : tanh(a_g);
    const Value o =
        is("sigmoid of o without its slope") ? without_slope(sigmoid(a_o), a_o) : sigmoid(a_o);
    if (is("c's gradient dropped between steps")) c = stop_gradient(c);
    const Value kept = mul(is("the forget gate's gradient missing") ? stop_gradient(f) : f, c);
    const Value next = add(kept, mul(i, g));
    Value t = tanh(next);
    if (is("tanh of c without its slope")) t = without_slope(t, next);
    if (is("c's gradient past h")) t = stop_gradient(t);
    return {mul(o, t), next};
  }

  Value gru_step(const Value& input, const Value& hidden, const Value& h, const Value& before,
                 const Value& bias) const {
    const bool swapped = is("reset and update exchanged");
    const auto both = [&](std::int64_t k) { return sigmoid(add(gate(input, k), gate(hidden, k))); };
    Value r = both(swapped ? 1 : 0);
    const Value z = both(swapped ? 0 : 1);
    if (is("r's gradient missing")) r = stop_gradient(r);
    Value part = mul(r, gate(hidden, 2));
    if (is("reset before the product")) part = before;
    if (is("the bias not reset")) part = add(part, mul(1 - r, bias));
    const Value a = add(gate(input, 2), part);
    const Value n = is("tanh of n without its slope") ? without_slope(tanh(a), a) : tanh(a);
    if (is("the update gate the other way")) return add(h, mul(z, sub(n, h)));
    const Value held = is("h's gradient past z") ? stop_gradient(h) : h;
    return add(mul(1 - z, n), mul(z, held));
  }

  // Results: h of every step, and the last h and c. Inputs: x, h, c, and four params.
  std::vector<Value> run(std::vector<Value> x, bool is_lstm, bool backwards) const {
    const std::size_t first = is_lstm ? 3 : 2;
    const auto state = [&](std::size_t k) { return reshape(x[k], {kBatch, kUnits}); };
    Value h = state(1), c = is_lstm ? state(2) : Value();
    if (is("h0's gradient missing")) h = stop_gradient(h);
    if (is("c0's gradient missing")) c = stop_gradient(c);
    if (is("bias_hh's gradient forgotten")) x[first + 3] = stop_gradient(x[first + 3]);
    std::vector<Value> all(static_cast<std::size_t>(kSteps));
    for (std::int64_t number = 0; number < kSteps; ++number) {
      const std::int64_t t = backwards && !is("not reversed") ? kSteps - 1 - number : number;
      Value row = reshape(slice(x[0], 0, t, t + 1), {kBatch, kIn});
      if (is("the first step's input forgotten") && number == 0) row = stop_gradient(row);
      Value w_hh = x[first + 1];
      if (is("weight_hh's gradient of the last step only") && number + 1 < kSteps) {
        w_hh = stop_gradient(w_hh);
      }
      if (is("h's gradient dropped between steps")) h = stop_gradient(h);
      const Value input = side(row, x[first], x[first + 2]);
      const Value hidden = side(h, w_hh, x[first + 3]);
      if (is_lstm) {
        const auto next = lstm_step(input, hidden, c);
        h = next[0], c = next[1];
      } else {
        const Value bias = slice(x[first + 3], 0, 2 * kUnits, 3 * kUnits);
        const Value rows = slice(x[first + 1], 0, 2 * kUnits, 3 * kUnits);
        const Value r = sigmoid(add(gate(input, 0), gate(hidden, 0)));
        h = gru_step(input, hidden, h, side(mul(r, h), rows, bias), bias);
      }
      all[static_cast<std::size_t>(t)] = h;
    }
    const auto level = [&](const Value& of) { return reshape(of, {1, kBatch, kUnits}); };
    std::vector<Value> results = {stack(all, 0), level(h)};
    if (is_lstm) results.push_back(level(c));
    return results;
  }
};

// The gradients that arrived, taken back through what `record` makes of the inputs.
InputGradients taken_through(const RuleCall& call,
                             const std::function<std::vector<Value>(std::vector<Value>)>& record) {
  std::vector<Value> inputs;
  for (std::size_t k = 0; k < call.node().inputs.size(); ++k) {
    inputs.push_back(expand(call.input(k), call.input(k).shape()));
  }
  const std::vector<Value> outputs = record(inputs);
  Value sum;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!call.has_gradient(k)) continue;
    const Value term = reduce_sum(mul(outputs[k], call.gradient(k)));
    sum = sum ? add(sum, term) : term;
  }
  const Gradients gradients = backward(sum, inputs, {.allow_unused = true});
  InputGradients in_order;
  for (const Value& input : inputs) in_order.push_back(gradients[input]);
  return in_order;
}

// Kept steps are rounded, and roundings of one step go through all before it.
Mutant with_roundings(Mutant mutant) {
  mutant.make = [make = std::move(mutant.make)] {
    Candidate candidate = make();
    candidate.bound.stored = 128;
    return candidate;
  };
  return mutant;
}

// One number from results that count differently.
Value weighted_sum(const std::vector<Value>& results) {
  Value sum;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Value term =
        reduce_sum(mul(mul(results[k], results[k]), 1 + 0.5 * static_cast<double>(k)));
    sum = sum ? add(sum, term) : term;
  }
  return sum;
}

std::vector<gradcheck::Dims> layer_shapes(std::int64_t gates, bool is_lstm) {
  std::vector<gradcheck::Dims> shapes(is_lstm ? 3 : 2, {1, kBatch, kUnits});
  shapes[0] = {kSteps, kBatch, kIn};
  shapes.insert(
      shapes.end(),
      {{gates * kUnits, kIn}, {gates * kUnits, kUnits}, {gates * kUnits}, {gates * kUnits}});
  return shapes;
}

Mutant lstm_mutant(const std::string& edit) {
  return with_roundings(rule_mutant<LstmOp>(
      "lstm: " + edit, layer_shapes(4, true),
      [](const auto& x) {
        const LstmResult of = lstm(x[0], {x[1], x[2]}, {x.begin() + 3, x.end()});
        return weighted_sum({of.output, of.h_n, of.c_n});
      },
      [edit](const LstmOp&, const RuleCall& call) {
        return taken_through(call, [&](std::vector<Value> x) {
          return WrongSteps{edit}.run(std::move(x), true, false);
        });
      }));
}

Mutant gru_mutant(const std::string& edit) {
  return with_roundings(rule_mutant<GruOp>(
      "gru: " + edit, layer_shapes(3, false),
      [](const auto& x) {
        const GruResult of = gru(x[0], x[1], {x.begin() + 2, x.end()});
        return weighted_sum({of.output, of.h_n});
      },
      [edit](const GruOp&, const RuleCall& call) {
        return taken_through(call, [&](std::vector<Value> x) {
          return WrongSteps{edit}.run(std::move(x), false, false);
        });
      }));
}

// Both directions, each from its own state and weights. Biases are constants: every choice of
// inputs that want a gradient is tried.
Mutant both_ways_mutant(const std::string& edit) {
  return with_roundings(rule_mutant<GruOp>(
      "gru both ways: " + edit,
      {{kSteps, kBatch, kIn},
       {2, kBatch, kUnits},
       {3 * kUnits, kIn},
       {3 * kUnits, kUnits},
       {3 * kUnits, kIn},
       {3 * kUnits, kUnits}},
      [](const auto& x) {
        const Value bias = x[0].graph().constant(Tensor::full({3 * kUnits}, 0.25, x[0].dtype()));
        const GruResult of = gru(x[0], x[1], {x[2], x[3], bias, bias, x[4], x[5], bias, bias},
                                 {.bidirectional = true});
        return weighted_sum({of.output, of.h_n});
      },
      [edit](const GruOp&, const RuleCall& call) {
        return taken_through(call, [&](const std::vector<Value>& x) -> std::vector<Value> {
          const WrongSteps steps{edit};
          const auto way = [&](std::int64_t number) {
            const bool other = steps.is("the other direction's params");
            const std::int64_t first = 2 + 4 * (other ? 1 - number : number);
            std::vector<Value> of = {x[0], slice(x[1], 0, number, number + 1)};
            of.insert(of.end(), x.begin() + first, x.begin() + first + 4);
            return steps.run(std::move(of), false, number == 1);
          };
          const auto front = way(0), back = way(1);
          const bool turned = steps.is("columns exchanged");
          return {turned ? cat({back[0], front[0]}, 2) : cat({front[0], back[0]}, 2),
                  cat({front[1], back[1]}, 0)};
        });
      }));
}

// ---- One step -----------------------------------------------------------------------------------

// Inputs: gradients of hy, then cx, cy and the gates after their functions. Results: gradients of
// the gates, of cx, and of both biases.
Kernels lstm_cell_backward_with(const Edits& edits) {
  return [edits](const Values& in) -> Values {
    const auto is = [&](const char* edit) { return edits.contains(edit); };
    const std::size_t rows = 2, units = in[1].size() / rows;
    Values out = {std::vector<double>(in[3].size()), std::vector<double>(in[1].size()),
                  std::vector<double>(4 * units)};
    for (std::size_t n = 0; n < in[1].size(); ++n) {
      const std::size_t first = n / units * 4 * units + n % units;
      const double i = in[3][first], f = in[3][first + units], g = in[3][first + 2 * units],
                   o = in[3][first + 3 * units];
      const double t = std::tanh(in[2][n]), dh = in[0][n];
      const double dc = dh * o * (is("tanh of c without its slope") ? 1 : 1 - t * t);
      const double slopes[] = {dc * g * i * (1 - i),
                               dc * (is("c' for c") ? in[2][n] : in[1][n]) * f * (1 - f),
                               dc * i * (is("g with a sigmoid's slope") ? g * (1 - g) : 1 - g * g),
                               dh * (is("c' not through tanh") ? in[2][n] : t) * o *
                                   (is("o without its slope") ? 1 : 1 - o)};
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t to = is("i and f exchanged") && k < 2 ? 1 - k : k;
        out[0][first + to * units] = slopes[k];
        if (is("the biases' gradient of the last row") && n / units + 1 < rows) continue;
        out[2][k * units + n % units] += slopes[k];
      }
      out[1][n] = is("c's gradient without f") ? dc : dc * f;
    }
    return out;
  };
}

}  // namespace

std::vector<Mutant> recurrent_mutants() {
  std::vector<Mutant> all;
  for (const char* edit :
       {"input and forget gates exchanged", "o before g", "tanh of g without its slope",
        "sigmoid of o without its slope", "tanh of c without its slope",
        "c's gradient dropped between steps", "h's gradient dropped between steps",
        "c's gradient past h", "the forget gate's gradient missing", "h0's gradient missing",
        "c0's gradient missing", "bias_hh's gradient forgotten",
        "weight_hh's gradient of the last step only", "the first step's input forgotten"}) {
    all.push_back(lstm_mutant(edit));
  }
  for (const char* edit :
       {"reset and update exchanged", "reset before the product", "the bias not reset",
        "the update gate the other way", "r's gradient missing", "tanh of n without its slope",
        "h's gradient past z", "h's gradient dropped between steps", "h0's gradient missing",
        "bias_hh's gradient forgotten"}) {
    all.push_back(gru_mutant(edit));
  }
  for (const char* edit : {"not reversed", "the other direction's params", "columns exchanged"}) {
    all.push_back(both_ways_mutant(edit));
  }
  const auto variants = gradcheck::variants("lstm_cell");
  add_mutants(all, "lstm cell", "lstm_cell", variants.back(), lstm_cell_backward_with,
              {"tanh of c without its slope", "c' for c", "g with a sigmoid's slope",
               "c' not through tanh", "o without its slope", "i and f exchanged",
               "the biases' gradient of the last row", "c's gradient without f"});
  return all;
}

std::vector<Mutant> right_recurrent_steps() {
  return {lstm_mutant("unchanged"), gru_mutant("unchanged"), both_ways_mutant("unchanged")};
}

}  // namespace aclgrad::mutants
