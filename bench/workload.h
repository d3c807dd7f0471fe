// SPDX-License-Identifier: Apache-2.0
// What is trained: a network, a batch and an optimizer, the same for all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aclgrad::bench {

enum class Kind {
  // Multilayer perceptrons.
  elu_mse_sgd,
  selu_cross_entropy_adamw,
  geglu_mse_sgd,
  // The networks of examples/.
  convolution,
  transformer,
  mobilenet,
  // That of resnet.h.
  resnet
};

// A layer x @ weight + bias with weight [in, out].
struct Layer {
  int64_t in;
  int64_t out;
};

// Of the transformer of examples/, with GEGLU.
struct TransformerSizes {
  int64_t context = 64;  // characters in a row of text
  int64_t width = 128;
  int64_t heads = 4;
  int64_t blocks = 4;
  int64_t hidden = 344;
};

struct Workload {
  std::string name;  // "W1"
  std::string what;  // in words
  Kind kind;
  int64_t batch;
  std::vector<Layer> layers = {};  // of a perceptron, with the activation after each but the last
  TransformerSizes transformer = {};
  double learning_rate = 1e-3;
  double weight_decay = 0;  // of AdamW
  int64_t classes = 0;      // 0 where numbers are wanted, not classes
  // Activations and products in bfloat16; weights and the optimizer's state stay in float32.
  bool bfloat16 = false;

  bool is_perceptron() const { return !layers.empty(); }
  bool classifies() const { return classes > 0; }

  // Of the examples, and of what is wanted of them.
  std::vector<int64_t> features_shape(int64_t rows) const;
  std::vector<int64_t> wanted_shape(int64_t rows) const;
};

const std::vector<Workload>& workloads();

// What train/measure.py and scale/measure.py are told of them: a list in JSON.
std::string workloads_as_json();

// Throws std::invalid_argument for a name that no workload has.
const Workload& workload(const std::string& name);

// The numbers that all candidates start with. They fill memory that is there already, so that no
// candidate's peak shows a copy. A weight is normal with standard deviation 1 / sqrt(fan_in), and
// known by its name in the network.
void fill_weight(const std::string& name, std::span<const int64_t> shape, std::span<float> weight);
void fill_features(std::span<float> features);
void fill_targets(std::span<float> targets);
void fill_characters(const Workload& workload, std::span<int64_t> characters);
void fill_labels(const Workload& workload, std::span<int64_t> labels);

}  // namespace aclgrad::bench
