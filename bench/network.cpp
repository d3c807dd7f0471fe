// SPDX-License-Identifier: Apache-2.0
#include "bench/network.h"

#include <string>

#include "bench/resnet.h"
#include "examples/convolution/model.h"
#include "examples/mobilenet/model.h"
#include "examples/transformer/model.h"

namespace aclgrad::bench {
namespace {

Value activate(Kind kind, const Value& x) {
  if (kind == Kind::elu_mse_sgd) return elu(x);
  if (kind == Kind::selu_cross_entropy_adamw) return selu(x);
  return geglu(x);
}

Value perceptron(const Workload& workload, const Value& x, std::vector<Value>& parameters) {
  Graph graph = x.graph();
  Value value = x;
  for (size_t layer = 0; layer < workload.layers.size(); ++layer) {
    const auto& [in, out] = workload.layers[layer];
    const std::string number = std::to_string(layer + 1);
    Tensor initial = Tensor::zeros({in, out});
    fill_weight("layer" + number + ".weight", initial.shape().dims(), initial.data<float>());
    const Value weight = graph.parameter("weight" + number, initial);
    const Value bias = graph.parameter("bias" + number, Tensor::zeros({out}));
    parameters.insert(parameters.end(), {weight, bias});
    value = linear(value, weight, bias);
    if (layer + 1 < workload.layers.size()) value = activate(workload.kind, value);
  }
  return value;
}

// A network of the examples, whose activations are of this dtype.
template <class Model>
Value record_network(const Model& model, DType dtype, const Value& x,
                     std::vector<Value>& parameters) {
  for (const Variable& variable : model.parameters()) {
    if (variable.shape().rank() < 2) continue;
    Tensor initial = Tensor::zeros(variable.shape());
    fill_weight(variable.name(), variable.shape().dims(), initial.data<float>());
    variable.assign(initial);
  }
  const Value result = model(is_floating(x.dtype()) ? cast(x, dtype) : x);
  for (const Value& value : model.parameters(x.graph())) parameters.push_back(value);
  return cast(result, DType::float32);
}

Value record_result(const Workload& workload, const Value& x, std::vector<Value>& parameters) {
  constexpr std::uint64_t kSeed = 1;
  const DType dtype = workload.bfloat16 ? DType::bfloat16 : DType::float32;
  switch (workload.kind) {
    case Kind::convolution:
      return record_network(convolution::Network({}, Activation::elu, kSeed), dtype, x, parameters);
    case Kind::transformer: {
      const TransformerSizes& sizes = workload.transformer;
      const transformer::Transformer model(workload.classes,
                                           {.context = sizes.context,
                                            .width = sizes.width,
                                            .heads = sizes.heads,
                                            .blocks = sizes.blocks,
                                            .geglu_hidden = sizes.hidden},
                                           Activation::geglu, dtype, kSeed);
      return record_network(model, dtype, x, parameters);
    }
    case Kind::resnet:
      return record_network(resnet::Network(workload.classes, kSeed), dtype, x, parameters);
    case Kind::mobilenet:
      return record_network(mobilenet::MobileNet({}, Activation::hardswish, kSeed), dtype, x,
                            parameters);
    default:
      return perceptron(workload, x, parameters);
  }
}

}  // namespace

Batch make_batch(const Workload& workload, std::int64_t rows) {
  const bool is_text = workload.kind == Kind::transformer;
  Batch batch{
      Tensor::zeros(Shape(workload.features_shape(rows)), is_text ? DType::int64 : DType::float32),
      Tensor::zeros(Shape(workload.wanted_shape(rows)),
                    workload.classifies() ? DType::int64 : DType::float32)};
  if (is_text) {
    fill_characters(workload, batch.features.data<std::int64_t>());
  } else {
    fill_features(batch.features.data<float>());
  }
  if (workload.classifies()) {
    fill_labels(workload, batch.wanted.data<std::int64_t>());
  } else {
    fill_targets(batch.wanted.data<float>());
  }
  return batch;
}

Value record_loss(const Workload& workload, const Value& x, const Value& wanted,
                  std::vector<Value>& parameters) {
  const Value result = record_result(workload, x, parameters);
  return workload.classifies() ? cross_entropy(result, wanted) : mse_loss(result, wanted);
}

Update record_update(const Workload& workload, Graph& graph, const Gradients& gradients) {
  const double rate = workload.learning_rate;
  const auto groups = [&] { return decay_matrices(graph.variables(), workload.weight_decay); };
  switch (workload.kind) {
    case Kind::selu_cross_entropy_adamw:
      return AdamW({.learning_rate = rate, .weight_decay = workload.weight_decay})
          .step(graph, gradients);
    case Kind::convolution:
      return Adam({.learning_rate = rate}).step(graph, gradients);
    case Kind::transformer:
      return AdamW({.learning_rate = rate, .beta2 = 0.99, .clip_norm = 1}, groups())
          .step(graph, gradients);
    case Kind::mobilenet:
      return AdamW({.learning_rate = rate}, groups()).step(graph, gradients);
    case Kind::resnet:
      return Sgd({.learning_rate = rate, .momentum = resnet::kMomentum}).step(graph, gradients);
    default:
      return Sgd({.learning_rate = rate}).step(graph, gradients);
  }
}

}  // namespace aclgrad::bench
