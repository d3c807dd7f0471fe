// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/optim/loss_scaler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/optimizer.h"
#include "aclgrad/ops/random.h"
#include "aclgrad/ops/reduction.h"
#include "aclgrad/ops/shape.h"
#include "optim/support.h"
#include "tensor/at_least_float.h"

namespace aclgrad {

namespace {

// The scale and its inverse are numbers of float32.
constexpr double kSmallest = 0x1p-126, kLargest = 0x1p126;

}  // namespace

LossScaler::LossScaler(LossScalerOptions options)
    : options_(std::move(options)),
      scale_(options_.scale),
      scale_variable_(Variable::kept_beside("", options_.name + ".scale", Tensor::scalar(scale_))),
      inverse_variable_(
          Variable::kept_beside("", options_.name + ".inverse", Tensor::scalar(1 / scale_))),
      good_variable_(Variable::kept_beside("", options_.name + ".good_steps",
                                           Tensor::scalar(0, DType::int64))) {
  const bool sound = options_.min_scale > 0 && options_.scale >= options_.min_scale &&
                     options_.growth_factor >= 1 && options_.backoff_factor > 0 &&
                     options_.backoff_factor < 1 && options_.growth_interval >= 1 &&
                     options_.max_scale >= options_.scale && std::isfinite(options_.max_scale) &&
                     std::isfinite(options_.growth_factor) && options_.min_scale >= kSmallest &&
                     options_.max_scale <= kLargest;
  if (!sound) {
    throw ValueError(fmt::format(
        "a loss scaler needs 2^-126 <= min_scale <= scale <= max_scale <= 2^126, "
        "1 <= growth_factor < inf, 0 < backoff_factor < 1 and growth_interval >= 1, got "
        "{} <= {} <= {}, {}, {} and {}",
        options_.min_scale, options_.scale, options_.max_scale, options_.growth_factor,
        options_.backoff_factor, options_.growth_interval));
  }
}

Value LossScaler::seed(const Value& loss, std::source_location where) {
  if (loss.shape().numel() != 1) {
    throw ShapeError(
        fmt::format("a scaled loss must have one element, its shape is {}", loss.shape()));
  }
  Graph graph = loss.graph();
  const RecordScope scope(graph, where);
  const Value scale = cast(graph.parameter(scale_variable_), loss.dtype());
  return reshape(scale, loss.shape().dims());
}

Update LossScaler::unscale(const Gradients& scaled, std::source_location where) {
  if (!kept_.empty() && scaled.size() != kept_.size()) {
    throw ValueError("this loss scaler keeps the gradients of other parameters");
  }
  for (const auto& [value, gradient] : scaled) {
    if (check_.is_of(value.graph())) {
      throw ValueError("this loss scaler keeps the gradients of another loss of this graph");
    }
    detail::variable_to_update(value.graph(), value);
  }
  if (kept_.empty()) {
    for (const auto& [value, gradient] : scaled) {
      const Variable& parameter = *value.variable();
      const DType dtype = detail::at_least_float(parameter.dtype());
      const Variable kept = Variable::kept_beside(parameter.name(), "gradient",
                                                  Tensor::zeros(parameter.shape(), dtype));
      kept_.push_back({parameter, kept, kept.version()});
    }
  }
  std::unordered_map<std::uintptr_t, const Kept*> kept_of;  // by the parameter's identity
  for (const Kept& kept : kept_) kept_of.emplace(kept.parameter.identity(), &kept);
  Update update;
  Value check;
  for (const auto& [value, gradient] : scaled) {
    const Graph graph = value.graph();
    const RecordScope scope(graph, Pass::backward, where);
    const Variable& parameter = *value.variable();
    const auto found = kept_of.find(parameter.identity());
    if (found == kept_of.end()) {
      throw ValueError(
          fmt::format("this loss scaler does not keep the gradient of `{}`, which the "
                      "first graph did not have",
                      parameter.name()));
    }
    // Not in 16 bits, which hold neither a small gradient nor a large sum.
    const Variable& kept = found->second->gradient;
    const DType dtype = kept.dtype();
    const Value inverse = cast(graph.parameter(inverse_variable_), dtype);
    const Value unscaled = mul(cast(gradient, dtype), inverse);
    update.values.push_back(assign(graph.parameter(kept), unscaled));
    // What is not finite makes the sum not finite; that of finite gradients stays far below the
    // largest number.
    const Value sum = cast(reduce_sum(unscaled), DType::float32);
    check = check ? add(check, sum) : sum;
  }
  check_ = check;
  if (check_) check_.named("sum of all gradients");
  return update;
}

Gradients LossScaler::gradients(const Graph& graph, std::source_location where) const {
  std::vector<Gradients::Pair> pairs;
  for (const Kept& kept : kept_) {
    pairs.push_back(
        {graph.parameter(kept.parameter, where), graph.parameter(kept.gradient, where)});
  }
  return Gradients(std::move(pairs));
}

void LossScaler::set(double scale, std::int64_t good) {
  good_ = good;
  good_variable_.assign(Tensor::scalar(static_cast<double>(good), DType::int64));
  if (scale == scale_) return;
  scale_ = scale;
  scale_variable_.assign(Tensor::scalar(scale));
  inverse_variable_.assign(Tensor::scalar(1 / scale));
}

bool LossScaler::update(double check) {
  const bool finite = std::isfinite(check);
  for (Kept& kept : kept_) {
    const std::uint64_t version = kept.gradient.version();
    if (std::exchange(kept.accepted, version) != version) continue;
    throw ValueError(
        fmt::format("no run has written `{}` since the last one that was accepted: "
                    "fetch what unscale() returned together with check()",
                    kept.gradient.name()));
  }
  if (!finite) {
    ++skipped_;
    set(std::max(scale_ * options_.backoff_factor, options_.min_scale), 0);
  } else if (good_ + 1 >= options_.growth_interval) {
    set(std::min(scale_ * options_.growth_factor, options_.max_scale), 0);
  } else {
    set(scale_, good_ + 1);
  }
  return finite;
}

void LossScaler::forget_graphs() {
  kept_.clear();
  check_ = Value();
}

void LossScaler::reload() {
  scale_ = scale_variable_.value().item();
  good_ = static_cast<std::int64_t>(good_variable_.value().item());
  inverse_variable_.assign(Tensor::scalar(1 / scale_));
}

}  // namespace aclgrad
