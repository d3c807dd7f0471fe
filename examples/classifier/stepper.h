// SPDX-License-Identifier: Apache-2.0
// A training step, recorded and planned once.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_STEPPER_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_STEPPER_H_

#include <aclgrad/aclgrad.h>
#include <aclgrad/distributed.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "examples/classifier/options.h"

class Stepper {
 public:
  // For the rank's micro-batches, each of [batches.part_size(), pixels]. Refers to the network and
  // the communicator. Throws ValueError for a state to be sharded on one rank, or with float16.
  Stepper(const aclgrad::Sequential& network, std::int64_t pixels, const TrainingOptions& options,
          const aclgrad::data::ShardedBatches& batches, const aclgrad::Communicator& communicator);

  // Does one step, together with the other ranks, and returns the loss of all before it.
  double step(std::span<const aclgrad::data::Dataset> micro_batches);

  // For the steps to come; nothing is recorded or planned anew.
  void set_learning_rate(double rate) { optimizer_.set_learning_rate(rate); }

  // Weights and all that the step remembers, whatever the number of ranks; and taking up again what
  // the first rank has of them. To be called by all ranks.
  aclgrad::NamedTensors tensors() const;
  void restore(const aclgrad::NamedTensors& saved);

  std::string dot() const { return aclgrad::to_dot(graph_); }

 private:
  using Record = std::function<aclgrad::LossAndGradients(std::int64_t)>;

  aclgrad::Update record_sharded(std::int64_t parts, const Record& record);
  std::vector<aclgrad::Variable> state() const;
  void assign(const aclgrad::NamedTensors& whole);

  const aclgrad::Sequential& network_;
  const aclgrad::Communicator& communicator_;
  aclgrad::Graph graph_;
  aclgrad::Graph update_graph_;    // only with scaling
  std::vector<aclgrad::Value> x_;  // by micro-batch
  std::vector<aclgrad::Value> labels_;
  aclgrad::Value loss_;
  aclgrad::AdamW optimizer_;
  std::optional<aclgrad::ShardedUpdate> sharded_;
  std::optional<aclgrad::LossScaler> scaler_;  // for float16, which holds no small numbers
  std::optional<aclgrad::Session> session_;
  std::optional<aclgrad::Session> update_;
};

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_STEPPER_H_
