// SPDX-License-Identifier: Apache-2.0
// RunRecorder: FitOptions::record. What a run of fit() reads and has, by its hashes: enough to see
// whether another run is the same, and from which step on it is not. All ranks call everything; the
// first one writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "aclgrad/fit.h"
#include "train/record/run_file.h"
#include "train/record/step_values.h"
#include "train/record/verify_request.h"

namespace aclgrad::detail {

class RunRecorder {
 public:
  /// Refers to all of it.
  RunRecorder(Trainer& trainer, const data::Batches& batches, const FitOptions& options,
              const FitCall& call);

  /// Whether the run has a record.
  explicit operator bool() const { return !path_.empty(); }

  /// Throws IoError where it cannot be written.
  void require_writable() const;

  /// Before the first step. A run that goes on from a checkpoint keeps the entries up to there of
  /// its record, where there is one of the same beginning.
  void begin(std::int64_t total, std::int64_t evaluate_every, bool resumed);

  /// Around each step: before it, with the batch that comes next, and with its loss.
  void before_step(const data::Dataset& batch);
  void after_step(double loss);

  /// After all that the step has led to: an entry where it was evaluated, is saved, or its state is
  /// wanted.
  void end_step(const Evaluation* evaluation, bool saves);

  /// Whether aclgrad-verify has seen enough.
  bool has_enough() const;

  /// The run is over, or was broken off.
  void finish();
  void fail(const std::string& why) noexcept;

 private:
  RunJson header(std::int64_t total, std::int64_t evaluate_every) const;
  RunJson steps_so_far();
  void end(const RunJson& how);

  Trainer& trainer_;
  const Ranks& ranks_;
  const data::Batches& batches_;
  const FitOptions& options_;
  const FitCall& call_;
  const std::filesystem::path path_;
  std::unique_ptr<RunFileWriter> file_;  // of the first rank, once the run has begun
  std::unique_ptr<StepValues> values_;   // of the step under way, where they are wanted

  // Of the steps since the latest entry.
  std::int64_t first_step_ = 0;
  std::vector<double> losses_;
  std::vector<double> rates_;
  std::vector<std::vector<std::pair<std::string, std::uint64_t>>> batches_read_;
};

}  // namespace aclgrad::detail
