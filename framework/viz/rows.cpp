// SPDX-License-Identifier: Apache-2.0
#include "viz/rows.h"

#include <algorithm>
#include <limits>

namespace aclgrad::viz {
namespace {

constexpr double kPassWidth = 14;  // room for a line that passes by
constexpr double kGap = 20;        // between neighbours in a row
constexpr int kSweeps = 12;

using Readers = std::vector<std::vector<std::size_t>>;

Readers readers_of(std::span<const Block> blocks) {
  Readers readers(blocks.size());
  for (std::size_t v = 0; v < blocks.size(); ++v) {
    for (const std::size_t u : blocks[v].inputs) readers[u].push_back(v);
  }
  return readers;
}

class Rows {
 public:
  explicit Rows(std::span<const Block> blocks)
      : blocks_(blocks), readers_(readers_of(blocks)), rows_(blocks.size(), 0) {}

  std::vector<std::int32_t> run() {
    descend(kForward);
    // Backward: below all that reads its result, and not above the forward value it uses. Both
    // together never contradict, since nothing forward waits for anything backward.
    for (std::size_t v = blocks_.size(); v-- > 0;) {
      if (blocks_[v].lane != kBackward) continue;
      std::int32_t row = lowest_forward_input(v);
      for (const std::size_t w : readers_[v]) {
        if (blocks_[w].lane == kBackward) row = std::max(row, rows_[w] + 1);
      }
      rows_[v] = row;
    }
    lower_ends();
    descend(kUpdate);
    return std::move(rows_);
  }

 private:
  // Every block below its inputs in the lane and not above those in others; then sources go down to
  // just above their readers.
  void descend(std::size_t lane) {
    for (std::size_t v = 0; v < blocks_.size(); ++v) {
      if (blocks_[v].lane != lane) continue;
      for (const std::size_t u : blocks_[v].inputs) {
        if (blocks_[u].lane == lane) rows_[v] = std::max(rows_[v], rows_[u] + 1);
        if (blocks_[u].lane < lane) rows_[v] = std::max(rows_[v], rows_[u]);
      }
    }
    for (std::size_t v = blocks_.size(); v-- > 0;) {
      if (blocks_[v].lane != lane || !blocks_[v].source) continue;
      std::int32_t row = std::numeric_limits<std::int32_t>::max();
      for (const std::size_t w : readers_[v]) {
        if (blocks_[w].lane == lane) row = std::min(row, rows_[w] - 1);
      }
      if (row != std::numeric_limits<std::int32_t>::max()) rows_[v] = std::max(rows_[v], row);
    }
  }

  // A gradient that nothing backward reads stands just above what it is made of.
  void lower_ends() {
    for (std::size_t v = 0; v < blocks_.size(); ++v) {
      const auto is_backward = [this](std::size_t w) { return blocks_[w].lane == kBackward; };
      if (!is_backward(v) || std::ranges::any_of(readers_[v], is_backward)) continue;
      std::int32_t row = std::numeric_limits<std::int32_t>::max();
      for (const std::size_t u : blocks_[v].inputs) {
        if (is_backward(u)) row = std::min(row, rows_[u] - 1);
      }
      if (row != std::numeric_limits<std::int32_t>::max()) rows_[v] = row;
    }
  }

  // Also through views: a gradient operator often reads a transposed forward value.
  std::int32_t lowest_forward_input(std::size_t v) const {
    std::int32_t row = 0;
    for (const std::size_t u : blocks_[v].inputs) {
      if (blocks_[u].lane == kForward) row = std::max(row, rows_[u]);
      if (blocks_[u].lane != kBackward || !blocks_[u].view) continue;
      for (const std::size_t t : blocks_[u].inputs) {
        if (blocks_[t].lane == kForward) row = std::max(row, rows_[t]);
      }
    }
    return row;
  }

  std::span<const Block> blocks_;
  Readers readers_;
  std::vector<std::int32_t> rows_;
};

class Placer {
 public:
  explicit Placer(std::span<const Block> blocks) : blocks_(blocks) {
    result_.rows = rows_of(blocks);
    for (std::size_t v = 0; v < blocks.size(); ++v) {
      result_.items.push_back({blocks[v].lane, result_.rows[v]});
      result_.row_count = std::max(result_.row_count, result_.rows[v] + 1);
    }
    make_chains();
    fill_lines();
  }

  Placement run() {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for_each_row(lane, sweep % 2 == 0, [&](Line& line) { sort(line); });
      }
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for_each_row(lane, sweep % 2 == 0, [&](Line& line) { move(line); });
      }
      shift_to_zero(lane);
    }
    return std::move(result_);
  }

 private:
  using Line = std::vector<std::size_t>;  // the items of one row of one lane, from the left

  void make_chains() {
    for (std::size_t v = 0; v < blocks_.size(); ++v) {
      for (const std::size_t u : blocks_[v].inputs) {
        if (blocks_[u].lane != blocks_[v].lane || result_.rows[u] == result_.rows[v]) continue;
        Chain chain{u, v, {u}};
        const std::int32_t step = result_.rows[v] > result_.rows[u] ? 1 : -1;
        for (std::int32_t row = result_.rows[u] + step; row != result_.rows[v]; row += step) {
          chain.items.push_back(result_.items.size());
          result_.items.push_back({blocks_[v].lane, row, true});
        }
        chain.items.push_back(v);
        result_.chains.push_back(std::move(chain));
      }
    }
    neighbours_.resize(result_.items.size());
    for (const Chain& chain : result_.chains) {
      for (std::size_t i = 0; i + 1 < chain.items.size(); ++i) {
        neighbours_[chain.items[i]].push_back(chain.items[i + 1]);
        neighbours_[chain.items[i + 1]].push_back(chain.items[i]);
      }
    }
  }

  void fill_lines() {
    for (auto& lane : lines_) lane.resize(static_cast<std::size_t>(result_.row_count));
    for (std::size_t i = 0; i < result_.items.size(); ++i) {
      const Item& item = result_.items[i];
      lines_[item.lane][static_cast<std::size_t>(item.row)].push_back(i);
    }
    for (auto& lane : lines_) {
      for (Line& line : lane) spread(line);
    }
  }

  // Side by side, the middle of the row at 0.
  void spread(const Line& line) {
    double at = 0;
    for (const std::size_t i : line) {
      result_.items[i].centre = at + width(i) / 2;
      at += width(i) + kGap;
    }
    for (const std::size_t i : line) result_.items[i].centre -= (at - kGap) / 2;
  }

  template <class Work>
  void for_each_row(std::size_t lane, bool downwards, Work work) {
    std::vector<Line>& lines = lines_[lane];
    if (downwards) {
      std::for_each(lines.begin(), lines.end(), work);
    } else {
      std::for_each(lines.rbegin(), lines.rend(), work);
    }
  }

  double width(std::size_t item) const {
    return result_.items[item].passes ? kPassWidth : kBlockWidth;
  }

  // The mean of its neighbours' places; its own without neighbours.
  double wanted(std::size_t item) const {
    const std::vector<std::size_t>& around = neighbours_[item];
    if (around.empty()) return result_.items[item].centre;
    double sum = 0;
    for (const std::size_t other : around) sum += result_.items[other].centre;
    return sum / static_cast<double>(around.size());
  }

  void sort(Line& line) {
    std::vector<std::pair<double, std::size_t>> keyed;
    for (const std::size_t i : line) keyed.emplace_back(wanted(i), i);
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < line.size(); ++k) line[k] = keyed[k].second;
    spread(line);
  }

  // As close to the wanted places as the order and the widths allow, by least squares: with the
  // widths taken off, that is isotonic regression, solved by pooling adjacent violators.
  void move(Line& line) {
    struct Pool {
      double sum;
      double count;
      double mean() const { return sum / count; }
    };
    std::vector<double> offsets;
    std::vector<Pool> pools;
    double offset = 0;
    for (std::size_t k = 0; k < line.size(); ++k) {
      if (k > 0) offset += (width(line[k - 1]) + width(line[k])) / 2 + kGap;
      offsets.push_back(offset);
      pools.push_back({wanted(line[k]) - offset, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().count += last.count;
      }
    }
    std::size_t k = 0;
    for (const Pool& pool : pools) {
      for (double i = 0; i < pool.count; ++i, ++k) {
        result_.items[line[k]].centre = pool.mean() + offsets[k];
      }
    }
  }

  void shift_to_zero(std::size_t lane) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Line& line : lines_[lane]) {
      for (const std::size_t i : line) {
        low = std::min(low, result_.items[i].centre - width(i) / 2);
        high = std::max(high, result_.items[i].centre + width(i) / 2);
      }
    }
    if (low > high) return;
    for (const Line& line : lines_[lane]) {
      for (const std::size_t i : line) result_.items[i].centre -= low;
    }
    result_.lane_widths[lane] = high - low;
  }

  std::span<const Block> blocks_;
  Placement result_;
  std::vector<std::vector<std::size_t>> neighbours_;  // of the items
  std::array<std::vector<Line>, kLanes> lines_;
};

}  // namespace

std::vector<std::int32_t> rows_of(std::span<const Block> blocks) { return Rows(blocks).run(); }

Placement place(std::span<const Block> blocks) { return Placer(blocks).run(); }

}  // namespace aclgrad::viz
