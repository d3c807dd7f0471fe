// SPDX-License-Identifier: Apache-2.0
#include "train/early_stopping.h"

#include <algorithm>
#include <cmath>

namespace aclgrad::detail {

double EarlyStopping::score_of(const Evaluation& evaluation) const {
  if (options_.monitor.empty()) return evaluation.validation_loss;
  const auto found = std::ranges::find(options_.metrics, options_.monitor, &Metric::name);
  const double value =
      evaluation.metrics[static_cast<std::size_t>(found - options_.metrics.begin())];
  return found->larger_is_better ? -value : value;
}

bool EarlyStopping::add(const Evaluation& evaluation) {
  const std::size_t number = count_++;
  has_reached_target_ = options_.target_loss && evaluation.validation_loss <= *options_.target_loss;
  const double score = score_of(evaluation);
  if (!std::isfinite(score) || (best_ && !(score < best_score_))) return false;
  best_ = number;
  best_score_ = score;
  return true;
}

bool EarlyStopping::is_out_of_patience() const {
  const std::size_t since = best_ ? count_ - 1 - *best_ : count_;
  return options_.patience > 0 && since >= static_cast<std::size_t>(options_.patience);
}

}  // namespace aclgrad::detail
