// SPDX-License-Identifier: Apache-2.0
// Recurrent layers over sequences, and their gradients.
#include "ops/recurrent/layers_contract.h"

#include <functional>

#include "aclnnop/aclnn_gru.h"
#include "aclnnop/aclnn_gru_backward.h"
#include "aclnnop/aclnn_lstm.h"
#include "aclnnop/aclnn_lstm_backward.h"

namespace aclgrad::contract {
namespace {

constexpr size_t kMostDirectedLayers = 2;  // of the contract's calls
constexpr size_t kMostParams = 4 * kMostDirectedLayers;

const RecurrentKind kLstmKind{4, {"i", "j", "f", "o", "h", "c", "tanhc"}};
const RecurrentKind kGruKind{3, {"r", "z", "n", "hn", "h"}};

// All tensors by the input, the first weight and the attributes.
void arrange_layers(Arguments& a, const RecurrentKind& kind) {
  const RecurrentCall p(a, kind);
  const auto give = [&](const std::string& name, const Shape& shape, bool is_given = true) {
    if (!a.has(name)) return;
    a.tensor(name).shape = shape;
    a.tensor(name).optional = !is_given;
  };
  if (p.directed_layers() > kMostDirectedLayers)
    throw std::invalid_argument("two layers or directions at most");
  for (size_t k = 0; k < kMostParams; ++k) {
    for (const char* list : {"params", "gradParams"}) {
      give(member_of(list, k), p.parameter(k), k < p.directed_layers() * p.each);
    }
  }
  for (const char* state : {"hx", "hx[0]", "hx[1]", "hy", "cy", "gradHx", "gradCx"}) {
    give(state, p.state());
  }
  a.reshape({"gradHyOptional", "gradCyOptional", "gradHy"}, p.state());
  a.reshape({"output", "gradYOptional", "gradY"}, p.sequence(p.directions * p.size));
  a.reshape({"gradInput"}, a.shape("input"));
  for (const std::string& list : kind.kept) {
    for (size_t k = 0; k < kMostDirectedLayers; ++k)
      give(member_of(list, k), p.kept(), k < p.directed_layers());
  }
  if (p.is_packed()) {
    TensorSpec& sizes = a.tensor("batchSizesOptional");
    sizes.low = sizes.high = static_cast<Number>(p.batch);
    sizes.fill = static_cast<double>(p.batch);
  }
}

// ---- Calls --------------------------------------------------------------------------------------

// The tensors of a list, of which the first `given` are there in the right call.
std::vector<Parameter> list_of(const Parameter& tensor, const std::string& list, size_t count,
                               size_t given, const std::vector<Shape>& shapes) {
  std::vector<Parameter> all;
  for (size_t k = 0; k < count; ++k) {
    Parameter each = member(shaped(tensor, shapes[k % shapes.size()]), list);
    each = declared(std::move(each), "const aclTensorList*");
    each.name = member_of(list, k);
    each.is_extra = k >= given;
    all.push_back(k < given ? each : optional(std::move(each)));
  }
  return all;
}

// The right call: 2 steps of a batch of 2, 3 numbers to 2 units, in one layer without biases.
constexpr int64_t kSteps = 2, kBatch = 2, kIn = 3, kUnits = 2;

std::vector<Sample> layer_samples() {
  const auto sample = [](std::vector<std::pair<std::string, Setting>> settings) {
    return Sample{std::move(settings)};
  };
  Sample packed = sample({{"input", Shape{6, 3}}, {"batchSizesOptional", Shape{3}}});
  packed.is_gradient = false;
  Sample infers = sample({{"train", 0.0}});
  infers.is_gradient = false;
  return {sample({}),
          sample({{"hasBiases", 1.0}, {"batchFirst", 1.0}}),
          sample({{"hasBiases", 1.0}, {"bidirectional", 1.0}}),
          sample({{"numLayers", 2.0}}),
          packed,
          infers};
}

Domain layer_domain(const RecurrentKind& kind) {
  const auto gates = static_cast<int64_t>(kind.gates);
  std::vector<Sample> large = {
      {{{"input", Shape{2, 35, 33}}, {"params[0]", Shape{gates * 70, 33}}, {"hasBiases", 1.0}}},
      {{{"input", Shape{5, 7, 5}}, {"params[0]", Shape{gates * 19, 5}}, {"bidirectional", 1.0}}}};
  return {.everywhere = kFloatsAndDouble,
          .max_rank = 3,
          .grows = false,
          .base_shape = {kSteps, kN, kIn},
          .arrange = [&kind](Arguments& a) { arrange_layers(a, kind); },
          .samples = layer_samples(),
          .value_samples = std::move(large)};
}

class LayerCalls {
 public:
  explicit LayerCalls(const RecurrentKind& kind) : kind_(kind) {}

  Parameter input() const { return shaped(in("input", -2, 2), {kSteps, kBatch, kIn}); }
  Parameter state(Parameter tensor) const { return shaped(std::move(tensor), {1, kBatch, kUnits}); }
  Parameter output(Parameter tensor) const {
    return shaped(std::move(tensor), {kSteps, kBatch, kUnits});
  }
  std::vector<Parameter> params(const Parameter& tensor, const std::string& list) const {
    const auto gates = static_cast<int64_t>(kind_.gates) * kUnits;
    return list_of(tensor, list, kMostParams, 2, {{gates, kIn}, {gates, kUnits}, {gates}, {gates}});
  }
  std::vector<Parameter> kept(const Parameter& tensor) const {
    std::vector<Parameter> all;
    for (const std::string& list : kind_.kept) {
      for (Parameter& each :
           list_of(tensor, list, kMostDirectedLayers, 1, {{kSteps, kBatch, kUnits}})) {
        all.push_back(std::move(each));
      }
    }
    return all;
  }
  std::vector<Parameter> attributes(bool has_training) const {
    std::vector<Parameter> all = {flag("hasBiases"), integer("numLayers", 1)};
    if (has_training) {
      all.push_back(no_option({"dropout", 0.0}));
      all.push_back(flag("train", true));
    }
    all.push_back(flag("bidirectional"));
    all.push_back(flag("batchFirst"));
    return all;
  }
  Parameter batch_sizes() const {
    return no_option(optional(typed(shaped(in("batchSizesOptional", 2, 2), {kSteps}), ACL_INT64)));
  }

 private:
  const RecurrentKind& kind_;
};

std::vector<Parameter> joined(std::initializer_list<std::vector<Parameter>> parts) {
  std::vector<Parameter> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

double layer_roundings(const Arguments& a) {
  const Shape& weight = a.shape("params[0]");
  const Shape& input = a.shape("input");
  return static_cast<double>(count_of(input) / input.back() + weight[0] + weight[1]);
}

std::vector<ErrorInput> layer_errors(const Parameter& weight, bool has_training) {
  std::vector<ErrorInput> errors = {
      wrong_number("numLayers", 0, "[1, "),
      {.what = "of one layer of two",
       .changes = {{"params[0]", weight.spec}, {"numLayers", int64_t{2}}},
       .words = {"must have 4 tensors"}},
      refused("params[0]", "of no whole gates", of_shape({7, 3}), "H, inputs]"),
      {.what = "beside sequences of rank 3",
       .changes = {{"batchSizesOptional", TensorSpec{.shape = {2}, .dtype = ACL_INT64}}},
       .words = {"rank 2 and a multiple of 2 rows"}},
      {.what = "of rank 2",
       .changes = {{"batchSizesOptional", TensorSpec{.shape = {1, 1}, .dtype = ACL_INT64}}},
       .words = {"rank 1"}}};
  if (has_training) {
    errors.push_back(refused("dropout", "above 1", 1.5, "is 1.5"));
    errors.push_back({.what = "between layers",
                      .changes = {{"dropout", 0.5}, {"numLayers", int64_t{2}}},
                      .words = {"neither a seed nor a mask"}});
  }
  return errors;
}

// The forward and the backward, which `calls` are without their parameters.
void add_layers(std::vector<Operator>& all, const RecurrentKind& kind,
                std::array<Signature, 2> calls, Text computes, const char* check) {
  const LayerCalls c(kind);
  const bool is_lstm = kind.gates == 4;
  const std::vector<Parameter> params = c.params(in("params", -0.5L, 0.5L), "params");
  const auto state = [&](const char* name) { return c.state(in(name, -1, 1)); };
  std::vector<Parameter> hx = {state("hx")};
  if (is_lstm) {
    hx = list_of(state("hx"), "hx", 2, 2, {{1, kBatch, kUnits}});
  }
  const auto of_kept = [&](Parameter tensor) { return c.kept(std::move(tensor)); };
  std::vector<Parameter> results = {c.output(out("output")), c.state(out("hy"))};
  if (is_lstm) results.push_back(c.state(out("cy")));
  calls[0].parameters = joined({{c.input()},
                                params,
                                hx,
                                {c.batch_sizes()},
                                c.attributes(true),
                                results,
                                of_kept(out("kept"))});
  all.push_back({
      .call = calls[0],
      .domain = layer_domain(kind),
      .results = {.reference = std::bind_front(recurrent_results, std::cref(kind), false),
                  .bound = {.of_float = 4, .of_16_bits = 0.52, .of_double = 16},
                  .roundings = layer_roundings,
                  .magnitude = std::bind_front(recurrent_results, std::cref(kind), true),
                  .nan_goes_through = false},
      .error_inputs = layer_errors(params[0], true),
      .words = {computes.english, computes.chinese},
  });

  std::vector<Parameter> gradients = {c.output(in("gradY", -1, 1)), state("gradHy")};
  if (is_lstm) {
    gradients = {optional(c.output(in("gradYOptional", -1, 1))), optional(state("gradHyOptional")),
                 optional(state("gradCyOptional"))};
  }
  std::vector<Parameter> slopes = {shaped(out("gradInput"), {kSteps, kBatch, kIn}),
                                   c.state(out("gradHx"))};
  if (is_lstm) slopes.push_back(c.state(out("gradCx")));
  const std::vector<Parameter> before = is_lstm ? joined({hx, params}) : joined({params, hx});
  std::vector<Parameter> attributes = c.attributes(is_lstm);
  if (is_lstm) {
    attributes.push_back(
        no_option({"outputMaskOptional", BoolsSpec{.values = {1}, .optional = true}}));
  }
  calls[1].parameters = joined({{c.input()},
                                before,
                                gradients,
                                of_kept(in("kept", 0.1L, 0.9L)),
                                {c.batch_sizes()},
                                attributes,
                                slopes,
                                c.params(out("gradParams"), "gradParams")});
  const auto given = [is_lstm](const Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
    const size_t states = is_lstm ? 2 : 1;
    const auto end = x.end() - static_cast<std::ptrdiff_t>(states);  // of input and params
    Arrays inputs = {x[0]};
    if (is_lstm) inputs.insert(inputs.end(), end, x.end());
    inputs.insert(inputs.end(), x.begin() + 1, end);
    if (!is_lstm) inputs.push_back(x.back());
    inputs.push_back(g);
    if (!is_lstm) inputs.push_back(dense::full(y[1].shape));
    inputs.insert(inputs.end(), y.begin() + 1 + static_cast<std::ptrdiff_t>(states), y.end());
    return inputs;
  };
  std::vector<std::string> order = {"input"};
  for (const Parameter& each : hx) order.push_back(each.name);
  for (const Parameter& each : params) order.push_back(each.name);
  Domain domain = layer_domain(kind);
  std::erase_if(domain.samples, [&](const Sample& sample) {
    return !is_lstm && !sample.settings.empty() && sample.settings.front().first == "train";
  });
  if (is_lstm) {
    // The right call has no gradient at all; those of a forward's result have one.
    for (Sample& sample : domain.samples) sample.settings.emplace_back("gradYOptional", Shape{});
    domain.samples.push_back({{{"gradHyOptional", Shape{}}}, false});
    domain.samples.push_back(
        {{{"gradYOptional", Shape{}}, {"gradCyOptional", Shape{}}, {"numLayers", 2.0}}, false});
  }
  all.push_back({
      .call = calls[1],
      .domain = std::move(domain),
      .results = {.reference = std::bind_front(recurrent_gradients, std::cref(kind), false),
                  .bound = {.of_float = 4, .of_16_bits = 0.52, .of_double = 16, .inner = 16},
                  .roundings = layer_roundings,
                  .magnitude = std::bind_front(recurrent_gradients, std::cref(kind), true),
                  .nan_goes_through = false},
      .gradient = Gradient{.of = calls[0].name, .inputs = given, .order = std::move(order)},
      .error_inputs = layer_errors(params[0], false),
      .words = {"the gradients of the input, of the states and of params",
                "输入、状态与 params 的梯度", "", check},
  });
}

}  // namespace

void add_recurrent_layers(std::vector<Operator>& all) {
  add_layers(all, kLstmKind,
             {signature_of<decltype(aclnnLSTMGetWorkspaceSize)>("aclnnLSTM", {}),
              signature_of<decltype(aclnnLstmBackwardGetWorkspaceSize)>("aclnnLstmBackward", {})},
             {"long short-term memory over sequences, in layers and directions",
              "多层、单向或双向的 LSTM 序列计算"},
             "lstm");
  add_layers(all, kGruKind,
             {signature_of<decltype(aclnnGRUGetWorkspaceSize)>("aclnnGRU", {}),
              signature_of<decltype(aclnnGRUBackwardGetWorkspaceSize)>("aclnnGRUBackward", {})},
             {"gated recurrent units over sequences, in layers and directions",
              "多层、单向或双向的 GRU 序列计算"},
             "gru");
}

}  // namespace aclgrad::contract
