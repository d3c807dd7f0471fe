// SPDX-License-Identifier: Apache-2.0
// Learning rates over time, to be given to an optimizer as its learning rate; set_step() of the
// optimizer, which a Trainer calls, makes it that of the step.
//
//   AdamW optimizer({.learning_rate = schedule::cosine(1e-3, 100, 2000)});
//
// plateau() goes by what evaluations find, the others by the step alone.
#pragma once

#include <cstdint>
#include <functional>

#include "aclgrad/tensor.h"

namespace aclgrad {

/// The learning rate of a step, counted from 0: for a Trainer its steps(), in which steps that a
/// loss scaler left out count, and which a resumed run goes on from.
using Schedule = std::function<double(std::int64_t step)>;

namespace schedule {

/// Rates, here and in what follows, are at least 0 and finite; ValueError otherwise.
Schedule constant(double rate);

/// rate factor^floor(step / every). Throws ValueError unless factor is at least 0 and finite, and
/// every at least 1.
Schedule step_decay(double rate, double factor, std::int64_t every);

/// From rate / warm_up at step 0 in equal increments to `rate` at step warm_up - 1, then down along
/// half a cosine, to `min_lr` at step `total` and after it:
/// min_lr + (rate - min_lr) (1 + cos(pi (step - warm_up) / (total - warm_up))) / 2.
/// Throws ValueError unless 0 <= warm_up <= total.
Schedule cosine(double rate, std::int64_t warm_up, std::int64_t total, double min_lr = 0);

struct PolynomialOptions {
  double power = 1;
  double min_lr = 0;
};
/// rate (1 - step / total)^power, and `min_lr` where that is less, as after step `total`: a
/// straight line down for a power of 1. Throws ValueError unless total is at least 1, and power at
/// least 0 and finite.
Schedule polynomial(double rate, std::int64_t total, PolynomialOptions options = {});

struct WarmRestartsOptions {
  std::int64_t growth = 1;
  double min_lr = 0;
};
/// Half a cosine from `rate` down to `min_lr`, again and again (SGDR, Loshchilov, Hutter 2016): the
/// first takes `period` steps, each of the others `growth` times as many as that before it. Throws
/// ValueError unless both are at least 1.
Schedule warm_restarts(double rate, std::int64_t period, WarmRestartsOptions options = {});

struct OneCycleOptions {
  double warm_up_share = 0.3;
  double start_divisor = 25;
  double end_divisor = 1e4;
};
/// Along half a cosine from peak / start_divisor up to `peak`, at step warm_up_share total - 1,
/// then down to peak / (start_divisor end_divisor) at step total - 1 and after it (Smith, Topin
/// 2017). PyTorch's OneCycleLR also moves the momentum, which stays as it is here. Throws
/// ValueError unless total is at least 2, the share in [0, 1], and the divisors above 0 and finite.
Schedule one_cycle(double peak, std::int64_t total, OneCycleOptions options = {});

struct PlateauOptions {
  double factor = 0.1;         ///< in (0, 1): times the rate, each time
  std::int64_t patience = 10;  ///< so many evaluations without a better one are put up with
  double threshold = 1e-4;     ///< at least 0: better is less than the best by this share of it
  std::int64_t cooldown = 0;   ///< evaluations that are not counted after a reduction
  double min_lr = 0;           ///< the rate falls no further
};

/// A learning rate that falls where evaluations are no longer better, PyTorch's ReduceLROnPlateau.
/// It is part of the optimizer's state, so of checkpoints. fit() tells it what FitOptions::monitor
/// names, by default the validation loss; a loop of one's own calls Optimizer::tell_score().
struct Plateau {
  double rate;
  PlateauOptions options;

  /// What it knows of a run, float64 [4]: the rate, the best score, evaluations without a better
  /// one, and those left of a cooldown. next() has seen one more score.
  Tensor begin() const;
  Tensor next(const Tensor& known, double score) const;
};
/// Throws ValueError for options out of the ranges that stand beside them.
Plateau plateau(double rate, PlateauOptions options = {});

}  // namespace schedule
}  // namespace aclgrad
