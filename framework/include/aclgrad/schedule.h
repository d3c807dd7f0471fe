// SPDX-License-Identifier: Apache-2.0
// Learning rates over time, to be given to an optimizer as its learning rate; set_step() of the
// optimizer, which a Trainer calls, makes it that of the step.
//
//   AdamW optimizer({.learning_rate = schedule::cosine(1e-3, 100, 2000)});
#ifndef ACLGRAD_SCHEDULE_H_
#define ACLGRAD_SCHEDULE_H_

#include <cstdint>
#include <functional>

namespace aclgrad {

/// The learning rate of a step; steps are counted from 0.
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

}  // namespace schedule
}  // namespace aclgrad

#endif  // ACLGRAD_SCHEDULE_H_
