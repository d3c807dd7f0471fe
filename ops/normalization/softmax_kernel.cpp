// SPDX-License-Identifier: Apache-2.0
#include "ops/normalization/softmax_kernel.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "ops/engine/sums.h"
#include "ops/engine/thread_scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/normalization/softmax_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/math/float-inl.h"
#include "ops/engine/rowwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// ---- Exponentials -------------------------------------------------------------------------------

#if HWY_TARGET <= HWY_AVX3
// One of eight numbers for each lane, by the low bits of `indices`.
HWY_INLINE auto one_of_eight(const uint64_t* table, hn::Vec<hn::RebindToUnsigned<Wide>> indices) {
  const hn::RebindToUnsigned<Wide> du;
  return hn::TableLookupLanes(hn::Load(du, table), hn::Indices512<uint64_t>{indices.raw});
}
#else
HWY_INLINE auto one_of_eight(const uint64_t* table, hn::Vec<hn::RebindToUnsigned<Wide>> indices) {
  const hn::RebindToUnsigned<Wide> du;
  const auto low = hn::And(indices, hn::Set(du, uint64_t{7}));
  return hn::GatherIndex(du, table, hn::BitCast(hn::RebindToSigned<Wide>(), low));
}
#endif

// e^x for x <= 709, to 2^-40 of the result: enough for results that are rounded to 24 bits or less.
// 0 for what double would hold with fewer digits; e^0 is 1.
HWY_INLINE Scaled short_exponential(WideVec x) {
  // e^x = 2^(n / 8) e^r, |r| <= ln 2 / 16. (e^r - 1) / r as a polynomial, and the bits of 2^(j / 8)
  // less j 2^49, so that n 2^49 adds the exponent (tools/fit_lanes.py).
  static constexpr double kCoefficients[] = {1.0, 0x1.ffffffe5b9780p-2, 0x1.5555554dd37c3p-3,
                                             0x1.555c2b0494cb8p-5, 0x1.1114f8e104197p-7};
  alignas(64) static constexpr uint64_t kPowers[8] = {
      0x3ff0000000000000, 0x3fef72b83c7d517b, 0x3fef06fe0a31b715, 0x3feebfdad5362a27,
      0x3feea09e667f3bcd, 0x3feeace5422aa0db, 0x3feee89f995ad3ad, 0x3fef5818dcfba487};
  constexpr double kInverse = 0x1.71547652b82fep+3;  // 8 / ln 2
  constexpr double kMinusStep = -0x1.62e42fefa39efp-4;
  constexpr double kLowest = -0x1.628b76e3a7b61p+9;  // -1023 ln 2: the power is 0
  constexpr size_t kDegree = 4;
  const Wide d;
  const hn::RebindToUnsigned<Wide> du;
  const WideVec magic = hn::Set(d, kIntegerMagic);
  const WideVec held = at_least(kLowest, x);
  const WideVec shifted = fused(held, hn::Set(d, kInverse), magic);
  const WideVec r = fused(hn::Sub(shifted, magic), hn::Set(d, kMinusStep), held);
  WideVec growth = hn::Set(d, kCoefficients[kDegree]);
  for (size_t k = kDegree; k-- > 0;) growth = fused(growth, r, hn::Set(d, kCoefficients[k]));
  const auto n = hn::BitCast(du, shifted);
  const auto power = hn::Add(hn::ShiftLeft<49>(n), one_of_eight(kPowers, n));
  return {fused(growth, r, hn::Set(d, 1.0)), hn::BitCast(d, power)};
}

// Of results that are rounded to Stored.
template <class Stored>
HWY_INLINE Scaled exponential_for(WideVec x) {
  if constexpr (std::is_same_v<Stored, double>) {
    return scaled_exponential(x);
  } else {
    return short_exponential(x);
  }
}

// e^x = power (1 + growth) for |x| <= kExponentialLimit, to 2^-24 of the result.
struct NarrowExponential {
  NarrowVec growth;
  NarrowVec power;
};

HWY_INLINE NarrowExponential narrow_exponential(NarrowVec x) {
  const Narrow d;
  const auto reduced = reduce_shortly(d, x);
  const NarrowVec r = fused(d, reduced.n, hn::Set(d, kLn2Excess), reduced.r);
  return {fused(d, hn::Mul(r, r), growth_beyond_linear(d, r), r), power_of(d, reduced)};
}

// ---- What both softmax and its logarithm begin with ---------------------------------------------

// Lanes of which one is the largest element; with a NaN in the row they may be anything.
template <class Stored>
HWY_INLINE void largest_lanes(const Stored* row, size_t length, double* lanes) {
  constexpr bool kIsDouble = std::is_same_v<Stored, double>;
  using D = std::conditional_t<kIsDouble, Wide, Narrow>;
  constexpr size_t kStep = hn::MaxLanes(D());
  const D d;
  const auto load = [&](size_t i) HWY_ATTR {
    if constexpr (kIsDouble) {
      return load_wide(row + i);
    } else {
      return load_narrow(row + i);
    }
  };
  const auto load_some = [&](size_t i, size_t n) HWY_ATTR {
    const auto lowest = hn::Set(d, -std::numeric_limits<hn::TFromD<D>>::infinity());
    if constexpr (kIsDouble) {
      return hn::IfThenElse(hn::FirstN(d, n), load_wide(row + i, n), lowest);
    } else {
      return hn::IfThenElse(hn::FirstN(d, n), load_narrow(row + i, n), lowest);
    }
  };
  auto largest = load_some(0, HWY_MIN(kStep, length));
  if (length > kStep) {
    auto other = load(length - kStep);  // the end, wherever whole vectors stop
    size_t i = kStep;
    for (; i + 2 * kStep <= length; i += 2 * kStep) {
      largest = hn::Max(largest, load(i));
      other = hn::Max(other, load(i + kStep));
    }
    for (; i + kStep <= length; i += kStep) largest = hn::Max(largest, load(i));
    largest = hn::Max(largest, other);
  }
  for (size_t k = 0; k < kSumLanes; k += kStep) {
    if constexpr (kIsDouble) {
      hn::StoreU(largest, d, lanes + k);
#if HWY_TARGET == HWY_SCALAR
    } else {
      hn::StoreU(hn::PromoteTo(Wide(), largest), Wide(), lanes + k);
#else
    } else {
      const hn::Half<D> half;
      const WideVec low = hn::PromoteTo(Wide(), hn::LowerHalf(half, largest));
      const WideVec high = hn::PromoteTo(Wide(), hn::UpperHalf(half, largest));
      hn::StoreU(kStep > kSumLanes ? hn::Max(low, high) : low, Wide(), lanes + k);
      if (kStep <= kSumLanes) hn::StoreU(high, Wide(), lanes + k + kWide);
#endif
    }
  }
}

template <class Stored>
HWY_INLINE void largest_of_rows(const StoredRows<const Stored>& x, size_t first, size_t count,
                                size_t length, LaneMatrix& lanes, GroupNumbers& largest) {
  for (size_t k = 0; k < count; ++k) largest_lanes(x[first + k], length, lanes.lanes[k]);
  lanes.combine([](WideVec a, WideVec b) HWY_ATTR { return hn::Max(a, b); }, largest.values);
}

// ---- Softmax ------------------------------------------------------------------------------------

// Exponentials of a group are kept in `held` from one pass to the next.
void softmax(const RowBlock& rows, double* held) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Stored = typename decltype(tag)::type;
    const StoredRows<const Stored> x(rows, 0);
    const StoredRows<Stored> y(rows, 1);
    for_groups(rows, [&](size_t first, size_t count, LaneMatrix& matrix) HWY_ATTR {
      GroupNumbers largest, scale;
      largest_of_rows(x, first, count, rows.length, matrix, largest);
      sum_rows(
          count, rows.length, matrix,
          [&](size_t k, size_t begin, size_t n, Lanes& lanes) HWY_ATTR {
            const WideVec shift = hn::Set(Wide(), largest[k]);
            const Stored* const row = x[first + k] + begin;
            double* const kept = held + k * rows.length + begin;
            add_terms(
                n,
                [&](size_t i, auto m) HWY_ATTR {
                  const Scaled e = exponential_for<Stored>(hn::Sub(load_wide(row + i, m), shift));
                  const WideVec value = hn::Mul(e.value, e.power);
                  store_wide(value, kept + i, m);
                  return value;
                },
                lanes);
          },
          scale);
      scale.update([](WideVec sum) HWY_ATTR { return hn::Div(hn::Set(Wide(), 1.0), sum); });
      for (size_t k = 0; k < count; ++k) {
        const double* const kept = held + k * rows.length;
        // One NaN for the whole row, the same on every instruction set.
        const bool lost = std::isnan(scale[k]);
        const WideVec factor =
            hn::Set(Wide(), lost ? std::numeric_limits<double>::quiet_NaN() : scale[k]);
        map_row(rows.length, y[first + k], [&](size_t i, auto n) HWY_ATTR {
          return lost ? factor : hn::Mul(load_wide(kept + i, n), factor);
        });
      }
    });
  });
}

void softmax_backward(const RowBlock& rows) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Stored = typename decltype(tag)::type;
    const StoredRows<const Stored> g(rows, 0), y(rows, 1);
    const StoredRows<Stored> out(rows, 2);
    for_groups(rows, [&](size_t first, size_t count, LaneMatrix& matrix) HWY_ATTR {
      GroupNumbers sums;
      sum_rows(
          count, rows.length, matrix,
          [&](size_t k, size_t begin, size_t n, Lanes& lanes) HWY_ATTR {
            const Stored* const gradient = g[first + k] + begin;
            const Stored* const output = y[first + k] + begin;
            add_terms(
                n,
                [&](size_t i, auto m) HWY_ATTR {
                  return hn::Mul(load_wide(gradient + i, m), load_wide(output + i, m));
                },
                lanes);
          },
          sums);
      for (size_t k = 0; k < count; ++k) {
        const WideVec sum = hn::Set(Wide(), sums[k]);
        map_row(rows.length, out[first + k], [&](size_t i, auto n) HWY_ATTR {
          const WideVec rest = hn::Sub(load_wide(g[first + k] + i, n), sum);
          return hn::Mul(load_wide(y[first + k] + i, n), rest);
        });
      }
    });
  });
}

// ---- Logarithm of softmax -----------------------------------------------------------------------

// The sum of exponentials becomes its logarithm, NaN where the row has none, which then is taken
// from the elements as they are: a NaN stays what it is.
HWY_INLINE void take_logarithms(GroupNumbers& sums, GroupNumbers& largest) {
  for (size_t k = 0; k < kGroup; k += kWide) {
    const WideVec logarithm = logarithm_of(hn::Load(Wide(), sums.values + k));
    const WideVec most = hn::Load(Wide(), largest.values + k);
    // One NaN for the whole row, the same on every instruction set.
    const auto lost = hn::IsNaN(logarithm);
    const WideVec nan = hn::Set(Wide(), std::numeric_limits<double>::quiet_NaN());
    hn::Store(hn::IfThenElse(lost, nan, logarithm), Wide(), sums.values + k);
    hn::Store(hn::IfThenZeroElse(lost, most), Wide(), largest.values + k);
  }
}

template <class Stored>
HWY_INLINE void add_exponentials(const Stored* row, size_t count, double largest, Lanes& lanes) {
  if constexpr (sizeof(Stored) == 2) {
    const Narrow d;
    const NarrowVec shift = hn::Set(d, static_cast<float>(largest));
    add_narrow_terms(
        count,
        [&](size_t i, auto n) HWY_ATTR {
          // What is below the limit is nothing beside the largest term, which is 1.
          const NarrowVec x = hn::Sub(load_narrow(row + i, n), shift);
          const auto e = narrow_exponential(larger(hn::Set(d, -kExponentialLimit), x));
          return fused(d, e.power, e.growth, e.power);
        },
        lanes);
  } else {
    const WideVec shift = hn::Set(Wide(), largest);
    add_terms(
        count,
        [&](size_t i, auto n) HWY_ATTR {
          const Scaled e = exponential_for<Stored>(hn::Sub(load_wide(row + i, n), shift));
          return hn::Mul(e.value, e.power);
        },
        lanes);
  }
}

// y = x - largest - logarithm
template <class Stored>
HWY_INLINE void write_logarithms(const Stored* x, Stored* y, size_t length, double largest,
                                 double logarithm) {
  if constexpr (sizeof(Stored) == 2) {
    const NarrowVec shift = hn::Set(Narrow(), static_cast<float>(largest));
    const NarrowVec rest = hn::Set(Narrow(), static_cast<float>(logarithm));
    for_narrow_vectors(length, [&](size_t i, auto n) HWY_ATTR {
      store_narrow(hn::Sub(hn::Sub(load_narrow(x + i, n), shift), rest), y + i, n);
    });
  } else {
    const WideVec shift = hn::Set(Wide(), largest);
    const WideVec rest = hn::Set(Wide(), logarithm);
    map_row(length, y, [&](size_t i, auto n) HWY_ATTR {
      return hn::Sub(hn::Sub(load_wide(x + i, n), shift), rest);
    });
  }
}

void log_softmax(const RowBlock& rows) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Stored = typename decltype(tag)::type;
    const StoredRows<const Stored> x(rows, 0);
    const StoredRows<Stored> y(rows, 1);
    for_groups(rows, [&](size_t first, size_t count, LaneMatrix& matrix) HWY_ATTR {
      GroupNumbers largest, sums;
      largest_of_rows(x, first, count, rows.length, matrix, largest);
      sum_rows(
          count, rows.length, matrix,
          [&](size_t k, size_t begin, size_t n, Lanes& lanes)
              HWY_ATTR { add_exponentials(x[first + k] + begin, n, largest[k], lanes); },
          sums);
      take_logarithms(sums, largest);
      for (size_t k = 0; k < count; ++k) {
        write_logarithms(x[first + k], y[first + k], rows.length, largest[k], sums[k]);
      }
    });
  });
}

template <class Stored>
HWY_INLINE WideVec slope(const Stored* g, const Stored* y, double sum, size_t n) {
  const Scaled share = exponential_for<Stored>(at_most(709.0, load_wide(y, n)));
  return fused(share.value, hn::Mul(share.power, hn::Set(Wide(), -sum)), load_wide(g, n));
}

// In float as long as nothing comes near the ends of its range.
HWY_INLINE void write_slopes_narrow(const Bfloat* g, const Bfloat* y, Bfloat* out, double sum,
                                    size_t length) {
  constexpr float kLimit = 44;
  const Narrow d;
  const NarrowVec factor = hn::Set(d, static_cast<float>(-sum));
  for_narrow_vectors(length, [&](size_t i, auto n) HWY_ATTR {
    const NarrowVec logarithm = load_narrow(y + i, n);
    if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(logarithm), hn::Set(d, kLimit))))) {
      const auto e = narrow_exponential(logarithm);
      const NarrowVec share = hn::Mul(factor, e.power);
      const NarrowVec base = hn::Add(hn::Set(d, 1.0f), e.growth);
      return store_narrow(fused(d, share, base, load_narrow(g + i, n)), out + i, n);
    }
    map_row(n, out + i,
            [&](size_t j, auto m) HWY_ATTR { return slope(g + i + j, y + i + j, sum, m); });
  });
}

template <class Stored>
HWY_INLINE void write_slopes(const Stored* g, const Stored* y, Stored* out, double sum,
                             size_t length) {
  if constexpr (std::is_same_v<Stored, Bfloat>) {
    // A product of such a sum and a power within the limits above is a normal number.
    if (sum == 0 || (std::abs(sum) > 0x1p-60 && std::abs(sum) < 0x1p60)) {
      return write_slopes_narrow(g, y, out, sum, length);
    }
  }
  map_row(length, out, [&](size_t i, auto n) HWY_ATTR { return slope(g + i, y + i, sum, n); });
}

template <class Stored>
HWY_INLINE void add_elements(const Stored* row, size_t count, Lanes& lanes) {
  if constexpr (sizeof(Stored) == 2) {
    add_narrow_terms(
        count, [&](size_t i, auto n) HWY_ATTR { return load_narrow(row + i, n); }, lanes);
  } else {
    add_terms(
        count, [&](size_t i, auto n) HWY_ATTR { return load_wide(row + i, n); }, lanes);
  }
}

void log_softmax_backward(const RowBlock& rows) {
  constexpr size_t kShortRow = 64;  // longer ones are added four at a time, in sums.cpp
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Stored = typename decltype(tag)::type;
    const StoredRows<const Stored> g(rows, 0), y(rows, 1);
    const StoredRows<Stored> out(rows, 2);
    for_groups(rows, [&](size_t first, size_t count, LaneMatrix& matrix) HWY_ATTR {
      GroupNumbers sums;
      if (sizeof(Stored) == 2 || rows.length < kShortRow) {
        sum_rows(
            count, rows.length, matrix,
            [&](size_t k, size_t begin, size_t n, Lanes& lanes)
                HWY_ATTR { add_elements(g[first + k] + begin, n, lanes); },
            sums);
      } else {
        for (size_t begin = 0; begin < rows.length; begin += kSumChunk) {
          double chunk[kGroup];
          sum_lines(g[first] + begin, rows.dtype, g.stride, count,
                    HWY_MIN(size_t{kSumChunk}, rows.length - begin),
                    begin == 0 ? sums.values : chunk);
          for (size_t k = 0; begin > 0 && k < count; ++k) sums.values[k] += chunk[k];
        }
      }
      for (size_t k = 0; k < count; ++k) {
        write_slopes(g[first + k], y[first + k], out[first + k], sums[k], rows.length);
      }
    });
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(softmax);
HWY_EXPORT(softmax_backward);
HWY_EXPORT(log_softmax);
HWY_EXPORT(log_softmax_backward);

void softmax_rows(const RowBlock& rows) {
  struct Held {
    std::vector<double> values;
  };
  const ThreadScratch<Held> held;
  held->values.resize(std::max({held->values.size(), rows.length, kNearElements}));
  HWY_DYNAMIC_DISPATCH(softmax)(rows, held->values.data());
}

void softmax_backward_rows(const RowBlock& rows) { HWY_DYNAMIC_DISPATCH(softmax_backward)(rows); }

void log_softmax_rows(const RowBlock& rows) { HWY_DYNAMIC_DISPATCH(log_softmax)(rows); }

void log_softmax_backward_rows(const RowBlock& rows) {
  HWY_DYNAMIC_DISPATCH(log_softmax_backward)(rows);
}

Plan plan_softmax(const Arguments& arguments, size_t self, size_t out, size_t axis) {
  if (arguments.empty(self)) return {};
  return plan_rows(arguments, axis, 1, {rows_in(self), rows_out(out)}, softmax_rows);
}

Plan plan_softmax_backward(const Arguments& arguments, size_t gradient, size_t output, size_t out,
                           size_t axis) {
  if (arguments.empty(out)) return {};
  return plan_rows(arguments, axis, 1, {rows_in(gradient), rows_in(output), rows_out(out)},
                   softmax_backward_rows);
}

Plan plan_log_softmax(const Arguments& arguments, size_t self, size_t out, size_t axis) {
  if (arguments.empty(self)) return {};
  RowOperand x = rows_in(self);
  x.round_first = arguments.dtype(out);
  return plan_rows(arguments, axis, 1, {x, rows_out(out)}, log_softmax_rows);
}

Plan plan_log_softmax_backward(const Arguments& arguments, size_t gradient, size_t output,
                               size_t out, size_t axis) {
  if (arguments.empty(out)) return {};
  return plan_rows(arguments, axis, 1, {rows_in(gradient), rows_in(output), rows_out(out)},
                   log_softmax_backward_rows);
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
