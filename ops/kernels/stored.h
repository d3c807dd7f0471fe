// SPDX-License-Identifier: Apache-2.0
// The loop for kernels that work on stored elements themselves, all of one dtype: no conversion, no
// copy where the operands are dense, and tiles that fit the first-level cache where they are not.
#ifndef ACLGRAD_OPS_KERNELS_STORED_H_
#define ACLGRAD_OPS_KERNELS_STORED_H_

#include <vector>

#include "ops/kernels/elementwise.h"

namespace aclgrad::ops {

class StoredLoop final : public Loop {
 public:
  // All operands have the same dtype, FLOAT, FLOAT16 or BF16, and at most kMaxOperands there are.
  // The order in which elements are visited is the loop's own choice.
  StoredLoop(Dims shape, const std::vector<Operand>& outputs, const std::vector<Operand>& inputs,
             StoredKernel kernel);

  void run(const Run& run) const override;

  static constexpr size_t kMaxOperands = 8;

 private:
  // An operand as the tiles see it; strides in elements.
  struct View {
    size_t parameter;
    int64_t offset;  // in bytes
    Dims outer;      // strides of the dimensions around the tile
    int64_t row_stride;
    int64_t column_stride;
    bool packed;  // copied into a dense tile before, or out of it after
  };
  struct Scratch;

  static View view_of(const Operand& operand, size_t rows, size_t columns, size_t element_bytes);
  void choose_tile(bool transposes);
  void run_tile(std::byte* const* bases, int64_t tile, Scratch& scratch) const;
  std::byte* tile_start(std::byte* base, const View& view, int64_t tile) const;

  StoredKernel kernel_;
  aclDataType dtype_;
  int64_t element_bytes_;
  std::vector<View> views_;  // outputs first
  size_t outputs_;
  Dims outer_shape_;
  int64_t rows_ = 1;
  int64_t columns_ = 1;
  int64_t tile_rows_ = 1;
  int64_t tile_columns_ = 1;
  int64_t tiles_down_ = 1;
  int64_t tiles_across_ = 1;
  int64_t tiles_ = 1;
  bool all_packed_ = false;
  bool around_caches_ = false;
};

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_KERNELS_STORED_H_
