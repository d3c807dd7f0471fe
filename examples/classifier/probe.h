// SPDX-License-Identifier: Apache-2.0
// Looks into a network from time to time: how large the gradients of its parameters are, and what
// its activations give.
#ifndef ACLGRAD_EXAMPLES_CLASSIFIER_PROBE_H_
#define ACLGRAD_EXAMPLES_CLASSIFIER_PROBE_H_

#include <aclgrad/aclgrad.h>

#include <optional>
#include <vector>

// Has a graph and a session of its own, in float32, so that training takes no notice of it.
class Probe {
 public:
  // For batches of [rows, pixels]. Uses the network's variables.
  Probe(const aclgrad::Sequential& network, std::int64_t rows, std::int64_t pixels);

  void look(const aclgrad::data::Dataset& batch, std::int64_t step, aclgrad::RunReport& report);

 private:
  aclgrad::Graph graph_;
  aclgrad::Value x_;
  aclgrad::Value labels_;
  std::vector<aclgrad::Value> activations_;
  aclgrad::Gradients gradients_;
  std::optional<aclgrad::Session> session_;
};

#endif  // ACLGRAD_EXAMPLES_CLASSIFIER_PROBE_H_
