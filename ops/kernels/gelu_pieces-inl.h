// SPDX-License-Identifier: Apache-2.0
// Per-target: GELU's gate (of which gelu(x) = x gate(x)) and its derivative in float, by pieces of
// polynomials around the multiples of 1/4; tools/fit_pieces.py says how they are made.
#if defined(ACLGRAD_OPS_KERNELS_GELU_PIECES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_KERNELS_GELU_PIECES_INL_H_
#undef ACLGRAD_OPS_KERNELS_GELU_PIECES_INL_H_
#else
#define ACLGRAD_OPS_KERNELS_GELU_PIECES_INL_H_
#endif

#include "ops/kernels/float-inl.h"
#include "ops/kernels/gelu_pieces.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// row[index mod 32] for each lane.
template <class D, class VI>
HWY_INLINE hn::Vec<D> pick(D d, const float (&row)[kPieces], VI index) {
#if HWY_TARGET == HWY_AVX3
  const auto low = hn::Load(d, row);
  const auto high = hn::Load(d, row + 16);
  return hn::Vec<D>{_mm512_permutex2var_ps(low.raw, index.raw, high.raw)};
#else
  const hn::RebindToSigned<D> di;
  return hn::GatherIndex(d, row, hn::And(index, hn::Set(di, kPieces - 1)));
#endif
}

// The number of the piece around x, in the low bits; takes lanes beyond the pieces, NaN too, out of
// `valid`.
template <class D, class V, class M>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> piece_of(D d, V x, M& valid) {
  constexpr uint32_t kFirst = 0x4b400000u + static_cast<uint32_t>(kFirstPiece);
  const hn::RebindToUnsigned<D> du;
  const V sum = hn::MulAdd(x, hn::Set(d, 4.0f), hn::Set(d, kFloatMagic));  // 4 x is exact
  const auto number = hn::Sub(hn::BitCast(du, sum), hn::Set(du, kFirst));
  valid = hn::RebindMask(d, hn::Lt(number, hn::Set(du, static_cast<uint32_t>(kPieces))));
  return hn::BitCast(hn::RebindToSigned<D>(), sum);
}

// What the function has beyond a line, divided by t^2.
template <class D, class V, class VI>
HWY_INLINE V bend_of(D d, const GeluPieces& table, VI piece, V t) {
  V bend = fused(d, t, pick(d, table.c6, piece), pick(d, table.c5, piece));
  bend = fused(d, t, bend, pick(d, table.c4, piece));
  bend = fused(d, t, bend, pick(d, table.c3, piece));
  return fused(d, t, bend, pick(d, table.c2, piece));
}

// The function of the table at x, where x lies within the table; `valid` says where.
template <bool kIsSlope, class D, class V, class M>
HWY_INLINE Twofold<V> by_pieces(D d, const GeluPieces& table, V x, M& valid) {
  const auto piece = piece_of(d, x, valid);
  const V t = hn::Sub(x, pick(d, table.centre, piece));
  const V value = pick(d, table.value, piece);
  const V slope = pick(d, table.slope, piece);
  const V high = fused(d, t, slope, value);
  V low = fused(d, t, slope, hn::Sub(value, high));  // what that rounding lost
  if constexpr (kIsSlope) {
    const V slope_rest = pick(d, table.slope_rest, piece);
    low = hn::Add(low, fused(d, t, slope_rest, pick(d, table.value_rest, piece)));
  }
  return {high, fused(d, hn::Mul(t, t), bend_of(d, table, piece, t), low)};
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
