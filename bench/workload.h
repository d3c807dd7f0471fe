// SPDX-License-Identifier: Apache-2.0
// What is trained: a network, a batch and an optimizer, the same for everybody.
#ifndef ACLGRAD_BENCH_WORKLOAD_H_
#define ACLGRAD_BENCH_WORKLOAD_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aclgrad::bench {

enum class Kind { elu_mse_sgd, selu_cross_entropy_adamw, geglu_mse_sgd };

// A layer x @ weight + bias with weight [in, out].
struct Layer {
  int64_t in;
  int64_t out;
};

struct Workload {
  std::string name;  // "W1"
  std::string what;  // in words
  Kind kind;
  int64_t batch;
  std::vector<Layer> layers;  // with the activation after each but the last
  double learning_rate;
  double weight_decay;  // of AdamW

  bool classifies() const { return kind == Kind::selu_cross_entropy_adamw; }
  int64_t features() const { return layers.front().in; }
  int64_t results() const { return layers.back().out; }
};

const std::vector<Workload>& workloads();

// Throws std::invalid_argument for a name that no workload has.
const Workload& workload(const std::string& name);

// The numbers that everybody starts with: functions of the workload alone. They fill memory that is
// there already, so that nobody's peak shows a copy.
void fill_weight(const Workload& workload, size_t layer, std::span<float> weight);  // [in, out]
void fill_features(std::span<float> features);
void fill_targets(std::span<float> targets);
void fill_labels(const Workload& workload, std::span<int64_t> labels);

}  // namespace aclgrad::bench

#endif  // ACLGRAD_BENCH_WORKLOAD_H_
