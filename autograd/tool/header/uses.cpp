// SPDX-License-Identifier: Apache-2.0
#include "tool/header/uses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tool/header/names.h"

namespace aclgrad::gradcheck {
namespace {

constexpr int kDraws = 16;
constexpr int kDrawsOfUses = 4;

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

std::vector<TrialArgument> Trials::arguments(int draw) const {
  TrialResult made;
  if (before_ != nullptr) made = before_->call(before_->arguments(draw));
  std::vector<TrialArgument> all;
  for (const ReadParameter& each : read_) {
    if (!each.type.is_pointer) {
      all.push_back({{each.value}});
      continue;
    }
    std::vector<double> values;
    if (before_ != nullptr) {
      const auto same = std::ranges::find_if(before_->read_, [&](const ReadParameter& other) {
        return other.type.is_pointer && plain(other.name) == plain(each.name);
      });
      if (same != before_->read_.end())
        values = made.after[static_cast<std::size_t>(same - before_->read_.begin())];
    }
    const auto [low, high] = range_of(each, corrections_);
    const std::size_t given = values.size();
    const std::size_t count = each.reached > 0 ? each.reached : std::max<std::size_t>(given, 64);
    for (std::size_t i = given; i < count; ++i) {
      if (given > 0) {
        values.push_back(values[i % given]);
        continue;
      }
      // A sequence that is dense in [0, 1), another one for every array and draw.
      const double seed = 0.37 * static_cast<double>(&each - read_.data()) + 0.29 * draw;
      const double unit = std::fmod(seed + 0.6180339887498949 * static_cast<double>(i + 1), 1.0);
      const double even = low + unit * (high - low);
      values.push_back(each.type.kind == CType::Kind::kWhole
                           ? std::floor(low + unit * (high - low + 1))
                           : stored(even, each.type));
    }
    values.resize(count);
    all.push_back({std::move(values)});
  }
  return all;
}

void Trials::measure() {
  std::vector<Extent> known;
  for (const ReadParameter& each : read_) known.push_back({each.reached, each.reached > 0});
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<std::size_t> reached =
        reached_by(function_, arguments(draw), known, seconds_);
    for (std::size_t k = 0; k < read_.size(); ++k) {
      read_[k].by_values = read_[k].by_values || (draw > 0 && reached[k] > known[k].at_least);
      known[k].at_least = reached[k];
    }
  }
  for (std::size_t k = 0; k < read_.size(); ++k) read_[k].reached = known[k].at_least;
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
  std::vector<Use> all(read_.size());
  for (std::size_t k = 0; k < read_.size(); ++k) {
    for (std::size_t i = 0; i < read_[k].reached; ++i) all[k].untouched.push_back(i);
  }
  for (int draw = 0; draw < kDrawsOfUses; ++draw) find_uses(draw, all);
  for (Use& each : all) {
    if (!each.is_written) each.untouched.clear();
    each.adds = each.is_read && !each.overwrites;
  }
  return all;
}

void Trials::find_uses(int draw, std::vector<Use>& all) const {
  const std::vector<TrialArgument> before = arguments(draw);
  const TrialResult first = call(before);
  std::vector<bool> written;
  for (std::size_t k = 0; k < read_.size(); ++k) {
    written.push_back(read_[k].type.is_pointer && differs(before[k].values, first.after[k]));
    all[k].is_written = all[k].is_written || written[k];
  }
  for (std::size_t k = 0; k < read_.size(); ++k) {
    if (!written[k]) continue;
    std::vector<TrialArgument> other = before;
    for (double& value : other[k].values) value += 2;
    const TrialResult second = call(other);
    const auto was_left = [&](std::size_t i) {
      return first.after[k][i] == before[k].values[i] && second.after[k][i] == other[k].values[i];
    };
    std::erase_if(all[k].untouched, [&](std::size_t i) { return !was_left(i); });
    for (std::size_t i = 0; i < first.after[k].size(); ++i) {
      const double moved = second.after[k][i] - first.after[k][i];
      if (was_left(i) || std::isnan(moved)) continue;
      all[k].is_read = all[k].is_read || moved != 0;
      all[k].overwrites = all[k].overwrites || !(std::abs(moved - 2) < 1e-3);
    }
    for (std::size_t j = 0; j < read_.size(); ++j) {
      if (j == k || !written[j] || !differs(first.after[j], second.after[j])) continue;
      all[k].is_read = true;
      all[k].overwrites = true;
    }
  }
}

bool Trials::ignores(std::size_t parameter, std::size_t element) const {
  for (int draw = 0; draw < kDrawsOfUses; ++draw) {
    std::vector<TrialArgument> changed = arguments(draw);
    const TrialResult before = call(changed);
    for (const double value : {1000.0, -1000.0}) {
      changed[parameter].values[element] = value;
      const TrialResult after = call(changed);
      if (after.returned != before.returned) return false;
      for (std::size_t k = 0; k < read_.size(); ++k) {
        if (k != parameter && differs(before.after[k], after.after[k])) return false;
      }
    }
  }
  return true;
}

}  // namespace aclgrad::gradcheck
