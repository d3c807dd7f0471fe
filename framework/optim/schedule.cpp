// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/schedule.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "aclgrad/error.h"
#include "tensor/option.h"

namespace aclgrad::schedule {

namespace {

void require_rate(const char* schedule, const char* option, double rate) {
  detail::require_option(schedule, option, rate, detail::kNotNegative);
}

}  // namespace

Schedule constant(double rate) {
  require_rate("constant", "rate", rate);
  return [=](std::int64_t) { return rate; };
}

Schedule step_decay(double rate, double factor, std::int64_t every) {
  require_rate("step_decay", "rate", rate);
  require_rate("step_decay", "factor", factor);
  detail::require_at_least("step_decay", "every", every, 1);
  return
      [=](std::int64_t step) { return rate * std::pow(factor, static_cast<double>(step / every)); };
}

Schedule cosine(double rate, std::int64_t warm_up, std::int64_t total, double min_lr) {
  require_rate("cosine", "rate", rate);
  require_rate("cosine", "min_lr", min_lr);
  if (warm_up < 0 || warm_up > total) {
    throw ValueError(
        fmt::format("a warm-up of {} steps does not fit into {} steps", warm_up, total));
  }
  return [=](std::int64_t step) {
    if (step < warm_up) return rate * static_cast<double>(step + 1) / static_cast<double>(warm_up);
    if (step >= total) return min_lr;
    const double way = static_cast<double>(step - warm_up) / static_cast<double>(total - warm_up);
    return min_lr + (rate - min_lr) * (1 + std::cos(std::numbers::pi * way)) / 2;
  };
}

}  // namespace aclgrad::schedule
