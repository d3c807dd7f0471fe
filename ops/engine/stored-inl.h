// SPDX-License-Identifier: Apache-2.0
// Per-target: maps a formula on vectors of float over stored elements of FLOAT, FLOAT16 or BF16.
// Included by kernel files inside Highway's foreach_target loop.
//
// Elements are taken in steps of two vectors. A step is first tried by a fast formula. Where that
// does not hold for some element, the whole step is done by an accurate one, and where that does
// not hold either, by the exact kernel in double: always in vectors, so that no data are slow. As a
// result depends on nothing but its own inputs, the three may take turns. 16-bit results are the
// nearest ones, whichever of them they come from. In FLOAT the exact kernel is only asked for the
// lanes that the accurate formula leaves, and fast results have the accurate ones' bits; so it is
// with 16-bit results that are sums of such.
#if defined(ACLGRAD_OPS_ENGINE_STORED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_STORED_INL_H_
#undef ACLGRAD_OPS_ENGINE_STORED_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_STORED_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ops/engine/dtype/cells-inl.h"
#include "ops/engine/dtype/lanes-inl.h"
#include "ops/engine/elementwise.h"
#include "ops/engine/lut16.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// An exact kernel: one for the dense blocks of the elementwise engine.
using BlockFunction = void (*)(const double* const* in, double* const* out, size_t count);

// What a formula's outputs are.
enum class Outputs {
  kNear,             // within 3 units in the last place of a float
  kNearOrExact,      // within 5, and exact where the float's last bit is 0
  kSum,              // the nearest float to a sum of two elements
  kRounded,          // the nearest float to a sum, a product or a quotient of two elements
  kNearThenRounded,  // the first within 3 units, the second the nearest
  kOdd,              // the exact value rounded to odd
  kElements,         // elements already
  kWithRest,  // the nearest float, and what it leaves out: of the right sign, 0 only if exact
};

// A float's results as elements.
template <class Stored, Outputs kOutputs, size_t kOutput>
struct Packing {
  static constexpr bool kIsSum = kOutputs == Outputs::kSum || kOutputs == Outputs::kOdd;
  static constexpr bool kIsRounded = kIsSum || kOutputs == Outputs::kRounded ||
                                     kOutputs == Outputs::kWithRest ||
                                     (kOutput == 1 && kOutputs == Outputs::kNearThenRounded);
  using Cell = Cells<Stored>;

  template <Taken kTaken>
  static HWY_INLINE typename Cell::Packed pack(FloatTag d, FloatPair v, bool& hold) {
    if constexpr (kOutputs == Outputs::kElements) {
      return Cell::exact(d, v);
    } else if constexpr (kIsRounded) {
      return Cell::template rounded<kTaken, kIsSum>(d, v, hold);
    } else {
      constexpr bool kMayBeExact = kOutputs == Outputs::kNearOrExact;
      constexpr int kDoubt = kMayBeExact ? 5 : 3;
      return Cell::template near<kTaken, kDoubt, kMayBeExact>(d, v, hold);
    }
  }
};

// A formula and what is known about its outputs. Formula: void(d, x, y) with x the input vectors
// and y the outputs (vectors, or each as a DoubleFloat for kWithRest). It may have a fourth
// parameter `valid`, from which it takes the lanes that it leaves to others. An accurate one, and
// one that is both, must be right about NaN and infinities in its valid lanes.
template <Outputs kKind, class Formula>
struct Described {
  static constexpr Outputs kOutputs = kKind;
  Formula formula;
};

// A formula(d, x, value, y), where `value` is what the table has for the pattern of input
// kArgument. For 16-bit elements. As an exact kernel it works in double, d being a tag of that.
template <size_t kTabledArgument, class Formula>
struct Tabled {
  static constexpr size_t kArgument = kTabledArgument;
  const Lut16Values* table;
  Formula formula;
};
template <class Formula>
inline constexpr bool kIsTabled = false;
template <size_t kArgument, class Formula>
inline constexpr bool kIsTabled<Tabled<kArgument, Formula>> = true;

// table[index] for each lane.
template <class D, class VI>
HWY_INLINE hn::Vec<D> look_up(D d, const float* table, VI index) {
#if HWY_TARGET <= HWY_AVX3
  // The instruction keeps lanes that it is told not to load, and so waits for what the register
  // held before: zeros, if the compiler cannot see that there are no such lanes.
  __mmask16 all = 0xffff;
  asm("" : "+k"(all));
  return hn::Vec<D>{
      _mm512_mask_i32gather_ps(hn::Zero(d).raw, all, index.raw, table, sizeof(float))};
#else
  return hn::GatherIndex(d, table, index);
#endif
}

// Calls body(in, out) with the rows of a block's operands, one row of each after the other.
template <class Stored, size_t kIn, size_t kOut, class Body>
HWY_ATTR HWY_INLINE void for_each_row(const StoredBlock& block, const Body& body) {
  const Stored* in[kIn];
  Stored* out[kOut];
  for (size_t k = 0; k < kIn; ++k) in[k] = static_cast<const Stored*>(block.in[k]);
  for (size_t k = 0; k < kOut; ++k) out[k] = static_cast<Stored*>(block.out[k]);
  for (size_t row = 0; row < block.rows; ++row) {
    for (size_t k = 0; row > 0 && k < kIn; ++k) {
      in[k] = reinterpret_cast<const Stored*>(reinterpret_cast<const std::byte*>(in[k]) +
                                              block.in_steps[k]);
    }
    for (size_t k = 0; row > 0 && k < kOut; ++k) {
      out[k] = reinterpret_cast<Stored*>(reinterpret_cast<std::byte*>(out[k]) + block.out_steps[k]);
    }
    body(in, out);
  }
}

// Elements [i, i + count) by an exact kernel, at most kMax; whole vectors of them by a table.
template <size_t kMax, class Exact, class Stored, size_t kIn, size_t kOut>
HWY_ATTR HWY_INLINE void exact_elements(const Exact& exact, const Stored* const (&in)[kIn],
                                        Stored* const (&out)[kOut], size_t i, size_t count) {
  const auto load = [&](size_t k, size_t j)
                        HWY_ATTR { return load_wide(in[k] + i + j, HWY_MIN(kWide, count - j)); };
  const auto store = [&](size_t k, size_t j, WideVec y)
                         HWY_ATTR { store_wide(y, out[k] + i + j, HWY_MIN(kWide, count - j)); };
  if constexpr (kIsTabled<Exact>) {
    for (size_t j = 0; j < count; j += kWide) {
      WideVec x[kIn];
      WideVec y[kOut];
      alignas(64) double value[kWide];
      for (size_t k = 0; k < kIn; ++k) x[k] = load(k, j);
      for (size_t lane = 0; lane < kWide; ++lane) {
        value[lane] = exact.table->exact[in[Exact::kArgument][i + j + lane].bits];
      }
      exact.formula(Wide(), x, hn::Load(Wide(), value), y);
      for (size_t k = 0; k < kOut; ++k) store(k, j, y[k]);
    }
  } else {
    alignas(64) double from[kIn][kMax];
    alignas(64) double to[kOut][kMax];
    const double* sources[kIn];
    double* targets[kOut];
    for (size_t k = 0; k < kIn; ++k) sources[k] = from[k];
    for (size_t k = 0; k < kOut; ++k) targets[k] = to[k];
    for (size_t k = 0; k < kIn; ++k) {
      for (size_t j = 0; j < count; j += kWide) hn::Store(load(k, j), Wide(), from[k] + j);
    }
    exact(sources, targets, count);
    for (size_t k = 0; k < kOut; ++k) {
      for (size_t j = 0; j < count; j += kWide) store(k, j, hn::Load(Wide(), to[k] + j));
    }
  }
}

// All elements by an exact kernel.
template <size_t kIn, size_t kOut, class Stored, class Exact>
HWY_ATTR HWY_NOINLINE void map_exactly(const StoredBlock& block, const Exact& exact) {
  for_each_row<Stored, kIn, kOut>(
      block, [&](const Stored* const(&in)[kIn], Stored* const(&out)[kOut]) HWY_ATTR {
        for (size_t i = 0; i < block.count; i += kBlock) {
          exact_elements<kBlock>(exact, in, out, i, HWY_MIN(kBlock, block.count - i));
        }
      });
}

// Fast and Accurate: Described formulas, the same one where there is but one. Exact: Tabled, or
// callable as a BlockFunction.
template <class Stored, size_t kIn, size_t kOut, class Fast, class Accurate, class Exact>
class StoredMap {
  using Cell = Cells<Stored>;
  using Packed = typename Cell::Packed;

 public:
  StoredMap(const Fast& fast, const Accurate& accurate, const Exact& exact)
      : fast_(fast), accurate_(accurate), exact_(exact) {}

  HWY_ATTR void operator()(const StoredBlock& block) const {
    for_each_row<Stored, kIn, kOut>(
        block, [&](const Stored* const(&in)[kIn], Stored* const(&out)[kOut])
                   HWY_ATTR { map_row(in, out, block.count, block.around_caches); });
  }

 private:
  // Whether accurate results are those of the exact kernel, too.
  static constexpr bool kIsNearest = Cell::kRoundsAgain && Accurate::kOutputs != Outputs::kSum;

  HWY_ATTR void map_row(const Stored* const (&in)[kIn], Stored* const (&out)[kOut], size_t count,
                        bool around_caches) const {
    size_t i = 0;
    if (const size_t head = elements_to_alignment(out); around_caches && head <= count) {
      if (head > 0) part(in, out, 0, head);
      i = steps<Path::kStreaming>(in, out, head, count);
    }
    i = steps<Path::kCached>(in, out, i, count);
    if (i < count) part(in, out, i, count - i);
  }

  // How many steps are taken in another way after one in which a way failed: more, up to a bound,
  // as long as it goes on failing.
  class Backoff {
   public:
    // Where they end, from element i on.
    HWY_INLINE size_t end(size_t i, bool failed_at_once, size_t limit) {
      steps_ = failed_at_once ? HWY_MIN(2 * steps_, kMax) : 1;
      return HWY_MIN(i + steps_ * kStep, limit);
    }

   private:
    static constexpr size_t kMax = 16;
    size_t steps_ = 1;
  };

  // Whole steps from element `i` on; returns where they end.
  template <Path kPath>
  HWY_ATTR HWY_INLINE size_t steps(const Stored* const (&in)[kIn], Stored* const (&out)[kOut],
                                   size_t i, size_t count) const {
    const size_t end = i + (count - i) / kStep * kStep;
    Backoff fast_backoff;
    Backoff accurate_backoff;
    while (i < end) {
      const size_t begin = i;
      i = run<kPath, Taken::kFinite>(fast_, in, out, i, end);
      const size_t accurate_end = fast_backoff.end(i, i == begin, end);
      while (i < accurate_end) {
        const size_t accurate_begin = i;
        i = run<Path::kCached, Taken::kAll>(accurate_, in, out, i, accurate_end);
        const size_t exact_end = accurate_backoff.end(i, i == accurate_begin, accurate_end);
        for (; i < exact_end; i += kStep) exact_step(in, out, i);
      }
    }
    return end;
  }

  // Returns the first step that does not hold, of which nothing is stored, as an output may be an
  // input; or the end. A function that calls no other: over a call, the formula's constants would
  // not stay in registers.
  template <Path kPath, Taken kTaken, class Description>
  static HWY_ATTR HWY_NOINLINE size_t run(const Description& given,
                                          const Stored* const (&inputs)[kIn],
                                          Stored* const (&outputs)[kOut], size_t i, size_t end) {
    // Copies, whose addresses are not taken and which no store could change: they stay in
    // registers.
    const Description description = given;
    const Stored* in[kIn];
    Stored* out[kOut];
    std::copy_n(inputs, kIn, in);
    std::copy_n(outputs, kOut, out);
    for (; i < end; i += kStep) {
      if constexpr (kPath == Path::kStreaming) {
        for (size_t k = 0; k < kIn; ++k) fetch_ahead<kStep * sizeof(Stored)>(in[k] + i);
      }
      Packed packed[kOut];
      if (HWY_UNLIKELY(!compute<kTaken>(description, in, i, packed))) break;
      for (size_t k = 0; k < kOut; ++k) Cell::template store<kPath>(packed[k], out[k] + i);
    }
    return i;
  }

  // As of one output; more than any count if they never reach a whole vector together.
  static size_t elements_to_alignment(Stored* const (&out)[kOut]) {
    const size_t first = HWY_NAMESPACE::elements_to_alignment(out[0]);
    for (const Stored* each : out) {
      if (HWY_NAMESPACE::elements_to_alignment(each) != first) return SIZE_MAX;
    }
    return first;
  }

  // The results of the step from element i on; true if all of them hold. Exact ones, where they are
  // given, replace those of lanes in which the formula is not valid.
  template <Taken kTaken, class Description>
  static HWY_ATTR HWY_INLINE bool compute(const Description& description,
                                          const Stored* const (&in)[kIn], size_t i,
                                          Packed (&packed)[kOut],
                                          const Stored* const* exact = nullptr) {
    constexpr bool kHasRest = Description::kOutputs == Outputs::kWithRest;
    using X = Floats[kIn];
    using Y = std::conditional_t<kHasRest, DoubleFloat<Floats>, Floats>[kOut];
    const FloatTag d;
    Y y[2];
    FloatMask valid[2] = {hn::FirstN(d, kFloatLanes), hn::FirstN(d, kFloatLanes)};
    const bool has_mask = apply<kTaken, X, 0>(description.formula, in, i, y[0], valid[0]);
    apply<kTaken, X, 1>(description.formula, in, i, y[1], valid[1]);
    bool hold = !has_mask || hn::AllTrue(d, hn::And(valid[0], valid[1]));
    for_each_output([&](auto output) HWY_ATTR {
      constexpr size_t k = decltype(output)::value;
      using Pack = Packing<Stored, Description::kOutputs, k>;
      if constexpr (!kHasRest && !kIsNearest) {
        if (exact != nullptr) {
          y[0][k] = hn::IfThenElse(valid[0], y[0][k], Cell::template load<0>(d, exact[k]));
          y[1][k] = hn::IfThenElse(valid[1], y[1][k], Cell::template load<1>(d, exact[k]));
        }
      }
      if constexpr (kHasRest) {
        const FloatPair odd{to_odd<kTaken>(y[0][k], hold), to_odd<kTaken>(y[1][k], hold)};
        packed[k] = Pack::template pack<kTaken>(d, odd, hold);
      } else {
        packed[k] = Pack::template pack<kTaken>(d, FloatPair{y[0][k], y[1][k]}, hold);
      }
    });
    return hold;
  }

  template <class Function>
  static HWY_ATTR HWY_INLINE void for_each_output(const Function& function) {
    [&]<size_t... k>(std::index_sequence<k...>) HWY_ATTR {
      (function(std::integral_constant<size_t, k>()), ...);
    }
    (std::make_index_sequence<kOut>());
  }

  // Says whether the formula has its own opinion on what is valid.
  template <Taken kTaken, class X, int kVector, class Formula, class Y>
  static HWY_ATTR HWY_INLINE bool apply(const Formula& formula, const Stored* const (&in)[kIn],
                                        size_t i, Y& y, FloatMask& valid) {
    X x;
    for (size_t k = 0; k < kIn; ++k) x[k] = Cell::template load<kVector>(FloatTag(), in[k] + i);
    const FloatTag d;
    if constexpr (kIsTabled<Formula>) {
      const auto pattern = Cell::template pattern<kVector>(d, in[Formula::kArgument] + i);
      const Floats value = look_up(d, formula.table->fast, pattern);
      using Inner = decltype(formula.formula);
      if constexpr (std::is_invocable_v<Inner, FloatTag, const X&, Floats, Y&>) {
        formula.formula(d, x, value, y);
      } else {
        formula.formula(d, x, value, y, valid);
      }
      // An entry that is not known is NaN, too, which is not to be taken.
      if constexpr (kTaken == Taken::kAll) {
        const auto known = hn::Or(hn::Eq(value, value), hn::IsNaN(x[Formula::kArgument]));
        valid = hn::And(valid, known);
      }
      return kTaken == Taken::kAll;
    } else if constexpr (std::is_invocable_v<Formula, FloatTag, const X&, Y&>) {
      formula(d, x, y);
      return false;
    } else {
      formula(d, x, y, valid);
      return true;
    }
  }

  template <Taken kTaken>
  static HWY_INLINE Floats to_odd(DoubleFloat<Floats> y, bool& hold) {
    const FloatTag d;
    // Among the smallest numbers the rest may be lost.
    const auto large = hn::Gt(hn::Abs(y.high), hn::Set(d, 0x1p-100f));
    const auto finite = hn::IsFinite(y.high);
    auto regular = hn::Or(large, hn::Eq(y.high, hn::Zero(d)));
    regular =
        kTaken == Taken::kFinite ? hn::And(regular, finite) : hn::Or(regular, hn::Not(finite));
    hold = hold && hn::AllTrue(d, regular);
    if constexpr (!Cell::kRoundsAgain) return y.high;
    return hn::IfThenElse(finite, round_to_odd(d, y.high, y.low), y.high);
  }

  // A step that is not full, by way of a full one.
  HWY_ATTR HWY_NOINLINE void part(const Stored* const (&in)[kIn], Stored* const (&out)[kOut],
                                  size_t i, size_t count) const {
    alignas(64) Stored from[kIn][kStep] = {};
    alignas(64) Stored to[kOut][kStep];
    const Stored* sources[kIn];
    Stored* targets[kOut];
    for (size_t k = 0; k < kIn; ++k) {
      std::memcpy(from[k], in[k] + i, count * sizeof(Stored));
      sources[k] = from[k];
    }
    for (size_t k = 0; k < kOut; ++k) targets[k] = to[k];
    if (run<Path::kCached, Taken::kAll>(accurate_, sources, targets, 0, kStep) == 0) {
      exact_step(sources, targets, 0);
    }
    for (size_t k = 0; k < kOut; ++k) std::memcpy(out[k] + i, to[k], count * sizeof(Stored));
  }

  // The step from element i on by the exact kernel, where the accurate formula does not hold.
  HWY_ATTR HWY_NOINLINE void exact_step(const Stored* const (&in)[kIn], Stored* const (&out)[kOut],
                                        size_t i) const {
    if constexpr (kIsNearest) {
      exact_elements<kStep>(exact_, in, out, i, kStep);
    } else {
      alignas(64) Stored held[kOut][kStep];
      Stored* all[kOut];
      const Stored* exact[kOut];
      const Stored* sources[kIn];
      for (size_t k = 0; k < kOut; ++k) exact[k] = all[k] = held[k];
      for (size_t k = 0; k < kIn; ++k) sources[k] = in[k] + i;
      exact_elements<kStep>(exact_, sources, all, 0, kStep);
      Packed packed[kOut];
      compute<Taken::kAll>(accurate_, in, i, packed, exact);
      for (size_t k = 0; k < kOut; ++k) {
        Cell::template store<Path::kCached>(packed[k], out[k] + i);
      }
    }
  }

  const Fast& fast_;
  const Accurate& accurate_;
  const Exact& exact_;
};

// FLOAT by a formula, with a shorter one for those elements for which it gives the same results.
template <size_t kIn, size_t kOut, Outputs kOutputs, class Inner, class Formula, class Exact>
HWY_ATTR void map_floats(const StoredBlock& block, const Inner& inner, const Formula& formula,
                         const Exact& exact) {
  using First = Described<kOutputs, Inner>;
  using Second = Described<kOutputs, Formula>;
  const First first{inner};
  const Second second{formula};
  StoredMap<float, kIn, kOut, First, Second, Exact>(first, second, exact)(block);
}

// With one formula.
template <size_t kIn, size_t kOut, Outputs kOutputs, class Formula, class Exact>
HWY_ATTR void map_floats(const StoredBlock& block, const Formula& formula, const Exact& exact) {
  map_floats<kIn, kOut, kOutputs>(block, formula, formula, exact);
}

// 16-bit elements by a fast and an accurate formula.
template <size_t kIn, size_t kOut, Outputs kOutputs, Outputs kAccurateOutputs = kOutputs,
          class Fast, class Accurate, class Exact>
HWY_ATTR void map_16bit(const StoredBlock& block, const Fast& fast, const Accurate& accurate,
                        const Exact& exact) {
  using First = Described<kOutputs, Fast>;
  using Second = Described<kAccurateOutputs, Accurate>;
  const First first{fast};
  const Second second{accurate};
  if (block.dtype == ACL_FLOAT16) {
    StoredMap<Half, kIn, kOut, First, Second, Exact>(first, second, exact)(block);
  } else {
    StoredMap<Bfloat, kIn, kOut, First, Second, Exact>(first, second, exact)(block);
  }
}

// With one formula.
template <size_t kIn, size_t kOut, Outputs kOutputs, class Formula, class Exact>
HWY_ATTR void map_16bit(const StoredBlock& block, const Formula& formula, const Exact& exact) {
  map_16bit<kIn, kOut, kOutputs>(block, formula, formula, exact);
}

// All of them with one formula.
template <size_t kIn, size_t kOut, Outputs kOutputs = Outputs::kNear, class Formula, class Exact>
HWY_ATTR void map_stored(const StoredBlock& block, const Formula& formula, const Exact& exact) {
  if (block.dtype == ACL_FLOAT) return map_floats<kIn, kOut, kOutputs>(block, formula, exact);
  map_16bit<kIn, kOut, kOutputs>(block, formula, exact);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
