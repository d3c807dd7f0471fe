// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "ops/pooling/pooling_kernel_plane.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/pooling/pooling_kernel_max.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/pooling/pooling_kernel_plane-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// All of the vector, or `count` lanes.
template <class D>
HWY_INLINE void store_lanes(D d, hn::Vec<D> values, hn::TFromD<D>* to, int64_t count) {
  if (count >= static_cast<int64_t>(hn::Lanes(d))) {
    hn::StoreU(values, d, to);
  } else {
    hn::BlendedStore(values, hn::FirstN(d, static_cast<size_t>(count)), d, to);
  }
}

// The maxima of kVectors vectors of windows that slide, from number j of a row on, of which these
// rows are in the volume.
template <size_t kVectors, class T>
HWY_INLINE void max_block(const MaxPool<T>& pool, int64_t j, const WindowRows& rows,
                          const MaxScratch<T>& scratch, T* results) {
  const hn::ScalableTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Index = typename MaxPool<T>::Index;
  constexpr size_t kLanes = hn::MaxLanes(d);
  const PhasedPlane& columns = *pool.phased;
  const int64_t top = rows.front + rows.top;
  const auto lowest = hn::Set(d, -std::numeric_limits<T>::infinity());
  hn::Vec<decltype(di)> starts[kVectors], places[kVectors];
  hn::Vec<decltype(d)> best[kVectors];
  for (size_t v = 0; v < kVectors; ++v) {
    starts[v] = hn::LoadU(di, pool.starts.data() + j + v * kLanes);
    places[v] = hn::Add(hn::LoadU(di, pool.lefts.data() + j + v * kLanes),
                        hn::Set(di, static_cast<Index>(top * columns.width)));
    best[v] = lowest;
  }
  for (int64_t slice = rows.front; slice < rows.back; slice += rows.slice_stride) {
    for (int64_t h = slice + rows.top; h < slice + rows.bottom; h += rows.stride) {
      const T* const row = scratch.phases + h * columns.row + j;
      for (const PhasedPlane::Tap& tap : columns.taps) {
        const auto place = hn::Set(di, static_cast<Index>(h * columns.width + tap.column));
        for (size_t v = 0; v < kVectors; ++v) {
          auto x = hn::LoadU(d, row + tap.place + v * kLanes);
          if (!tap.has(j + static_cast<int64_t>(v * kLanes), kLanes)) {
            const auto column = hn::Add(starts[v], hn::Set(di, static_cast<Index>(tap.column)));
            x = hn::IfThenElse(hn::RebindMask(d, is_inside(di, column, columns.width)), x, lowest);
          }
          // The first that is larger, or a NaN; nothing comes after a NaN.
          const auto wins = hn::AndNot(hn::Le(x, best[v]), hn::Eq(best[v], best[v]));
          best[v] = hn::IfThenElse(wins, x, best[v]);
          places[v] =
              hn::IfThenElse(hn::RebindMask(di, wins), hn::Add(starts[v], place), places[v]);
        }
      }
    }
  }
  for (size_t v = 0; v < kVectors; ++v) {
    const int64_t at = j + static_cast<int64_t>(v * kLanes);
    if (at < columns.count) store_lanes(d, best[v], results + at, columns.count - at);
    hn::StoreU(places[v], di, scratch.places + at);
  }
}

// Of windows that do not slide along the columns: one by one.
template <class T, class Index>
HWY_INLINE void max_uneven_row(const MaxPool<T>& pool, const T* in, int64_t row_stride,
                               const WindowRows& rows, T* results, Index* places) {
  const AxisWindows& columns = pool.windows.columns;
  const int64_t width = pool.size.width;
  for (size_t j = 0; j < columns.begin.size(); ++j) {
    T best = -std::numeric_limits<T>::infinity();
    int64_t place = kNoPlace;
    for (int64_t slice = rows.front; slice < rows.back; slice += rows.slice_stride) {
      for (int64_t h = slice + rows.top; h < slice + rows.bottom; h += rows.stride) {
        const T* const line = in + h * row_stride;
        for (int64_t x = columns.begin[j]; x < columns.end[j]; ++x) {
          if (place >= 0 && (line[x] <= best || best != best)) continue;
          best = line[x];
          place = h * width + x;
        }
      }
    }
    results[j] = best;
    places[j] = static_cast<Index>(place);
  }
}

template <class T, class Index>
HWY_INLINE void max_plane(const MaxPool<T>& pool, const T* in, int64_t row_stride,
                          const MaxScratch<T>& scratch, T* results, Index* places) {
  const int64_t count = pool.windows.columns.count();
  if (pool.phased) split_plane(*pool.phased, in, row_stride, scratch.phases);
  for_window_rows(pool.windows, pool.size.height, [&](const WindowRows& rows, size_t) HWY_ATTR {
    if (pool.phased) {
      for_blocks(count, hn::Lanes(hn::ScalableTag<T>()), [&](int64_t j, auto vectors) HWY_ATTR {
        max_block<vectors()>(pool, j, rows, scratch, results);
      });
      const auto* HWY_RESTRICT from = scratch.places;
      Index* HWY_RESTRICT to = places;
      for (int64_t j = 0; j < count; ++j) to[j] = static_cast<Index>(from[j]);
      if (rows.is_empty()) std::fill_n(places, count, static_cast<Index>(kNoPlace));
      for (const int64_t j : pool.empties) places[j] = static_cast<Index>(kNoPlace);
    } else {
      max_uneven_row(pool, in, row_stride, rows, results, places);
    }
    results += count;
    places += count;
  });
}

// ---- Bits ---------------------------------------------------------------------------------------

// Bits one behind the other, of bytes that are zero behind the last one.
class BitWriter {
 public:
  BitWriter(int8_t* to, int64_t bytes) : to_(to), end_(to + bytes) {}

  // The lowest of `bits`, whose others are 0; at most 64.
  HWY_INLINE void add(uint64_t bits, int64_t count) {
    word_ |= bits << filled_;
    if (filled_ + count < 64) {
      filled_ += count;
      return;
    }
    put();
    word_ = filled_ == 0 ? 0 : bits >> (64 - filled_);
    filled_ += count - 64;
  }
  // There is room for what is left of the last word.
  void finish() {
    put();
    std::fill(to_, end_, int8_t{0});
  }

 private:
  void put() {
    std::memcpy(to_, &word_, sizeof word_);
    to_ += sizeof word_;
  }

  int8_t *to_, *end_;
  uint64_t word_ = 0;
  int64_t filled_ = 0;
};

// Which of `count` numbers, at most 64, are that one. Vectors may reach beyond them.
template <class Index>
HWY_INLINE uint64_t equal_bits(const Index* numbers, int64_t count, Index number) {
  const hn::ScalableTag<Index> d;
  constexpr auto kLanes = static_cast<int64_t>(hn::MaxLanes(d));
  const auto wanted = hn::Set(d, number);
  uint64_t all = 0;
  for (int64_t k = 0; k < count; k += kLanes) {
    std::conditional_t<(kLanes > 8), uint16_t, uint8_t> bits = 0;
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, numbers + k), wanted),
                      reinterpret_cast<uint8_t*>(&bits));
    all |= static_cast<uint64_t>(bits) << k;
  }
  return all;
}

// One for each number from 0 below `count`, which may be any.
HWY_INLINE uint64_t low_bits(int64_t count) {
  return count >= 64 ? ~uint64_t{0} : count <= 0 ? 0 : (uint64_t{1} << count) - 1;
}

template <class T>
void max_bits(const MaxPool<T>& pool, typename MaxPool<T>::Index* places, int8_t* bits,
              int64_t bytes) {
  using Index = typename MaxPool<T>::Index;
  const SlidingWindows &down = *pool.windows.rows.sliding, &along = *pool.windows.columns.sliding;
  const int64_t count = pool.windows.rows.count(), across = pool.windows.columns.count();
  // One element of all windows of a row then has one number.
  for (int64_t i = 0; i < count; ++i) {
    Index* const row = places + i * across;
    for (int64_t j = 0; j < across; ++j) row[j] -= static_cast<Index>(j * along.stride);
  }
  for (int64_t k = 0; k < down.kernel * along.kernel; ++k, bits += bytes) {
    const int64_t column = along.place(0, k % along.kernel);
    // Windows that have it in the plane: elsewhere its number is a neighbouring row's.
    const auto windows_before = [&](int64_t end) {
      return end <= column ? 0 : std::min(across, (end - column - 1) / along.stride + 1);
    };
    const int64_t begin = windows_before(0), end = windows_before(pool.size.width);
    BitWriter writer(bits, bytes);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t h = down.place(i, k / along.kernel);
      const bool is_inside = h >= 0 && h < pool.size.height;
      const auto number = static_cast<Index>(is_inside ? h * pool.size.width + column : 0);
      for (int64_t j = 0; j < across; j += 64) {
        const int64_t some = std::min<int64_t>(64, across - j);
        const uint64_t there = is_inside ? low_bits(end - j) & ~low_bits(begin - j) : 0;
        writer.add(there == 0 ? 0 : equal_bits(places + i * across + j, some, number) & there,
                   some);
      }
    }
    writer.finish();
  }
}

void MaxBits32(const MaxPool<float>& pool, int32_t* places, int8_t* bits, int64_t bytes) {
  max_bits(pool, places, bits, bytes);
}
void MaxBits64(const MaxPool<double>& pool, int64_t* places, int8_t* bits, int64_t bytes) {
  max_bits(pool, places, bits, bytes);
}

void MaxPlane32(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                const MaxScratch<float>& scratch, float* results, int32_t* places) {
  max_plane(pool, in, row_stride, scratch, results, places);
}
void MaxPlane64(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                const MaxScratch<float>& scratch, float* results, int64_t* places) {
  max_plane(pool, in, row_stride, scratch, results, places);
}
void MaxPlaneOfDoubles(const MaxPool<double>& pool, const double* in, int64_t row_stride,
                       const MaxScratch<double>& scratch, double* results, int64_t* places) {
  max_plane(pool, in, row_stride, scratch, results, places);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(MaxPlane32);
HWY_EXPORT(MaxPlane64);
HWY_EXPORT(MaxPlaneOfDoubles);
HWY_EXPORT(MaxBits32);
HWY_EXPORT(MaxBits64);

void max_pool_plane(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                    const MaxScratch<float>& scratch, float* results, int32_t* places) {
  HWY_DYNAMIC_DISPATCH(MaxPlane32)(pool, in, row_stride, scratch, results, places);
}
void max_pool_plane(const MaxPool<float>& pool, const float* in, int64_t row_stride,
                    const MaxScratch<float>& scratch, float* results, int64_t* places) {
  HWY_DYNAMIC_DISPATCH(MaxPlane64)(pool, in, row_stride, scratch, results, places);
}
void max_pool_plane(const MaxPool<double>& pool, const double* in, int64_t row_stride,
                    const MaxScratch<double>& scratch, double* results, int64_t* places) {
  HWY_DYNAMIC_DISPATCH(MaxPlaneOfDoubles)(pool, in, row_stride, scratch, results, places);
}

void max_pool_bits(const MaxPool<float>& pool, int32_t* places, int8_t* bits, int64_t bytes) {
  HWY_DYNAMIC_DISPATCH(MaxBits32)(pool, places, bits, bytes);
}
void max_pool_bits(const MaxPool<double>& pool, int64_t* places, int8_t* bits, int64_t bytes) {
  HWY_DYNAMIC_DISPATCH(MaxBits64)(pool, places, bits, bytes);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
