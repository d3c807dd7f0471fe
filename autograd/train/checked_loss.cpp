// SPDX-License-Identifier: Apache-2.0
#include "train/checked_loss.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "dependents.h"
#include "nn/module_tree.h"

namespace aclgrad::detail {
namespace {

// A layer that was forgotten would never learn. What is only read, a teacher, may be anybody's.
void require_own_variables(const Value& loss, const Module& model) {
  std::unordered_set<std::uintptr_t> known;
  for (const Variable& variable : model.state()) known.insert(variable.identity());
  const Graph graph = loss.graph();
  for (const Variable& variable : graph.variables()) {
    if (known.contains(variable.identity()) || !is_floating(variable.dtype()) ||
        is_frozen(variable)) {
      continue;
    }
    const auto reached = dependents(graph, {graph.parameter(variable)}, loss.node().id);
    if (!reached.contains(loss.id())) continue;
    throw ValueError(fmt::format(
        "the loss reads `{}`, which is no part of the model: make its layer with child() of the "
        "model (to train a part only, give the Trainer the whole model and freeze() the rest). "
        "What is only to be read, a teacher say, is frozen with freeze(), or its result goes "
        "through stop_gradient()",
        variable.name()));
  }
}

}  // namespace

LossRecorder checked(LossFunction function, const Module& model) {
  return [function = std::move(function), model](const BatchValues& batch) {
    Loss loss = function(batch);
    const Value& value = loss.value();
    if (!value) throw ValueError("the loss function returned an empty Value");
    if (!value.is_of(batch.graph())) {
      throw ValueError(fmt::format("the loss function returned {}, which is of another graph",
                                   value.description()));
    }
    if (value.shape().numel() != 1) {
      throw ShapeError(
          fmt::format("a loss is one number, {} has shape {}", value.description(), value.shape()));
    }
    require_own_variables(value, model);
    return loss;
  };
}

}  // namespace aclgrad::detail
