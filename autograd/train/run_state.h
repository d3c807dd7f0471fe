// SPDX-License-Identifier: Apache-2.0
// Where a run of fit() is and what it has found, and its text in a checkpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/fit.h"

namespace aclgrad::detail {

struct RunState {
  std::int64_t begin = 0;  // steps that the trainer had done before the run
  std::int64_t step = 0;   // steps that it has done now
  data::Position next;     // the batch to come
  double sum = 0;          // of the losses since the last evaluation
  std::int64_t count = 0;  // of them
  bool stopped_early = false, has_best = false;
  std::optional<double> learning_rate = std::nullopt;  // where a callback has set one
  std::vector<Evaluation> evaluations = {};
};

/// JSON. Floating numbers are strings in it, which hold NaN and infinity too and give the same bits
/// when they are read.
std::string to_json(const RunState& state);

/// The inverse. Throws ValueError for anything else, and where evaluations have not as many metrics
/// as given.
RunState run_state_from(const std::string& text, std::size_t metrics);

}  // namespace aclgrad::detail
