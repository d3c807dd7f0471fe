// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad/error.h"
#include "aclgrad/run_report.h"

namespace aclgrad {
namespace {

constexpr std::size_t kBins = 40;
constexpr double kDead = 1e-6;  // of the layer's range
// Times the layer's first root mean square, or 1 when that is less: sound logits and gated units
// grow tenfold and more while they learn, and what began near 0 must.
constexpr double kExploding = 100;

struct Unit {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double squares = 0;
  bool finite = true;
};

}  // namespace

ActivationSummary summarize_activations(const Tensor& outputs, std::int64_t step,
                                        double first_rms) {
  if (outputs.numel() == 0) throw ShapeError("activations of shape " + to_string(outputs.shape()));
  ActivationSummary summary;
  summary.step = step;
  summary.units = outputs.rank() == 0 ? 1 : outputs.shape()[-1];
  std::vector<Unit> units(static_cast<std::size_t>(summary.units));
  double sum = 0, squares = 0;
  std::int64_t finite = 0;
  summary.low = std::numeric_limits<double>::infinity();
  summary.high = -summary.low;
  for (std::int64_t i = 0; i < outputs.numel(); ++i) {
    const double value = outputs.get(i);
    Unit& unit = units[static_cast<std::size_t>(i % summary.units)];
    if (!std::isfinite(value)) {
      unit.finite = false;
      continue;
    }
    ++finite;
    sum += value;
    squares += value * value;
    unit.squares += value * value;
    unit.low = std::min(unit.low, value);
    unit.high = std::max(unit.high, value);
    summary.low = std::min(summary.low, value);
    summary.high = std::max(summary.high, value);
  }
  if (finite == 0) summary.low = summary.high = 0;
  const double count = std::max(1.0, static_cast<double>(finite));
  const double rows = static_cast<double>(outputs.numel() / summary.units);
  summary.mean = sum / count;
  summary.stddev = std::sqrt(std::max(0.0, squares / count - summary.mean * summary.mean));
  summary.layer_rms = std::sqrt(squares / count);
  const double range = summary.high - summary.low;
  const double exploding_from =
      kExploding * std::max(1.0, first_rms > 0 ? first_rms : summary.layer_rms);
  for (const Unit& unit : units) {
    if (!unit.finite || std::sqrt(unit.squares / rows) > exploding_from) {
      ++summary.exploding;
    } else if (rows > 1 && unit.high - unit.low <= kDead * range) {
      ++summary.dead;
    }
  }
  summary.shares.assign(kBins, 0);
  for (std::int64_t i = 0; i < outputs.numel(); ++i) {
    const double value = outputs.get(i);
    if (!std::isfinite(value)) continue;
    const double place = range > 0 ? (value - summary.low) / range * kBins : 0;
    summary.shares[std::min(kBins - 1, static_cast<std::size_t>(place))] += 1 / count;
  }
  return summary;
}

}  // namespace aclgrad
