// SPDX-License-Identifier: Apache-2.0
// FitObserver: what looks at a run of fit() and changes nothing in it: the log and the progress
// bar. Only the first rank has any.
#ifndef ACLGRAD_AUTOGRAD_TRAIN_FIT_OBSERVER_H_
#define ACLGRAD_AUTOGRAD_TRAIN_FIT_OBSERVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aclgrad/trainer.h"

namespace aclgrad::detail {

class FitObserver {
 public:
  virtual ~FitObserver() = default;

  /// Before the first step, also where none is left to do. Evaluations of a resumed run follow.
  virtual void begin(std::int64_t /*done*/) {}
  virtual void resumed(std::int64_t /*done*/) {}

  virtual void before_step(const data::Dataset& /*batch*/, bool /*first_since_evaluation*/) {}
  virtual void after_step(double /*loss*/) {}
  virtual void evaluated(const Evaluation& /*evaluation*/) {}
  /// After all that a step has led to.
  virtual void progress(std::int64_t /*done*/, const std::string& /*note*/) {}

  /// The run has ended, and was not broken off.
  virtual void finish() {}
};

/// Those that the options ask for, for a run of so many steps in which so many are done.
std::vector<std::unique_ptr<FitObserver>> make_observers(Trainer& trainer,
                                                         const FitOptions& options,
                                                         std::int64_t steps, std::int64_t done,
                                                         const std::string& data_order);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_AUTOGRAD_TRAIN_FIT_OBSERVER_H_
