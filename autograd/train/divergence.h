// SPDX-License-Identifier: Apache-2.0
// DivergenceCheck: whether the weights that a step has left are ones that a run can go on from.
#pragma once

#include <optional>
#include <string>

#include "aclgrad/trainer.h"

namespace aclgrad::detail {

/// "nan" without a sign.
std::string shown(double number);

class DivergenceCheck {
 public:
  explicit DivergenceCheck(Trainer& trainer) : trainer_(trainer) {}

  /// Before the first step: finds out whether the loss in Mode::evaluation is finite at all. Where
  /// it is not, it says nothing about later weights either. All ranks call it.
  void begin(const data::Dataset& batch);

  /// What is wrong with the weights after a step on that batch, as the first rank finds, or an
  /// empty text: a parameter or the batch's loss is not finite. All ranks call it.
  std::string fault_after(const data::Dataset& batch);

 private:
  double loss_of(const data::Dataset& batch);

  Trainer& trainer_;
  bool is_piecewise_ = true;  // whether the loss can be evaluated in pieces, as far as is known
  std::optional<bool> begins_finite_;
};

}  // namespace aclgrad::detail
