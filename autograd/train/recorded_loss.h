// SPDX-License-Identifier: Apache-2.0
// A loss as it is recorded for a batch of some size.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <typeinfo>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/graph.h"
#include "aclgrad/nn/module.h"
#include "aclgrad/session/fetch.h"
#include "aclgrad/train/loss_function.h"

namespace aclgrad::detail {

/// The parts of a batch, by name, at least one.
using BatchSpecs = std::map<std::string, TensorSpec>;
BatchSpecs specs_of(const data::Dataset& batch);
std::int64_t examples_in(const BatchSpecs& specs);

/// A text that is the same for equal ones only.
std::string key_of(const BatchSpecs& specs);

/// What is fed for a batch, by the names of its parts, with this behind them.
void add_feeds(const data::Dataset& batch, const std::string& mark, std::vector<Feed>& feeds);

/// Inputs of a graph that hold a batch, called after its parts.
BatchValues batch_inputs(const Graph& graph, const BatchSpecs& specs, const std::string& mark = "");

using LossRecorder = std::function<Loss(const BatchValues& batch)>;

/// Throws ValueError where the function returns an empty Value or one of another graph, and for a
/// gradient for a variable that is no part of the model, nor frozen; ShapeError where the loss is
/// not one number.
LossRecorder checked(LossFunction loss, const Module& model);

/// What a sum and its weight, of float32 or float64, make; 16 bits do not hold a weight of 257, or
/// of 70000.
Value quotient(Operand sum, const Value& weight);

struct RecordedLoss {
  RecordedLoss(Mode mode, const LossRecorder& record, const BatchSpecs& specs);

  Graph graph;
  std::int64_t examples;
  BatchValues batch;
  Loss loss;
};

template <class... Ops>
bool is_any(const Node& node) {
  const Op& op = *node.op;
  return ((typeid(op) == typeid(Ops)) || ...);
}

}  // namespace aclgrad::detail
