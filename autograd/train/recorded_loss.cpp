// SPDX-License-Identifier: Apache-2.0
#include "train/recorded_loss.h"

#include <fmt/format.h>

#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"

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
  weight_ = cast({weight, sum.where}, sum.dtype());
  value_ = div(sum, weight_);
}

namespace detail {

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

}  // namespace detail
}  // namespace aclgrad
