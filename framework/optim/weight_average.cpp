// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/optim/weight_average.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/io/checkpoint.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/optimizer.h"
#include "aclgrad/ops/shape.h"
#include "tensor/at_least_float.h"
#include "tensor/option.h"

namespace aclgrad {

WeightAverage::WeightAverage(const Module& model, const WeightAverageOptions& options)
    : model_(model),
      decay_(options.decay),
      parameters_(model.parameters()),
      updates_(Variable::kept_beside("", "average_updates", Tensor::zeros({1}, DType::int64))) {
  detail::require_option("WeightAverage", "decay", decay_, detail::kBelowOne);
  if (parameters_.empty()) throw ValueError("WeightAverage: the model has no parameters");
  for (const Variable& parameter : parameters_) {
    averages_.push_back(Variable::kept_beside(
        "@average", parameter.name(),
        Tensor::zeros(parameter.shape(), detail::at_least_float(parameter.dtype()))));
  }
}

bool WeightAverage::covers(const Variable& parameter) const {
  return std::ranges::find(parameters_, parameter) != parameters_.end();
}

void WeightAverage::update() {
  if (is_applied_) {
    throw ValueError(
        "update() within with_averages() would average the averages: step and update outside");
  }
  const std::int64_t before = updates();
  if (before == 0) {
    for (std::size_t i = 0; i < averages_.size(); ++i) {
      averages_[i].assign(parameters_[i].value().to(averages_[i].dtype()));
    }
  } else {
    if (!session_) {
      Graph graph(Mode::evaluation);
      Update update;
      for (std::size_t i = 0; i < averages_.size(); ++i) {
        const Value average = graph.parameter(averages_[i]);
        const Value weight = cast(graph.parameter(parameters_[i]), average.dtype());
        update.values.push_back(inplace_add(average, sub(weight, average), 1 - decay_));
      }
      session_.emplace(graph, std::vector<Fetch>{std::move(update)});
    }
    session_->run();
  }
  updates_.assign(Tensor::full({1}, static_cast<double>(before + 1), DType::int64));
}

std::int64_t WeightAverage::updates() const {
  return static_cast<std::int64_t>(updates_.value().item());
}

void WeightAverage::reset() { updates_.assign(Tensor::zeros({1}, DType::int64)); }

void WeightAverage::assign_to_model() const {
  if (is_empty()) return;
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    parameters_[i].assign(averages_[i].value().to(parameters_[i].dtype()));
  }
}

void WeightAverage::with_averages(const std::function<void()>& work) {
  if (is_empty() || is_applied_) return work();
  const NamedTensors own = values_of(parameters_);
  const auto restore = [&] {
    for (std::size_t i = 0; i < own.size(); ++i) parameters_[i].assign(own[i].second);
    is_applied_ = false;
  };
  const Variable* changed = nullptr;
  is_applied_ = true;
  try {
    assign_to_model();
    std::vector<std::uint64_t> versions;
    for (const Variable& parameter : parameters_) versions.push_back(parameter.version());
    work();
    for (std::size_t i = 0; i < versions.size() && changed == nullptr; ++i) {
      if (parameters_[i].version() != versions[i]) changed = &parameters_[i];
    }
  } catch (...) {
    restore();
    throw;
  }
  restore();
  if (changed == nullptr) return;
  throw ValueError(
      fmt::format("what with_averages() did has changed `{}`: the parameters are what they were "
                  "before again, so train, or load, outside",
                  changed->name()));
}

NamedTensors WeightAverage::values() const {
  NamedTensors all = values_of(model_.state());
  if (is_empty()) return all;
  for (std::size_t i = 0; i < averages_.size(); ++i) {
    const auto found =
        std::ranges::find(all, parameters_[i].name(), &NamedTensors::value_type::first);
    found->second = averages_[i].value().to(parameters_[i].dtype());
  }
  return all;
}

void WeightAverage::save(const std::filesystem::path& path, const SaveOptions& options) const {
  model_.write(path, values(), options);
}

std::vector<Variable> WeightAverage::state() const {
  std::vector<Variable> all = averages_;
  all.push_back(updates_);
  return all;
}

}  // namespace aclgrad
