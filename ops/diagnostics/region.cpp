// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/region.h"

#include <algorithm>

namespace aclgrad::diagnostics {
namespace {

constexpr size_t kMaxPieces = size_t{1} << 20;

}  // namespace

Region::Region(const void* address, size_t bytes) : run_(bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(address);
  hull_ = {begin, begin + bytes};
}

Region::Region(const aclgradTaskOperand& view) : run_(view.element_size) {
  auto begin = reinterpret_cast<uintptr_t>(view.address);
  uintptr_t end = begin + view.element_size;
  for (size_t i = 0; i < view.rank; ++i) {
    const int64_t stride = view.strides[i];
    if (view.shape[i] <= 0) return;
    if (view.shape[i] == 1 || stride == 0) continue;
    const auto count = static_cast<size_t>(view.shape[i]);
    const auto step = static_cast<size_t>(std::abs(stride)) * view.element_size;
    if (stride < 0) {
      begin -= (count - 1) * step;
    } else {
      end += (count - 1) * step;
    }
    axes_.push_back({count, step});
  }
  hull_ = {begin, end};
  std::sort(axes_.begin(), axes_.end(),
            [](const Axis& a, const Axis& b) { return a.step < b.step; });
  // Steps that only go on where the row ends make it longer.
  size_t joined = 0;
  while (joined < axes_.size() && axes_[joined].step <= run_) {
    run_ += (axes_[joined].count - 1) * axes_[joined].step;
    ++joined;
  }
  axes_.erase(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(joined));
}

Region Region::moved(intptr_t bytes) const {
  Region region = *this;
  region.hull_.begin += static_cast<uintptr_t>(bytes);
  region.hull_.end += static_cast<uintptr_t>(bytes);
  return region;
}

bool Region::pieces(std::vector<Bytes>& into) const {
  into.clear();
  if (empty()) return true;
  size_t total = 1;
  for (const Axis& axis : axes_) {
    if (__builtin_mul_overflow(total, axis.count, &total) || total > kMaxPieces) return false;
  }
  into.push_back({hull_.begin, hull_.begin + run_});
  for (const Axis& axis : axes_) {
    const size_t before = into.size();
    for (size_t k = 1; k < axis.count; ++k) {
      for (size_t i = 0; i < before; ++i) {
        into.push_back({into[i].begin + k * axis.step, into[i].end + k * axis.step});
      }
    }
  }
  std::sort(into.begin(), into.end(),
            [](const Bytes& a, const Bytes& b) { return a.begin < b.begin; });
  size_t last = 0;
  for (size_t i = 1; i < into.size(); ++i) {
    if (into[i].begin <= into[last].end) {
      into[last].end = std::max(into[last].end, into[i].end);
    } else {
      into[++last] = into[i];
    }
  }
  into.resize(last + 1);
  return true;
}

Bytes first_common(const Region& a, const Region& b) {
  if (!a.hull().overlaps(b.hull())) return {};
  std::vector<Bytes> mine;
  std::vector<Bytes> theirs;
  if (!a.pieces(mine) || !b.pieces(theirs)) return {};
  for (size_t i = 0, j = 0; i < mine.size() && j < theirs.size();) {
    if (mine[i].overlaps(theirs[j])) return mine[i].common(theirs[j]);
    if (mine[i].end <= theirs[j].begin) {
      ++i;
    } else {
      ++j;
    }
  }
  return {};
}

void ByteSet::add(const Bytes& bytes) {
  if (bytes.empty()) return;
  Bytes sum = bytes;
  auto next = ends_.upper_bound(bytes.end);  // the first one that begins behind
  while (next != ends_.begin()) {
    const auto previous = std::prev(next);
    if (previous->second < sum.begin) break;
    sum = {std::min(sum.begin, previous->first), std::max(sum.end, previous->second)};
    ends_.erase(previous);
  }
  ends_[sum.begin] = sum.end;
}

std::vector<Bytes> ByteSet::missing(const Bytes& bytes) const {
  std::vector<Bytes> gaps;
  uintptr_t from = bytes.begin;
  auto next = ends_.upper_bound(bytes.begin);
  if (next != ends_.begin()) from = std::max(from, std::prev(next)->second);
  for (; next != ends_.end() && next->first < bytes.end; ++next) {
    if (next->first > from) gaps.push_back({from, next->first});
    from = next->second;
  }
  if (from < bytes.end) gaps.push_back({from, bytes.end});
  return gaps;
}

}  // namespace aclgrad::diagnostics
