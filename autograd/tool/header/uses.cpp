// SPDX-License-Identifier: Apache-2.0
#include "tool/header/uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aclgrad::gradcheck {
namespace {

bool differs(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return true;
  }
  return false;
}

// As the array's numbers can be.
double stored(double value, const CType& type) {
  return type.bytes == 4 ? static_cast<double>(static_cast<float>(value)) : value;
}

}  // namespace

std::vector<TrialArgument> Trials::arguments() const {
  std::vector<TrialArgument> all;
  for (const ReadParameter& each : read_) {
    if (!each.type.is_pointer) {
      all.push_back({{each.value}});
      continue;
    }
    const auto [low, high] = range_of(each, corrections_);
    std::vector<double> values;
    for (std::size_t i = 0; i < std::max<std::size_t>(each.reached, 64); ++i) {
      // A sequence that is dense in [0, 1), another one for every array.
      const double seed = 0.37 * static_cast<double>(&each - read_.data());
      const double unit = std::fmod(seed + 0.6180339887498949 * static_cast<double>(i + 1), 1.0);
      const double even = low + unit * (high - low);
      values.push_back(each.type.kind == CType::Kind::kWhole
                           ? std::floor(low + unit * (high - low + 1))
                           : stored(even, each.type));
    }
    if (each.reached > 0) values.resize(each.reached);
    all.push_back({std::move(values)});
  }
  return all;
}

void Trials::measure() {
  const std::vector<std::size_t> reached = reached_by(function_, arguments(), seconds_);
  for (std::size_t k = 0; k < read_.size(); ++k) read_[k].reached = reached[k];
}

TrialResult Trials::call(const std::vector<TrialArgument>& arguments) const {
  TrialResult result = try_call(function_, arguments, seconds_);
  if (!result.is_good()) {
    throw FunctionFailed(fmt::format("{} {} when it is called again", function_.prototype().name,
                                     result.beyond ? "goes beyond an array" : result.failure));
  }
  return result;
}

std::vector<Use> Trials::uses() const {
  const std::vector<TrialArgument> before = arguments();
  const TrialResult first = call(before);
  std::vector<Use> all(read_.size());
  for (std::size_t k = 0; k < read_.size(); ++k) {
    const std::vector<double>& held = before[k].values;
    if (read_[k].type.is_pointer) all[k].is_written = differs(held, first.after[k]);
  }
  for (std::size_t k = 0; k < read_.size(); ++k) {
    if (!all[k].is_written) continue;
    std::vector<TrialArgument> other = before;
    for (double& value : other[k].values) value += 2;
    const TrialResult second = call(other);
    all[k].adds = true;
    for (std::size_t i = 0; i < first.after[k].size(); ++i) {
      const double moved = second.after[k][i] - first.after[k][i];
      const bool was_left =
          first.after[k][i] == before[k].values[i] && second.after[k][i] == other[k].values[i];
      if (was_left) {
        all[k].untouched.push_back(i);
        continue;
      }
      all[k].is_read = all[k].is_read || differs({moved}, {0});
      all[k].adds = all[k].adds && std::abs(moved - 2) < 1e-3;
    }
    for (std::size_t j = 0; j < read_.size(); ++j) {
      if (j == k || !all[j].is_written || !differs(first.after[j], second.after[j])) continue;
      all[k].is_read = true;
      all[k].adds = false;
    }
  }
  return all;
}

bool Trials::ignores(std::size_t parameter, std::size_t element) const {
  std::vector<TrialArgument> changed = arguments();
  const TrialResult before = call(changed);
  for (const double value : {1000.0, -1000.0}) {
    changed[parameter].values[element] = value;
    const TrialResult after = call(changed);
    if (after.returned != before.returned) return false;
    for (std::size_t k = 0; k < read_.size(); ++k) {
      if (k != parameter && differs(before.after[k], after.after[k])) return false;
    }
  }
  return true;
}

}  // namespace aclgrad::gradcheck
