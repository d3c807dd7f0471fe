// SPDX-License-Identifier: Apache-2.0
// Per-target: maps a formula on vectors of float over stored elements of FLOAT, FLOAT16 or BF16.
// Included by kernel files inside Highway's foreach_target loop.
//
// A formula need not cover every input: it says for which lanes its result holds. The others, and
// 16-bit results that the float's error could round to the wrong side, are computed again by the
// exact kernel of the same function in double. A result thus depends on nothing but its own inputs.
#if defined(ACLGRAD_OPS_KERNELS_STORED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_KERNELS_STORED_INL_H_
#undef ACLGRAD_OPS_KERNELS_STORED_INL_H_
#else
#define ACLGRAD_OPS_KERNELS_STORED_INL_H_
#endif

#include <cstddef>
#include <type_traits>

#include "hwy/cache_control.h"
#include "ops/kernels/cells-inl.h"
#include "ops/kernels/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// An exact kernel: one for the dense blocks of the elementwise engine.
using BlockFunction = void (*)(const double* const* in, double* const* out, size_t count);

// What a formula's outputs are.
enum class Outputs {
  kNear,             // within a few units in the last place of a float
  kRounded,          // the nearest float to a sum, a product or a quotient of two elements
  kNearThenRounded,  // the first so, the second so
  kWithRest,  // the nearest float, and what it leaves out: of the right sign, 0 only if exact
};

// Formula: void(d, x, y, valid) with x the input vectors, y the outputs (vectors, or each as a
// Twofold for kWithRest), and `valid`, from which it takes the lanes that it leaves to the exact
// kernel. Exact: callable as a BlockFunction.
template <class Stored, size_t kIn, size_t kOut, Outputs kOutputs, class Formula, class Exact>
class StoredMap {
 public:
  StoredMap(const Formula& formula, const Exact& exact) : formula_(formula), exact_(exact) {}

  HWY_ATTR void operator()(const StoredBlock& block) const {
    const Stored* in[kIn];
    Stored* out[kOut];
    for (size_t row = 0; row < block.rows; ++row) {
      const auto steps = static_cast<int64_t>(row);
      for (size_t k = 0; k < kIn; ++k) {
        in[k] = reinterpret_cast<const Stored*>(static_cast<const std::byte*>(block.in[k]) +
                                                steps * block.in_steps[k]);
      }
      for (size_t k = 0; k < kOut; ++k) {
        out[k] = reinterpret_cast<Stored*>(static_cast<std::byte*>(block.out[k]) +
                                           steps * block.out_steps[k]);
      }
      map_row(in, out, block.count, block.around_caches);
    }
    // Such stores may otherwise be seen by other threads after this one's report that it is done.
    if (block.around_caches) hwy::FlushStream();
  }

 private:
  static constexpr size_t kLanes = hn::MaxLanes(FloatTag());

  HWY_ATTR void map_row(const Stored* const (&in)[kIn], Stored* const (&out)[kOut], size_t count,
                        bool around_caches) const {
    size_t i = 0;
    if (around_caches) {
      i = elements_to_alignment(out);
      if (i <= count) {
        if (i > 0) part(in, out, 0, i);
        for (; i + kLanes <= count; i += kLanes) step<Path::kAround>(in, out, i);
      } else {
        i = 0;
      }
    }
    for (; i + kLanes <= count; i += kLanes) step<Path::kCached>(in, out, i);
    if (i < count) part(in, out, i, count - i);
  }

  static constexpr bool is_rounded(size_t output) {
    return kOutputs == Outputs::kRounded || (kOutputs == Outputs::kNearThenRounded && output == 1);
  }

  // Elements before the outputs reach a whole vector; more than any count if they never do
  // together.
  static size_t elements_to_alignment(Stored* const (&out)[kOut]) {
    constexpr size_t kBytes = kLanes * sizeof(Stored);
    const size_t beyond = reinterpret_cast<uintptr_t>(out[0]) % kBytes;
    for (Stored* each : out) {
      if (reinterpret_cast<uintptr_t>(each) % kBytes != beyond || beyond % sizeof(Stored) != 0) {
        return SIZE_MAX;
      }
    }
    return (kBytes - beyond) % kBytes / sizeof(Stored);
  }

  template <Path kPath>
  HWY_ATTR HWY_INLINE void step(const Stored* const (&in)[kIn], Stored* const (&out)[kOut],
                                size_t i) const {
    const FloatTag d;
    Floats x[kIn];
    std::conditional_t<kOutputs == Outputs::kWithRest, Twofold<Floats>, Floats> y[kOut];
    for (size_t k = 0; k < kIn; ++k) x[k] = Cells<Stored>::load(d, in[k] + i);
    FloatMask valid = hn::FirstN(d, kLanes);
    if constexpr (std::is_invocable_v<Formula, FloatTag, decltype(x), decltype(y)&, FloatMask&>) {
      formula_(d, x, y, valid);
    } else {
      formula_(d, x, y, valid, Cells<Stored>());
    }
    for (size_t k = 0; k < kOut; ++k) {
      put_output<kPath>(d, y[k], out[k] + i, is_rounded(k), valid);
    }
    if (HWY_UNLIKELY(!hn::AllTrue(d, valid))) repair(x, valid, out, i);
  }

  template <Path kPath>
  static HWY_INLINE void put_output(FloatTag d, Floats y, Stored* target, bool is_rounded,
                                    FloatMask& valid) {
    if (is_rounded) {
      Cells<Stored>::template store_rounded<kPath>(d, y, target, valid);
    } else {
      // Infinities are due only where the exact kernel says so.
      valid = hn::And(valid, hn::IsFinite(y));
      Cells<Stored>::template store<kPath>(d, y, target, valid);
    }
  }
  template <Path kPath>
  static HWY_INLINE void put_output(FloatTag d, Twofold<Floats> y, Stored* target, bool,
                                    FloatMask& valid) {
    // Among the smallest numbers the rest may be lost.
    const auto large = hn::Gt(hn::Abs(y.high), hn::Set(d, 0x1p-100f));
    const auto regular = hn::Or(large, hn::Eq(y.high, hn::Zero(d)));
    valid = hn::And(valid, hn::And(regular, hn::IsFinite(y.high)));
    if constexpr (Cells<Stored>::kRoundsAgain) y.high = round_to_odd(d, y.high, y.low);
    Cells<Stored>::template store_rounded<kPath>(d, y.high, target, valid);
  }

  // A vector that is not full, by way of full ones.
  HWY_ATTR void part(const Stored* const (&in)[kIn], Stored* const (&out)[kOut], size_t i,
                     size_t count) const {
    Stored from[kIn][kLanes] = {};
    Stored to[kOut][kLanes];
    const Stored* sources[kIn];
    Stored* targets[kOut];
    for (size_t k = 0; k < kIn; ++k) {
      for (size_t j = 0; j < count && j < kLanes; ++j) from[k][j] = in[k][i + j];
      sources[k] = from[k];
    }
    for (size_t k = 0; k < kOut; ++k) targets[k] = to[k];
    step<Path::kCached>(sources, targets, 0);
    for (size_t k = 0; k < kOut; ++k) {
      for (size_t j = 0; j < count && j < kLanes; ++j) out[k][i + j] = to[k][j];
    }
  }

  // Computes the lanes again that are not valid.
  HWY_ATTR HWY_NOINLINE void repair(const Floats (&x)[kIn], FloatMask valid,
                                    Stored* const (&out)[kOut], size_t i) const {
    const FloatTag d;
    alignas(64) float inputs[kLanes];
    alignas(64) double from[kIn][kLanes];
    alignas(64) double to[kOut][kLanes];
    const double* sources[kIn];
    double* targets[kOut];
    for (size_t k = 0; k < kIn; ++k) {
      hn::Store(x[k], d, inputs);
      for (size_t lane = 0; lane < kLanes; ++lane)
        from[k][lane] = static_cast<double>(inputs[lane]);
      sources[k] = from[k];
    }
    for (size_t k = 0; k < kOut; ++k) targets[k] = to[k];
    exact_(sources, targets, kLanes);
    alignas(64) uint8_t bits[8] = {};
    hn::StoreMaskBits(d, valid, bits);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if ((bits[lane / 8] >> (lane % 8) & 1) != 0) continue;
      for (size_t k = 0; k < kOut; ++k) out[k][i + lane] = from_parts<Stored>(to[k][lane], 0.0);
    }
  }

  const Formula& formula_;
  const Exact& exact_;
};

template <size_t kIn, size_t kOut, Outputs kOutputs = Outputs::kNear, class Formula, class Exact>
HWY_ATTR void map_stored(const StoredBlock& block, const Formula& formula, const Exact& exact) {
  switch (block.dtype) {
    case ACL_FLOAT16:
      return StoredMap<Half, kIn, kOut, kOutputs, Formula, Exact>(formula, exact)(block);
    case ACL_BF16:
      return StoredMap<Bfloat, kIn, kOut, kOutputs, Formula, Exact>(formula, exact)(block);
    default:
      return StoredMap<float, kIn, kOut, kOutputs, Formula, Exact>(formula, exact)(block);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
