// SPDX-License-Identifier: Apache-2.0
// Per-target: rows of a matrix product's left operand, copied for tiles that read them many times.
// Included by kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_MATMUL_PRODUCT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_MATMUL_PRODUCT_ROWS_INL_H_
#undef ACLGRAD_OPS_MATMUL_PRODUCT_ROWS_INL_H_
#else
#define ACLGRAD_OPS_MATMUL_PRODUCT_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "hwy/highway.h"
#include "ops/matmul/product_fetch.h"
#include "ops/matmul/product_kernel.h"
#include "ops/matmul/product_pack-inl.h"
#include "ops/matmul/product_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// Rows are copied where so many columns make use of the copy. In place, rows a multiple of a page
// apart would chase each other out of the cache.
constexpr int64_t kMinForCopyingA = 256;
constexpr int64_t kHarmlessStride = 512;
// Where columns are dense instead, a tile reads a piece of one for each term. Columns that are a
// multiple of this apart share a few sets of the cache, and columns a page and more apart take an
// entry each for the addresses of pages.
constexpr int64_t kHarmlessColumnStride = 64;
constexpr int64_t kPageBytes = 4096;

template <class T>
bool is_harmless(const ProductOperand& a) {
  if (a.column_stride == 1) return std::abs(a.row_stride) % kHarmlessStride != 0;
  const int64_t apart = std::abs(a.column_stride);
  return a.row_stride == 1 && apart * static_cast<int64_t>(sizeof(T)) < kPageBytes &&
         apart % kHarmlessColumnStride != 0;
}

// Each term of such a column is a cache line of its own, far from the one before. Processors do not
// fetch those ahead, copying does: long columns are copied sooner.
constexpr int64_t kShortColumn = 128;
constexpr int64_t kMinForCopyingLongColumns = 64;

template <class T>
bool is_worth_copying(const ProductOperand& a, int64_t terms, int64_t columns) {
  const bool by_columns = a.row_stride == 1 && a.column_stride != 1;
  if (by_columns && terms > kShortColumn && columns >= kMinForCopyingLongColumns) return true;
  return !has_compute_type<T>(a) || (columns >= kMinForCopyingA && !is_harmless<T>(a));
}

// A group of rows, as many as a tile has at most, of kKc terms.
template <class T>
struct RowsOfA {
  // By rows: they lie so far apart, which is not a power of two.
  static constexpr int64_t kLine = kKc + 128 / sizeof(T);
  // By columns, where those are dense in a.
  static constexpr int64_t kColumn = kTileRows<T> > 8 || kNarrowRows<T> > 8 ? 16 : 8;
  static_assert(kTileRows<T> <= kColumn && kNarrowRows<T> <= kColumn);
  alignas(64) T values[kColumn * kLine];

  static bool is_by_columns(const ProductOperand& a) {
    return a.row_stride == 1 && a.column_stride != 1;
  }

  void copy(const ProductOperand& a, int64_t row, int64_t rows, int64_t first, int64_t terms) {
    read_rows(a, row, rows, first, terms, values, kLine);
  }

  // Terms [first + done, first + done + terms).
  void copy_columns(const ProductOperand& a, int64_t row, int64_t rows, int64_t first, int64_t done,
                    int64_t terms) {
    read_rows(a.transposed(), first + done, terms, row, rows, values + done * kColumn, kColumn);
  }
};

// Has the terms of rows fetched that are to be copied next.
inline void fetch_rows(const ProductOperand& a, int64_t row, int64_t rows, int64_t first,
                       int64_t terms, Fetches& fetches) {
  const auto size = static_cast<int64_t>(element_size(a.dtype));
  const void* from = element(a.data, a.dtype, row * a.row_stride + first * a.column_stride);
  if (a.column_stride == 1) {
    fetches.set_next(from, terms * size, rows, a.row_stride * size);
  } else if (a.row_stride == 1) {
    fetches.set_next(from, rows * size, terms, a.column_stride * size);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
