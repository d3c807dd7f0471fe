// SPDX-License-Identifier: Apache-2.0
#include "viz/layout.h"

#include <algorithm>
#include <array>

#include "viz/rows.h"
#include "viz/tracks.h"

namespace aclgrad::viz {
namespace {

constexpr double kTrackGap = 7;
constexpr double kGutter = 34;       // between two rows without right-angled lines
constexpr double kChannel = 36;      // between two lanes without any
constexpr double kPortSpread = 0.6;  // the part of a block's width over which lines arrive

// A line to another lane.
struct Crossing {
  std::size_t from;
  std::size_t to;
  std::size_t channel;  // between the lanes `channel` and `channel` + 1
  std::size_t out;      // gutter that it leaves into; gutter r lies above row r
  std::size_t in;       // gutter that it comes from
};

class Drawing {
 public:
  explicit Drawing(std::span<const Block> blocks) : blocks_(blocks), place_(place(blocks)) {
    gutters_.resize(static_cast<std::size_t>(place_.row_count) + 1);
  }

  Layout run() {
    find_crossings();
    place_lanes();
    place_rows();
    for (std::size_t v = 0; v < blocks_.size(); ++v) {
      layout_.corners.emplace_back(centre(v) - kBlockWidth / 2, top(place_.rows[v]));
    }
    for (const Chain& chain : place_.chains) draw(chain);
    for (const Crossing& crossing : crossings_) draw(crossing);
    return std::move(layout_);
  }

 private:
  bool upwards(std::size_t block) const { return blocks_[block].lane == kBackward; }

  void find_crossings() {
    for (std::size_t v = 0; v < blocks_.size(); ++v) {
      for (const std::size_t u : blocks_[v].inputs) {
        if (blocks_[u].lane == blocks_[v].lane) continue;
        const auto from = static_cast<std::size_t>(place_.rows[u]);
        const auto to = static_cast<std::size_t>(place_.rows[v]);
        // The channel at the reader's side that faces the source.
        const bool from_left = blocks_[u].lane < blocks_[v].lane;
        Crossing crossing{u, v, blocks_[v].lane - (from_left ? 1 : 0), from + (upwards(u) ? 0 : 1),
                          to + (upwards(v) ? 1 : 0)};
        if (crossing.out != crossing.in) {
          channels_[crossing.channel].add(u, static_cast<double>(crossing.out),
                                          static_cast<double>(crossing.in));
        }
        crossings_.push_back(crossing);
      }
    }
    for (Tracks& channel : channels_) channel.assign();
  }

  void place_lanes() {
    double left = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double width = place_.lane_widths[lane];
      layout_.lanes[lane] = {left, width};
      layout_.width = std::max(layout_.width, left + width);
      const std::size_t tracks = lane < channels_.size() ? channels_[lane].count() : 0;
      channel_left_.at(lane) = left + width;
      left += width + (width > 0 ? kChannel : 0) + kTrackGap * static_cast<double>(tracks);
    }
  }

  // Needs the lanes: how far the lines in a gutter reach decides how many tracks it has.
  void place_rows() {
    for (const Crossing& crossing : crossings_) {
      const double start = exit_x(crossing);
      const double end = entry_x(crossing.to, crossing.from);
      if (crossing.out == crossing.in) {
        gutters_[crossing.out].add(crossing.from, start, end);
      } else {
        gutters_[crossing.out].add(crossing.from, start, channel_x(crossing));
        gutters_[crossing.in].add(crossing.from, channel_x(crossing), end);
      }
    }
    double y = 0;
    for (std::size_t r = 0; r < gutters_.size(); ++r) {
      gutters_[r].assign();
      gutter_top_.push_back(y);
      const bool outside = r == 0 || r + 1 == gutters_.size();
      y += kTrackGap * static_cast<double>(gutters_[r].count()) + (outside ? kGutter / 2 : kGutter);
      if (r + 1 < gutters_.size()) {
        tops_.push_back(y);
        y += kBlockHeight;
      }
    }
    layout_.height = y;
  }

  double top(std::int32_t row) const { return tops_[static_cast<std::size_t>(row)]; }
  double centre(std::size_t item) const {
    return layout_.lanes[place_.items[item].lane].left + place_.items[item].centre;
  }

  // Lines to other lanes leave beside the one to the own lane.
  double exit_x(const Crossing& crossing) const {
    const double side = blocks_[crossing.to].lane > blocks_[crossing.from].lane ? 1 : -1;
    return centre(crossing.from) + side * kBlockWidth / 4;
  }

  // Arriving lines are spread in the order in which their sources stand.
  double entry_x(std::size_t block, std::size_t source) const {
    std::vector<std::size_t> order = blocks_[block].inputs;
    std::stable_sort(order.begin(), order.end(),
                     [this](std::size_t a, std::size_t b) { return centre(a) < centre(b); });
    const auto index = static_cast<double>(std::ranges::find(order, source) - order.begin());
    const double part = (index + 1) / static_cast<double>(order.size() + 1) - 0.5;
    return centre(block) + part * kPortSpread * kBlockWidth;
  }

  double channel_x(const Crossing& crossing) const {
    return channel_left_.at(crossing.channel) + kChannel / 2 +
           kTrackGap * static_cast<double>(channels_.at(crossing.channel).track(crossing.from));
  }

  double gutter_y(std::size_t gutter, std::size_t source) const {
    const double margin = gutter == 0 ? 0 : kGutter / 2;
    return gutter_top_[gutter] + margin +
           kTrackGap * static_cast<double>(gutters_[gutter].track(source));
  }

  double exit_y(std::size_t block) const {
    return top(place_.rows[block]) + (upwards(block) ? 0 : kBlockHeight);
  }
  double entry_y(std::size_t block) const {
    return top(place_.rows[block]) + (upwards(block) ? kBlockHeight : 0);
  }

  void draw(const Chain& chain) {
    Route route{chain.from, chain.to, {{centre(chain.from), exit_y(chain.from)}}};
    for (std::size_t i = 1; i + 1 < chain.items.size(); ++i) {
      const std::size_t item = chain.items[i];
      const double y = top(place_.items[item].row);
      const double x = centre(item);
      const bool up = upwards(chain.to);
      route.points.emplace_back(x, up ? y + kBlockHeight : y);
      route.points.emplace_back(x, up ? y : y + kBlockHeight);
    }
    route.points.emplace_back(entry_x(chain.to, chain.from), entry_y(chain.to));
    layout_.routes.push_back(std::move(route));
  }

  void draw(const Crossing& crossing) {
    const double start = exit_x(crossing);
    const double end = entry_x(crossing.to, crossing.from);
    const double out_y = gutter_y(crossing.out, crossing.from);
    Route route{crossing.from, crossing.to, {{start, exit_y(crossing.from)}, {start, out_y}}, true};
    if (crossing.out != crossing.in) {
      const double x = channel_x(crossing);
      const double in_y = gutter_y(crossing.in, crossing.from);
      route.points.insert(route.points.end(), {{x, out_y}, {x, in_y}, {end, in_y}});
    } else {
      route.points.emplace_back(end, out_y);
    }
    route.points.emplace_back(end, entry_y(crossing.to));
    layout_.routes.push_back(std::move(route));
  }

  std::span<const Block> blocks_;
  Placement place_;
  std::vector<Crossing> crossings_;
  std::vector<Tracks> gutters_;
  std::array<Tracks, kLanes - 1> channels_;
  std::array<double, kLanes> channel_left_ = {};
  std::vector<double> gutter_top_;
  std::vector<double> tops_;  // of the rows
  Layout layout_;
};

}  // namespace

Layout lay_out(std::span<const Block> blocks) {
  return blocks.empty() ? Layout() : Drawing(blocks).run();
}

}  // namespace aclgrad::viz
