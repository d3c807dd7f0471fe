// SPDX-License-Identifier: Apache-2.0
#include "bench/workload.h"

#include <aclgrad/random.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "nn/support.h"

namespace aclgrad::bench {
namespace {

// Streams of random numbers, apart from those of the weights, which have one for each name.
constexpr uint64_t kFeatures = 100;
constexpr uint64_t kTargets = 101;

void fill_normal(std::span<float> values, uint64_t stream, double stddev) {
  const Random random(1, stream);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(stddev * random.normal(i));
  }
}

void fill_classes(int64_t classes, uint64_t stream, std::span<int64_t> numbers) {
  const Random random(1, stream);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int64_t>(random.below(i, static_cast<uint64_t>(classes)));
  }
}

// "W5" as W5b.
Workload in_bfloat16(Workload workload) {
  workload.what = workload.name + ", activations and products in bfloat16";
  workload.name += "b";
  workload.bfloat16 = true;
  return workload;
}

}  // namespace

std::vector<int64_t> Workload::features_shape(int64_t rows) const {
  if (is_perceptron()) return {rows, layers.front().in};
  if (kind == Kind::transformer) return {rows, transformer.context};
  if (kind == Kind::resnet) return {rows, 3, 32, 32};
  return {rows, 1, 28, 28};
}

std::vector<int64_t> Workload::wanted_shape(int64_t rows) const {
  if (!classifies()) return {rows, layers.back().out};
  if (kind == Kind::transformer) return {rows, transformer.context};
  return {rows};
}

namespace {

std::vector<Workload> all_workloads() {
  std::vector<Workload> list = {
      {.name = "W1",
       .what = "MLP 2-16-16-1, ELU, MSE, batch 32, SGD",
       .kind = Kind::elu_mse_sgd,
       .batch = 32,
       .layers = {{2, 16}, {16, 16}, {16, 1}},
       .learning_rate = 1e-2},
      {.name = "W2",
       .what = "MLP 784-256-128-10, SELU, cross-entropy, batch 128, AdamW",
       .kind = Kind::selu_cross_entropy_adamw,
       .batch = 128,
       .layers = {{784, 256}, {256, 128}, {128, 10}},
       .weight_decay = 1e-2,
       .classes = 10},
      // GEGLU halves what the first layer gives.
      {.name = "W3",
       .what = "[1024,512], Linear 4096, GEGLU (erf), Linear 512, bias, MSE, SGD",
       .kind = Kind::geglu_mse_sgd,
       .batch = 1024,
       .layers = {{512, 4096}, {2048, 512}},
       .learning_rate = 1e-2},
      {.name = "W4",
       .what =
           "`convolution`: four convolutions with ELU, batch norm, max pooling, batch 128, Adam",
       .kind = Kind::convolution,
       .batch = 128,
       .classes = 10},
      {.name = "W5",
       .what = "`transformer`: 4 blocks, 4 heads, width 128, GEGLU 344, 12 rows of 64 characters, "
               "AdamW, gradients clipped",
       .kind = Kind::transformer,
       .batch = 12,
       .weight_decay = 0.1,
       .classes = 86},
      {.name = "W6",
       .what = "`mobilenet`: four bottlenecks of MobileNetV3, Hardswish, batch 32, AdamW",
       .kind = Kind::mobilenet,
       .batch = 32,
       .weight_decay = 0.05,
       .classes = 10},
      {.name = "W7",
       .what = "`transformer` with 10.7 million parameters: 6 blocks, 6 heads, width 384, GEGLU "
               "1024, 4 rows of 256 characters, AdamW, gradients clipped",
       .kind = Kind::transformer,
       .batch = 4,
       .transformer = {.context = 256, .width = 384, .heads = 6, .blocks = 6, .hidden = 1024},
       .learning_rate = 1e-4,
       .weight_decay = 0.1,
       .classes = 86},
      {.name = "W8",
       .what = "ResNet-20 of 3 x 32 x 32 images, batch 32, SGD with momentum",
       .kind = Kind::resnet,
       .batch = 32,
       .learning_rate = 1e-3,
       .classes = 10},
  };
  for (const size_t place : {3, 4, 6, 7}) list.push_back(in_bfloat16(list[place]));
  return list;
}

}  // namespace

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> list = all_workloads();
  return list;
}

std::string workloads_as_json() {
  nlohmann::ordered_json list;
  for (const Workload& workload : workloads()) {
    int64_t parameters = 0;  // of a perceptron
    for (const Layer& layer : workload.layers) parameters += (layer.in + 1) * layer.out;
    list.push_back({{"name", workload.name},
                    {"what", workload.what},
                    {"batch", workload.batch},
                    {"bfloat16", workload.bfloat16},
                    {"parameters", parameters}});
  }
  return list.dump();
}

const Workload& workload(const std::string& name) {
  for (const Workload& workload : workloads()) {
    if (workload.name == name) return workload;
  }
  throw std::invalid_argument("there is no workload " + name);
}

void fill_weight(const std::string& name, std::span<const int64_t> shape, std::span<float> weight) {
  const auto fan_in = shape.size() == 2
                          ? static_cast<double>(shape[0])
                          : static_cast<double>(weight.size()) / static_cast<double>(shape[0]);
  fill_normal(weight, detail::seed_of(name), 1 / std::sqrt(fan_in));
}

void fill_features(std::span<float> features) { fill_normal(features, kFeatures, 1); }
void fill_targets(std::span<float> targets) { fill_normal(targets, kTargets, 1); }

void fill_characters(const Workload& workload, std::span<int64_t> characters) {
  fill_classes(workload.classes, kFeatures, characters);
}

void fill_labels(const Workload& workload, std::span<int64_t> labels) {
  fill_classes(workload.classes, kTargets, labels);
}

}  // namespace aclgrad::bench
