// SPDX-License-Identifier: Apache-2.0
// Per-target: the lower tails of GELU's gate and of its derivative in float, by pieces of
// polynomials and powers of two; ops/engine/tools/fit_gelu.py says how they are made.
#if defined(ACLGRAD_OPS_ACTIVATION_GELU_PIECES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ACTIVATION_GELU_PIECES_INL_H_
#undef ACLGRAD_OPS_ACTIVATION_GELU_PIECES_INL_H_
#else
#define ACLGRAD_OPS_ACTIVATION_GELU_PIECES_INL_H_
#endif

#include <iterator>

#include "ops/activation/gelu_pieces.h"
#include "ops/engine/math/math-inl.h"
#include "ops/engine/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3
// The numbers of each lane's piece: an instruction picks from a row of the table.
template <const GeluPieces& kTable, size_t kNumbers, class D>
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
struct PieceLines {
  static constexpr int kShift = 4;
  alignas(64) float line[kPieces][size_t{1} << kShift];

  constexpr explicit PieceLines(const GeluPieces& table) : line() {
    for (size_t n = 0; n < kFarNumbers; ++n) {
      for (size_t piece = 0; piece < kPieces; ++piece) line[piece][n] = table.rows[n][piece];
    }
  }
};
template <const GeluPieces& kTable>
inline constexpr PieceLines kPieceLines{kTable};

// As above. Each lane's line is read in pieces of 16 bytes, and these are transposed: processors
// take many times as long to gather the numbers one by one.
template <const GeluPieces& kTable, size_t kNumbers, class D>
class LanePieces {
 public:
  using V = hn::Vec<D>;

  template <class VI>
  HWY_INLINE LanePieces(D d, VI piece) {
    const hn::RebindToUnsigned<D> du;
    constexpr const auto& kLines = kPieceLines<kTable>;
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
  static constexpr size_t kGroups = (kNumbers + kTogether - 1) / kTogether;

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

// F(-a) = (high + low) 2^n, where n is 0 in what lies before the table's `far`. Its low bits are
// what `exponent` has in its own, plus 127.
template <class V>
struct LowerTail {
  V high;
  V low;
  V whole;  // high + low, roughly
  V exponent;
};

// The table's function. Range: a from 0 to the table's limit, or without kIsFar to its `far`; a NaN
// gives NaN.
template <const GeluPieces& kTable, bool kIsFar, class D, class V>
HWY_INLINE LowerTail<V> lower_tail(D d, V a) {
  using Pieces = LanePieces<kTable, kIsFar ? kFarNumbers : kNearNumbers, D>;
  const hn::RebindToSigned<D> di;
  const V place = mul_add(d, a, hn::Set(d, kTable.density), hn::Set(d, 4.0f));
  const Pieces piece(d, hn::ShiftRight<19>(hn::BitCast(di, place)));
  const V t = hn::Sub(a, piece.template number<kCentre>());
  V bend = mul_add(d, t, piece.template number<kC6>(), piece.template number<kC5>());
  bend = mul_add(d, t, bend, piece.template number<kC4>());
  bend = mul_add(d, t, bend, piece.template number<kC3>());
  bend = mul_add(d, t, bend, piece.template number<kC2>());
  const V slope = piece.template number<kSlope>();
  const V value = piece.template number<kValue>();
  const V square = hn::Mul(t, t);
  const V high = mul_add(d, t, slope, value);
  const V lost = mul_add(d, t, slope, hn::Sub(value, high));
  const V low = mul_add(d, square, bend, lost);
  if constexpr (!kIsFar) {
    return {high, low, high, hn::Zero(d)};
  } else {
    // The product's integer, and what is left of it without an error.
    const V rate = piece.template number<kRate>();
    const V start = piece.template number<kStart>();
    V steepness = rate;
    if constexpr (kTable.bends) steepness = mul_add(d, t, piece.template number<kBend>(), rate);
    const V sum = mul_add(d, t, steepness, start);
    V r = mul_sub(d, t, rate, hn::Sub(sum, start));
    if constexpr (kTable.bends) r = mul_add(d, square, piece.template number<kBend>(), r);
    V power = hn::Set(d, kPower[std::size(kPower) - 1]);
    for (size_t k = std::size(kPower) - 1; k-- > 0;) {
      power = mul_add(d, r, power, hn::Set(d, kPower[k]));
    }
    const V growth = hn::Mul(r, power);
    const V grown = mul_add(d, high, growth, mul_add(d, low, growth, low));
    return {high, grown, mul_add(d, high, growth, high), sum};
  }
}

// value 2^n, with n as in LowerTail. Subnormal results are put together from integers: operations
// that give them take many times as long on some processors.
template <class D, class V>
HWY_INLINE V scale_by_exponent(D d, V value, V exponent) {
  constexpr int kLift = 96;
  constexpr float kEnd = 0x1p-30f;     // the smallest normal number, lifted
  constexpr float kToUnits = 0x1p53f;  // makes a lifted number one of units of 2^-149
  constexpr float kInteger = 0x1p23f;  // plus an integer below it has that in its low bits
  const hn::RebindToSigned<D> di;
  const auto deep = hn::Lt(exponent, hn::Set(d, kFloatMagic + 127 - kLift));
  const auto lift = hn::IfThenElseZero(hn::RebindMask(di, deep), hn::Set(di, kLift));
  const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::BitCast(di, exponent), lift)));
  const V lifted = hn::Mul(value, power);
  const V size = hn::Abs(lifted);
  const V sum = mul_add(d, size, hn::Set(d, kToUnits), hn::Set(d, kInteger));
  const auto units = hn::Sub(hn::BitCast(di, sum), hn::BitCast(di, hn::Set(d, kInteger)));
  const auto normal = hn::Sub(hn::BitCast(di, lifted), hn::ShiftLeft<23>(lift));
  const auto tiny = hn::And(deep, hn::Lt(size, hn::Set(d, kEnd)));
  return hn::IfThenElse(tiny, hn::CopySign(hn::BitCast(d, units), value), hn::BitCast(d, normal));
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
