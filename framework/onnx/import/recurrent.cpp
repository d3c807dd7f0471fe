// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM. With the usual functions the latter two are one node; what that has not
// (peepholes, other functions, clipping, a GRU that resets before its product) are nodes for each
// step.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "aclgrad/format.h"
#include "aclgrad/ops.h"
#include "onnx/import/operators.h"

namespace aclgrad::onnx {
namespace recurrent_nodes {
namespace {

using Function = std::function<Value(const Value&)>;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// A function by its name in the standard, with its two numbers, NaN where none are given.
Function function_named(const NodeCall& node, const std::string& given, double a, double b) {
  const auto number = [](double value, double otherwise) {
    return std::isnan(value) ? otherwise : value;
  };
  const std::string name = lower(given);
  if (name == "sigmoid") return [](const Value& x) { return sigmoid(x); };
  if (name == "tanh") return [](const Value& x) { return tanh(x); };
  if (name == "relu") return [](const Value& x) { return relu(x); };
  if (name == "softsign") return [](const Value& x) { return x / (abs(x) + 1); };
  if (name == "softplus") return [](const Value& x) { return softplus(x, 1, 1e4); };
  if (name == "affine") return [=](const Value& x) { return x * number(a, 1) + number(b, 0); };
  if (name == "leakyrelu") return [=](const Value& x) { return leaky_relu(x, number(a, 0.01)); };
  if (name == "thresholdedrelu")
    return [=](const Value& x) { return threshold(x, number(a, 1), 0); };
  if (name == "elu") return [=](const Value& x) { return elu(x, number(a, 1)); };
  if (name == "scaledtanh") {
    return [=](const Value& x) { return tanh(x * number(b, 1)) * number(a, 1); };
  }
  if (name == "hardsigmoid") {
    return [=](const Value& x) {
      return clamp(x * number(a, 0.2) + number(b, 0.5), {.min = 0, .max = 1});
    };
  }
  node.unsupported("there is no activation `{}`", given);
}

// The inputs and attributes of a layer.
struct Layer {
  const NodeCall& node;
  std::size_t gates;
  std::vector<std::string> usual;  // functions of one direction
  std::int64_t hidden = 0, directions = 1;
  bool reversed = false;
  Value x;  // [T, N, in]

  Layer(const NodeCall& call, std::size_t gates_, std::vector<std::string> usual_)
      : node(call), gates(gates_), usual(std::move(usual_)), x(call.value(0)) {
    if (batch_first()) x = contiguous(transpose(x, 0, 1));
    if (x.shape().rank() != 3) throw ShapeError("x must have three dimensions");
    const Shape& r = node.shape(2);
    if (r.rank() != 3) throw ShapeError("the recurrence weight must have three dimensions");
    hidden = node.integer("hidden_size", r[2]);
    const std::string direction = node.text("direction", "forward");
    directions = direction == "bidirectional" ? 2 : 1;
    reversed = direction == "reverse";
    const Shape expected{directions, static_cast<std::int64_t>(gates) * hidden, hidden};
    if (r != expected) {
      throw ShapeError(fmt::format("the recurrence weight must be {}, got {}", expected, r));
    }
  }

  bool batch_first() const { return node.integer("layout", 0) != 0; }
  std::int64_t steps() const { return x.shape()[0]; }
  std::int64_t batch() const { return x.shape()[1]; }

  // Of an input with a direction first, that of one.
  Value of(std::size_t input, std::int64_t direction) const {
    const Value all = node.value(input);
    const Dims& dims = all.shape().dims();
    if (dims.empty() || dims[0] != directions) throw ShapeError("an input lacks its directions");
    return reshape(slice(all, 0, direction, direction + 1), Dims(dims.begin() + 1, dims.end()));
  }

  // A state [directions, N, hidden], or zeros.
  Value state(std::size_t input) const {
    if (!node.has(input)) {
      return node.constant(Tensor::zeros({directions, batch(), hidden}, x.dtype()));
    }
    const Value given = node.value(input);
    return batch_first() ? contiguous(transpose(given, 0, 1)) : given;
  }

  // Blocks of rows, one for each gate, in another order.
  Value ordered(const Value& blocks, const Dims& order, std::int64_t first = 0) const {
    std::vector<Value> parts;
    for (const std::int64_t gate : order) {
      parts.push_back(slice(blocks, 0, (first + gate) * hidden, (first + gate + 1) * hidden));
    }
    return cat(parts, 0);
  }

  // The functions of a direction.
  std::vector<Function> functions(std::int64_t direction) const {
    std::vector<std::string> names = node.texts("activations");
    if (names.empty()) {
      for (std::int64_t i = 0; i < directions; ++i) {
        names.insert(names.end(), usual.begin(), usual.end());
      }
    }
    if (names.size() < usual.size() * static_cast<std::size_t>(directions)) {
      throw ValueError("there are too few activations");
    }
    const std::vector<double> a = node.numbers("activation_alpha");
    const std::vector<double> b = node.numbers("activation_beta");
    std::vector<Function> found;
    for (std::size_t i = 0; i < usual.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(direction) * usual.size() + i;
      found.push_back(function_named(node, names[at], at < a.size() ? a[at] : std::nan(""),
                                     at < b.size() ? b[at] : std::nan("")));
    }
    return found;
  }

  bool is_usual() const {
    if (node.has_attribute("clip")) return false;
    const std::vector<std::string> names = node.texts("activations");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (lower(names[i]) != lower(usual[i % usual.size()])) return false;
    }
    return true;
  }

  Value clipped(const Value& value) const {
    const double bound = node.number("clip", 0);
    return bound > 0 ? clamp(value, {.min = -bound, .max = bound}) : value;
  }

  // [T, directions, N, hidden] and states [directions, N, hidden] as the node has them.
  Items outputs(Value y, std::vector<Value> states) const {
    Items all = {batch_first() ? permute(y, {2, 0, 1, 3}) : y};
    for (const Value& each : states) {
      all.emplace_back(batch_first() ? transpose(each, 0, 1) : each);
    }
    return all;
  }
};

// ---- One node for all steps ---------------------------------------------------------------------

// Weights and biases of each direction as lstm() and gru() take them.
std::vector<Value> weights(const Layer& layer, const Dims& order) {
  std::vector<Value> params;
  for (std::int64_t d = 0; d < layer.directions; ++d) {
    params.push_back(layer.ordered(layer.of(1, d), order));
    params.push_back(layer.ordered(layer.of(2, d), order));
    if (!layer.node.has(3)) continue;
    const Value biases = layer.of(3, d);
    params.push_back(layer.ordered(biases, order));
    params.push_back(layer.ordered(biases, order, static_cast<std::int64_t>(order.size())));
  }
  return params;
}

// What is the same of both: how often, in which direction.
template <class Run>
Items run_node(const Layer& layer, std::vector<Value> params, std::vector<Value> states,
               const Run& run) {
  RecurrentFunctionOptions options{.has_biases = layer.node.has(3),
                                   .bidirectional = layer.directions == 2};
  if (layer.node.has(4)) options.lengths = layer.node.value(4);
  Value x = layer.x;
  // Backwards with lengths is what the second of two directions does: the first is a copy of it.
  const bool both = layer.reversed && layer.node.has(4);
  if (both) {
    options.bidirectional = true;
    const std::vector<Value> one = params;
    params.insert(params.end(), one.begin(), one.end());
    for (Value& state : states) state = cat({state, state}, 0);
  } else if (layer.reversed) {
    x = flip(x, {0});
  }
  std::vector<Value> found = run(x, states, params, options);
  const std::int64_t directions = options.bidirectional ? 2 : 1;
  Value y = permute(reshape(found[0], Dims{layer.steps(), layer.batch(), directions, layer.hidden}),
                    {0, 2, 1, 3});
  if (both) {
    y = slice(y, 1, 1, 2);
    for (std::size_t i = 1; i < found.size(); ++i) found[i] = slice(found[i], 0, 1, 2);
  } else if (layer.reversed) {
    y = flip(y, {0});
  }
  return layer.outputs(y, {found.begin() + 1, found.end()});
}

// ---- Nodes for each step ------------------------------------------------------------------------

// What steps of a direction share.
struct Steps {
  const Layer& layer;
  std::int64_t direction;
  std::vector<Function> functions;
  Value products;           // x W^T + its bias, [T, N, gates hidden]
  Value recurrent, biases;  // R^T [hidden, gates hidden], its bias or nothing

  Steps(const Layer& layer_, std::int64_t direction_)
      : layer(layer_), direction(direction_), functions(layer_.functions(direction_)) {
    products = matmul(layer.x, transpose(layer.of(1, direction), 0, 1));
    recurrent = transpose(layer.of(2, direction), 0, 1);
    if (!layer.node.has(3)) return;
    const std::vector<Value> both =
        split(layer.of(3, direction), static_cast<std::int64_t>(layer.gates) * layer.hidden, 0);
    products = products + both.at(0);
    biases = both.at(1);
  }

  Value gate(const Value& all, std::int64_t number) const {
    return slice(all, 1, number * layer.hidden, (number + 1) * layer.hidden);
  }
  Value input(std::int64_t step) const {
    const Dims& dims = products.shape().dims();
    return reshape(slice(products, 0, step, step + 1), Dims{dims[1], dims[2]});
  }
  Value recurred(const Value& h) const {
    const Value product = matmul(h, recurrent);
    return biases ? product + biases : product;
  }
};

using Step = std::function<std::vector<Value>(const Steps& steps, const Value& input,
                                              const std::vector<Value>& states)>;

// Where a sequence goes on at this step: true for each row, [N, 1], nothing where all do.
std::optional<Tensor> going_on(const Dims& lengths, std::int64_t step) {
  if (std::ranges::all_of(lengths, [&](std::int64_t length) { return step < length; })) {
    return std::nullopt;
  }
  Tensor mask = Tensor::zeros({static_cast<std::int64_t>(lengths.size()), 1}, DType::boolean);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    mask.set(static_cast<std::int64_t>(i), step < lengths[i] ? 1 : 0);
  }
  return mask;
}

Items run_steps(const Layer& layer, const std::vector<Value>& first, const Step& step) {
  Dims lengths;
  if (layer.node.has(4)) lengths = layer.node.known_numbers(4, "the lengths");
  std::vector<Value> ys;
  std::vector<std::vector<Value>> ends(first.size());
  for (std::int64_t d = 0; d < layer.directions; ++d) {
    const Steps steps(layer, d);
    std::vector<Value> states;
    for (const Value& all : first) {
      states.push_back(reshape(slice(all, 0, d, d + 1), Dims{layer.batch(), layer.hidden}));
    }
    const bool backwards = layer.reversed || d == 1;
    std::vector<Value> each(static_cast<std::size_t>(layer.steps()));
    for (std::int64_t i = 0; i < layer.steps(); ++i) {
      const std::int64_t at = backwards ? layer.steps() - 1 - i : i;
      std::vector<Value> next = step(steps, steps.input(at), states);
      Value y = next[0];
      if (const std::optional<Tensor> mask = going_on(lengths, at)) {
        const Value goes_on = layer.node.constant(*mask);
        for (std::size_t s = 0; s < next.size(); ++s) next[s] = where(goes_on, next[s], states[s]);
        y = where(goes_on, y, layer.node.constant(0, y.dtype()));
      }
      states = std::move(next);
      each[static_cast<std::size_t>(at)] = y;
    }
    ys.push_back(stack(each, 0));
    for (std::size_t s = 0; s < states.size(); ++s) ends[s].push_back(states[s]);
  }
  std::vector<Value> states;
  for (const std::vector<Value>& end : ends) states.push_back(stack(end, 0));
  return layer.outputs(stack(ys, 1), states);
}

// ---- The three ----------------------------------------------------------------------------------

Items rnn_node(const NodeCall& node) {
  const Layer layer(node, 1, {"Tanh"});
  return run_steps(layer, {layer.state(5)},
                   [&](const Steps& steps, const Value& input, const std::vector<Value>& states) {
                     const Value sum = layer.clipped(input + steps.recurred(states[0]));
                     return std::vector<Value>{steps.functions[0](sum)};
                   });
}

// The gates of ONNX are z, r, h.
Items gru_node(const NodeCall& node) {
  const Layer layer(node, 3, {"Sigmoid", "Tanh"});
  const bool resets_product = node.integer("linear_before_reset", 0) != 0;
  const std::vector<Value> first = {layer.state(5)};
  if (resets_product && layer.is_usual()) {
    return run_node(layer, weights(layer, {1, 0, 2}), first,
                    [](const Value& x, const std::vector<Value>& states,
                       const std::vector<Value>& params, const RecurrentFunctionOptions& options) {
                      const GruResult found = gru(x, states[0], params, options);
                      return std::vector<Value>{found.output, found.h_n};
                    });
  }
  return run_steps(
      layer, first, [&](const Steps& steps, const Value& input, const std::vector<Value>& states) {
        const Value& h = states[0];
        const Value from_h = steps.recurred(h);
        const auto gate = [&](std::int64_t number) {
          return steps.functions[0](
              layer.clipped(steps.gate(input, number) + steps.gate(from_h, number)));
        };
        const Value z = gate(0), r = gate(1);
        const Value hidden =
            resets_product ? r * steps.gate(from_h, 2) : steps.gate(steps.recurred(r * h), 2);
        const Value n = steps.functions[1](layer.clipped(steps.gate(input, 2) + hidden));
        return std::vector<Value>{(1.0 - z) * n + z * h};
      });
}

// The gates of ONNX are i, o, f, c.
Items lstm_node(const NodeCall& node) {
  const Layer layer(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  const std::vector<Value> first = {layer.state(5), layer.state(6)};
  const bool couples = node.integer("input_forget", 0) != 0;
  if (layer.is_usual() && !couples && !node.has(7)) {
    return run_node(layer, weights(layer, {0, 2, 3, 1}), first,
                    [](const Value& x, const std::vector<Value>& states,
                       const std::vector<Value>& params, const RecurrentFunctionOptions& options) {
                      const LstmResult found = lstm(x, {states[0], states[1]}, params, options);
                      return std::vector<Value>{found.output, found.h_n, found.c_n};
                    });
  }
  return run_steps(
      layer, first, [&](const Steps& steps, const Value& input, const std::vector<Value>& states) {
        const Value& c = states[1];
        const Value sum = input + steps.recurred(states[0]);
        // Peepholes are of i, o and f.
        const auto gate = [&](std::int64_t number, const Value& seen) {
          Value all = steps.gate(sum, number);
          if (node.has(7)) {
            const Value peepholes = layer.of(7, steps.direction);
            all = all +
                  seen * slice(peepholes, 0, number * layer.hidden, (number + 1) * layer.hidden);
          }
          return steps.functions[0](layer.clipped(all));
        };
        const Value i = gate(0, c);
        const Value f = couples ? 1.0 - i : gate(2, c);
        const Value cell = f * c + i * steps.functions[1](layer.clipped(steps.gate(sum, 3)));
        return std::vector<Value>{gate(1, cell) * steps.functions[2](cell), cell};
      });
}

constexpr Operator kOperators[] = {
    {"GRU", gru_node, 0b10000},
    {"LSTM", lstm_node, 0b10000},
    {"RNN", rnn_node, 0b10000},
};

}  // namespace
}  // namespace recurrent_nodes

std::span<const Operator> recurrent_operators() { return recurrent_nodes::kOperators; }

}  // namespace aclgrad::onnx
