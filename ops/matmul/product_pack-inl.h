// SPDX-License-Identifier: Apache-2.0
// Per-target: operands of matrix products, as they lie in memory, made into dense lines of the type
// that the product is computed in. Included by kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_MATMUL_PRODUCT_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_MATMUL_PRODUCT_PACK_INL_H_
#undef ACLGRAD_OPS_MATMUL_PRODUCT_PACK_INL_H_
#else
#define ACLGRAD_OPS_MATMUL_PRODUCT_PACK_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/transpose-inl.h"
#include "ops/matmul/product_kernel.h"
#include "ops/matmul/product_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whether the elements of a matrix are of the compute type.
template <class T>
bool has_compute_type(const ProductOperand& matrix) {
  return matrix.dtype == (sizeof(T) == 8 ? ACL_DOUBLE : ACL_FLOAT) &&
         matrix.through == matrix.dtype;
}

// Whether a processor loads some elements of that size without touching those behind them.
template <size_t kSize>
inline constexpr bool kMasks = HWY_TARGET <= HWY_AVX3 || (HWY_TARGET <= HWY_AVX2 && kSize >= 4);

// Dense elements of one dtype, `count` of them, at most a vector full; the others become 0.
template <class Element, class D>
HWY_INLINE hn::Vec<D> read_vector(D d, const Element* from, size_t count) {
  const RawTag<Element, D> tag;
  hn::Vec<RawTag<Element, D>> elements;
  if constexpr (kMasks<sizeof(Element)>) {
    elements = hn::MaskedLoad(hn::FirstN(tag, count), tag, raw(from));
  } else {
    alignas(64) Raw<Element> copy[hn::MaxLanes(d)] = {};
    std::memcpy(copy, static_cast<const void*>(from), count * sizeof(Element));
    elements = hn::Load(tag, copy);
  }
  if constexpr (std::is_same_v<Element, hn::TFromD<D>>) {
    return elements;
  } else {
    return floats_of<Element>(d, elements);
  }
}

// Several lines of dense elements. Behind the last element of a line there is room for a vector.
template <class Element, class T>
void read_lines(const Element* from, int64_t stride, int64_t lines, int64_t count, T* to,
                int64_t to_stride) {
  const hn::ScalableTag<T> d;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(d));
  for (; lines > 0; --lines, from += stride, to += to_stride) {
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      hn::StoreU(read_vector(d, from + i, hn::MaxLanes(d)), d, to + i);
    }
    if (i < count) {
      hn::StoreU(read_vector(d, from + i, static_cast<size_t>(count - i)), d, to + i);
    }
  }
}

// Elements of any dtype and stride, by way of double.
template <class T>
void read_any(const ProductOperand& matrix, const void* from, int64_t count, T* to) {
  constexpr int64_t kPiece = kBlock;
  alignas(64) double values[kPiece];
  for (int64_t i = 0; i < count; i += kPiece) {
    const int64_t size = std::min(kPiece, count - i);
    load_through(element(from, matrix.dtype, i * matrix.column_stride), matrix.dtype,
                 matrix.through, matrix.column_stride, values, static_cast<size_t>(size));
    for (int64_t j = 0; j < size; ++j) to[i + j] = static_cast<T>(values[j]);
  }
}

// Part of a matrix: to[i * to_stride + j] = element (row + i, column + j) for i < rows, j <
// columns. Behind a row there is room for a vector.
template <class T>
void read_rows(const ProductOperand& matrix, int64_t row, int64_t rows, int64_t column,
               int64_t columns, T* to, int64_t to_stride) {
  const int64_t stride = matrix.row_stride;
  const void* from =
      element(matrix.data, matrix.dtype, row * stride + column * matrix.column_stride);
  const bool dense = matrix.column_stride == 1 && matrix.through == matrix.dtype;
  if (dense && has_compute_type<T>(matrix)) {
    return read_lines(static_cast<const T*>(from), stride, rows, columns, to, to_stride);
  }
  if constexpr (sizeof(T) == 4) {
    if (dense && matrix.dtype == ACL_FLOAT16) {
      return read_lines(static_cast<const Float16*>(from), stride, rows, columns, to, to_stride);
    }
    if (dense && matrix.dtype == ACL_BF16) {
      return read_lines(static_cast<const Bfloat16*>(from), stride, rows, columns, to, to_stride);
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    read_any(matrix, element(from, matrix.dtype, i * stride), columns, to + i * to_stride);
  }
}

// ---- Panels of b -------------------------------------------------------------------------------

// Has the processor fetch what a panel takes of some rows of b: pages apart, they come one by one
// otherwise.
inline void fetch_piece(const ProductOperand& b, int64_t row, int64_t rows, int64_t column) {
  const void* from = element(b.data, b.dtype, row * b.row_stride + column * b.column_stride);
  const int64_t stride = b.row_stride * static_cast<int64_t>(element_size(b.dtype));
  const auto* line = static_cast<const std::byte*>(from);
  for (; rows > 0; --rows, line += stride) {
    __builtin_prefetch(line);
    __builtin_prefetch(line + kLineBytes);
  }
}

// Terms [first, first + terms) of columns [column, column + columns) of b in panels of kPanel<T>,
// the last one padded with zeros where tiles read them.
template <class T>
void pack_panels(const ProductOperand& b, int64_t first, int64_t terms, int64_t column,
                 int64_t columns, T* to) {
  constexpr int64_t kWidth = kPanel<T>;
  constexpr int64_t kTerms = 64;  // at a time: so far the lines that are read stay in the cache
  const int64_t panel = terms * kWidth;
  const int64_t in_last = columns % kWidth;
  if (!kReadsPartOfVector && in_last != 0) std::fill_n(to + columns / kWidth * panel, panel, T{0});
  const bool by_columns = b.row_stride == 1 && b.column_stride != 1;
  const ProductOperand lines = b.transposed();
  for (int64_t l = 0; l < terms; l += kTerms) {
    const int64_t deep = std::min(kTerms, terms - l);
    for (int64_t j = 0; j < columns; j += kWidth) {
      const int64_t width = std::min(kWidth, columns - j);
      T* target = to + j / kWidth * panel + l * kWidth;
      if (!by_columns) {
        if (j + kWidth < columns) fetch_piece(b, first + l, deep, column + j + kWidth);
        read_rows(b, first + l, deep, column + j, width, target, kWidth);
      } else if (has_compute_type<T>(b)) {
        const T* from = static_cast<const T*>(b.data) + first + l + (column + j) * b.column_stride;
        transpose_lines(from, b.column_stride, width, deep, target, kWidth);
      } else {
        alignas(64) T block[kWidth * kTerms];
        read_rows(lines, column + j, width, first + l, deep, block, kTerms);
        transpose_lines(block, kTerms, width, deep, target, kWidth);
      }
    }
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
