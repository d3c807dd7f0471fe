// SPDX-License-Identifier: Apache-2.0
#include "viz/tracks.h"

#include <algorithm>
#include <vector>

namespace aclgrad::viz {

void Tracks::add(std::size_t source, double a, double b) {
  const auto [low, high] = std::minmax(a, b);
  const auto [entry, is_new] = spans_.try_emplace(source, Span{low, high});
  if (is_new) return;
  entry->second.low = std::min(entry->second.low, low);
  entry->second.high = std::max(entry->second.high, high);
}

void Tracks::assign() {
  std::vector<Span*> order;
  for (auto& [source, span] : spans_) order.push_back(&span);
  std::stable_sort(order.begin(), order.end(),
                   [](const Span* a, const Span* b) { return a->low < b->low; });
  std::vector<double> ends;  // of the last span on each track
  for (Span* span : order) {
    const auto free =
        std::find_if(ends.begin(), ends.end(), [span](double end) { return end < span->low; });
    span->track = static_cast<std::size_t>(free - ends.begin());
    if (free == ends.end()) {
      ends.push_back(span->high);
    } else {
      *free = span->high;
    }
  }
  count_ = ends.size();
}

}  // namespace aclgrad::viz
