// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/log_softmax_rows.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/kernels/sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/log_softmax_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernels/lanes-inl.h"

#ifndef ACLGRAD_OPS_KERNELS_LOG_SOFTMAX_ROWS_ONCE_
#define ACLGRAD_OPS_KERNELS_LOG_SOFTMAX_ROWS_ONCE_
namespace aclgrad::ops {

// So many rows at a time, at most kSumLanes, that their second reading finds them in a near cache.
inline size_t rows_together(const RowBlock& rows) {
  constexpr size_t kNear = 1 << 15;
  return std::clamp<size_t>(kNear / rows.length, 1, kSumLanes);
}

}  // namespace aclgrad::ops
#endif

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

// Of results that end as `Result`.
template <class Result>
HWY_INLINE Scaled exponential_for(WideVec x) {
  if constexpr (std::is_same_v<Result, double>) {
    return scaled_exponential(x);
  } else {
    return short_exponential(x);
  }
}

// Calls visit(tag of what is stored, tag of what the results end as).
template <class Visit>
HWY_INLINE void visit_rows(const RowBlock& rows, const Visit& visit) {
  visit_real(rows.dtype, [&](auto tag) HWY_ATTR {
    using Stored = typename decltype(tag)::type;
    if constexpr (std::is_same_v<Stored, double>) {
      if (rows.rounded) return visit(tag, std::type_identity<float>());
    }
    return visit(tag, tag);
  });
}

// ---- Forward ------------------------------------------------------------------------------------

// Lanes of which one is the largest element; with a NaN in the row they may be anything.
template <class Stored>
HWY_INLINE void largest_lanes(const Stored* row, size_t length, double* lanes) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  using Value = std::conditional_t<std::is_same_v<Stored, double>, double, float>;
  using Values = hn::CappedTag<Value, kSumLanes>;
  constexpr size_t kStep = hn::MaxLanes(Values());
  const auto load = [](const Stored* elements) HWY_ATTR {
    const auto stored = hn::LoadU(RawTag<Stored, Values>(), raw(elements));
    if constexpr (std::is_same_v<Stored, double>) {
      return stored;
    } else {
      return floats_of<Stored>(Values(), stored);
    }
  };
  std::fill_n(lanes, kSumLanes, kLowest);
  if (length < kStep) {
    for (size_t i = 0; i < length; ++i) lanes[i] = real_part(row[i]);
    return;
  }
  auto largest = load(row);
  auto other = load(row + length - kStep);  // the end, wherever whole vectors stop
  size_t i = kStep;
  for (; i + 2 * kStep <= length; i += 2 * kStep) {
    largest = hn::Max(largest, load(row + i));
    other = hn::Max(other, load(row + i + kStep));
  }
  for (; i + kStep <= length; i += kStep) largest = hn::Max(largest, load(row + i));
  const auto all = hn::Max(largest, other);
  alignas(64) Value held[kStep];
  hn::Store(all, Values(), held);
  for (size_t k = 0; k < kStep; k += kWide) {
    hn::StoreU(load_wide(held + k), Wide(), lanes + k);
  }
}

template <class Result, class Stored>
HWY_INLINE void exponential_lanes(const Stored* row, size_t length, double largest, Lanes& lanes) {
  const WideVec shift = hn::Set(Wide(), largest);
  add_terms(
      length,
      [&](size_t i, auto n) HWY_ATTR {
        const Scaled e = exponential_for<Result>(hn::Sub(load_wide(row + i, n), shift));
        return hn::Mul(e.value, e.power);
      },
      lanes);
}

// Lanes of the sum of e^(x - largest).
template <class Result, class Stored>
HWY_INLINE void sum_lanes(const Stored* row, size_t length, double largest, double* lanes) {
  Lanes sum;
  sum.clear();
  if (length <= kSumChunk) {
    exponential_lanes<Result>(row, length, largest, sum);
    return sum.store(lanes);
  }
  // A sum of several chunks stands in the first lane.
  std::fill_n(lanes, kSumLanes, kNothing<double>);
  for (size_t first = 0; first < length; first += kSumChunk) {
    alignas(64) std::array<double, kSumLanes> chunk;
    sum.clear();
    exponential_lanes<Result>(row + first, HWY_MIN(size_t{kSumChunk}, length - first), largest,
                              sum);
    sum.store(chunk.data());
    lanes[0] += LaneSum<double>::combine(chunk);
  }
}

// Rows that are worked on together.
constexpr size_t kGroup = kSumLanes;

// What is taken from every element of a row: the largest one and the logarithm of the sum.
struct Shifts {
  alignas(64) double largest[kGroup] = {};
  alignas(64) double logarithm[kGroup] = {};
};

HWY_INLINE void take_logarithms(Shifts& shifts) {
  for (size_t k = 0; k < kGroup; k += kWide) {
    const WideVec logarithm = logarithm_of(hn::Load(Wide(), shifts.logarithm + k));
    const WideVec largest = hn::Load(Wide(), shifts.largest + k);
    // One NaN for the whole row, the same on every instruction set.
    const auto lost = hn::IsNaN(logarithm);
    const WideVec nan = hn::Set(Wide(), std::numeric_limits<double>::quiet_NaN());
    hn::Store(hn::IfThenElse(lost, nan, logarithm), Wide(), shifts.logarithm + k);
    hn::Store(hn::IfThenZeroElse(lost, largest), Wide(), shifts.largest + k);
  }
}

template <class Stored>
HWY_INLINE void write_row(const Stored* x, Stored* y, size_t length, double largest,
                          double logarithm) {
  const WideVec shift = hn::Set(Wide(), largest);
  const WideVec rest = hn::Set(Wide(), logarithm);
  for_vectors(length, [&](size_t i, auto n) HWY_ATTR {
    store_wide(hn::Sub(hn::Sub(load_wide(x + i, n), shift), rest), y + i, n);
  });
}

void forward_rows(const RowBlock& rows, const RowPlace& self, const RowPlace& out) {
  visit_rows(rows, [&](auto tag, auto result) HWY_ATTR {
    using Stored = typename decltype(tag)::type;
    using Result = typename decltype(result)::type;
    const auto* x = static_cast<const Stored*>(self.data);
    auto* y = static_cast<Stored*>(out.data);
    const size_t group = rows_together(rows);
    for (size_t first = 0; first < rows.count; first += group) {
      const size_t count = HWY_MIN(group, rows.count - first);
      const auto row = [&](size_t i) { return x + static_cast<int64_t>(i) * self.stride; };
      Shifts shifts;
      LaneMatrix lanes;
      for (size_t i = 0; i < count; ++i) largest_lanes(row(i), rows.length, lanes.lanes[i]);
      lanes.combine([](WideVec a, WideVec b) HWY_ATTR { return hn::Max(a, b); }, shifts.largest);
      for (size_t i = 0; i < count; ++i) {
        sum_lanes<Result>(row(i), rows.length, shifts.largest[i], lanes.lanes[i]);
      }
      lanes.total(shifts.logarithm);
      take_logarithms(shifts);
      for (size_t i = 0; i < count; ++i, x += self.stride, y += out.stride) {
        write_row(x, y, rows.length, shifts.largest[i], shifts.logarithm[i]);
      }
    }
  });
}

// ---- Backward -----------------------------------------------------------------------------------

template <class Result, class Stored>
HWY_INLINE void backward_row(const Stored* g, const Stored* y, Stored* out, double sum,
                             size_t length) {
  const WideVec factor = hn::Set(Wide(), -sum);
  for_vectors(length, [&](size_t i, auto n) HWY_ATTR {
    const WideVec logarithm = at_most(709.0, load_wide(y + i, n));
    const Scaled share = exponential_for<Result>(logarithm);
    const WideVec result = fused(share.value, hn::Mul(share.power, factor), load_wide(g + i, n));
    store_wide(result, out + i, n);
  });
}

void backward_rows(const RowBlock& rows, const RowPlace& gradient, const RowPlace& output,
                   const RowPlace& out, const double* sums) {
  visit_rows(rows, [&](auto tag, auto result) HWY_ATTR {
    using Stored = typename decltype(tag)::type;
    using Result = typename decltype(result)::type;
    const auto* g = static_cast<const Stored*>(gradient.data);
    const auto* y = static_cast<const Stored*>(output.data);
    auto* target = static_cast<Stored*>(out.data);
    for (size_t i = 0; i < rows.count; ++i) {
      backward_row<Result>(g, y, target, sums[i], rows.length);
      g += gradient.stride;
      y += output.stride;
      target += out.stride;
    }
  });
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::ops {

HWY_EXPORT(forward_rows);
HWY_EXPORT(backward_rows);

namespace {

RowPlace row_of(const RowPlace& place, aclDataType dtype, size_t row) {
  const int64_t bytes = static_cast<int64_t>(row * element_size(dtype)) * place.stride;
  return {static_cast<char*>(place.data) + bytes, place.stride};
}

// Sums of `count` rows, chunk by chunk.
void sum_rows(const RowBlock& rows, const RowPlace& place, double* sums) {
  constexpr size_t kChunk = kSumChunk;
  for (size_t first = 0; first < rows.length; first += kChunk) {
    const size_t terms = std::min(kChunk, rows.length - first);
    const auto* start = static_cast<const char*>(place.data) + first * element_size(rows.dtype);
    double part[kSumLanes];
    sum_lines(start, rows.dtype, place.stride, rows.count, terms, first == 0 ? sums : part);
    for (size_t i = 0; first > 0 && i < rows.count; ++i) sums[i] += part[i];
  }
}

}  // namespace

void log_softmax_rows(const RowBlock& rows, const RowPlace& self, const RowPlace& out) {
  HWY_DYNAMIC_DISPATCH(forward_rows)(rows, self, out);
}

void log_softmax_backward_rows(const RowBlock& rows, const RowPlace& gradient,
                               const RowPlace& output, const RowPlace& out) {
  const size_t group = rows_together(rows);
  double sums[kSumLanes];
  for (size_t i = 0; i < rows.count; i += group) {
    const RowBlock some{rows.dtype, std::min(group, rows.count - i), rows.length, rows.rounded};
    const RowPlace g = row_of(gradient, rows.dtype, i);
    sum_rows(some, g, sums);
    HWY_DYNAMIC_DISPATCH(backward_rows)
    (some, g, row_of(output, rows.dtype, i), row_of(out, rows.dtype, i), sums);
  }
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
