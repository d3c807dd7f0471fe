// SPDX-License-Identifier: Apache-2.0
// Per-target: maps a formula on vectors of float over elements of FLOAT, FLOAT16 or BF16, in the
// native dtype of the tensor. Included by kernel files inside Highway's foreach_target loop.
//
// Elements are computed in steps of two vectors, in three tiers:
//
//   fast      a formula in float whose error bound may fail for some inputs
//   accurate  a formula in float for nearly all inputs, NaN and infinities included
//   exact     a kernel in double
//
// A step in which a tier cannot guarantee some element goes to the next tier as a whole, in
// vectors, so that time does not depend on the data. The bits of a result do not depend on the
// tier: 16-bit results are correctly rounded in each; in FLOAT the fast formula gives the bits of
// the accurate one, and the exact kernel replaces only lanes that the accurate formula marks as not
// valid. 16-bit results that are sums are computed as in FLOAT.
#if defined(ACLGRAD_OPS_ENGINE_NATIVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_NATIVE_INL_H_
#undef ACLGRAD_OPS_ENGINE_NATIVE_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_NATIVE_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/dtype/load_store-inl.h"
#include "ops/engine/elementwise.h"
#include "ops/engine/lut16.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// An exact kernel: one for the dense blocks of the elementwise engine.
using BlockFunction = void (*)(const double* const* in, double* const* out, size_t count);

// The error bound of a formula's outputs, in ulp of a float.
enum class Outputs {
  kNear,             // within 3 ulp
  kNearOrExact,      // within 5 ulp, and exact where the float's last bit is 0
  kSum,              // a sum of two elements, correctly rounded
  kRounded,          // a sum, product or quotient of two elements, correctly rounded
  kNearThenRounded,  // the first output within 3 ulp, the second correctly rounded
  kOdd,              // the exact value rounded to odd
  kElements,         // values of the element type
  kWithRest,  // correctly rounded, with the rounding error: of the right sign, 0 only if exact
};

// Rounds the results of a formula to elements.
template <class Element, Outputs kOutputs, size_t kOutput>
struct Packing {
  static constexpr bool kIsSum = kOutputs == Outputs::kSum || kOutputs == Outputs::kOdd;
  static constexpr bool kIsRounded = kIsSum || kOutputs == Outputs::kRounded ||
                                     kOutputs == Outputs::kWithRest ||
                                     (kOutput == 1 && kOutputs == Outputs::kNearThenRounded);
  using Traits = LoadStore<Element>;

  template <Accept kAccept>
  static HWY_INLINE typename Traits::Packed pack(FloatTag d, FloatPair v, bool& accepted) {
    if constexpr (kOutputs == Outputs::kElements) {
      return Traits::exact(d, v);
    } else if constexpr (kIsRounded) {
      return Traits::template rounded<kAccept, kIsSum>(d, v, accepted);
    } else {
      constexpr bool kMayBeExact = kOutputs == Outputs::kNearOrExact;
      constexpr int kErrorUlp = kMayBeExact ? 5 : 3;
      return Traits::template near<kAccept, kErrorUlp, kMayBeExact>(d, v, accepted);
    }
  }
};

// The fast or the accurate tier: a formula and the error bound of its outputs. Formula: void(d, x,
// y) with x the input vectors and y the outputs (vectors, or an Expansion each for kWithRest). It
// may have a fourth parameter `valid`, in which it clears the lanes that it cannot compute. The
// accurate tier must be right about NaN and infinities in its valid lanes.
template <Outputs kKind, class Formula>
struct Tier {
  static constexpr Outputs kOutputs = kKind;
  Formula formula;
};

// A formula(d, x, value, y) for 16-bit elements, where `value` is the table's entry for input
// kArgument. As the exact tier it works in double: d is a tag of double.
template <size_t kTableArgument, class Formula>
struct TableFormula {
  static constexpr size_t kArgument = kTableArgument;
  const Lut16Values* table;
  Formula formula;
};
template <class Formula>
inline constexpr bool kUsesTable = false;
template <size_t kArgument, class Formula>
inline constexpr bool kUsesTable<TableFormula<kArgument, Formula>> = true;

// table[index] for each lane.
template <class D, class VI>
HWY_INLINE hn::Vec<D> look_up(D d, const float* table, VI index) {
#if HWY_TARGET <= HWY_AVX3
  // A masked gather merges into its destination register and waits for that register's old value.
  // A mask that is opaque to the compiler makes it clear the register first.
  __mmask16 all = 0xffff;
  asm("" : "+k"(all));
  return hn::Vec<D>{
      _mm512_mask_i32gather_ps(hn::Zero(d).raw, all, index.raw, table, sizeof(float))};
#else
  return hn::GatherIndex(d, table, index);
#endif
}

// Calls body(in, out) with the rows of a block's operands, one row of each after the other.
template <class Element, size_t kIn, size_t kOut, class Body>
HWY_ATTR HWY_INLINE void for_each_row(const NativeBlock& block, const Body& body) {
  const Element* in[kIn];
  Element* out[kOut];
  for (size_t k = 0; k < kIn; ++k) in[k] = static_cast<const Element*>(block.in[k]);
  for (size_t k = 0; k < kOut; ++k) out[k] = static_cast<Element*>(block.out[k]);
  for (size_t row = 0; row < block.rows; ++row) {
    for (size_t k = 0; row > 0 && k < kIn; ++k) {
      in[k] = reinterpret_cast<const Element*>(reinterpret_cast<const std::byte*>(in[k]) +
                                               block.in_steps[k]);
    }
    for (size_t k = 0; row > 0 && k < kOut; ++k) {
      out[k] =
          reinterpret_cast<Element*>(reinterpret_cast<std::byte*>(out[k]) + block.out_steps[k]);
    }
    body(in, out);
  }
}

// Elements [i, i + count) by an exact kernel, at most kMax; whole vectors of them by a table.
template <size_t kMax, class Exact, class Element, size_t kIn, size_t kOut>
HWY_ATTR HWY_INLINE void exact_elements(const Exact& exact, const Element* const (&in)[kIn],
                                        Element* const (&out)[kOut], size_t i, size_t count) {
  const auto load = [&](size_t k, size_t j) HWY_ATTR {
    return load_doubles(in[k] + i + j, HWY_MIN(kDoubleLanes, count - j));
  };
  const auto store = [&](size_t k, size_t j, Doubles y) HWY_ATTR {
    store_doubles(y, out[k] + i + j, HWY_MIN(kDoubleLanes, count - j));
  };
  if constexpr (kUsesTable<Exact>) {
    for (size_t j = 0; j < count; j += kDoubleLanes) {
      Doubles x[kIn];
      Doubles y[kOut];
      alignas(64) double value[kDoubleLanes];
      for (size_t k = 0; k < kIn; ++k) x[k] = load(k, j);
      for (size_t lane = 0; lane < kDoubleLanes; ++lane) {
        value[lane] = exact.table->exact[in[Exact::kArgument][i + j + lane].bits];
      }
      exact.formula(DoubleTag(), x, hn::Load(DoubleTag(), value), y);
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
      for (size_t j = 0; j < count; j += kDoubleLanes)
        hn::Store(load(k, j), DoubleTag(), from[k] + j);
    }
    exact(sources, targets, count);
    for (size_t k = 0; k < kOut; ++k) {
      for (size_t j = 0; j < count; j += kDoubleLanes)
        store(k, j, hn::Load(DoubleTag(), to[k] + j));
    }
  }
}

// All elements by an exact kernel.
template <size_t kIn, size_t kOut, class Element, class Exact>
HWY_ATTR HWY_NOINLINE void map_exactly(const NativeBlock& block, const Exact& exact) {
  for_each_row<Element, kIn, kOut>(
      block, [&](const Element* const(&in)[kIn], Element* const(&out)[kOut]) HWY_ATTR {
        for (size_t i = 0; i < block.count; i += kBlock) {
          exact_elements<kBlock>(exact, in, out, i, HWY_MIN(kBlock, block.count - i));
        }
      });
}

// Fast and Accurate: Tiers; one Tier serves as both where an operator has one formula. Exact:
// TableFormula, or callable as a BlockFunction.
template <class Element, size_t kIn, size_t kOut, class Fast, class Accurate, class Exact>
class NativeMap {
  using Traits = LoadStore<Element>;
  using Packed = typename Traits::Packed;

 public:
  NativeMap(const Fast& fast, const Accurate& accurate, const Exact& exact)
      : fast_(fast), accurate_(accurate), exact_(exact) {}

  HWY_ATTR void operator()(const NativeBlock& block) const {
    for_each_row<Element, kIn, kOut>(
        block, [&](const Element* const(&in)[kIn], Element* const(&out)[kOut])
                   HWY_ATTR { map_row(in, out, block.count, block.streaming); });
  }

 private:
  // Whether accurate results equal those of the exact kernel, as both are correctly rounded.
  static constexpr bool kIsCorrectlyRounded =
      Traits::kIs16Bit && Accurate::kOutputs != Outputs::kSum;

  HWY_ATTR void map_row(const Element* const (&in)[kIn], Element* const (&out)[kOut], size_t count,
                        bool streaming) const {
    size_t i = 0;
    if (const size_t unaligned = elements_to_alignment(out); streaming && unaligned <= count) {
      if (unaligned > 0) partial_step(in, out, 0, unaligned);
      i = steps<StoreMode::kStreaming>(in, out, unaligned, count);
    }
    i = steps<StoreMode::kCached>(in, out, i, count);
    if (i < count) partial_step(in, out, i, count - i);
  }

  // How many steps skip a tier after a step in which it failed: twice as many each time it fails
  // again at once, up to kMax.
  class Backoff {
   public:
    // The end of these steps, from element i on.
    HWY_INLINE size_t end(size_t i, bool failed_at_once, size_t limit) {
      steps_ = failed_at_once ? HWY_MIN(2 * steps_, kMax) : 1;
      return HWY_MIN(i + steps_ * kStep, limit);
    }

   private:
    static constexpr size_t kMax = 16;
    size_t steps_ = 1;
  };

  // Whole steps from element `i` on; returns where they end.
  template <StoreMode kMode>
  HWY_ATTR HWY_INLINE size_t steps(const Element* const (&in)[kIn], Element* const (&out)[kOut],
                                   size_t i, size_t count) const {
    const size_t end = i + (count - i) / kStep * kStep;
    Backoff fast_backoff;
    Backoff accurate_backoff;
    while (i < end) {
      const size_t begin = i;
      i = run<kMode, Accept::kFinite>(fast_, in, out, i, end);
      const size_t accurate_end = fast_backoff.end(i, i == begin, end);
      while (i < accurate_end) {
        const size_t accurate_begin = i;
        i = run<StoreMode::kCached, Accept::kAll>(accurate_, in, out, i, accurate_end);
        const size_t exact_end = accurate_backoff.end(i, i == accurate_begin, accurate_end);
        for (; i < exact_end; i += kStep) exact_step(in, out, i);
      }
    }
    return end;
  }

  // Returns the first step that the tier cannot guarantee, or the end. Nothing of that step is
  // written, as an output may be an input. The loop calls no function: the formula's constants
  // would not stay in registers across a call.
  template <StoreMode kMode, Accept kAccept, class Description>
  static HWY_ATTR HWY_NOINLINE size_t run(const Description& given,
                                          const Element* const (&inputs)[kIn],
                                          Element* const (&outputs)[kOut], size_t i, size_t end) {
    // Copies, whose addresses are not taken and which no store could change: they stay in
    // registers.
    const Description description = given;
    const Element* in[kIn];
    Element* out[kOut];
    std::copy_n(inputs, kIn, in);
    std::copy_n(outputs, kOut, out);
    for (; i < end; i += kStep) {
      if constexpr (kMode == StoreMode::kStreaming) {
        for (size_t k = 0; k < kIn; ++k) fetch_ahead<kStep * sizeof(Element)>(in[k] + i);
      }
      Packed packed[kOut];
      if (HWY_UNLIKELY(!compute<kAccept>(description, in, i, packed))) break;
      for (size_t k = 0; k < kOut; ++k) Traits::template store<kMode>(packed[k], out[k] + i);
    }
    return i;
  }

  // Elements before all outputs are aligned to a vector; SIZE_MAX if they never are together.
  static size_t elements_to_alignment(Element* const (&out)[kOut]) {
    const size_t first = HWY_NAMESPACE::elements_to_alignment(out[0]);
    for (const Element* each : out) {
      if (HWY_NAMESPACE::elements_to_alignment(each) != first) return SIZE_MAX;
    }
    return first;
  }

  // The results of the step from element i on; returns whether all are guaranteed. `exact`, where
  // given, replaces the lanes in which the formula is not valid.
  template <Accept kAccept, class Description>
  static HWY_ATTR HWY_INLINE bool compute(const Description& description,
                                          const Element* const (&in)[kIn], size_t i,
                                          Packed (&packed)[kOut],
                                          const Element* const* exact = nullptr) {
    constexpr bool kHasRest = Description::kOutputs == Outputs::kWithRest;
    using X = Floats[kIn];
    using Y = std::conditional_t<kHasRest, Expansion<Floats>, Floats>[kOut];
    const FloatTag d;
    Y y[2];
    FloatMask valid[2] = {hn::FirstN(d, kFloatLanes), hn::FirstN(d, kFloatLanes)};
    const bool has_mask = apply<kAccept, X, 0>(description.formula, in, i, y[0], valid[0]);
    apply<kAccept, X, 1>(description.formula, in, i, y[1], valid[1]);
    bool accepted = !has_mask || hn::AllTrue(d, hn::And(valid[0], valid[1]));
    for_each_output([&](auto output) HWY_ATTR {
      constexpr size_t k = decltype(output)::value;
      using Pack = Packing<Element, Description::kOutputs, k>;
      if constexpr (!kHasRest && !kIsCorrectlyRounded) {
        if (exact != nullptr) {
          y[0][k] = hn::IfThenElse(valid[0], y[0][k], Traits::template load<0>(d, exact[k]));
          y[1][k] = hn::IfThenElse(valid[1], y[1][k], Traits::template load<1>(d, exact[k]));
        }
      }
      if constexpr (kHasRest) {
        const FloatPair odd{to_odd<kAccept>(y[0][k], accepted), to_odd<kAccept>(y[1][k], accepted)};
        packed[k] = Pack::template pack<kAccept>(d, odd, accepted);
      } else {
        packed[k] = Pack::template pack<kAccept>(d, FloatPair{y[0][k], y[1][k]}, accepted);
      }
    });
    return accepted;
  }

  template <class Function>
  static HWY_ATTR HWY_INLINE void for_each_output(const Function& function) {
    [&]<size_t... k>(std::index_sequence<k...>) HWY_ATTR {
      (function(std::integral_constant<size_t, k>()), ...);
    }
    (std::make_index_sequence<kOut>());
  }

  // Returns whether the formula has a parameter `valid`.
  template <Accept kAccept, class X, int kVector, class Formula, class Y>
  static HWY_ATTR HWY_INLINE bool apply(const Formula& formula, const Element* const (&in)[kIn],
                                        size_t i, Y& y, FloatMask& valid) {
    X x;
    for (size_t k = 0; k < kIn; ++k) x[k] = Traits::template load<kVector>(FloatTag(), in[k] + i);
    const FloatTag d;
    if constexpr (kUsesTable<Formula>) {
      const auto pattern = Traits::template pattern<kVector>(d, in[Formula::kArgument] + i);
      const Floats value = look_up(d, formula.table->fast, pattern);
      using Inner = decltype(formula.formula);
      if constexpr (std::is_invocable_v<Inner, FloatTag, const X&, Floats, Y&>) {
        formula.formula(d, x, value, y);
      } else {
        formula.formula(d, x, value, y, valid);
      }
      // NaN marks an entry that is not known; it is a result only where the argument is NaN.
      if constexpr (kAccept == Accept::kAll) {
        const auto known = hn::Or(hn::Eq(value, value), hn::IsNaN(x[Formula::kArgument]));
        valid = hn::And(valid, known);
      }
      return kAccept == Accept::kAll;
    } else if constexpr (std::is_invocable_v<Formula, FloatTag, const X&, Y&>) {
      formula(d, x, y);
      return false;
    } else {
      formula(d, x, y, valid);
      return true;
    }
  }

  template <Accept kAccept>
  static HWY_INLINE Floats to_odd(Expansion<Floats> y, bool& accepted) {
    const FloatTag d;
    // Below 2^-100 the rounding error may underflow.
    const auto large = hn::Gt(hn::Abs(y.high), hn::Set(d, 0x1p-100f));
    const auto finite = hn::IsFinite(y.high);
    auto regular = hn::Or(large, hn::Eq(y.high, hn::Zero(d)));
    regular =
        kAccept == Accept::kFinite ? hn::And(regular, finite) : hn::Or(regular, hn::Not(finite));
    accepted = accepted && hn::AllTrue(d, regular);
    if constexpr (!Traits::kIs16Bit) return y.high;
    return hn::IfThenElse(finite, round_to_odd(d, y.high, y.low), y.high);
  }

  // Fewer elements than a step has, copied to and from a full step.
  HWY_ATTR HWY_NOINLINE void partial_step(const Element* const (&in)[kIn],
                                          Element* const (&out)[kOut], size_t i,
                                          size_t count) const {
    alignas(64) Element from[kIn][kStep] = {};
    alignas(64) Element to[kOut][kStep];
    const Element* sources[kIn];
    Element* targets[kOut];
    for (size_t k = 0; k < kIn; ++k) {
      std::memcpy(from[k], in[k] + i, count * sizeof(Element));
      sources[k] = from[k];
    }
    for (size_t k = 0; k < kOut; ++k) targets[k] = to[k];
    if (run<StoreMode::kCached, Accept::kAll>(accurate_, sources, targets, 0, kStep) == 0) {
      exact_step(sources, targets, 0);
    }
    for (size_t k = 0; k < kOut; ++k) std::memcpy(out[k] + i, to[k], count * sizeof(Element));
  }

  // The step from element i on by the exact kernel, for lanes that the accurate tier cannot
  // compute.
  HWY_ATTR HWY_NOINLINE void exact_step(const Element* const (&in)[kIn],
                                        Element* const (&out)[kOut], size_t i) const {
    if constexpr (kIsCorrectlyRounded) {
      exact_elements<kStep>(exact_, in, out, i, kStep);
    } else {
      alignas(64) Element buffer[kOut][kStep];
      Element* all[kOut];
      const Element* exact[kOut];
      const Element* sources[kIn];
      for (size_t k = 0; k < kOut; ++k) exact[k] = all[k] = buffer[k];
      for (size_t k = 0; k < kIn; ++k) sources[k] = in[k] + i;
      exact_elements<kStep>(exact_, sources, all, 0, kStep);
      Packed packed[kOut];
      compute<Accept::kAll>(accurate_, in, i, packed, exact);
      for (size_t k = 0; k < kOut; ++k) {
        Traits::template store<StoreMode::kCached>(packed[k], out[k] + i);
      }
    }
  }

  const Fast& fast_;
  const Accurate& accurate_;
  const Exact& exact_;
};

// FLOAT by an accurate formula, and a fast one that gives the accurate formula's bits where valid.
template <size_t kIn, size_t kOut, Outputs kOutputs, class Inner, class Formula, class Exact>
HWY_ATTR void map_floats(const NativeBlock& block, const Inner& inner, const Formula& formula,
                         const Exact& exact) {
  using First = Tier<kOutputs, Inner>;
  using Second = Tier<kOutputs, Formula>;
  const First first{inner};
  const Second second{formula};
  NativeMap<float, kIn, kOut, First, Second, Exact>(first, second, exact)(block);
}

// With one formula.
template <size_t kIn, size_t kOut, Outputs kOutputs, class Formula, class Exact>
HWY_ATTR void map_floats(const NativeBlock& block, const Formula& formula, const Exact& exact) {
  map_floats<kIn, kOut, kOutputs>(block, formula, formula, exact);
}

// 16-bit elements by a fast and an accurate formula.
template <size_t kIn, size_t kOut, Outputs kOutputs, Outputs kAccurateOutputs = kOutputs,
          class Fast, class Accurate, class Exact>
HWY_ATTR void map_16bit(const NativeBlock& block, const Fast& fast, const Accurate& accurate,
                        const Exact& exact) {
  using First = Tier<kOutputs, Fast>;
  using Second = Tier<kAccurateOutputs, Accurate>;
  const First first{fast};
  const Second second{accurate};
  if (block.dtype == ACL_FLOAT16) {
    NativeMap<Float16, kIn, kOut, First, Second, Exact>(first, second, exact)(block);
  } else {
    NativeMap<Bfloat16, kIn, kOut, First, Second, Exact>(first, second, exact)(block);
  }
}

// With one formula.
template <size_t kIn, size_t kOut, Outputs kOutputs, class Formula, class Exact>
HWY_ATTR void map_16bit(const NativeBlock& block, const Formula& formula, const Exact& exact) {
  map_16bit<kIn, kOut, kOutputs>(block, formula, formula, exact);
}

// FLOAT, FLOAT16 and BF16 with one formula.
template <size_t kIn, size_t kOut, Outputs kOutputs = Outputs::kNear, class Formula, class Exact>
HWY_ATTR void map_native(const NativeBlock& block, const Formula& formula, const Exact& exact) {
  if (block.dtype == ACL_FLOAT) return map_floats<kIn, kOut, kOutputs>(block, formula, exact);
  map_16bit<kIn, kOut, kOutputs>(block, formula, exact);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
