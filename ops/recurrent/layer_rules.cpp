// SPDX-License-Identifier: Apache-2.0
#include "ops/recurrent/layer_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/extent.h"

namespace aclgrad::ops {
namespace {

using Complaint = std::optional<std::string>;

size_t number_of(const ParameterList& all, const char* name) {
  return numbers_of(all, {name}).front();
}

bool is_packed(const Arguments& arguments, const LayerParameters& p) {
  return arguments.given(p.batch_sizes) && !arguments.empty(p.batch_sizes);
}

// Applies rule(i) to a tensor, or to each tensor of a list.
Rule each_tensor(size_t parameter, const std::function<Rule(size_t)>& rule) {
  return [=](const Arguments& arguments) {
    const bool is_list = arguments[parameter].kind() == Argument::Kind::kTensorList;
    return (is_list ? all_members(parameter, rule)
                    : if_given(parameter, rule(parameter)))(arguments);
  };
}

// A list of so many tensors.
Rule has_count(size_t list, std::function<int64_t(const Arguments&)> expected) {
  return require([=](const Arguments& arguments) -> Complaint {
    const auto count = static_cast<int64_t>(arguments.members(list).count);
    if (count == expected(arguments)) return std::nullopt;
    return fmt::format("{} must have {} tensors, but has {}.", arguments.name(list),
                       expected(arguments), count);
  });
}

// A tensor's shape by its place in the list.
Rule has_shapes(size_t list, std::function<Dims(const Arguments&, int64_t place)> shape) {
  return [=](const Arguments& arguments) {
    return each_tensor(list, [&](size_t i) {
      const bool is_list = arguments[list].kind() == Argument::Kind::kTensorList;
      const size_t place = is_list ? i - arguments.members(list).first : 0;
      return has_shape(i, shape(arguments, static_cast<int64_t>(place)));
    })(arguments);
  };
}

LayerSizes sizes_of(const Arguments& arguments, const LayerParameters& p) {
  const Dims& input = arguments.shape(p.input);
  const Dims& weight = arguments.shape(arguments.members(p.params).first);
  LayerSizes s{.cell = p.cell,
               .steps = 0,
               .batch = 0,
               .in = input[input.size() - 1],
               .size = weight[0] / (p.cell == Cell::kLstm ? 4 : 3),
               .layers = arguments.integer(p.layers),
               .directions = arguments.flag(p.bidirectional) ? 2 : 1,
               .has_biases = arguments.flag(p.has_biases),
               .compute = arguments.dtype(p.input) == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT};
  if (is_packed(arguments, p)) {
    s.steps = arguments.shape(p.batch_sizes)[0];
    s.batch = input[0] / s.steps;
  } else {
    const bool batch_first = arguments.flag(p.batch_first);
    s.steps = input[batch_first ? 1 : 0];
    s.batch = input[batch_first ? 0 : 1];
  }
  return s;
}

Dims sequence_shape(const Arguments& arguments, const LayerParameters& p, int64_t columns) {
  const LayerSizes s = sizes_of(arguments, p);
  if (is_packed(arguments, p)) return {s.rows(), columns};
  return arguments.flag(p.batch_first) ? Dims{s.batch, s.steps, columns}
                                       : Dims{s.steps, s.batch, columns};
}

Dims parameter_shape(const LayerSizes& s, int64_t place) {
  const auto each = static_cast<int64_t>(s.parameters());
  switch (place % each) {
    case 0:
      return {s.gates(), s.in_of(place / each / s.directions)};
    case 1:
      return {s.gates(), s.size};
    default:
      return {s.gates()};
  }
}

// h before the first step; behind it stands c of an LSTM.
size_t first_state(const Arguments& arguments, const LayerParameters& p) {
  return p.cell == Cell::kLstm ? arguments.members(p.hx).first : p.hx;
}

Complaint first_weight_complaint(const Arguments& arguments, const LayerParameters& p) {
  const size_t first = arguments.members(p.params).first;
  const Dims& shape = arguments.shape(first);
  const int64_t gates = p.cell == Cell::kLstm ? 4 : 3;
  if (shape.size() == 2 && shape[0] > 0 && shape[0] % gates == 0) return std::nullopt;
  return fmt::format("tensor {} must have size [{} H, inputs] with H of 1 or more, but is {}.",
                     arguments.name(first), gates, to_string(shape));
}

Complaint input_complaint(const Arguments& arguments, const LayerParameters& p) {
  const Dims& shape = arguments.shape(p.input);
  if (!is_packed(arguments, p)) {
    if (shape.size() == 3) return std::nullopt;
    return fmt::format("tensor {} must have rank 3, but is {}.", arguments.name(p.input),
                       to_string(shape));
  }
  const int64_t steps = arguments.shape(p.batch_sizes)[0];
  if (shape.size() == 2 && shape[0] % steps == 0) {
    // How long each sequence is stands in memory that only a run may read; that they differ shows
    // in the number of sequences.
    const size_t hx = first_state(arguments, p);
    const Dims& state = arguments.shape(hx);
    if (state.size() != 3 || state[1] * steps == shape[0]) return std::nullopt;
    return fmt::format(
        "tensor {} {} must have {} rows for the {} sequences of tensor {} {} and {} steps in {}: "
        "sequences of different lengths are not supported.",
        arguments.name(p.input), to_string(shape), state[1] * steps, state[1], arguments.name(hx),
        to_string(state), steps, arguments.name(p.batch_sizes));
  }
  return fmt::format(
      "tensor {} must have rank 2 and a multiple of {} rows, one for each step in {} and each "
      "sequence, all of one length, but is {}.",
      arguments.name(p.input), steps, arguments.name(p.batch_sizes), to_string(shape));
}

Rules attribute_rules(const LayerParameters& p) {
  Rules list = {integer_between(p.layers, 1, std::numeric_limits<int32_t>::max())};
  if (!p.dropout) return list;
  list.push_back(require([p](const Arguments& arguments) -> Complaint {
    const double dropout = arguments.real(*p.dropout);
    const bool drops = dropout > 0 && arguments.flag(*p.train) && arguments.integer(p.layers) > 1;
    if (dropout >= 0 && dropout <= 1 && !drops) return std::nullopt;
    return fmt::format(
        "{} must be in [0, 1], and 0 in training between layers, where this function has neither a "
        "seed nor a mask, but is {}.",
        arguments.name(*p.dropout), dropout);
  }));
  return list;
}

Complaint batch_sizes_complaint(const Arguments& arguments, const LayerParameters& p) {
  const Dims& shape = arguments.shape(p.batch_sizes);
  if (shape.size() == 1) return std::nullopt;
  return fmt::format("tensor {} must have rank 1, but is {}.", arguments.name(p.batch_sizes),
                     to_string(shape));
}

Elements time_first(const Arguments& arguments, const LayerParameters& p, size_t sequence) {
  const bool exchanges = arguments.flag(p.batch_first) && arguments.shape(sequence).size() == 3;
  return exchanges ? exchanged(arguments, sequence) : Elements(arguments, sequence);
}

std::vector<size_t> first_tensors(const Arguments& arguments, const std::vector<size_t>& lists) {
  std::vector<size_t> tensors;
  for (const size_t list : lists) tensors.push_back(arguments.members(list).first);
  return tensors;
}

Plan with_batch_sizes(const Arguments& arguments, const LayerParameters& p, Plan plan) {
  if (!is_packed(arguments, p)) return plan;
  return {[body = std::move(plan.body), sizes = Elements(arguments, p.batch_sizes),
           batch = sizes_of(arguments, p).batch](const Run& run) -> aclError {
            std::vector<int64_t> counts(static_cast<size_t>(sizes.index.count()));
            sizes.read(run, 0, sizes.index.count(), counts.data());
            for (size_t t = 0; t < counts.size(); ++t) {
              if (counts[t] == batch) continue;
              throw std::runtime_error(
                  fmt::format("element {} of batchSizes is {}, but must be {}: sequences of "
                              "different lengths are not supported",
                              t, counts[t], batch));
            }
            return body(run);
          },
          plan.workspace_size};
}

}  // namespace

std::vector<size_t> numbers_of(const ParameterList& all, const std::vector<const char*>& names) {
  std::vector<size_t> numbers;
  for (const std::string_view name : names) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].name == name) numbers.push_back(i);
    }
  }
  return numbers;
}

Rule all_given(const ParameterList& all, const std::vector<const char*>& names) {
  return [numbers = numbers_of(all, names)](const Arguments& arguments) -> CheckResult {
    for (const size_t each : numbers) {
      CheckResult result = not_null({each})(arguments);
      if (!result.message.empty()) return result;
    }
    return {};
  };
}

LayerParameters::LayerParameters(Cell kind, const ParameterList& all)
    : cell(kind),
      input(number_of(all, "input")),
      params(number_of(all, "params")),
      hx(number_of(all, "hx")),
      batch_sizes(number_of(all, "batchSizesOptional")),
      has_biases(number_of(all, "hasBiases")),
      layers(number_of(all, "numLayers")),
      bidirectional(number_of(all, "bidirectional")),
      batch_first(number_of(all, "batchFirst")),
      states(numbers_of(
          all, {"hy", "cy", "gradHy", "gradHyOptional", "gradCyOptional", "gradHx", "gradCx"})),
      sequences(numbers_of(all, {"output", "gradY", "gradYOptional"})),
      of_input(numbers_of(all, {"gradInput"})),
      of_params(numbers_of(all, {"gradParams"})),
      // In the order of LstmKept and GruKept, which is not that of the functions.
      kept(kind == Cell::kLstm ? numbers_of(all, {"i", "f", "j", "o", "tanhc", "c", "h"})
                               : numbers_of(all, {"r", "z", "n", "hn", "h"})) {
  if (!of_input.empty()) return;
  dropout = number_of(all, "dropout");
  train = number_of(all, "train");
}

bool keeps(const Arguments& arguments, const LayerParameters& p) {
  return !p.train || arguments.flag(*p.train);
}

Rules layer_rules(const Rules& nulls, const LayerParameters& p) {
  const auto of_kept = [&p](const auto& rule) {
    return when([p](const Arguments& arguments) { return keeps(arguments, p); },
                of_each(p.kept, rule));
  };
  std::vector<size_t> plain = {p.hx};
  for (const auto* more : {&p.states, &p.sequences, &p.of_input, &p.of_params}) {
    plain.insert(plain.end(), more->begin(), more->end());
  }
  const auto are_given = [](size_t list) {
    return all_members(list, [](size_t i) { return not_null({i}); });
  };
  const auto are_alike = [p](size_t parameter) {
    return each_tensor(parameter, [p](size_t i) { return same_dtype(i, p.input); });
  };
  const auto directed_layers = [p](const Arguments& arguments) {
    return arguments.integer(p.layers) * (arguments.flag(p.bidirectional) ? 2 : 1);
  };
  const auto parameter_count = [p, directed_layers](const Arguments& arguments) {
    return directed_layers(arguments) * (arguments.flag(p.has_biases) ? 4 : 2);
  };
  const auto counts = [](auto expected) {
    return [expected](size_t list) { return has_count(list, expected); };
  };
  const auto shapes = [](auto expected) {
    return [expected](size_t list) { return has_shapes(list, expected); };
  };
  const auto parameter = shapes([p](const Arguments& arguments, int64_t place) {
    return parameter_shape(sizes_of(arguments, p), place);
  });
  const auto state = shapes([p](const Arguments& arguments, int64_t) {
    const LayerSizes s = sizes_of(arguments, p);
    return Dims{s.directed_layers(), s.batch, s.size};
  });
  const auto output = shapes([p](const Arguments& arguments, int64_t) {
    return sequence_shape(arguments, p, sizes_of(arguments, p).width());
  });
  const auto kept = shapes([p](const Arguments& arguments, int64_t) {
    const LayerSizes s = sizes_of(arguments, p);
    return Dims{s.steps, s.batch, s.size};
  });
  // h and c of an LSTM.
  const std::vector<size_t> list_of_states =
      p.cell == Cell::kLstm ? std::vector{p.hx} : std::vector<size_t>{};
  const auto with = [p](auto complaint) {
    return require([=](const Arguments& arguments) { return complaint(arguments, p); });
  };
  return {nulls,
          are_given(p.params),
          of_each(list_of_states, are_given),
          of_each(p.of_params, are_given),
          of_kept(are_given),
          live_if_given(p.batch_sizes),
          dtype_in(p.input, kRealFloats),
          are_alike(p.params),
          of_each(plain, are_alike),
          of_kept(are_alike),
          dtype_in(p.batch_sizes, {ACL_INT64}),
          attribute_rules(p),
          has_count(p.params, parameter_count),
          of_each(list_of_states, counts([](const Arguments&) { return 2; })),
          of_each(p.of_params, counts(parameter_count)),
          of_kept(counts(directed_layers)),
          if_given(p.batch_sizes, with(batch_sizes_complaint)),
          with(input_complaint),
          with(first_weight_complaint),
          parameter(p.params),
          state(p.hx),
          of_each(p.states, state),
          of_each(p.sequences, output),
          same_shape(p.of_input, p.input),
          of_each(p.of_params, parameter),
          of_kept(kept)};
}

Plan plan_forward(const Arguments& arguments, const LayerParameters& p) {
  const size_t h = first_state(arguments, p);
  LayerTensors tensors{.input = time_first(arguments, p, p.input),
                       .output = time_first(arguments, p, p.sequences.front()),
                       .parameters = arguments.members(p.params).first,
                       .h = h,
                       .c = h + 1,
                       .last_h = p.states.front(),
                       .last_c = p.states.back()};
  if (keeps(arguments, p)) tensors.kept = first_tensors(arguments, p.kept);
  return with_batch_sizes(arguments, p, plan_layers(arguments, sizes_of(arguments, p), tensors));
}

Plan plan_backward(const Arguments& arguments, const LayerParameters& p) {
  const auto if_there = [&](size_t tensor) {
    return arguments.given(tensor) ? std::optional(tensor) : std::nullopt;
  };
  const size_t h = first_state(arguments, p), given = p.states.size() / 2;
  LayerGradients tensors{.input = time_first(arguments, p, p.input),
                         .of_output = {},
                         .of_last_h = if_there(p.states.front()),
                         .of_last_c = {},
                         .parameters = arguments.members(p.params).first,
                         .h = h,
                         .c = h + 1,
                         .kept = first_tensors(arguments, p.kept),
                         .of_input = time_first(arguments, p, p.of_input.front()),
                         .of_h = p.states[given],
                         .of_c = p.states.back(),
                         .of_parameters = arguments.members(p.of_params.front()).first};
  if (p.cell == Cell::kLstm) tensors.of_last_c = if_there(p.states[1]);
  const size_t of_output = p.sequences.front();
  if (arguments.given(of_output)) tensors.of_output = time_first(arguments, p, of_output);
  return with_batch_sizes(arguments, p,
                          plan_layer_gradients(arguments, sizes_of(arguments, p), tensors));
}

}  // namespace aclgrad::ops
