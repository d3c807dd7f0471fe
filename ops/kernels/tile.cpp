// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/tile.h"

#include <algorithm>
#include <cstring>

#include "ops/kernels/formats.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/tile.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A matrix whose columns may lie anywhere, each dense; or whose rows do.
template <class T>
struct Lines {
  T* start;
  int64_t stride;

  T* at(int64_t line, int64_t position) const { return start + line * stride + position; }
};

#if HWY_TARGET != HWY_SCALAR
// Interleaves pairs of vectors that lie kApart from each other; doing so with 1, 2, 4 ... apart,
// each time with elements twice as wide, turns rows into columns.
template <class T, size_t kCount, class V>
HWY_INLINE void interleave(V (&v)[kCount], size_t apart) {
  const hn::FixedTag<T, 16 / sizeof(T)> d;
  const hn::FixedTag<uint16_t, 8> whole;
  for (size_t first = 0; first < kCount; first += 2 * apart) {
    for (size_t i = first; i < first + apart; ++i) {
      const auto a = hn::BitCast(d, v[i]);
      const auto b = hn::BitCast(d, v[i + apart]);
      v[i] = hn::BitCast(whole, hn::InterleaveLower(d, a, b));
      v[i + apart] = hn::BitCast(whole, hn::InterleaveUpper(d, a, b));
    }
  }
}

// Blocks of as many rows as 16 bytes hold elements, in registers.
HWY_INLINE void transpose_block(Lines<const uint32_t> from, Lines<uint32_t> to) {
  const hn::FixedTag<uint32_t, 4> d;
  const auto a = hn::LoadU(d, from.at(0, 0));
  const auto b = hn::LoadU(d, from.at(1, 0));
  const auto c = hn::LoadU(d, from.at(2, 0));
  const auto e = hn::LoadU(d, from.at(3, 0));
  const hn::FixedTag<uint64_t, 2> wide;
  const auto ab_low = hn::BitCast(wide, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(wide, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(wide, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(wide, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, ab_low, ce_low)), d, to.at(0, 0));
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, ab_low, ce_low)), d, to.at(1, 0));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, ab_high, ce_high)), d, to.at(2, 0));
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, ab_high, ce_high)), d, to.at(3, 0));
}

HWY_INLINE void transpose_block(Lines<const uint16_t> from, Lines<uint16_t> to) {
  const hn::FixedTag<uint16_t, 8> d;
  hn::Vec<decltype(d)> v[8];
  for (int64_t i = 0; i < 8; ++i) v[i] = hn::LoadU(d, from.at(i, 0));
  // Rows 0..7 become pairs, quadruples, then whole columns; the order follows the bits reversed.
  interleave<uint16_t>(v, 1);
  interleave<uint32_t>(v, 2);
  interleave<uint64_t>(v, 4);
  constexpr int64_t kColumnOf[] = {0, 4, 2, 6, 1, 5, 3, 7};
  for (size_t i = 0; i < 8; ++i) hn::StoreU(v[i], d, to.at(kColumnOf[i], 0));
}

// to(j, i) = from(i, j) for i < lines, j < length, in whole blocks of lines; says how many lines
// are done.
template <class T>
int64_t transpose_blocks(Lines<const T> from, Lines<T> to, int64_t lines, int64_t length) {
  constexpr int64_t kBlock = 16 / sizeof(T);
  int64_t i = 0;
  for (; i + kBlock <= lines; i += kBlock) {
    int64_t j = 0;
    for (; j + kBlock <= length; j += kBlock) {
      transpose_block(Lines<const T>{from.at(i, j), from.stride}, Lines<T>{to.at(j, i), to.stride});
    }
    for (; j < length; ++j) {
      for (int64_t k = i; k < i + kBlock; ++k) *to.at(j, k) = *from.at(k, j);
    }
  }
  return i;
}
#else
template <class T>
int64_t transpose_blocks(Lines<const T>, Lines<T>, int64_t, int64_t) {
  return 0;
}
#endif

// to(j, i) = from(i, j) for i < lines, j < length.
template <class T>
void transpose(Lines<const T> from, Lines<T> to, int64_t lines, int64_t length) {
  int64_t i = transpose_blocks(from, to, lines, length);
  for (; i < lines; ++i) {
    for (int64_t j = 0; j < length; ++j) *to.at(j, i) = *from.at(i, j);
  }
}

// Every second element.
template <class T>
void pack_every_second(const T* from, T* to, int64_t count) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes < count; i += lanes) {  // the last element has nothing behind it
    hn::Vec<decltype(d)> even, odd;
    hn::LoadInterleaved2(d, from + 2 * i, even, odd);
    hn::StoreU(even, d, to + i);
  }
#endif
  for (; i < count; ++i) to[i] = from[2 * i];
}

// Asks for the lines of a tile whose columns are dense before they are needed: no hardware foresees
// a walk across them.
template <class T>
void prefetch_columns(const T* from, const TileShape& shape) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t j = 0; j < shape.columns; ++j, from += shape.column_stride) {
    for (int64_t i = 0; i < shape.rows; i += kLine) __builtin_prefetch(from + i, 0, 2);
  }
}

template <class T>
void pack_as(const TileShape& shape, const void* source, void* tile) {
  const T* from = static_cast<const T*>(source);
  T* to = static_cast<T*>(tile);
  if (shape.row_stride == 1 && shape.column_stride > 1 && shape.rows > 1) {
    prefetch_columns(from, shape);
    transpose(Lines<const T>{from, shape.column_stride}, Lines<T>{to, shape.columns}, shape.columns,
              shape.rows);
    return;
  }
  for (int64_t i = 0; i < shape.rows; ++i, from += shape.row_stride, to += shape.columns) {
    if (shape.column_stride == 1) {
      std::memcpy(to, from, static_cast<size_t>(shape.columns) * sizeof(T));
    } else if (shape.column_stride == 0) {
      std::fill_n(to, shape.columns, *from);
    } else if (shape.column_stride == 2) {
      pack_every_second(from, to, shape.columns);
    } else {
      for (int64_t j = 0; j < shape.columns; ++j) to[j] = from[j * shape.column_stride];
    }
  }
}

template <class T>
void unpack_as(const TileShape& shape, const void* tile, void* target) {
  const T* from = static_cast<const T*>(tile);
  T* to = static_cast<T*>(target);
  if (shape.row_stride == 1 && shape.column_stride > 1 && shape.rows > 1) {
    transpose(Lines<const T>{from, shape.columns}, Lines<T>{to, shape.column_stride}, shape.rows,
              shape.columns);
    return;
  }
  for (int64_t i = 0; i < shape.rows; ++i, to += shape.row_stride, from += shape.columns) {
    if (shape.column_stride == 1) {
      std::memcpy(to, from, static_cast<size_t>(shape.columns) * sizeof(T));
    } else {
      for (int64_t j = 0; j < shape.columns; ++j) to[j * shape.column_stride] = from[j];
    }
  }
}

void pack(const TileShape& shape, const void* source, void* tile) {
  shape.element_bytes == 2 ? pack_as<uint16_t>(shape, source, tile)
                           : pack_as<uint32_t>(shape, source, tile);
}

void unpack(const TileShape& shape, const void* tile, void* target) {
  shape.element_bytes == 2 ? unpack_as<uint16_t>(shape, tile, target)
                           : unpack_as<uint32_t>(shape, tile, target);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(pack);
HWY_EXPORT(unpack);

void pack_tile(const TileShape& shape, const void* source, void* tile) {
  HWY_DYNAMIC_DISPATCH(pack)(shape, source, tile);
}

void unpack_tile(const TileShape& shape, const void* tile, void* target) {
  HWY_DYNAMIC_DISPATCH(unpack)(shape, tile, target);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
