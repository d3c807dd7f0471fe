// SPDX-License-Identifier: Apache-2.0
// EarlyStopping: which evaluation is the best, and whether to wait for a better one.
#pragma once

#include <cstddef>
#include <optional>

#include "aclgrad/fit.h"

namespace aclgrad::detail {

class EarlyStopping {
 public:
  explicit EarlyStopping(const FitOptions& options) : options_(options) {}

  /// Counts the evaluation and says whether it is the best so far, by FitOptions::monitor.
  bool add(const Evaluation& evaluation);

  /// What an evaluation is judged by, less being better.
  double score_of(const Evaluation& evaluation) const;

  /// The number of the best one; none while no score was finite.
  std::optional<std::size_t> best() const { return best_; }

  /// Whether FitOptions::patience have followed each other without a better one.
  bool is_out_of_patience() const;

  /// Whether the latest one has FitOptions::target_loss.
  bool has_reached_target() const { return has_reached_target_; }

 private:
  const FitOptions& options_;
  std::size_t count_ = 0;
  std::optional<std::size_t> best_;
  double best_score_ = 0;  // the lowest
  bool has_reached_target_ = false;
};

}  // namespace aclgrad::detail
