// SPDX-License-Identifier: Apache-2.0
// Per-target: real tensor elements, as they lie in memory, as vectors of at most eight doubles, and
// what sums and rows need of such vectors. Included by kernel files inside Highway's foreach_target
// loop.
//
// Every instruction set gives the same bits: a fused multiply-add is one rounding everywhere.
#if defined(ACLGRAD_OPS_ENGINE_DTYPE_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_DTYPE_LANES_INL_H_
#undef ACLGRAD_OPS_ENGINE_DTYPE_LANES_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_DTYPE_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/engine/dtype/float16-inl.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/math/log-inl.h"
#include "ops/engine/tree_sum.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::CappedTag<double, kSumLanes>;
using WideVec = hn::Vec<Wide>;
inline constexpr size_t kWide = hn::MaxLanes(Wide());
inline constexpr size_t kParts = kSumLanes / kWide;

// ---- From and to memory -------------------------------------------------------------------------

// What vectors hold of elements as they are stored.
template <class Stored>
using Raw = std::conditional_t<sizeof(Stored) == 2, uint16_t, Stored>;
template <class Stored, class D>
using RawTag = hn::Rebind<Raw<Stored>, D>;

template <class Stored>
HWY_INLINE const Raw<Stored>* raw(const Stored* elements) {
  return reinterpret_cast<const Raw<Stored>*>(elements);
}
template <class Stored>
HWY_INLINE Raw<Stored>* raw(Stored* elements) {
  return reinterpret_cast<Raw<Stored>*>(elements);
}

// Stored elements as floats, which hold all values of FLOAT, FLOAT16 and BF16.
template <class Stored, class D>
HWY_INLINE hn::Vec<D> floats_of(D d, hn::Vec<RawTag<Stored, D>> elements) {
  if constexpr (std::is_same_v<Stored, Half>) {
    return floats_of_halves(d, elements);
  } else if constexpr (std::is_same_v<Stored, Bfloat>) {
    return floats_of_bfloats(d, elements);
  } else {
    return elements;
  }
}

// The nearest elements, as they lie in memory.
template <class Stored, class D>
HWY_INLINE hn::Vec<RawTag<Stored, D>> elements_of(D d, hn::Vec<D> floats) {
  if constexpr (std::is_same_v<Stored, Half>) {
    return nearest_halves(d, floats);
  } else if constexpr (std::is_same_v<Stored, Bfloat>) {
    return nearest_bfloats(d, floats);
  } else {
    return floats;
  }
}

template <class Stored>
HWY_INLINE WideVec widened(hn::Vec<RawTag<Stored, Wide>> elements) {
  if constexpr (std::is_same_v<Stored, double>) {
    return elements;
  } else {
    return hn::PromoteTo(Wide(), floats_of<Stored>(hn::Rebind<float, Wide>(), elements));
  }
}

template <class Stored>
HWY_INLINE WideVec load_wide(const Stored* elements) {
  return widened<Stored>(hn::LoadU(RawTag<Stored, Wide>(), raw(elements)));
}

// Lanes from `count` on hold 0; nothing is read for them.
template <class Stored>
HWY_INLINE WideVec load_wide(const Stored* elements, size_t count) {
  if (count == kWide) return load_wide(elements);
  const RawTag<Stored, Wide> d;
#if HWY_TARGET <= HWY_AVX3
  return widened<Stored>(hn::MaskedLoad(hn::FirstN(d, count), d, raw(elements)));
#else
  alignas(64) Raw<Stored> held[kSumLanes] = {};
  std::memcpy(held, elements, count * sizeof(Stored));
  return widened<Stored>(hn::Load(d, held));
#endif
}

// The nearest floats; infinite where that is due.
HWY_INLINE hn::Vec<hn::Rebind<float, Wide>> nearest_floats(WideVec values) {
  const hn::Rebind<float, Wide> df;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  // The portable DemoteTo stops at the largest float.
  alignas(64) double from[kWide];
  alignas(64) float to[kWide];
  hn::Store(values, Wide(), from);
  for (size_t i = 0; i < kWide; ++i) to[i] = static_cast<float>(from[i]);
  return hn::Load(df, to);
#else
  return hn::DemoteTo(df, values);
#endif
}

// Floats rounded to odd: what is lost marks the last bit, so that rounding once more, to a shorter
// format, gives what rounding the doubles would. For values in the normal range of float.
HWY_INLINE auto floats_to_odd(WideVec values) {
  constexpr uint64_t kLost = (uint64_t{1} << 29) - 1;
  const hn::RebindToUnsigned<Wide> du;
  const auto lost = hn::Set(du, kLost);
  const auto bits = hn::BitCast(du, values);
  const auto mark = hn::Add(hn::And(bits, lost), lost);  // carries if anything is lost
  const auto odd = hn::AndNot(lost, hn::Or(bits, mark));
  return nearest_floats(hn::BitCast(Wide(), odd));
}

HWY_INLINE auto bfloat_patterns(WideVec values) {
  const Wide d;
  const auto tiny = hn::Lt(hn::Abs(values), hn::Set(d, 0x1p-126));
  if (HWY_UNLIKELY(!hn::AllFalse(d, tiny))) {
    // Below the normal range all results are multiples of 2^-133.
    const WideVec aligner = hn::Set(d, 0x1p-81);
    const WideVec whole = hn::Sub(hn::Add(hn::Abs(values), aligner), aligner);
    values = hn::IfThenElse(tiny, hn::CopySign(whole, values), values);
  }
  const auto carried = bfloat_words(hn::Rebind<float, Wide>(), floats_to_odd(values));
  return hn::TruncateTo(hn::Rebind<uint16_t, Wide>(), hn::ShiftRight<16>(carried));
}

#if HWY_TARGET <= HWY_AVX2
HWY_INLINE auto half_patterns(WideVec values) {
  const hn::Rebind<hwy::float16_t, Wide> halves;
  return hn::BitCast(hn::Rebind<uint16_t, Wide>(), hn::DemoteTo(halves, floats_to_odd(values)));
}
#else
// Without an instruction for it: double_to_half of formats.h, lane by lane.
HWY_INLINE auto half_patterns(WideVec values) {
  alignas(64) double from[kWide];
  alignas(64) uint16_t to[kWide];
  hn::Store(values, Wide(), from);
  for (size_t i = 0; i < kWide; ++i) to[i] = double_to_half(from[i]);
  return hn::Load(hn::Rebind<uint16_t, Wide>(), to);
}
#endif

template <class Stored>
HWY_INLINE hn::Vec<RawTag<Stored, Wide>> narrowed(WideVec values) {
  if constexpr (std::is_same_v<Stored, double>) {
    return values;
  } else if constexpr (std::is_same_v<Stored, float>) {
    return nearest_floats(values);
  } else if constexpr (std::is_same_v<Stored, Half>) {
    return half_patterns(values);
  } else {
    return bfloat_patterns(values);
  }
}

template <class Stored>
HWY_INLINE void store_wide(WideVec values, Stored* elements) {
  hn::StoreU(narrowed<Stored>(values), RawTag<Stored, Wide>(), raw(elements));
}

// The first `count` lanes; nothing is written for the others.
template <class Stored>
HWY_INLINE void store_wide(WideVec values, Stored* elements, size_t count) {
  if (count == kWide) return store_wide(values, elements);
  const RawTag<Stored, Wide> d;
#if HWY_TARGET <= HWY_AVX3
  hn::BlendedStore(narrowed<Stored>(values), hn::FirstN(d, count), d, raw(elements));
#else
  alignas(64) Raw<Stored> held[kSumLanes];
  hn::Store(narrowed<Stored>(values), d, held);
  std::memcpy(static_cast<void*>(elements), held, count * sizeof(Stored));
#endif
}

// Calls visit(first, n) for elements [0, count) in whole vectors and a last part of one.
template <class Visit>
HWY_INLINE void for_vectors(size_t count, const Visit& visit) {
  size_t i = 0;
  for (; i + kWide <= count; i += kWide) visit(i, std::integral_constant<size_t, kWide>());
  if (i < count) visit(i, count - i);
}

// Calls visit(TypeTag<Stored>{}) for the real floating dtypes.
template <class Visit>
HWY_INLINE void visit_real(aclDataType dtype, const Visit& visit) {
  if (dtype == ACL_FLOAT) {
    visit(TypeTag<float>{});
  } else if (dtype == ACL_FLOAT16) {
    visit(TypeTag<Half>{});
  } else if (dtype == ACL_BF16) {
    visit(TypeTag<Bfloat>{});
  } else {
    visit(TypeTag<double>{});
  }
}

// ---- Sums in the order of tree_sum.h ------------------------------------------------------------

struct Lanes {
  WideVec part[kParts];

  HWY_INLINE void clear() {
    for (WideVec& each : part) each = hn::Set(Wide(), kNothing<double>);
  }
  HWY_INLINE void load(const double* lanes) {
    for (size_t k = 0; k < kParts; ++k) part[k] = hn::LoadU(Wide(), lanes + k * kWide);
  }
  HWY_INLINE void store(double* lanes) const {
    for (size_t k = 0; k < kParts; ++k) hn::StoreU(part[k], Wide(), lanes + k * kWide);
  }
};

// The lanes of kSumLanes sums, one after the other. They are combined together: that takes no
// longer than combining a few of them.
struct LaneMatrix {
  alignas(64) double lanes[kSumLanes][kSumLanes] = {};

  HWY_INLINE void clear() {
    Lanes nothing;
    nothing.clear();
    for (auto& line : lanes) nothing.store(line);
  }

  // results[i] = the lanes of sum i, combined in pairs, as LaneSum::combine does for additions.
  template <class Combine>
  HWY_INLINE void combine(const Combine& pair, double* results) const {
    const hn::RebindToSigned<Wide> di;
    const auto line = hn::Mul(hn::Iota(di, 0), hn::Set(di, int64_t{kSumLanes}));
    for (size_t k = 0; k < kParts; ++k) {
      const auto column = [&](size_t lane) HWY_ATTR {
        return hn::GatherIndex(Wide(), lanes[k * kWide] + lane, line);
      };
      const auto two = [&](size_t lane) HWY_ATTR { return pair(column(lane), column(lane + 1)); };
      const auto four = [&](size_t lane) HWY_ATTR { return pair(two(lane), two(lane + 2)); };
      static_assert(kSumLanes == 8);
      hn::StoreU(pair(four(0), four(4)), Wide(), results + k * kWide);
    }
  }
  // Of sum 0 alone: where there is but one, that is quicker.
  HWY_INLINE double first_total() const {
    const auto two = [&](size_t lane) { return lanes[0][lane] + lanes[0][lane + 1]; };
    return (two(0) + two(2)) + (two(4) + two(6));
  }
  HWY_INLINE void total(double* sums) const {
    combine([](WideVec a, WideVec b) HWY_ATTR { return hn::Add(a, b); }, sums);
  }
};

// Adds the terms term(first, n), a vector with n terms in it, for `count` terms from lane 0 on.
template <class Term>
HWY_INLINE void add_terms(size_t count, const Term& term, Lanes& lanes) {
  size_t i = 0;
  for (; i + kSumLanes <= count; i += kSumLanes) {
    for (size_t k = 0; k < kParts; ++k) {
      const auto all = std::integral_constant<size_t, kWide>();
      lanes.part[k] = hn::Add(lanes.part[k], term(i + k * kWide, all));
    }
  }
  for (size_t k = 0; i < count; ++k, i += kWide) {
    const size_t n = HWY_MIN(kWide, count - i);
    const auto there = hn::FirstN(Wide(), n);
    const auto nothing = hn::Set(Wide(), kNothing<double>);
    lanes.part[k] = hn::Add(lanes.part[k], hn::IfThenElse(there, term(i, n), nothing));
  }
}

// ---- Arithmetic ---------------------------------------------------------------------------------

// a * b + c, rounded once. Without an instruction for it the exact product and sum are formed and
// rounded to odd before the last addition (Boldo and Melquiond 2008); for numbers whose products
// stay away from the ends of the exponent range.
HWY_INLINE WideVec fused(WideVec a, WideVec b, WideVec c) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  const Wide d;
  const DoubleFloat<WideVec> product = two_product(d, a, b);
  const DoubleFloat<WideVec> low = two_sum(c, product.low);
  const DoubleFloat<WideVec> high = two_sum(product.high, low.high);
  const DoubleFloat<WideVec> rest = two_sum(low.low, high.low);
  const WideVec exact = hn::Add(high.high, round_to_odd(d, rest.high, rest.low));
  // NaN and infinities leave NaN in the error terms.
  return hn::IfThenElse(hn::IsNaN(exact), hn::Add(product.high, c), exact);
#endif
}

// x held from below or above; NaN stays NaN.
HWY_INLINE WideVec at_least(double low, WideVec x) { return larger(hn::Set(Wide(), low), x); }
HWY_INLINE WideVec at_most(double high, WideVec x) { return smaller(hn::Set(Wide(), high), x); }

// A number as a product of two.
struct Scaled {
  WideVec value;
  WideVec power;  // of two
};

// e^x for x <= 709, to 1e-15 of the result; 0 below -708.4, NaN for NaN.
HWY_INLINE Scaled scaled_exponential(WideVec x) {
  // Polynomial of e^r for |r| <= ln 2 / 2 (tools/fit_lanes.py); error 2.6e-16.
  static constexpr double kCoefficients[] = {1.0,
                                             0x1.000000000001ep+0,
                                             0x1.0000000000005p-1,
                                             0x1.555555554b736p-3,
                                             0x1.55555555520a4p-5,
                                             0x1.1111112ddae8bp-7,
                                             0x1.6c16c17f46982p-10,
                                             0x1.a01978b8b3d18p-13,
                                             0x1.a019a6611cad5p-16,
                                             0x1.72fafebdaf273p-19,
                                             0x1.28a2ca617b969p-22};
  constexpr double kInverseLn2 = 0x1.71547652b82fep+0;
  constexpr double kMinusLn2 = -0x1.62e42fefa39efp-1;
  constexpr size_t kDegree = 10;
  const Wide d;
  const hn::RebindToUnsigned<Wide> du;
  const WideVec magic = hn::Set(d, kIntegerMagic);
  const WideVec held = at_least(-709.0, x);
  const WideVec shifted = fused(held, hn::Set(d, kInverseLn2), magic);
  const WideVec r = fused(hn::Sub(shifted, magic), hn::Set(d, kMinusLn2), held);
  WideVec value = hn::Set(d, kCoefficients[kDegree]);
  for (size_t k = kDegree; k-- > 0;) value = fused(value, r, hn::Set(d, kCoefficients[k]));
  // The integer lies in the low bits of the shifted number; at -1023 the power becomes 0.
  const auto power =
      hn::Add(hn::ShiftLeft<52>(hn::BitCast(du, shifted)), hn::BitCast(du, hn::Set(d, 1.0)));
  return {value, hn::BitCast(d, power)};
}

// Natural logarithm of x >= 1, to 1e-15 of the result; NaN for NaN.
HWY_INLINE WideVec logarithm_of(WideVec x) {
  return hn::IfThenElse(hn::IsNaN(x), x, log_of_positive(Wide(), x));
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
