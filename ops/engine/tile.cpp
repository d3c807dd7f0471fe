// SPDX-License-Identifier: Apache-2.0
#include "ops/engine/tile.h"

#include <algorithm>
#include <cstring>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/fetch_ahead.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/engine/tile.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Elements that there are vector loops for; others are rare.
template <class T>
inline constexpr bool kInVectors = sizeof(T) == 2 || sizeof(T) == 4;

// Every second element.
template <class T>
void pack_every_second(const T* from, T* to, int64_t count) {
  int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes < count; i += lanes) {  // the last element has nothing behind it
    fetch_ahead<2 * hn::MaxLanes(d) * sizeof(T)>(from + 2 * i);
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

// All rows equal `row`. Each copy doubles the rows that are written.
template <class T>
void pack_repeated(const T* row, T* to, const TileShape& shape) {
  const int64_t all = shape.rows * shape.columns;
  std::memcpy(to, row, static_cast<size_t>(shape.columns) * sizeof(T));
  for (int64_t done = shape.columns; done < all; done *= 2) {
    std::memcpy(to + done, to, static_cast<size_t>(std::min(done, all - done)) * sizeof(T));
  }
}

template <class T>
void pack_as(const TileShape& shape, const void* source, void* tile) {
  const T* from = static_cast<const T*>(source);
  T* to = static_cast<T*>(tile);
  if constexpr (kInVectors<T>) {
    if (shape.row_stride == 1 && shape.column_stride > 1 && shape.rows > 1) {
      prefetch_columns(from, shape);
      transpose_lines(from, shape.column_stride, shape.columns, shape.rows, to, shape.columns);
      return;
    }
  }
  if (shape.row_stride == 0 && shape.column_stride == 1) return pack_repeated(from, to, shape);
  for (int64_t i = 0; i < shape.rows; ++i, from += shape.row_stride, to += shape.columns) {
    if (shape.column_stride == 1) {
      std::memcpy(to, from, static_cast<size_t>(shape.columns) * sizeof(T));
    } else if (shape.column_stride == 0) {
      std::fill_n(to, shape.columns, *from);
    } else if (kInVectors<T> && shape.column_stride == 2) {
      if constexpr (kInVectors<T>) pack_every_second(from, to, shape.columns);
    } else {
      for (int64_t j = 0; j < shape.columns; ++j) to[j] = from[j * shape.column_stride];
    }
  }
}

template <class T>
void unpack_as(const TileShape& shape, const void* tile, void* target) {
  const T* from = static_cast<const T*>(tile);
  T* to = static_cast<T*>(target);
  if constexpr (kInVectors<T>) {
    if (shape.row_stride == 1 && shape.column_stride > 1 && shape.rows > 1) {
      transpose_lines(from, shape.columns, shape.rows, shape.columns, to, shape.column_stride);
      return;
    }
  }
  for (int64_t i = 0; i < shape.rows; ++i, to += shape.row_stride, from += shape.columns) {
    if (shape.column_stride == 1) {
      std::memcpy(to, from, static_cast<size_t>(shape.columns) * sizeof(T));
    } else {
      for (int64_t j = 0; j < shape.columns; ++j) to[j * shape.column_stride] = from[j];
    }
  }
}

// Calls visit with a null pointer to a type of so many bytes.
template <class Visit>
void visit_size(int64_t bytes, const Visit& visit) {
  struct Pair {
    uint64_t half[2];
  };
  switch (bytes) {
    case 1:
      return visit(static_cast<uint8_t*>(nullptr));
    case 2:
      return visit(static_cast<uint16_t*>(nullptr));
    case 4:
      return visit(static_cast<uint32_t*>(nullptr));
    case 8:
      return visit(static_cast<uint64_t*>(nullptr));
    default:
      return visit(static_cast<Pair*>(nullptr));
  }
}

void pack(const TileShape& shape, const void* source, void* tile) {
  visit_size(shape.element_bytes, [&]<class T>(T*) { pack_as<T>(shape, source, tile); });
}

void unpack(const TileShape& shape, const void* tile, void* target) {
  visit_size(shape.element_bytes, [&]<class T>(T*) { unpack_as<T>(shape, tile, target); });
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
