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
#include "ops/engine/math/exp-inl.h"
#include "ops/engine/rowwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// ---- Exponentials -------------------------------------------------------------------------------

#if HWY_TARGET <= HWY_AVX3
// One of eight numbers for each lane, by the low bits of `indices`.
HWY_INLINE auto one_of_eight(const uint64_t* table,
                             hn::Vec<hn::RebindToUnsigned<DoubleTag>> indices) {
  const hn::RebindToUnsigned<DoubleTag> du;
  return hn::TableLookupLanes(hn::Load(du, table), hn::Indices512<uint64_t>{indices.raw});
}
#else
HWY_INLINE auto one_of_eight(const uint64_t* table,
                             hn::Vec<hn::RebindToUnsigned<DoubleTag>> indices) {
  const hn::RebindToUnsigned<DoubleTag> du;
  const auto low = hn::And(indices, hn::Set(du, uint64_t{7}));
  return hn::GatherIndex(du, table, hn::BitCast(hn::RebindToSigned<DoubleTag>(), low));
}
#endif

// e^x for x <= 709, to 2^-40 of the result: enough for results that are rounded to 24 bits or less.
// 0 for what double would hold with fewer digits; e^0 is 1.
HWY_INLINE Scaled short_exponential(Doubles x) {
  // e^x = 2^(n / 8) e^r, |r| <= ln 2 / 16. (e^r - 1) / r as a polynomial, and the bits of 2^(j / 8)
  // less j 2^49, so that n 2^49 adds the exponent (tools/fit_doubles.py).
  static constexpr double kCoefficients[] = {1.0, 0x1.ffffffe5b9780p-2, 0x1.5555554dd37c3p-3,
                                             0x1.555c2b0494cb8p-5, 0x1.1114f8e104197p-7};
  alignas(64) static constexpr uint64_t kPowers[8] = {
      0x3ff0000000000000, 0x3fef72b83c7d517b, 0x3fef06fe0a31b715, 0x3feebfdad5362a27,
      0x3feea09e667f3bcd, 0x3feeace5422aa0db, 0x3feee89f995ad3ad, 0x3fef5818dcfba487};
  constexpr double kInverse = 0x1.71547652b82fep+3;  // 8 / ln 2
  constexpr double kMinusStep = -0x1.62e42fefa39efp-4;
  constexpr double kLowest = -0x1.628b76e3a7b61p+9;  // -1023 ln 2: the power is 0
  constexpr size_t kDegree = 4;
  const DoubleTag d;
  const hn::RebindToUnsigned<DoubleTag> du;
  const Doubles magic = hn::Set(d, kIntegerMagic);
  const Doubles clamped = at_least(kLowest, x);
  const Doubles shifted = mul_add(clamped, hn::Set(d, kInverse), magic);
  const Doubles r = mul_add(hn::Sub(shifted, magic), hn::Set(d, kMinusStep), clamped);
  Doubles growth = hn::Set(d, kCoefficients[kDegree]);
  for (size_t k = kDegree; k-- > 0;) growth = mul_add(growth, r, hn::Set(d, kCoefficients[k]));
  const auto n = hn::BitCast(du, shifted);
  const auto power = hn::Add(hn::ShiftLeft<49>(n), one_of_eight(kPowers, n));
  return {mul_add(growth, r, hn::Set(d, 1.0)), hn::BitCast(d, power)};
}

// Of results that are rounded to Element.
template <class Element>
HWY_INLINE Scaled exponential_for(Doubles x) {
  if constexpr (std::is_same_v<Element, double>) {
    const DoubleTag d;
    const auto e = split_exponential(d, x, hn::Zero(d));
    return {hn::Add(hn::Set(d, 1.0), e.growth), hn::Mul(e.first, e.second)};
  } else {
    return short_exponential(x);
  }
}

// e^x = power (1 + growth) for |x| <= kExponentialLimit, to 2^-24 of the result.
struct FloatExponential {
  RowFloats growth;
  RowFloats power;
};

HWY_INLINE FloatExponential narrow_exponential(RowFloats x) {
  const RowFloatTag d;
  const auto reduced = reduce_shortly(d, x);
  const RowFloats r = mul_add(d, reduced.n, hn::Set(d, kLn2Excess), reduced.r);
  return {mul_add(d, hn::Mul(r, r), growth_beyond_linear(d, r), r), power_of(d, reduced)};
}

// ---- What both softmax and its logarithm begin with ---------------------------------------------

// Accumulators, one of which is the largest element of the row. With a NaN in the row they are not
// defined.
template <class Element>
HWY_INLINE void largest_lanes(const Element* row, size_t length, double* lanes) {
  constexpr bool kIsDouble = std::is_same_v<Element, double>;
  using D = std::conditional_t<kIsDouble, DoubleTag, RowFloatTag>;
  constexpr size_t kStep = hn::MaxLanes(D());
  const D d;
  const auto load = [&](size_t i) HWY_ATTR {
    if constexpr (kIsDouble) {
      return load_doubles(row + i);
    } else {
      return load_floats(row + i);
    }
  };
  const auto load_some = [&](size_t i, size_t n) HWY_ATTR {
    const auto lowest = hn::Set(d, -std::numeric_limits<hn::TFromD<D>>::infinity());
    if constexpr (kIsDouble) {
      return hn::IfThenElse(hn::FirstN(d, n), load_doubles(row + i, n), lowest);
    } else {
      return hn::IfThenElse(hn::FirstN(d, n), load_floats(row + i, n), lowest);
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
  for (size_t k = 0; k < kAccumulators; k += kStep) {
    if constexpr (kIsDouble) {
      hn::StoreU(largest, d, lanes + k);
#if HWY_TARGET == HWY_SCALAR
    } else {
      hn::StoreU(hn::PromoteTo(DoubleTag(), largest), DoubleTag(), lanes + k);
#else
    } else {
      const hn::Half<D> half;
      const Doubles low = hn::PromoteTo(DoubleTag(), hn::LowerHalf(half, largest));
      const Doubles high = hn::PromoteTo(DoubleTag(), hn::UpperHalf(half, largest));
      hn::StoreU(kStep > kAccumulators ? hn::Max(low, high) : low, DoubleTag(), lanes + k);
      if (kStep <= kAccumulators) hn::StoreU(high, DoubleTag(), lanes + k + kDoubleLanes);
#endif
    }
  }
}

template <class Element>
HWY_INLINE void largest_of_rows(const NativeRows<const Element>& x, size_t first, size_t count,
                                size_t length, AccumulatorMatrix& lanes, GroupNumbers& largest) {
  for (size_t k = 0; k < count; ++k) largest_lanes(x[first + k], length, lanes.lanes[k]);
  lanes.combine([](Doubles a, Doubles b) HWY_ATTR { return hn::Max(a, b); }, largest.values);
}

// ---- Softmax ------------------------------------------------------------------------------------

// Exponentials of a group are kept in `kept_rows` from one pass to the next.
void softmax(const RowBlock& rows, double* kept_rows) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> x(rows, 0);
    const NativeRows<Element> y(rows, 1);
    for_groups(rows, [&](size_t first, size_t count, AccumulatorMatrix& matrix) HWY_ATTR {
      GroupNumbers largest, scale;
      largest_of_rows(x, first, count, rows.length, matrix, largest);
      sum_rows(
          count, rows.length, matrix,
          [&](size_t k, size_t begin, size_t n, Accumulators& lanes) HWY_ATTR {
            const Doubles shift = hn::Set(DoubleTag(), largest[k]);
            const Element* const row = x[first + k] + begin;
            double* const kept = kept_rows + k * rows.length + begin;
            add_terms(
                n,
                [&](size_t i, auto m) HWY_ATTR {
                  const Scaled e =
                      exponential_for<Element>(hn::Sub(load_doubles(row + i, m), shift));
                  const Doubles value = hn::Mul(e.value, e.power);
                  store_doubles(value, kept + i, m);
                  return value;
                },
                lanes);
          },
          scale);
      scale.update([](Doubles sum) HWY_ATTR { return hn::Div(hn::Set(DoubleTag(), 1.0), sum); });
      for (size_t k = 0; k < count; ++k) {
        const double* const kept = kept_rows + k * rows.length;
        // One NaN for the whole row, equal on every instruction set.
        const bool lost = std::isnan(scale[k]);
        const Doubles factor =
            hn::Set(DoubleTag(), lost ? std::numeric_limits<double>::quiet_NaN() : scale[k]);
        map_row(rows.length, y[first + k], [&](size_t i, auto n) HWY_ATTR {
          return lost ? factor : hn::Mul(load_doubles(kept + i, n), factor);
        });
      }
    });
  });
}

void softmax_backward(const RowBlock& rows) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> g(rows, 0), y(rows, 1);
    const NativeRows<Element> out(rows, 2);
    for_groups(rows, [&](size_t first, size_t count, AccumulatorMatrix& matrix) HWY_ATTR {
      GroupNumbers sums;
      sum_rows(
          count, rows.length, matrix,
          [&](size_t k, size_t begin, size_t n, Accumulators& lanes) HWY_ATTR {
            const Element* const gradient = g[first + k] + begin;
            const Element* const output = y[first + k] + begin;
            add_terms(
                n,
                [&](size_t i, auto m) HWY_ATTR {
                  return hn::Mul(load_doubles(gradient + i, m), load_doubles(output + i, m));
                },
                lanes);
          },
          sums);
      for (size_t k = 0; k < count; ++k) {
        const Doubles sum = hn::Set(DoubleTag(), sums[k]);
        map_row(rows.length, out[first + k], [&](size_t i, auto n) HWY_ATTR {
          const Doubles rest = hn::Sub(load_doubles(g[first + k] + i, n), sum);
          return hn::Mul(load_doubles(y[first + k] + i, n), rest);
        });
      }
    });
  });
}

// ---- Logarithm of softmax -----------------------------------------------------------------------

// The sum of exponentials becomes its logarithm, NaN where the row has none, which then is taken
// from the elements as they are: a NaN stays what it is.
HWY_INLINE void take_logarithms(GroupNumbers& sums, GroupNumbers& largest) {
  for (size_t k = 0; k < kGroup; k += kDoubleLanes) {
    const Doubles logarithm = logarithm_of(hn::Load(DoubleTag(), sums.values + k));
    const Doubles most = hn::Load(DoubleTag(), largest.values + k);
    // One NaN for the whole row, equal on every instruction set.
    const auto lost = hn::IsNaN(logarithm);
    const Doubles nan = hn::Set(DoubleTag(), std::numeric_limits<double>::quiet_NaN());
    hn::Store(hn::IfThenElse(lost, nan, logarithm), DoubleTag(), sums.values + k);
    hn::Store(hn::IfThenZeroElse(lost, most), DoubleTag(), largest.values + k);
  }
}

template <class Element>
HWY_INLINE void add_exponentials(const Element* row, size_t count, double largest,
                                 Accumulators& lanes) {
  if constexpr (sizeof(Element) == 2) {
    const RowFloatTag d;
    const RowFloats shift = hn::Set(d, static_cast<float>(largest));
    add_float_terms(
        count,
        [&](size_t i, auto n) HWY_ATTR {
          // Terms below the limit do not change the sum: the largest term is 1.
          const RowFloats x = hn::Sub(load_floats(row + i, n), shift);
          const auto e = narrow_exponential(larger(hn::Set(d, -kExponentialLimit), x));
          return mul_add(d, e.power, e.growth, e.power);
        },
        lanes);
  } else {
    const Doubles shift = hn::Set(DoubleTag(), largest);
    add_terms(
        count,
        [&](size_t i, auto n) HWY_ATTR {
          const Scaled e = exponential_for<Element>(hn::Sub(load_doubles(row + i, n), shift));
          return hn::Mul(e.value, e.power);
        },
        lanes);
  }
}

// y = x - largest - logarithm
template <class Element>
HWY_INLINE void write_logarithms(const Element* x, Element* y, size_t length, double largest,
                                 double logarithm) {
  if constexpr (sizeof(Element) == 2) {
    const RowFloats shift = hn::Set(RowFloatTag(), static_cast<float>(largest));
    const RowFloats rest = hn::Set(RowFloatTag(), static_cast<float>(logarithm));
    for_float_vectors(length, [&](size_t i, auto n) HWY_ATTR {
      store_floats(hn::Sub(hn::Sub(load_floats(x + i, n), shift), rest), y + i, n);
    });
  } else {
    const Doubles shift = hn::Set(DoubleTag(), largest);
    const Doubles rest = hn::Set(DoubleTag(), logarithm);
    map_row(length, y, [&](size_t i, auto n) HWY_ATTR {
      return hn::Sub(hn::Sub(load_doubles(x + i, n), shift), rest);
    });
  }
}

void log_softmax(const RowBlock& rows) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> x(rows, 0);
    const NativeRows<Element> y(rows, 1);
    for_groups(rows, [&](size_t first, size_t count, AccumulatorMatrix& matrix) HWY_ATTR {
      GroupNumbers largest, sums;
      largest_of_rows(x, first, count, rows.length, matrix, largest);
      sum_rows(
          count, rows.length, matrix,
          [&](size_t k, size_t begin, size_t n, Accumulators& lanes)
              HWY_ATTR { add_exponentials(x[first + k] + begin, n, largest[k], lanes); },
          sums);
      take_logarithms(sums, largest);
      for (size_t k = 0; k < count; ++k) {
        write_logarithms(x[first + k], y[first + k], rows.length, largest[k], sums[k]);
      }
    });
  });
}

template <class Element>
HWY_INLINE Doubles slope(const Element* g, const Element* y, double sum, size_t n) {
  const Scaled share = exponential_for<Element>(at_most(709.0, load_doubles(y, n)));
  return mul_add(share.value, hn::Mul(share.power, hn::Set(DoubleTag(), -sum)), load_doubles(g, n));
}

// In float as long as nothing comes near the ends of its range.
HWY_INLINE void write_slopes_narrow(const Bfloat16* g, const Bfloat16* y, Bfloat16* out, double sum,
                                    size_t length) {
  constexpr float kLimit = 44;
  const RowFloatTag d;
  const RowFloats factor = hn::Set(d, static_cast<float>(-sum));
  for_float_vectors(length, [&](size_t i, auto n) HWY_ATTR {
    const RowFloats logarithm = load_floats(y + i, n);
    if (HWY_LIKELY(hn::AllTrue(d, hn::Lt(hn::Abs(logarithm), hn::Set(d, kLimit))))) {
      const auto e = narrow_exponential(logarithm);
      const RowFloats share = hn::Mul(factor, e.power);
      const RowFloats base = hn::Add(hn::Set(d, 1.0f), e.growth);
      return store_floats(mul_add(d, share, base, load_floats(g + i, n)), out + i, n);
    }
    map_row(n, out + i,
            [&](size_t j, auto m) HWY_ATTR { return slope(g + i + j, y + i + j, sum, m); });
  });
}

template <class Element>
HWY_INLINE void write_slopes(const Element* g, const Element* y, Element* out, double sum,
                             size_t length) {
  if constexpr (std::is_same_v<Element, Bfloat16>) {
    // A product of such a sum and a power within the limits above is a normal number.
    if (std::abs(sum) > 0x1p-60 && std::abs(sum) < 0x1p60) {
      return write_slopes_narrow(g, y, out, sum, length);
    }
  }
  if (sum == 0) {  // the row may be one that does not count, and hold NaN
    return map_row(length, out, [&](size_t i, auto n) HWY_ATTR {
      return hn::Sub(load_doubles(g + i, n), hn::Set(DoubleTag(), sum));
    });
  }
  map_row(length, out, [&](size_t i, auto n) HWY_ATTR { return slope(g + i, y + i, sum, n); });
}

template <class Element>
HWY_INLINE void add_elements(const Element* row, size_t count, Accumulators& lanes) {
  if constexpr (sizeof(Element) == 2) {
    add_float_terms(
        count, [&](size_t i, auto n) HWY_ATTR { return load_floats(row + i, n); }, lanes);
  } else {
    add_terms(
        count, [&](size_t i, auto n) HWY_ATTR { return load_doubles(row + i, n); }, lanes);
  }
}

void log_softmax_backward(const RowBlock& rows) {
  constexpr size_t kShortRow = 64;  // longer ones are added four at a time, in sums.cpp
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const NativeRows<const Element> g(rows, 0), y(rows, 1);
    const NativeRows<Element> out(rows, 2);
    for_groups(rows, [&](size_t first, size_t count, AccumulatorMatrix& matrix) HWY_ATTR {
      GroupNumbers sums;
      if (sizeof(Element) == 2 || rows.length < kShortRow) {
        sum_rows(
            count, rows.length, matrix,
            [&](size_t k, size_t begin, size_t n, Accumulators& lanes)
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
  struct Exponentials {
    std::vector<double> values;
  };
  const ThreadScratch<Exponentials> kept_rows;
  kept_rows->values.resize(std::max({kept_rows->values.size(), rows.length, kNearElements}));
  HWY_DYNAMIC_DISPATCH(softmax)(rows, kept_rows->values.data());
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
  x.intermediate_dtype = arguments.dtype(out);
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
