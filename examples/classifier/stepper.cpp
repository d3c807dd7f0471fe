// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/stepper.h"

#include "examples/classifier/network.h"

using namespace aclgrad;

Stepper::Stepper(const Sequential& network, std::int64_t pixels, const TrainingOptions& options)
    : network_(network),
      x_(graph_.input("x", {options.batch, pixels})),
      labels_(graph_.input("labels", {options.batch}, DType::int64)),
      loss_(cross_entropy(scores_of(network, x_, options.dtype), labels_).named("loss")),
      optimizer_({.learning_rate = options.learning_rate,
                  .weight_decay = 0.05,
                  .scheduled = options.schedule != "constant"}) {
  const std::vector<Value> parameters = network.parameters(graph_);
  if (options.dtype != DType::float16) {
    const Update update = optimizer_.step(graph_, backward(loss_, parameters));
    session_.emplace(graph_, std::vector<Fetch>{loss_, update});
    return;
  }
  // Whether to update is decided between two sessions.
  scaler_.emplace();
  const Gradients scaled = backward(loss_, parameters, {.seed = scaler_->seed(loss_)});
  const Update kept = scaler_->keep(scaled);
  session_.emplace(graph_, std::vector<Fetch>{loss_, kept, scaler_->check()});
  const Update update = optimizer_.step(update_graph_, scaler_->gradients(update_graph_));
  update_.emplace(update_graph_, std::vector<Fetch>{update});
}

double Stepper::step(const data::Dataset& batch) {
  const Results results = session_->run({{x_, batch.features}, {labels_, batch.labels}});
  const double loss = results[loss_].item();
  if (scaler_ && scaler_->accept(results)) update_->run();
  return loss;
}

std::vector<Variable> Stepper::state() const {
  std::vector<Variable> all = network_.variables();
  for (const Variable& variable : optimizer_.state()) all.push_back(variable);
  if (scaler_) {
    for (const Variable& variable : scaler_->state()) all.push_back(variable);
  }
  return all;
}

void Stepper::restored() {
  if (scaler_) scaler_->reload();
}
