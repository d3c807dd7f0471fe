// SPDX-License-Identifier: Apache-2.0
// The loop for native kernels, which work on elements of the tensors' own dtype: no conversion, and
// copies only where operands are not dense or repeat a row, in tiles that fit the first-level
// cache.
#pragma once

#include <vector>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

class NativeLoop final : private Tiling {
 public:
  // At most kMaxOperands. The order in which elements are visited is the loop's own choice.
  NativeLoop(Dims shape, const std::vector<Operand>& outputs, const std::vector<Operand>& inputs,
             NativeKernel kernel);

  void run(const Run& run) const;

  // The loop's work as a Tiling, which lives as long as the loop; null where it cannot be tiled: if
  // something is packed, rows are short, or there are more than two dimensions. A unit is an
  // element of what has one dimension, a row of what has two.
  const Tiling* tiling() const;
  int64_t units() const override { return is_line() ? columns_ : rows_; }
  size_t operand_count() const override { return views_.size(); }
  Footprint footprint(size_t index) const override;
  void run_part(const Run& run, const Part& part) const override;

  static constexpr size_t kMaxOperands = 9;

 private:
  // An operand as the tiles see it; strides in bytes.
  struct View {
    size_t parameter;
    int64_t offset;
    int64_t element_bytes;
    int64_t row_stride;
    int64_t column_stride;
    bool packed;  // copied into a dense tile before, or out of it after

    bool dense() const { return column_stride == element_bytes; }
    bool transposed() const { return packed && row_stride == element_bytes; }
  };
  struct Scratch;

  void add_view(const Operand& operand, size_t rows, size_t columns);
  // An input with one row for all of them.
  bool is_repeated(size_t index) const {
    const View& view = views_[index];
    return index >= outputs_ && rows_ > 1 && view.dense() && view.row_stride == 0;
  }
  // How many rows are given to the kernel as one, with those that repeat written out.
  int64_t count_joined_rows(int64_t largest_element) const;
  void choose_tile();
  // Where a tile begins, in elements, and in which of the outer matrices.
  struct Position {
    int64_t outer;
    int64_t row;
    int64_t column;
  };
  Position position_of(int64_t tile) const;
  int64_t offset_of(size_t index, const Position& position) const;
  void run_whole(const Run& run) const;
  void run_tile(std::byte* const* bases, int64_t tile, Scratch& scratch) const;
  bool is_line() const { return rows_ == 1; }
  int64_t unit_stride(const View& view) const {
    return is_line() ? view.element_bytes : view.row_stride;
  }

  NativeKernel kernel_;
  aclDataType dtype_;        // of the first output
  std::vector<View> views_;  // outputs first
  size_t outputs_;
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  bool is_one_call_ = false;  // of the kernel, on the tensors themselves
  bool all_packed_ = false;
  bool streaming_ = false;
  int64_t joined_rows_ = 1;  // make one row for the kernel
  int64_t tile_rows_ = 1;
  int64_t tile_columns_ = 1;
  int64_t tiles_down_ = 1;
  int64_t tiles_across_ = 1;
  int64_t strip_tiles_ = 1;  // taken side by side before those below
  int64_t tiles_ = 0;
  int64_t tiles_at_once_ = 1;
  // What is around the tile: the dimensions, and the strides of each view along them, if any.
  Dims outer_shape_;
  std::vector<Dims> outer_strides_;
};

}  // namespace aclgrad::ops
