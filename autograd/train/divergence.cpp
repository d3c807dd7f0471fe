// SPDX-License-Identifier: Apache-2.0
#include "train/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "train/piecewise_loss.h"

namespace aclgrad::detail {
namespace {

bool all_finite(const Tensor& tensor) {
  const Tensor wide = tensor.dtype() == DType::float32 ? Tensor() : tensor.to(DType::float64);
  const auto finite = [](auto value) { return std::isfinite(value); };
  return tensor.dtype() == DType::float32 ? std::ranges::all_of(tensor.data<float>(), finite)
                                          : std::ranges::all_of(wide.data<double>(), finite);
}

}  // namespace

std::string shown(double number) {
  return std::isnan(number) ? "nan" : fmt::format("{:.4g}", number);
}

void DivergenceCheck::begin(const data::Dataset& batch) {
  if (begins_finite_) return;
  begins_finite_ = true;
  trainer_.ranks().on_first([&] { begins_finite_ = std::isfinite(loss_of(batch)); });
}

std::string DivergenceCheck::fault_after(const data::Dataset& batch) {
  std::string fault;
  trainer_.ranks().on_first([&] {
    for (const Variable& parameter : trainer_.model().parameters()) {
      if (all_finite(parameter.value())) continue;
      fault = fmt::format("`{}` is not finite", parameter.name());
      return;
    }
    const double loss = begins_finite_.value_or(false) ? loss_of(batch) : 0;
    if (!std::isfinite(loss)) fault = fmt::format("the loss became {}", shown(loss));
  });
  return trainer_.ranks().broadcast_text(std::move(fault));
}

// In Mode::evaluation, in pieces as large as those that a step takes, for memory, unless the loss
// cannot be evaluated in pieces.
double DivergenceCheck::loss_of(const data::Dataset& batch) {
  if (is_piecewise_) {
    try {
      const std::int64_t pieces = trainer_.micro_batches().count();
      return trainer_.evaluate(batch, std::max<std::int64_t>(1, batch.size() / pieces));
    } catch (const NotPiecewise&) {
      is_piecewise_ = false;
    }
  }
  return trainer_.evaluate(batch, 0);
}

}  // namespace aclgrad::detail
