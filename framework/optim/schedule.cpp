// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/optim/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "aclgrad/error.h"
#include "tensor/option.h"

namespace aclgrad::schedule {

namespace {

void require_rate(const char* schedule, const char* option, double rate) {
  detail::require_option(schedule, option, rate, detail::kNotNegative);
}

// From one rate to another along half a cosine, of which `way` is done.
double along_cosine(double from, double to, double way) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * way)) / 2;
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
    return along_cosine(rate, min_lr, way);
  };
}

Schedule polynomial(double rate, std::int64_t total, PolynomialOptions options) {
  require_rate("polynomial", "rate", rate);
  detail::require_at_least("polynomial", "total", total, 1);
  require_rate("polynomial", "power", options.power);
  require_rate("polynomial", "min_lr", options.min_lr);
  return [=](std::int64_t step) {
    if (step >= total) return options.min_lr;
    const double left = 1 - static_cast<double>(step) / static_cast<double>(total);
    return std::max(options.min_lr, rate * std::pow(left, options.power));
  };
}

Schedule warm_restarts(double rate, std::int64_t period, WarmRestartsOptions options) {
  require_rate("warm_restarts", "rate", rate);
  require_rate("warm_restarts", "min_lr", options.min_lr);
  detail::require_at_least("warm_restarts", "period", period, 1);
  detail::require_at_least("warm_restarts", "growth", options.growth, 1);
  return [=](std::int64_t step) {
    const auto at = static_cast<double>(step);
    auto length = static_cast<double>(period), begin = 0.0;
    if (options.growth == 1) {
      begin = static_cast<double>(step / period * period);
    } else {
      for (; at >= begin + length; length *= static_cast<double>(options.growth)) begin += length;
    }
    return along_cosine(rate, options.min_lr, (at - begin) / length);
  };
}

Schedule one_cycle(double peak, std::int64_t total, OneCycleOptions options) {
  require_rate("one_cycle", "peak", peak);
  detail::require_at_least("one_cycle", "total", total, 2);
  detail::require_option("one_cycle", "warm_up_share", options.warm_up_share, detail::kUnit);
  detail::require_option("one_cycle", "start_divisor", options.start_divisor, detail::kPositive);
  detail::require_option("one_cycle", "end_divisor", options.end_divisor, detail::kPositive);
  const double start = peak / options.start_divisor, end = start / options.end_divisor;
  const double top = options.warm_up_share * static_cast<double>(total) - 1;
  const auto last = static_cast<double>(total - 1);
  return [=](std::int64_t step) {
    const auto at = static_cast<double>(step);
    if (at <= top) return along_cosine(start, peak, top > 0 ? at / top : 1);
    if (at >= last) return end;
    return along_cosine(peak, end, (at - top) / (last - top));
  };
}

Plateau plateau(double rate, PlateauOptions options) {
  require_rate("plateau", "rate", rate);
  detail::require_option("plateau", "factor", options.factor, detail::kPositive);
  detail::require_option("plateau", "factor", options.factor, detail::kBelowOne);
  detail::require_at_least("plateau", "patience", options.patience, 0);
  require_rate("plateau", "threshold", options.threshold);
  detail::require_at_least("plateau", "cooldown", options.cooldown, 0);
  require_rate("plateau", "min_lr", options.min_lr);
  return {rate, options};
}

Tensor Plateau::begin() const {
  return Tensor::from({4}, {rate, std::numeric_limits<double>::infinity(), 0, 0}, DType::float64);
}

Tensor Plateau::next(const Tensor& known, double score) const {
  double now = known.get(0), best = known.get(1), waited = known.get(2), cooldown = known.get(3);
  const double margin = std::isfinite(best) ? options.threshold * std::abs(best) : 0;
  if (std::isfinite(score) && score < best - margin) {
    best = score;
    waited = 0;
  } else {
    ++waited;
  }
  if (cooldown > 0) {
    --cooldown;
    waited = 0;
  }
  if (waited > static_cast<double>(options.patience)) {
    now = std::min(now, std::max(now * options.factor, options.min_lr));
    cooldown = static_cast<double>(options.cooldown);
    waited = 0;
  }
  return Tensor::from({4}, {now, best, waited, cooldown}, DType::float64);
}

}  // namespace aclgrad::schedule
