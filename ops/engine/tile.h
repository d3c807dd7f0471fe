// SPDX-License-Identifier: Apache-2.0
// Copies between strided memory and dense tiles.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aclgrad::ops {

// Two dimensions of a tensor; strides in elements of 1, 2, 4, 8 or 16 bytes, which may be
// unaligned.
struct TileShape {
  int64_t rows;
  int64_t columns;
  int64_t row_stride;
  int64_t column_stride;
  int64_t element_bytes;
};

// The elements, row by row, to a dense tile; strides may be 0.
void pack_tile(const TileShape& shape, const void* source, void* tile);
// And back.
void unpack_tile(const TileShape& shape, const void* tile, void* target);

}  // namespace aclgrad::ops
