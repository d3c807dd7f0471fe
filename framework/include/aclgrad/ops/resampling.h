// SPDX-License-Identifier: Apache-2.0
// Elements read at other places along the last axes: paddings by elements, resizing, windows as
// columns.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"
#include "aclgrad/graph/per_axis.h"

namespace aclgrad {

/// What stands beyond the ends of an axis: its elements again from the last but one backwards, the
/// last one, or its elements from the other end on.
enum class PadMode : std::uint8_t { reflect, replicate, circular };

/// x extended at the ends of its last dimensions by its own elements. `pads` holds pairs, for the
/// last dimension first, as pad() with a constant takes them; negative ones cut. Throws ShapeError
/// unless there are pairs for one to three dimensions (circular: for any), and each leaves
/// elements; reflected pads must be below the dimension's size, circular ones at most that of what
/// is not cut.
Value pad(Operand x, std::vector<std::int64_t> pads, PadMode mode);

/// Of what a resized element is made: the nearest element to its beginning, as PyTorch's "nearest"
/// and the usual one of picture formats; the one that its middle is in; the two (along two axes
/// four, along three eight) around it; the four (along two axes sixteen) around it by Keys's cubic
/// kernel for a = -0.75.
enum class Interpolation : std::uint8_t { nearest, nearest_exact, linear, cubic };
std::string_view to_string(Interpolation mode);

struct InterpolateOptions {
  PerAxis size = std::vector<std::int64_t>{};  ///< Of the result's spatial axes.
  /// Instead of `size`: one for all axes, or one for each; the size is that of x times this,
  /// rounded down. Coordinates follow from it, not from the sizes' ratio.
  std::vector<double> scale_factor = {};
  Interpolation mode = Interpolation::nearest;
  bool align_corners =
      false;  ///< Of linear and cubic: the first and last elements stay at the ends.
};

/// x [N, C, W], [N, C, H, W] or [N, C, D, H, W] resized along its spatial axes. Values and
/// gradients are PyTorch's F.interpolate's; there is no antialiasing. Throws DTypeError unless x is
/// floating; ShapeError for other ranks, sizes of 0 but the batch's, and cubic along any but two
/// axes; ValueError unless exactly one of size and scale_factor is given, with sizes of at least 1
/// and below 2^31.
Value interpolate(Operand x, const InterpolateOptions& options);

/// What is read beyond the elements of an axis: 0, the last element, the elements reflected.
enum class GridPadding : std::uint8_t { zeros, border, reflection };
std::string_view to_string(GridPadding padding);

struct GridSampleOptions {
  Interpolation mode = Interpolation::linear;  ///< or nearest, or of [N, C, H, W] cubic
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;  ///< -1 and 1 are the middles of the last elements, not their sides.
};

/// x [N, C, H, W] read at the places of a grid [N, h, w, 2] of (x, y) from -1 to 1: [N, C, h, w];
/// x [N, C, D, H, W] at those of [N, d, h, w, 3]. F.grid_sample, with gradients of both; a
/// coordinate that is NaN makes NaN. Throws DTypeError unless both are of one floating type,
/// ShapeError where they do not fit each other or are empty but in the batch, ValueError for a mode
/// that there is not.
Value grid_sample(Operand x, const Value& grid, const GridSampleOptions& options = {});

struct GridSampleAttributes {
  std::int64_t mode;     // 0 linear, 1 nearest, 2 cubic
  std::int64_t padding;  // as GridPadding counts
  bool align_corners;
  std::array<bool, 2> wanted = {true, true};  // of the gradients
  std::size_t axes = 2;                       // spatial ones, 2 or 3
  std::size_t which() const { return axes - 2; }
  auto arguments() const {
    return named({"mode", "padding", "align_corners"}, mode, padding, align_corners);
  }
};

/// The gradients with respect to x and the grid; those that are not wanted are empty.
std::array<Value, 2> grid_sample_backward(Operand grad, const Value& x, const Value& grid,
                                          const GridSampleAttributes& attributes);

namespace calls {
// Of images and of volumes. Inputs x and grid; of the backward grad, x and grid.
extern const Declaration<GridSampleAttributes> grid_sample[2], grid_sample_backward[2];
}  // namespace calls

using GridSampleOp = SelectedOp<calls::grid_sample>;
using GridSampleBackwardOp = SelectedOp<calls::grid_sample_backward>;

struct UnfoldOptions {
  PerAxis dilation = 1;  ///< at least 1
  PerAxis padding = 0;   ///< zeros at both ends, at least 0
  PerAxis stride = 1;    ///< at least 1
};

/// The elements under each window of x [C, H, W] or [N, C, H, W] as a column, F.unfold: [C kH kW,
/// L] or [N, C kH kW, L] with L windows, row by row, of (in + 2 padding - dilation (kernel - 1) -
/// 1) / stride + 1 along an axis, rounded down. Throws ShapeError where there is no window,
/// ValueError for numbers out of their ranges or above 2^31 - 1.
Value unfold(Operand x, const PerAxis& kernel, const UnfoldOptions& options = {});

/// Such columns added up to images of a height and width of `size`, F.fold; what lies beside them
/// is dropped. Throws as unfold() does, and where x has not the columns of such images.
Value fold(Operand x, const PerAxis& size, const PerAxis& kernel,
           const UnfoldOptions& options = {});

struct UnfoldAttributes {
  std::vector<std::int64_t> kernel, dilation, padding, stride;
  auto arguments() const {
    return named({"kernel", "dilation", "padding", "stride"}, kernel, dilation, padding, stride);
  }
};
struct FoldAttributes {
  std::vector<std::int64_t> sizes;
  UnfoldAttributes windows;
  auto arguments() const {
    return named({"size", "kernel", "dilation", "padding", "stride"}, sizes, windows.kernel,
                 windows.dilation, windows.padding, windows.stride);
  }
};

/// As the operators take them.
Value unfold(Operand x, const UnfoldAttributes& attributes);
Value fold(Operand x, const FoldAttributes& attributes);

namespace calls {
extern const Declaration<UnfoldAttributes> unfold;
extern const Declaration<FoldAttributes> fold;
}  // namespace calls

using UnfoldOp = DeclaredOp<calls::unfold>;
using FoldOp = DeclaredOp<calls::fold>;

struct PadModeAttributes {
  PadMode mode;  // reflect or replicate
  std::vector<std::int64_t> pads;
  std::size_t which() const;
  auto arguments() const { return named({"pads"}, pads); }
};
struct InterpolateAttributes {
  Interpolation mode;
  bool align_corners;
  std::vector<std::int64_t> sizes;
  std::vector<double> scales;  // one for each axis; 0: the sizes' ratio
  std::size_t which() const;
  std::string text() const;
};

/// Their gradients with respect to x, from the forward's attributes; x gives its shape.
Value pad_backward(Operand grad, const Value& x, const PadModeAttributes& attributes);
Value interpolate_backward(Operand grad, const Shape& shape,
                           const InterpolateAttributes& attributes);

/// As the operators take them: of x with channels and a batch.
Value pad_by_mode(Operand x, const PadModeAttributes& attributes);
Value interpolate_to(Operand x, const InterpolateAttributes& attributes);

namespace calls {
// By mode, then by the number of axes.
extern const Declaration<PadModeAttributes> pad_by_mode[6], pad_backward[6];
extern const Declaration<InterpolateAttributes> interpolate[12], interpolate_backward[12];
}  // namespace calls

using PadModeOp = SelectedOp<calls::pad_by_mode>;
using PadModeBackwardOp = SelectedOp<calls::pad_backward>;
using InterpolateOp = SelectedOp<calls::interpolate>;
using InterpolateBackwardOp = SelectedOp<calls::interpolate_backward>;

}  // namespace aclgrad
