// SPDX-License-Identifier: Apache-2.0
// Of aclgrad/ops/recurrent.h: whole sequences as one node.
#include "aclgrad/ops/recurrent.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/ops/shape.h"
#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"
#include "graph/ops/recurrent_steps.h"

namespace aclgrad {
namespace {

// The lists of what the backward reads, in the order of the C functions; their j is PyTorch's g.
struct LstmKept {
  enum : std::size_t { kI, kJ, kF, kO, kH, kC, kTanhC, kCount };
};
struct GruKept {
  enum : std::size_t { kR, kZ, kN, kHiddenN, kH, kCount };
};

// PyTorch's name of a parameter: "bias_hh_l1_reverse".
std::string param_name(std::size_t place, const RecurrentAttributes& a) {
  constexpr const char* kNames[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
  const std::size_t number = place / a.params_each(), directions = a.bidirectional ? 2 : 1;
  return fmt::format("{}_l{}{}", kNames[place % a.params_each()], number / directions,
                     number % directions == 1 ? "_reverse" : "");
}

// Inputs x, states, params.
void check_layers(const Recorder& record, std::int64_t gates, std::size_t states,
                  const std::vector<Value>& params, const RecurrentAttributes& a) {
  record.require_floating(0);
  for (std::size_t k = 1; k <= states + params.size(); ++k) record.require_same_dtype(k, 0);
  const Shape& x = record.input(0).shape();
  record.require_shape(x.rank() == 3 && x[0] != 0,
                       "runs over sequences [T, N, in], or [N, T, in] with batch_first, of at "
                       "least one step, got {}: unsqueeze() a single one",
                       x);
  const Shape& first = params[1].shape();
  const std::int64_t hidden = first.rank() == 2 ? first[1] : 0;
  const std::int64_t directions = a.bidirectional ? 2 : 1;
  for (std::size_t place = 0; place < params.size(); ++place) {
    const bool is_first = place < a.params_each() * static_cast<std::size_t>(directions);
    const std::int64_t in = is_first ? x[2] : directions * hidden;
    const std::size_t kind = place % a.params_each();
    const Shape wanted = kind == 0   ? Shape{gates * hidden, in}
                         : kind == 1 ? Shape{gates * hidden, hidden}
                                     : Shape{gates * hidden};
    if (hidden > 0 && params[place].shape() == wanted) continue;
    if (hidden == 0) {
      record.shape_error(
          fmt::format("{} must be [{} H, H], got {}", param_name(1, a), gates, first));
    }
    record.shape_error(
        fmt::format("{} must be {}, got {}", param_name(place, a), wanted, params[place].shape()));
  }
  const Shape state{static_cast<std::int64_t>(a.directed_layers()), x[1], hidden};
  for (std::size_t k = 1; k <= states; ++k) {
    record.require_shape(record.input(k).shape() == state, "begins with states of shape {}, got {}",
                         state, record.input(k).shape());
  }
}

void check_layer_lengths(const Recorder& record, const Value& lengths, std::int64_t batch) {
  record.require_shape(lengths.shape() == Shape{batch}, "takes the lengths of {} sequences, got {}",
                       batch, lengths.shape());
  record.require_dtype(lengths.dtype() == DType::int64 || lengths.dtype() == DType::int32,
                       "takes lengths of int64 or int32, got {}", lengths.dtype());
}

// Checks a call, and returns its inputs, time first.
std::vector<Value> layer_inputs(const char* op, std::int64_t gates, Operand input,
                                const std::vector<Value>& states, const std::vector<Value>& params,
                                const RecurrentFunctionOptions& options) {
  const RecurrentAttributes a{options.has_biases, options.num_layers, options.bidirectional};
  const bool exchanges = options.batch_first && input.shape().rank() == 3;
  std::vector<Value> inputs = {exchanges ? transpose(input, 0, 1) : Value(input)};
  inputs.insert(inputs.end(), states.begin(), states.end());
  inputs.insert(inputs.end(), params.begin(), params.end());
  const Recorder record(op, inputs, input.where);
  record.require_value(a.num_layers >= 1, "num_layers must be at least 1, got {}", a.num_layers);
  record.require_value(params.size() == a.directed_layers() * a.params_each(),
                       "params must be {} tensors, {} for each of {} layers{}, got {}",
                       a.directed_layers() * a.params_each(), a.params_each(), a.num_layers,
                       a.bidirectional ? " and each of 2 directions" : "", params.size());
  check_layers(record, gates, states.size(), params, a);
  if (options.lengths) check_layer_lengths(record, options.lengths, inputs[0].shape()[1]);
  return inputs;
}

// The outputs of one node.
template <class OpType>
std::vector<Value> record_layers(const char* op, std::vector<Value> inputs, std::size_t states,
                                 std::size_t kept, const RecurrentFunctionOptions& options,
                                 std::source_location where) {
  const RecurrentAttributes a{options.has_biases, options.num_layers, options.bidirectional};
  const Shape& x = inputs[0].shape();
  const std::int64_t hidden = inputs[1].shape()[2];
  const DType dtype = inputs[0].dtype();
  std::vector<TensorSpec> outputs = {
      {Shape{x[0], x[1], (options.bidirectional ? 2 : 1) * hidden}, dtype}};
  outputs.insert(outputs.end(), states, {inputs[1].shape(), dtype});
  outputs.insert(outputs.end(), kept * a.directed_layers(), {Shape{x[0], x[1], hidden}, dtype});
  Recorder record(op, std::move(inputs), where);
  return record.add<OpType>(a, std::move(outputs));
}

// Gradients of the inputs, of a node of the forward.
template <class OpType>
std::vector<Value> record_backward(const char* op, const std::vector<Value>& inputs,
                                   const std::vector<Value>& outputs,
                                   std::span<const Value> gradients,
                                   const RecurrentAttributes& attributes) {
  std::vector<Value> all = inputs;
  all.insert(all.end(), outputs.begin() + std::ssize(gradients), outputs.end());
  all.insert(all.end(), gradients.begin(), gradients.end());
  std::vector<TensorSpec> specs;
  for (const Value& input : inputs) specs.push_back({input.shape(), input.dtype()});
  Recorder record(op, std::move(all), std::source_location::current());
  return record.add<OpType>(attributes, std::move(specs));
}

}  // namespace

LstmResult lstm(Operand input, const RecurrentState& hx, const std::vector<Value>& params,
                const RecurrentFunctionOptions& options) {
  const RecordScope scope(input);
  std::vector<Value> inputs = layer_inputs("lstm", 4, input, {hx.h, hx.c}, params, options);
  const auto in_order = [&](const Value& output) {
    return options.batch_first ? transpose(output, 0, 1) : output;
  };
  if (options.by_steps || options.lengths) {
    const detail::LayersResult made =
        (options.lengths ? detail::with_lengths : detail::by_steps)(inputs[0], hx, params, options);
    return {in_order(made.output), made.last.h, made.last.c};
  }
  const auto made =
      record_layers<LstmOp>("lstm", std::move(inputs), 2, LstmKept::kCount, options, input.where);
  return {in_order(made[0]), made[1], made[2]};
}

GruResult gru(Operand input, const Value& hx, const std::vector<Value>& params,
              const RecurrentFunctionOptions& options) {
  const RecordScope scope(input);
  std::vector<Value> inputs = layer_inputs("gru", 3, input, {hx}, params, options);
  const auto in_order = [&](const Value& output) {
    return options.batch_first ? transpose(output, 0, 1) : output;
  };
  if (options.by_steps || options.lengths) {
    const detail::LayersResult made = (options.lengths ? detail::with_lengths : detail::by_steps)(
        inputs[0], {.h = hx}, params, options);
    return {in_order(made.output), made.last.h};
  }
  const auto made =
      record_layers<GruOp>("gru", std::move(inputs), 1, GruKept::kCount, options, input.where);
  return {in_order(made[0]), made[1]};
}

std::vector<Value> lstm_backward(const std::vector<Value>& inputs,
                                 const std::vector<Value>& outputs,
                                 const std::array<Value, 3>& gradients,
                                 const RecurrentAttributes& attributes) {
  return record_backward<LstmBackwardOp>("lstm_backward", inputs, outputs, gradients, attributes);
}

std::vector<Value> gru_backward(const std::vector<Value>& inputs, const std::vector<Value>& outputs,
                                const std::array<Value, 2>& gradients,
                                const RecurrentAttributes& attributes) {
  return record_backward<GruBackwardOp>("gru_backward", inputs, outputs, gradients, attributes);
}

namespace calls {
namespace {

// The lists of a call, with `states` of h and c.
class Lists {
 public:
  Lists(const RecurrentAttributes& values, AclnnCall& call, std::size_t states)
      : call_(call),
        directed_layers_(values.directed_layers()),
        states_(states),
        params_(values.directed_layers() * values.params_each()) {}

  std::size_t given() const { return 1 + states_ + params_; }
  const aclTensorList* states() const { return call_.input_list(1, states_); }
  const aclTensorList* params() const { return call_.input_list(1 + states_, params_); }
  // Of the backward: what the forward kept, and what comes behind that.
  const aclTensorList* kept(std::size_t list) const {
    return call_.input_list(given() + list * directed_layers_, directed_layers_);
  }
  aclTensor* gradient(std::size_t lists, std::size_t number) const {
    return call_.input(given() + lists * directed_layers_ + number);
  }
  const aclTensorList* param_gradients() const { return call_.output_list(1 + states_, params_); }
  // Of the forward: what it keeps, which is read or not.
  const aclTensorList* keeps(std::size_t list) const {
    return call_.output_list(1 + states_ + list * directed_layers_, directed_layers_);
  }
  bool keeps_any(std::size_t lists) const {
    return call_.any_output_is_read(1 + states_, lists * directed_layers_);
  }

 private:
  AclnnCall& call_;
  std::size_t directed_layers_, states_, params_;
};

}  // namespace

const Declaration<RecurrentAttributes> lstm = {
    "lstm", ACLGRAD_C(aclnnLSTM), separate, [](const auto& values, AclnnCall& call, auto... end) {
      const Lists lists(values, call, 2);
      return aclnnLSTMGetWorkspaceSize(
          call.input(0), lists.params(), lists.states(), nullptr, values.has_biases,
          values.num_layers, 0, lists.keeps_any(LstmKept::kCount), values.bidirectional, false,
          call.output(0), call.output(1), call.output(2), lists.keeps(LstmKept::kI),
          lists.keeps(LstmKept::kJ), lists.keeps(LstmKept::kF), lists.keeps(LstmKept::kO),
          lists.keeps(LstmKept::kH), lists.keeps(LstmKept::kC), lists.keeps(LstmKept::kTanhC),
          end...);
    }};
const Declaration<RecurrentAttributes> lstm_backward = {
    "lstm_backward", ACLGRAD_C(aclnnLstmBackward), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const Lists lists(values, call, 2);
      return aclnnLstmBackwardGetWorkspaceSize(
          call.input(0), lists.states(), lists.params(), lists.gradient(LstmKept::kCount, 0),
          lists.gradient(LstmKept::kCount, 1), lists.gradient(LstmKept::kCount, 2),
          lists.kept(LstmKept::kI), lists.kept(LstmKept::kJ), lists.kept(LstmKept::kF),
          lists.kept(LstmKept::kO), lists.kept(LstmKept::kH), lists.kept(LstmKept::kC),
          lists.kept(LstmKept::kTanhC), nullptr, values.has_biases, values.num_layers, 0, true,
          values.bidirectional, false, nullptr, call.output(0), call.output(1), call.output(2),
          lists.param_gradients(), end...);
    }};
const Declaration<RecurrentAttributes> gru = {
    "gru", ACLGRAD_C(aclnnGRU), separate, [](const auto& values, AclnnCall& call, auto... end) {
      const Lists lists(values, call, 1);
      return aclnnGRUGetWorkspaceSize(
          call.input(0), lists.params(), call.input(1), nullptr, values.has_biases,
          values.num_layers, 0, lists.keeps_any(GruKept::kCount), values.bidirectional, false,
          call.output(0), call.output(1), lists.keeps(GruKept::kR), lists.keeps(GruKept::kZ),
          lists.keeps(GruKept::kN), lists.keeps(GruKept::kHiddenN), lists.keeps(GruKept::kH),
          end...);
    }};
const Declaration<RecurrentAttributes> gru_backward = {
    "gru_backward", ACLGRAD_C(aclnnGRUBackward), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const Lists lists(values, call, 1);
      return aclnnGRUBackwardGetWorkspaceSize(
          call.input(0), lists.params(), call.input(1), lists.gradient(GruKept::kCount, 0),
          lists.gradient(GruKept::kCount, 1), lists.kept(GruKept::kR), lists.kept(GruKept::kZ),
          lists.kept(GruKept::kN), lists.kept(GruKept::kHiddenN), lists.kept(GruKept::kH), nullptr,
          values.has_biases, values.num_layers, values.bidirectional, false, call.output(0),
          call.output(1), lists.param_gradients(), end...);
    }};

}  // namespace calls
}  // namespace aclgrad
