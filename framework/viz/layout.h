// SPDX-License-Identifier: Apache-2.0
// Where the nodes of a graph stand in a drawing, in layers, and how the lines between them run.
//
// There is a lane for each pass, side by side. Forward runs downwards, backward upwards, so that a
// gradient operator stands at the height of what it differentiates; update runs downwards again.
// No two blocks overlap. Lines to another lane run at right angles, through the gutters between the
// rows and the channels between the lanes, so they cross no block.
#ifndef ACLGRAD_FRAMEWORK_VIZ_LAYOUT_H_
#define ACLGRAD_FRAMEWORK_VIZ_LAYOUT_H_

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace aclgrad::viz {

inline constexpr std::size_t kLanes = 3;
inline constexpr std::size_t kForward = 0;
inline constexpr std::size_t kBackward = 1;
inline constexpr std::size_t kUpdate = 2;

inline constexpr double kBlockWidth = 196;  // of every block, in CSS pixels, as in page/graph.css
inline constexpr double kBlockHeight = 68;

/// What the layout knows of a node.
struct Block {
  std::size_t lane = kForward;
  bool source = false;              ///< has no inputs by nature; stands close to who reads it
  bool view = false;                ///< does no work
  std::vector<std::size_t> inputs;  ///< blocks before this one, each once
};

using Point = std::pair<double, double>;

/// A line from what makes a value to what reads it.
struct Route {
  std::size_t from = 0;
  std::size_t to = 0;
  /// Right-angled: the corners. Otherwise pairs: a curve from each even point to the odd one after
  /// it, and a straight line from there to the next even one.
  std::vector<Point> points;
  bool right_angled = false;
};

struct Lane {
  double left = 0;
  double width = 0;  ///< 0 when nothing stands in it
};

struct Layout {
  double width = 0;
  double height = 0;
  std::vector<Point> corners;  ///< top left corner of every block
  std::vector<Route> routes;
  std::array<Lane, kLanes> lanes;
};

/// The same blocks give the same layout.
Layout lay_out(std::span<const Block> blocks);

}  // namespace aclgrad::viz

#endif  // ACLGRAD_FRAMEWORK_VIZ_LAYOUT_H_
