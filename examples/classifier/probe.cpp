// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "examples/classifier/network.h"

using namespace aclgrad;

namespace {

constexpr std::array<std::string_view, 4> kActivations = {"selu", "elu", "hardswish", "geglu"};

double norm(const Tensor& tensor) {
  double squares = 0;
  for (const float value : tensor.data<float>()) squares += double{value} * double{value};
  return std::sqrt(squares);
}

}  // namespace

Probe::Probe(const Sequential& network, std::int64_t rows, std::int64_t pixels)
    : x_(graph_.input("x", {rows, pixels})), labels_(graph_.input("labels", {rows}, DType::int64)) {
  const Value loss = cross_entropy(scores_of(network, x_, DType::float32), labels_);
  for (std::size_t id = 0; id < graph_.size(); ++id) {
    const Node& node = graph_.node(static_cast<NodeId>(id));
    if (std::ranges::find(kActivations, node.op->name()) == kActivations.end()) continue;
    activations_.push_back(graph_.value(node.outputs[0]));
  }
  gradients_ = backward(loss, network.parameters(graph_));
  std::vector<Fetch> fetches(activations_.begin(), activations_.end());
  for (const auto& [value, gradient] : gradients_) fetches.emplace_back(gradient);
  session_.emplace(graph_, fetches);
}

void Probe::look(const data::Dataset& batch, std::int64_t step, RunReport& report) {
  const Results results = session_->run({{x_, batch.features}, {labels_, batch.labels}});
  for (const auto& [value, gradient] : gradients_) {
    report.point("Gradient norms", value.name(), static_cast<double>(step),
                 norm(results[gradient]));
  }
  for (std::size_t i = 0; i < activations_.size(); ++i) {
    report.activations(fmt::format("hidden{}", i + 1), step, results[activations_[i]]);
  }
}
