// SPDX-License-Identifier: Apache-2.0
// Per-target: GELU's gate (of which gelu(x) = x gate(x)) and its derivative in float, by pieces of
// polynomials around the multiples of 1/4; ops/engine/tools/fit_pieces.py says how they are made.
#if defined(ACLGRAD_OPS_ACTIVATION_GELU_PIECES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ACTIVATION_GELU_PIECES_INL_H_
#undef ACLGRAD_OPS_ACTIVATION_GELU_PIECES_INL_H_
#else
#define ACLGRAD_OPS_ACTIVATION_GELU_PIECES_INL_H_
#endif

#include "ops/activation/gelu_pieces.h"
#include "ops/engine/math/math-inl.h"
#include "ops/engine/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3
// The numbers of each lane's piece: an instruction picks from a row of the table.
template <const GeluPieces& kTable, bool kIsSlope, class D>
class LanePieces {
 public:
  using V = hn::Vec<D>;

  // The piece's number mod 32 counts.
  template <class VI>
  HWY_INLINE LanePieces(D, VI piece) : piece_(piece.raw) {}

  template <PieceNumber kWhich>
  HWY_INLINE V number() const {
    const D d;
    const float* const row = kTable.rows[kWhich];
    const V low = hn::Load(d, row);
    const V high = hn::Load(d, row + 16);
    return V{_mm512_permutex2var_ps(low.raw, piece_, high.raw)};
  }

 private:
  __m512i piece_;
};
#else
// A piece's numbers side by side.
template <bool kIsSlope>
struct PieceLines {
  static constexpr int kShift = kIsSlope ? 4 : 3;
  alignas(64) float line[kPieces][size_t{1} << kShift];

  constexpr explicit PieceLines(const GeluPieces& table) : line() {
    for (size_t n = 0; n < (kIsSlope ? kSlopeNumbers : kGateNumbers); ++n) {
      for (size_t piece = 0; piece < kPieces; ++piece) {
        line[piece][n] = table.rows[n][piece];
      }
    }
  }
};
template <const GeluPieces& kTable, bool kIsSlope>
inline constexpr PieceLines<kIsSlope> kPieceLines{kTable};

// As above. Each lane's line is read in pieces of 16 bytes, and these are transposed: processors
// take many times as long to gather the numbers one by one.
template <const GeluPieces& kTable, bool kIsSlope, class D>
class LanePieces {
 public:
  using V = hn::Vec<D>;

  template <class VI>
  HWY_INLINE LanePieces(D d, VI piece) {
    const hn::RebindToUnsigned<D> du;
    constexpr const auto& kLines = kPieceLines<kTable, kIsSlope>;
    alignas(64) uint32_t offsets[hn::MaxLanes(D())];
    const auto line = hn::And(hn::BitCast(du, piece), hn::Set(du, kPieces - 1));
    hn::Store(hn::ShiftLeft<kLines.kShift>(line), du, offsets);
    asm("" : "+m"(offsets));  // to be read from memory: taking lanes out of vectors is slower
    for (size_t group = 0; group < kGroups; ++group) {
      const float* const numbers = &kLines.line[0][group * kTogether];
#if HWY_TARGET == HWY_SCALAR
      for (size_t n = 0; n < kTogether; ++n) {
        numbers_[group][n] = hn::Set(d, numbers[static_cast<size_t>(offsets[0]) + n]);
      }
#else
      for (size_t n = 0; n < kTogether; ++n) {
        numbers_[group][n] = load_lines(d, numbers, offsets + n);
      }
      interleave<1>(d, numbers_[group]);
#endif
    }
  }

  template <PieceNumber kWhich>
  HWY_INLINE V number() const {
    constexpr size_t kPlace = kWhich % kTogether;
    return numbers_[kWhich / kTogether]
                   [HWY_TARGET == HWY_SCALAR ? kPlace : with_bits_reversed(kPlace, kTogether)];
  }

 private:
  static constexpr size_t kTogether = 4;
  static constexpr size_t kGroups =
      ((kIsSlope ? kSlopeNumbers : kGateNumbers) + kTogether - 1) / kTogether;

#if HWY_TARGET != HWY_SCALAR
  // For each 16 bytes of a vector, those of one line; the lines' offsets lie kTogether apart.
  template <class Part>
  static HWY_INLINE hn::Vec<Part> load_lines(Part d, const float* from, const uint32_t* offsets) {
    if constexpr (hn::MaxLanes(Part()) == kTogether) {
      return hn::LoadU(d, from + *offsets);
    } else {
      const hn::Half<Part> half;
      return hn::Combine(d, load_lines(half, from, offsets + hn::MaxLanes(half)),
                         load_lines(half, from, offsets));
    }
  }
#endif

  V numbers_[kGroups][kTogether];
};
#endif

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

// (F(x) - value - slope t) / t^2
template <class D, class Pieces, class V>
HWY_INLINE V bend_of(D d, const Pieces& piece, V t) {
  V bend = mul_add(d, t, piece.template number<kC6>(), piece.template number<kC5>());
  bend = mul_add(d, t, bend, piece.template number<kC4>());
  bend = mul_add(d, t, bend, piece.template number<kC3>());
  return mul_add(d, t, bend, piece.template number<kC2>());
}

// The function of the table at x, where x lies within the table; `valid` says where.
template <const GeluPieces& kTable, bool kIsSlope, class D, class V, class M>
HWY_INLINE Expansion<V> by_pieces(D d, V x, M& valid) {
  const LanePieces<kTable, kIsSlope, D> piece(d, piece_of(d, x, valid));
  // Squares and products of a tiny t would be subnormal, which is slow.
  const V offset = hn::Sub(x, piece.template number<kCentre>());
  const V t = hn::IfThenElseZero(hn::Gt(hn::Abs(offset), hn::Set(d, 0x1p-40f)), offset);
  const V value = piece.template number<kValue>();
  const V slope = piece.template number<kSlope>();
  const V high = mul_add(d, t, slope, value);
  V low = mul_add(d, t, slope, hn::Sub(value, high));  // what that rounding lost
  if constexpr (kIsSlope) {
    const V slope_rest = piece.template number<kSlopeRest>();
    low = hn::Add(low, mul_add(d, t, slope_rest, piece.template number<kValueRest>()));
  }
  Expansion<V> result{high, mul_add(d, hn::Mul(t, t), bend_of(d, piece, t), low)};
#if HWY_TARGET == HWY_AVX2
  // Forces the result to be computed here. Compilers interleave two calls otherwise and spill the
  // coefficients of both.
  asm volatile("" : "+x"(result.high.raw), "+x"(result.low.raw));
#endif
  return result;
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
