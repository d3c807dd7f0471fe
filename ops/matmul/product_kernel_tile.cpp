// SPDX-License-Identifier: Apache-2.0
// The loops of product_tile-inl.h, one for every number of rows and of vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/matmul/product_kernel_tile.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/math/fused-inl.h"
#include "ops/matmul/product_tile-inl.h"

#ifndef ACLGRAD_INLINE_LAMBDA
#define ACLGRAD_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

#include <utility>

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {
namespace {

template <class Visit, size_t... kIndices>
HWY_INLINE void visit_each(const Visit& visit, std::index_sequence<kIndices...>) {
  (visit(std::integral_constant<size_t, kIndices>()), ...);
}
// Calls visit(0), visit(1) ... with constants, so that arrays indexed by them become registers.
template <size_t kCount, class Visit>
HWY_INLINE void visit_each(const Visit& visit) {
  visit_each(visit, std::make_index_sequence<kCount>());
}

// Terms that one pass of a tile's loop adds. What counts passes and moves addresses takes its share
// of the instructions that a core can begin in a cycle. A tile of AVX2 needs most of them, more
// than its share where another thread is on the same core: with 4 terms a pass, training steps took
// a tenth less time. A term of WebAssembly is long enough.
inline constexpr size_t kTermsPerPass = HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_WASM ? 1 : 4;
static_assert(kTermsPerFetch % kTermsPerPass == 0);

// Has a value computed here and kept, rather than again or in parts for each of its uses: those
// take instructions and registers that loops have no room for.
template <class Value>
HWY_INLINE void keep(Value& value) {
  asm("" : "+r"(value));
}

// sum += factor * column, in the register that holds the sum. Left to themselves, compilers put
// sums into other registers with each term, and add moves until they come round.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V accumulate(D, V factor, V column, V sum) {
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    asm("vfmadd231ps %2, %1, %0" : "+x"(sum.raw) : "x"(factor.raw), "x"(column.raw));
  } else {
    asm("vfmadd231pd %2, %1, %0" : "+x"(sum.raw) : "x"(factor.raw), "x"(column.raw));
  }
#else
  sum = mul_add(D(), factor, column, sum);
#endif
  return sum;
}

// Where a tile's terms come from, from the next one on. One address reaches a few rows of a by way
// of the distance between them, which a processor takes once, twice and four times: with one
// address for each row, there would not be enough registers.
// With kWhole, columns fill their last vector: to load a part of one takes a multiplier's port on
// processors of Intel, with each term.
template <class T, size_t kRows, size_t kVectors, bool kWhole>
struct TileTerms {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr size_t kReach = HWY_TARGET <= HWY_AVX3 ? 5 : 6;
  static constexpr size_t kGroups = (kRows + kReach - 1) / kReach;
  static constexpr auto kSize = static_cast<ptrdiff_t>(sizeof(T));

  HWY_INLINE explicit TileTerms(const Tile<T>& tile)
      : b(tile.b),
        a_row(tile.a_row * kSize),
        a_row_3(kRows > 3 ? 3 * a_row : 0),
        a_row_5(kRows > 5 ? 5 * a_row : 0),
        a_term(tile.a_term),
        b_row(tile.b_row),
        b_panel(tile.b_panel),
        last(hn::FirstN(D(), tile.columns - (kVectors - 1) * kLanesOf<T>)) {
    begin_run(tile, 0);
    if constexpr (kRows > 3) keep(a_row_3);
    if constexpr (kRows > 5 && kReach > 5) keep(a_row_5);
  }

  HWY_INLINE void begin_run(const Tile<T>& tile, size_t run) {
    const T* from = tile.run_begins == nullptr ? tile.a : tile.a + tile.run_begins[run];
    for (size_t g = 0; g < kGroups; ++g) {
      a[g] = from + static_cast<ptrdiff_t>(g * kReach) * tile.a_row;
    }
  }

  HWY_INLINE V column(size_t v) const {
    const T* from = (v < kTileVectors ? b : b + b_panel) + v % kTileVectors * kLanesOf<T>;
    if (!kWhole && v == kVectors - 1) {
      return hn::MaskedLoad(last, D(), from);
    }
    return hn::LoadU(D(), from);
  }

  HWY_INLINE V factor(size_t row) const {
    const size_t r = row % kReach;
    const auto* from = reinterpret_cast<const std::byte*>(a[row / kReach]) +
                       (r == 3   ? a_row_3
                        : r == 5 ? a_row_5
                                 : static_cast<ptrdiff_t>(r) * a_row);
    return hn::Set(D(), *reinterpret_cast<const T*>(from));
  }

  // Adds the next one to the sums.
  HWY_INLINE void add(V (&sums)[kRows][kVectors]) {
    V columns[kVectors];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) columns[v] = column(v);
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const V times = factor(r);
#pragma GCC unroll 4
      for (size_t v = 0; v < kVectors; ++v) {
        sums[r][v] = accumulate(D(), times, columns[v], sums[r][v]);
      }
    }
    b += b_row;
    for (size_t g = 0; g < kGroups; ++g) a[g] += a_term;
    if constexpr (kTermsPerPass > 1) {
      keep(b);
      for (size_t g = 0; g < kGroups; ++g) keep(a[g]);
    }
  }

  const T* a[kGroups];
  const T* b;
  ptrdiff_t a_row;  // these three in bytes
  ptrdiff_t a_row_3;
  ptrdiff_t a_row_5;
  ptrdiff_t a_term;
  ptrdiff_t b_row;
  ptrdiff_t b_panel;
  hn::Mask<D> last;  // the columns of the last vector
};

// Adds all of a tile's terms to the sums.
template <class T, class Terms, class Sums>
HWY_INLINE void add_terms(const Tile<T>& tile, Terms terms, Sums& sums) {
  uintptr_t fetched = tile.fetched.first;
  const auto fetched_stride = static_cast<uintptr_t>(tile.fetched.stride);
  for (size_t run = 0;;) {
    size_t left = tile.terms;
    // What does not fill a pass comes first: after it, the sums stay where they are.
    for (; left % kTermsPerPass != 0; --left) terms.add(sums);
    for (; left > 0; left -= kTermsPerPass) {
      if (left % kTermsPerFetch == 0) {
        __builtin_prefetch(reinterpret_cast<const void*>(fetched), 0, kOfSecondLevel);
        fetched += fetched_stride;
      }
#pragma GCC unroll 4
      for (size_t i = 0; i < kTermsPerPass; ++i) terms.add(sums);
    }
    if (++run == tile.runs) return;
    terms.begin_run(tile, run);
  }
}

template <class T, size_t kRows, size_t kVectors>
HWY_NOINLINE void multiply_tile(const Tile<T>& tile) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr size_t kLanes = kLanesOf<T>;
  const size_t in_last = tile.columns - (kVectors - 1) * kLanes;
  [[maybe_unused]] const auto last = hn::FirstN(d, in_last);
  V sums[kRows][kVectors];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  }
  if (!kReadsPartOfVector || in_last == kLanes) {
    add_terms(tile, TileTerms<T, kRows, kVectors, true>(tile), sums);
  } else {
    add_terms(tile, TileTerms<T, kRows, kVectors, !kReadsPartOfVector>(tile), sums);
  }
  const auto visit_sums = [&](const auto& visit) ACLGRAD_INLINE_LAMBDA {
    visit_each<kRows>([&](auto r) ACLGRAD_INLINE_LAMBDA {
      visit_each<kVectors>([&](auto v) ACLGRAD_INLINE_LAMBDA { visit(r, v); });
    });
  };
  const auto is_whole = [&](auto v)
                            ACLGRAD_INLINE_LAMBDA { return v + 1 < kVectors || in_last == kLanes; };
  // Of the output, or what is added to it.
  const auto load = [&](const T* from, ptrdiff_t row, auto r, auto v) ACLGRAD_INLINE_LAMBDA -> V {
    const T* const at = from + static_cast<ptrdiff_t>(r) * row + v * kLanes;
#if HWY_TARGET <= HWY_AVX3
    if constexpr (v + 1 == kVectors) return hn::MaskedLoad(last, d, at);
#else
    if (!is_whole(v)) {
      alignas(64) T buffer[kLanes] = {};
      for (size_t i = 0; i < in_last; ++i) buffer[i] = at[i];
      return hn::Load(d, buffer);
    }
#endif
    return hn::LoadU(d, at);
  };
  if (tile.adds) {
    visit_sums([&](auto r, auto v) ACLGRAD_INLINE_LAMBDA {
      sums[r][v] = hn::Add(load(tile.c, tile.c_row, r, v), sums[r][v]);
    });
  }
  if (tile.added != nullptr) {
    visit_sums([&](auto r, auto v) ACLGRAD_INLINE_LAMBDA {
      sums[r][v] = hn::Add(sums[r][v], load(tile.added, tile.added_row, r, v));
    });
  }
  T* const c = tile.c;
  const ptrdiff_t c_row = tile.c_row;
  visit_sums([&](auto r, auto v) ACLGRAD_INLINE_LAMBDA {
    T* const to = c + static_cast<ptrdiff_t>(r) * c_row + v * kLanes;
    if (is_whole(v)) {
      hn::StoreU(sums[r][v], d, to);
      return;
    }
#if HWY_TARGET <= HWY_AVX3
    hn::BlendedStore(sums[r][v], last, d, to);
#else
    alignas(64) T buffer[kLanes];
    hn::Store(sums[r][v], d, buffer);
    for (size_t i = 0; i < in_last; ++i) to[i] = buffer[i];
#endif
  });
}

template <class T, size_t kVectors, size_t... kIndices>
constexpr auto functions_of(std::index_sequence<kIndices...>) {
  return std::array<TileFunction<T>, sizeof...(kIndices)>{
      multiply_tile<T, kIndices + 1, kVectors>...};
}

}  // namespace

template <class T, size_t kVectors>
constinit const std::array<TileFunction<T>, kMaxTileRows<T, kVectors>>
    TileFunctions<T, kVectors>::kOfRows =
        functions_of<T, kVectors>(std::make_index_sequence<kMaxTileRows<T, kVectors>>());

template struct TileFunctions<float, 1>;
template struct TileFunctions<float, 2>;
template struct TileFunctions<double, 1>;
template struct TileFunctions<double, 2>;
#if HWY_TARGET <= HWY_AVX3
template struct TileFunctions<float, 3>;
template struct TileFunctions<float, 4>;
#endif

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
