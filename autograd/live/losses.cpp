// SPDX-License-Identifier: Apache-2.0
#include "live/losses.h"

#include <algorithm>

namespace aclgrad::live {
namespace {

constexpr std::int64_t kMostPoints = 599;  // and the latest

}  // namespace

std::size_t Losses::level_of(std::int64_t step) const {
  std::size_t level = 0;
  while ((step - begin_) >> level >= kMostPoints) ++level;
  return level;
}

void Losses::add(std::int64_t step, double loss) {
  if (levels_.empty()) begin_ = step;
  for (std::size_t level = levels_.size(); level <= level_of(step); ++level) {
    auto& fresh = levels_.emplace_back();
    if (level == 0) continue;
    for (const Point& point : levels_[level - 1]) {
      if ((point.first - begin_) % (std::int64_t{1} << level) == 0) fresh.push_back(point);
    }
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const std::int64_t stride = std::int64_t{1} << level;
    const std::int64_t done = step - begin_;
    if (done % stride == 0 && done / stride < kMostPoints) levels_[level].emplace_back(step, loss);
  }
  latest_ = {step, loss};
}

void Losses::forget_from(std::int64_t step) {
  for (auto& level : levels_) {
    std::erase_if(level, [&](const Point& point) { return point.first >= step; });
  }
  if (latest_ && latest_->first >= step) latest_.reset();
  levels_.resize(step > begin_ ? std::min(levels_.size(), level_of(step - 1) + 1) : 0);
}

std::vector<Losses::Point> Losses::shown() const {
  if (levels_.empty()) return {};
  std::vector<Point> points =
      levels_[std::min(latest_ ? level_of(latest_->first) : levels_.size(), levels_.size() - 1)];
  if (latest_ && (points.empty() || points.back().first < latest_->first)) {
    points.push_back(*latest_);
  }
  return points;
}

}  // namespace aclgrad::live
