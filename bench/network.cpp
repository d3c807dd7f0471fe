// SPDX-License-Identifier: Apache-2.0
#include "bench/network.h"

#include <string>

namespace aclgrad::bench {
namespace {

Value activate(Kind kind, const Value& x) {
  if (kind == Kind::elu_mse_sgd) return elu(x);
  if (kind == Kind::selu_cross_entropy_adamw) return selu(x);
  return geglu(x);
}

}  // namespace

Batch make_batch(const Workload& workload, std::int64_t rows) {
  Batch batch{Tensor::zeros({rows, workload.features()}),
              workload.classifies() ? Tensor::zeros({rows}, DType::int64)
                                    : Tensor::zeros({rows, workload.results()})};
  fill_features(batch.features.data<float>());
  if (workload.classifies()) {
    fill_labels(workload, batch.wanted.data<std::int64_t>());
  } else {
    fill_targets(batch.wanted.data<float>());
  }
  return batch;
}

Value record_loss(const Workload& workload, const Value& x, const Value& wanted,
                  std::vector<Value>& parameters) {
  Graph graph = x.graph();
  Value value = x;
  for (size_t layer = 0; layer < workload.layers.size(); ++layer) {
    const auto& [in, out] = workload.layers[layer];
    const std::string number = std::to_string(layer + 1);
    Tensor initial = Tensor::zeros({in, out});
    fill_weight(workload, layer, initial.data<float>());
    const Value weight = graph.parameter("weight" + number, initial);
    const Value bias = graph.parameter("bias" + number, Tensor::zeros({out}));
    parameters.insert(parameters.end(), {weight, bias});
    value = linear(value, weight, bias);
    if (layer + 1 < workload.layers.size()) value = activate(workload.kind, value);
  }
  return workload.classifies() ? cross_entropy(value, wanted) : mse_loss(value, wanted);
}

Update record_update(const Workload& workload, Graph& graph, const Gradients& gradients) {
  if (!workload.classifies()) {
    return Sgd({.learning_rate = workload.learning_rate}).step(graph, gradients);
  }
  return AdamW({.learning_rate = workload.learning_rate, .weight_decay = workload.weight_decay})
      .step(graph, gradients);
}

}  // namespace aclgrad::bench
