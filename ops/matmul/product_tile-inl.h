// SPDX-License-Identifier: Apache-2.0
// Per-target: the innermost part of matrix products, a tile of the output held in registers.
// Included by kernel files inside Highway's foreach_target loop.
//
// Every element of a tile is one chain of fused multiply-adds over its terms, in their order. So
// neither the tile's size nor its place, nor the length of the machine's vectors, changes a bit.
// Where there is no such instruction, mul_add gives the same, in several times the time.
#if defined(ACLGRAD_OPS_MATMUL_PRODUCT_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_MATMUL_PRODUCT_TILE_INL_H_
#undef ACLGRAD_OPS_MATMUL_PRODUCT_TILE_INL_H_
#else
#define ACLGRAD_OPS_MATMUL_PRODUCT_TILE_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/matmul/product_fetch.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Rows of the largest tile that is two vectors wide: with two vectors of b and one of a, its sums
// fill the registers. Every number of rows is a function of its own; of DOUBLE there are fewer,
// whose sums are just enough to keep the multipliers busy.
template <class T>
inline constexpr size_t kTileRows = HWY_TARGET > HWY_AVX3 ? 6
                                    : sizeof(T) == 4      ? 14
                                                          : 8;
inline constexpr size_t kTileVectors = 2;
// One vector wide, for products that have no more columns.
template <class T>
inline constexpr size_t kNarrowRows = HWY_TARGET > HWY_AVX3 ? 6
                                      : sizeof(T) == 4      ? 16
                                                            : 8;
// With AVX-512, a tile of two panels, which is lower. For 24 multiplications it loads 10 times,
// where the other loads 16 times for 28: a twentieth faster where another thread shares the core.
inline constexpr size_t kWideRows = 6;
template <class T>
inline constexpr size_t kWideVectors = HWY_TARGET <= HWY_AVX3 && sizeof(T) == 4 ? 4 : kTileVectors;

template <class T>
inline constexpr size_t kLanesOf = hn::MaxLanes(hn::ScalableTag<T>());
template <class T>
inline constexpr size_t kTileColumns = kTileVectors* kLanesOf<T>;
template <class T>
inline constexpr size_t kWideColumns = kWideVectors<T>* kLanesOf<T>;

// Whether b's last vector may be read as far as there are columns. Elsewhere b must be padded.
inline constexpr bool kReadsPartOfVector = HWY_TARGET <= HWY_AVX3;

// Strides in elements.
template <class T>
struct Tile {
  const T* a;
  ptrdiff_t a_row;
  ptrdiff_t a_term;
  const T* b;  // dense rows
  ptrdiff_t b_row;
  ptrdiff_t b_panel;  // from the first kTileVectors vectors of a row to the others
  T* c;               // dense rows
  ptrdiff_t c_row;
  size_t terms;
  size_t columns;            // at most kWideColumns
  bool adds;                 // to what c holds; otherwise c is overwritten
  const T* added = nullptr;  // to the sums at last; null for none
  ptrdiff_t added_row = 0;
  Fetches::CacheLines fetched = {};
  // Where a's terms are not at one distance from each other: how many runs of `terms` there are,
  // and where each begins, from a on. Those of b follow each other.
  size_t runs = 1;
  const int64_t* run_begins = nullptr;
};

// The hint of a prefetch: not into the first-level cache, where lines pages apart would push each
// other out.
inline constexpr int kOfSecondLevel = 2;

HWY_INLINE void fetch_to_write(const std::byte* line) {
  __builtin_prefetch(line, 1, kOfSecondLevel);
}

template <class T>
using TileFunction = void (*)(const Tile<T>&);

// For 1 row, 2 rows ... Made in product_kernel_tile.cpp, as they take long to compile.
template <class T, size_t kVectors>
inline constexpr size_t kMaxTileRows = kVectors > kTileVectors ? kWideRows
                                       : kVectors == 1         ? kNarrowRows<T>
                                                               : kTileRows<T>;
template <class T, size_t kVectors>
struct TileFunctions {
  static const std::array<TileFunction<T>, kMaxTileRows<T, kVectors>> kOfRows;
};
extern template struct TileFunctions<float, 1>;
extern template struct TileFunctions<float, 2>;
extern template struct TileFunctions<double, 1>;
extern template struct TileFunctions<double, 2>;
#if HWY_TARGET <= HWY_AVX3
extern template struct TileFunctions<float, 3>;
extern template struct TileFunctions<float, 4>;
#endif

template <class T>
HWY_INLINE TileFunction<T> tile_function(size_t rows, size_t columns) {
  static_assert(kTileVectors == 2 && (kWideVectors<T> == 2 || kWideVectors<T> == 4));
  if constexpr (kWideVectors<T> == 4) {
    if (columns > 3 * kLanesOf<T>) return TileFunctions<T, 4>::kOfRows[rows - 1];
    if (columns > 2 * kLanesOf<T>) return TileFunctions<T, 3>::kOfRows[rows - 1];
  }
  if (columns > kLanesOf<T>) return TileFunctions<T, 2>::kOfRows[rows - 1];
  return TileFunctions<T, 1>::kOfRows[rows - 1];
}

// The output comes nearer while the sums of so many terms are made.
inline constexpr size_t kMinForFetchingOutput = 64;

template <class T>
HWY_NOINLINE void fetch_output(size_t rows, const Tile<T>& tile) {
  for (size_t r = 0; r < rows; ++r) {
    const T* at = tile.c + static_cast<ptrdiff_t>(r) * tile.c_row;
    for (size_t i = 0; i < tile.columns; i += kLineBytes / sizeof(T)) {
      fetch_to_write(reinterpret_cast<const std::byte*>(at + i));
    }
  }
}

// c[rows, columns] (+)= a b, and then the addend.
template <class T>
HWY_INLINE void multiply_tile(size_t rows, const Tile<T>& tile) {
  if (tile.terms >= kMinForFetchingOutput) fetch_output(rows, tile);
  tile_function<T>(rows, tile.columns)(tile);
}

// multiply_tile() for any number of rows, and up to a panel's columns: tiles of at most kMaxRows
// rows, two vectors wide. The last two tiles have nearly equal numbers of rows.
template <size_t kMaxRows, class T>
HWY_INLINE void multiply_tiles(int64_t rows, int64_t columns, const Tile<T>& all) {
  constexpr auto kMax = static_cast<int64_t>(kMaxRows);
  constexpr auto kColumns = static_cast<int64_t>(kTileColumns<T>);
  Tile<T> tile = all;
  for (int64_t row = 0; row < rows;) {
    const int64_t left = rows - row;
    const int64_t count = left > kMax && left < 2 * kMax ? (left + 1) / 2 : std::min(left, kMax);
    for (int64_t j = 0; j < columns; j += kColumns) {
      tile.b = all.b + j;
      tile.c = all.c + row * all.c_row + j;
      tile.columns = static_cast<size_t>(std::min(kColumns, columns - j));
      if (all.added != nullptr) tile.added = all.added + row * all.added_row + j;
      multiply_tile(static_cast<size_t>(count), tile);
    }
    row += count;
    tile.a += count * all.a_row;
  }
}
template <class T>
HWY_INLINE void multiply_tiles(int64_t rows, int64_t columns, const Tile<T>& all) {
  if (columns <= static_cast<int64_t>(kLanesOf<T>)) {
    multiply_tiles<kNarrowRows<T>>(rows, columns, all);
  } else {
    multiply_tiles<kTileRows<T>>(rows, columns, all);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
