// SPDX-License-Identifier: Apache-2.0
// The networks of docs/networks.md, at tiny sizes.
#include <cmath>

#include "examples/convolution/model.h"
#include "examples/mobilenet/model.h"
#include "examples/recurrent/model.h"
#include "examples/self_normalizing/model.h"
#include "examples/spoken/model.h"
#include "examples/transformer/model.h"
#include "examples/translate/model.h"
#include "tests/onnx/saved_cases.h"

namespace aclgrad {
namespace {

template <class Model>
SavedCase network(std::string name, Model model, onnx::Example example) {
  return {
      std::move(name),
      [model](const std::vector<Value>& inputs) { return std::vector<Value>{model(inputs[0])}; },
      {std::move(example)}};
}

onnx::Example tokens(Shape shape) { return {"tokens", std::move(shape), DType::int64}; }

transformer::Transformer small_transformer(Activation kind) {
  return {7,
          {.context = 4, .width = 6, .heads = 2, .blocks = 2, .geglu_hidden = 4, .hidden = 6},
          kind,
          DType::float32,
          3};
}

std::vector<SavedCase> all_networks() {
  const std::vector<std::int64_t> widths = {6, 8, 7, 4};
  std::vector<SavedCase> all = {
      network("self_normalizing", self_normalizing::network("selu", widths, 0.05, 1),
              {"x", {1, 6}}),
      network("transformer", small_transformer(Activation::geglu), tokens({1, 4})),
      network("transformer_gelu", small_transformer(Activation::gelu), tokens({1, 4})),
      network("convolution",
              convolution::Network({.side = 20, .first = 2, .second = 3, .classes = 4},
                                   Activation::elu, 1),
              {"images", {1, 1, 20, 20}}),
      network("mobilenet",
              mobilenet::MobileNet({.stem = 4,
                                    .head = 6,
                                    .classes = 3,
                                    .bottlenecks = {{4, 8, 4, 3, 1}, {4, 8, 6, 3, 2}}},
                                   Activation::hardswish, 3),
              {"images", {1, 1, 8, 8}}),
      network("adder", recurrent::Adder(4), {"x", {1, 5, 2}}),
      network("characters",
              recurrent::CharacterModel(7, {.width = 3, .hidden = 4}, DType::float32, 1),
              tokens({1, 5})),
      network("spoken",
              spoken::Listener({.bands = 8, .first = 2, .second = 3, .hidden = 3, .classes = 4}, 1),
              {"spectrograms", {1, 1, 8, 12}})};
  const translate::Translator translator(
      {.letters = 7, .digits = 6, .width = 6, .heads = 2, .hidden = 4, .blocks = 1}, DType::float32,
      1);
  all.push_back({"translate",
                 [translator](const std::vector<Value>& in) {
                   return std::vector<Value>{
                       translator.decode(translator.encode(in[0]), in[0], in[1])};
                 },
                 {{"source", {1, 8}, DType::int64}, {"begun", {1, 3}, DType::int64}}});
  return all;
}

}  // namespace

const std::vector<SavedCase>& saved_networks() {
  static const std::vector<SavedCase> all = all_networks();
  return all;
}

std::vector<SavedCase> all_saved_cases() {
  std::vector<SavedCase> all;
  for (const auto* some :
       {&saved_nodes(), &saved_functions(), &saved_algebra(), &saved_networks()}) {
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

std::vector<Tensor> inputs_of(const SavedCase& of, std::int64_t batch) {
  std::vector<Tensor> all;
  for (const onnx::Example& example : of.examples) {
    Dims dims = example.shape.dims();
    dims[0] = batch;
    Tensor made = Tensor::zeros(Shape(std::move(dims)), example.dtype);
    for (std::int64_t i = 0; i < made.numel(); ++i) {
      const double number = is_floating(example.dtype)
                                ? 2 * std::sin(static_cast<double>(i * i + 3 * i + 1))
                                : static_cast<double>(i * 3 % of.numbers_below);
      made.set(i, number);
    }
    all.push_back(std::move(made));
  }
  return all;
}

std::vector<Tensor> run(const onnx::Record& record, const std::vector<Tensor>& inputs) {
  const Graph graph(Mode::evaluation);
  std::vector<Value> values;
  std::vector<Feed> feeds;
  for (const Tensor& input : inputs) {
    values.push_back(
        graph.input("input " + std::to_string(values.size()), input.shape(), input.dtype()));
    feeds.emplace_back(values.back(), input);
  }
  const std::vector<Value> outputs = record(values);
  Session session(graph, {outputs.begin(), outputs.end()});
  const Results results = session.run(feeds);
  std::vector<Tensor> all;
  for (const Value& output : outputs) all.push_back(results[output]);
  return all;
}

}  // namespace aclgrad
