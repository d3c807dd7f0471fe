// SPDX-License-Identifier: Apache-2.0
#include "bench/workload.h"

#include <aclgrad/random.h>

#include <cmath>
#include <stdexcept>

namespace aclgrad::bench {
namespace {

// Streams of random numbers, apart from those of the layers' weights.
constexpr uint64_t kFeatures = 100;
constexpr uint64_t kTargets = 101;

void fill_normal(std::span<float> values, uint64_t stream, double deviation) {
  const Random random(1, stream);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(deviation * random.normal(i));
  }
}

}  // namespace

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> list = {
      {.name = "W1",
       .what = "MLP 2-16-16-1, ELU, MSE, batch 32, SGD",
       .kind = Kind::elu_mse_sgd,
       .batch = 32,
       .layers = {{2, 16}, {16, 16}, {16, 1}},
       .learning_rate = 1e-2,
       .weight_decay = 0},
      {.name = "W2",
       .what = "MLP 784-256-128-10, SELU, cross-entropy, batch 128, AdamW",
       .kind = Kind::selu_cross_entropy_adamw,
       .batch = 128,
       .layers = {{784, 256}, {256, 128}, {128, 10}},
       .learning_rate = 1e-3,
       .weight_decay = 1e-2},
      // GEGLU halves what the first layer gives.
      {.name = "W3",
       .what = "[1024,512], Linear 4096, GEGLU (erf), Linear 512, bias, MSE, SGD",
       .kind = Kind::geglu_mse_sgd,
       .batch = 1024,
       .layers = {{512, 4096}, {2048, 512}},
       .learning_rate = 1e-2,
       .weight_decay = 0},
  };
  return list;
}

const Workload& workload(const std::string& name) {
  for (const Workload& workload : workloads()) {
    if (workload.name == name) return workload;
  }
  throw std::invalid_argument("there is no workload " + name);
}

void fill_weight(const Workload& workload, size_t layer, std::span<float> weight) {
  fill_normal(weight, layer, 1 / std::sqrt(static_cast<double>(workload.layers.at(layer).in)));
}

void fill_features(std::span<float> features) { fill_normal(features, kFeatures, 1); }
void fill_targets(std::span<float> targets) { fill_normal(targets, kTargets, 1); }

void fill_labels(const Workload& workload, std::span<int64_t> labels) {
  const Random random(1, kTargets);
  for (size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<int64_t>(random.below(i, static_cast<uint64_t>(workload.results())));
  }
}

}  // namespace aclgrad::bench
