// SPDX-License-Identifier: Apache-2.0
// What recording functions with numbers of elements share.
#pragma once

#include <fmt/format.h>

#include "aclgrad/format.h"
#include "aclgrad/graph/record.h"

namespace aclgrad::detail {

inline void require_index(const Recorder& record, std::size_t input) {
  const Value& index = record.input(input);
  record.require_dtype(index.dtype() == DType::int32 || index.dtype() == DType::int64,
                       "{} must be int32 or int64, got {}", index, index.dtype());
}

/// The dim counted from the front, along which the index, input 1, numbers slices of input 0.
inline std::int64_t slices_dim(const Recorder& record, std::int64_t dim) {
  const Shape &x = record.input(0).shape(), &index = record.input(1).shape();
  require_index(record, 1);
  record.require_shape(x.rank() != 0 && index.rank() == 1,
                       "expected an x with dimensions and an index of one dimension, got {} and {}",
                       x, index);
  return record.axis(dim, x.rank());
}

/// The index has the rank of x and is no larger, but along dim.
inline void require_fits(const Recorder& record, const Shape& index, const Shape& x,
                         std::optional<std::int64_t> dim) {
  bool fits = x.rank() > 0 && index.rank() == x.rank();
  for (std::size_t d = 0; fits && d < x.rank(); ++d) {
    const bool along = dim && static_cast<std::int64_t>(d) == *dim;
    fits = along || index.dims()[d] <= x.dims()[d];
  }
  record.require_shape(fits, "an index of shape {} does not fit {}{}", index, x,
                       dim ? fmt::format(" along dimension {}", *dim) : "");
}

/// The row that is padding, of `rows`; -1 for none.
inline std::int64_t padding_row(const Recorder& record, std::optional<std::int64_t> row,
                                std::int64_t rows) {
  record.require_value(!row || (*row >= 0 && *row < rows), "padding_idx must be in [0, {}], got {}",
                       rows - 1, row.value_or(-1));
  return row.value_or(-1);
}

}  // namespace aclgrad::detail
