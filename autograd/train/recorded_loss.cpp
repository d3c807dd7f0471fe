// SPDX-License-Identifier: Apache-2.0
#include "train/recorded_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
#include "engine/dependents.h"
#include "nn/module_tree.h"
#include "tensor/at_least_float.h"

namespace aclgrad {

const Value& BatchValues::operator[](std::string_view name) const {
  const auto found = parts_.find(name);
  if (found != parts_.end()) return found->second;
  std::string names;
  for (const auto& [known, value] : parts_) {
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", known);
  }
  throw ValueError(fmt::format("the examples have no `{}`, only {}{}", name, names,
                               name == "labels" ? ": a loss without labels is a function of one "
                                                  "value, [&](const Value& x) { ... }"
                                                : ""));
}

Loss::Loss(Operand sum, const Value& weight) : sum_(sum) {
  const auto require_one = [](const char* what, const Value& value) {
    if (value.shape().numel() == 1) return;
    throw ShapeError(fmt::format("the {} of a Loss is one number, {} has shape {}", what,
                                 value.description(), value.shape()));
  };
  require_one("sum", sum);
  if (weight.id() < 0) {
    value_ = sum;
    return;
  }
  require_one("weight", weight);
  weight_ = cast({weight, sum.where}, detail::at_least_float(sum.dtype()));
  value_ = detail::quotient(sum, weight_);
}

namespace detail {

Value quotient(Operand sum, const Value& weight) {
  const Value value = div({cast(sum, weight.dtype()), sum.where}, weight);
  return is_floating(sum.dtype()) ? cast({value, sum.where}, sum.dtype()) : value;
}

namespace {

// A layer that was forgotten would never learn. What is only read, a teacher, may be anybody's.
void require_own_variables(const Value& loss, const Module& model) {
  std::unordered_set<std::uintptr_t> known;
  for (const Variable& variable : model.state()) known.insert(variable.identity());
  const Graph graph = loss.graph();
  std::vector<Value> foreign;
  for (const Variable& variable : graph.variables()) {
    const bool may_learn = is_floating(variable.dtype()) && !is_frozen(variable);
    if (may_learn && !known.contains(variable.identity())) {
      foreign.push_back(graph.parameter(variable));
    }
  }
  const auto learns = [&](const std::vector<Value>& values) {
    return dependents(graph, values, loss.node().id).contains(loss.id());
  };
  if (foreign.empty() || !learns(foreign)) return;
  const auto first = std::ranges::find_if(foreign, [&](const Value& it) { return learns({it}); });
  throw ValueError(
      fmt::format("the loss reads `{}`, which is no part of the model: make its layer with child() "
                  "of the model "
                  "(to train a part only, give the Trainer the whole model and freeze() the rest). "
                  "What is only "
                  "to be read, a teacher say, is frozen with freeze(), or its result goes through "
                  "stop_gradient()",
                  first->variable()->name()));
}

}  // namespace

BatchSpecs specs_of(const data::Dataset& batch) {
  BatchSpecs specs;
  for (const auto& [name, tensor] : batch.tensors()) {
    specs.emplace(name, TensorSpec{tensor->shape(), tensor->dtype()});
  }
  return specs;
}

std::int64_t examples_in(const BatchSpecs& specs) { return specs.begin()->second.shape.dims()[0]; }

std::string key_of(const BatchSpecs& specs) {
  std::string key;
  for (const auto& [name, spec] : specs) {
    key += fmt::format("{} {} {}, ", name, spec.dtype, spec.shape);
  }
  return key;
}

void add_feeds(const data::Dataset& batch, const std::string& mark, std::vector<Feed>& feeds) {
  for (const auto& [name, tensor] : batch.tensors()) feeds.emplace_back(name + mark, *tensor);
}

BatchValues batch_inputs(const Graph& graph, const BatchSpecs& specs, const std::string& mark) {
  BatchValues::Parts parts;
  for (const auto& [name, spec] : specs) {
    parts.emplace(name, graph.input(name + mark, spec.shape, spec.dtype));
  }
  return BatchValues(std::move(parts));
}

RecordedLoss::RecordedLoss(Mode mode, const LossRecorder& record, const BatchSpecs& specs)
    : graph(mode),
      examples(examples_in(specs)),
      batch(batch_inputs(graph, specs)),
      loss(record(batch)) {}

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

}  // namespace detail
}  // namespace aclgrad
