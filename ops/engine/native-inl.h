// SPDX-License-Identifier: Apache-2.0
// Per-target: maps a formula on vectors of float over elements of FLOAT, FLOAT16 or BF16, in the
// native dtype of the tensor. Included by kernel files inside Highway's foreach_target loop.
//
// Elements are computed in vector pairs, in two tiers: a formula in float, and for pairs in which
// it cannot guarantee some element an exact kernel in double. GELU's formula has a shorter form,
// without what only tails need, which is asked first (map_floats_fast_first). The bits of a result
// do not depend on its neighbours: 16-bit results are correctly rounded in all tiers; of FLOAT and
// of Outputs::kRoundedToOdd the exact kernel replaces only those lanes that the formula marks as
// not valid. A formula must be valid for data that anybody has, NaN and infinities included: the
// exact kernel takes some thirty times as long.
#if defined(ACLGRAD_OPS_ENGINE_NATIVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_NATIVE_INL_H_
#undef ACLGRAD_OPS_ENGINE_NATIVE_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_NATIVE_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "ops/engine/block-inl.h"
#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/dtype/load_store-inl.h"
#include "ops/engine/elementwise.h"
#include "ops/engine/lut16.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// An exact kernel: one for the dense blocks of the elementwise engine.
using BlockFunction = void (*)(const double* const* in, double* const* out, size_t count);

// What a formula promises of its outputs. It counts for 16-bit elements only: of FLOAT every valid
// lane is a result.
enum class Outputs {
  kRoundedToOdd,  // the exact value rounded to odd, or a float whose second rounding is innocuous
  kRoundedUnlessTiny,  // the same, but for results below 2^-100 that are not 0
  kWithin3Ulp,         // of a float
  kWithin5UlpOrExact,  // within 5 ulp of a float, and exact where the float's last bit is 0
};

// A formula(d, x, value, y, valid) for 16-bit elements, where `value` is the table's entry for
// input kArgument. What it takes out of `valid` must have a first result that is not finite. As an
// exact kernel it works in double: d is a tag of double.
struct NoMask {};  // stands for `valid` where it is not asked for
template <class Valid>
inline constexpr bool kIsAsked = !std::is_same_v<std::remove_reference_t<Valid>, NoMask>;
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
                                               block.in_strides[k]);
    }
    for (size_t k = 0; row > 0 && k < kOut; ++k) {
      out[k] =
          reinterpret_cast<Element*>(reinterpret_cast<std::byte*>(out[k]) + block.out_strides[k]);
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
      const Doubles entry = hn::Load(DoubleTag(), value);
      NoMask not_asked;
      exact.formula(DoubleTag(), x, entry, y, not_asked);
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

template <class Exact>
inline constexpr bool kIsNativeMap = false;

// kOutputs is for the first output, kOthers for the others.
// Formula: void(d, x, y) with x the input vectors and y the outputs. It may have a fourth parameter
// `valid`, in which it clears the lanes that it cannot compute, and then return a bool that says
// whether all are valid, where it knows that without the mask. Either may be a TableFormula; Exact
// is callable as a BlockFunction otherwise, or another map, whose formula has the same bits.
template <class Element, size_t kIn, size_t kOut, Outputs kOutputs, Outputs kOthers, class Formula,
          class Exact>
class NativeMap {
  using Traits = LoadStore<Element>;
  using Packed = typename Traits::Packed;

 public:
  NativeMap(const Formula& formula, const Exact& exact) : formula_(formula), exact_(exact) {}

  HWY_ATTR void operator()(const NativeBlock& block) const {
    for_each_row<Element, kIn, kOut>(
        block, [&](const Element* const(&in)[kIn], Element* const(&out)[kOut])
                   HWY_ATTR { map_row(in, out, block.count, block.streaming); });
  }

  // Whole vector pairs from element `i` on; returns where they end.
  template <StoreMode kMode>
  HWY_ATTR HWY_INLINE size_t map_pairs(const Element* const (&in)[kIn], Element* const (&out)[kOut],
                                       size_t i, size_t count) const {
    const size_t end = i + (count - i) / kPairLanes * kPairLanes;
    // How many pairs skip the formula after one in which it failed: twice as many each time it
    // fails again at once, as an attempt takes as long as many pairs.
    size_t skipped = 1;
    for (size_t begin = i; (i = run<kMode>(formula_, in, out, begin, end)) < end; begin = i) {
      skipped = i == begin ? HWY_MIN(2 * skipped, kMaxSkipped) : 1;
      const size_t exact_end = HWY_MIN(i + skipped * kPairLanes, end);
      if constexpr (kIsNativeMap<Exact>) {
        i = exact_.template map_pairs<StoreMode::kCached>(in, out, i, exact_end);
      } else {
        for (; i < exact_end; i += kPairLanes) exact_pair(in, out, i);
      }
    }
    return end;
  }

 private:
  static constexpr size_t kMaxSkipped = 16;
  static constexpr bool kHasMask =
      kUsesTable<Formula>
          ? kOutputs != Outputs::kRoundedToOdd
          : !std::is_invocable_v<const Formula&, FloatTag, const Floats (&)[kIn], Floats (&)[kOut]>;
  static constexpr bool kSaysIfValid = [] {
    if constexpr (kHasMask && !kUsesTable<Formula>) {
      return std::is_same_v<bool,
                            std::invoke_result_t<const Formula&, FloatTag, const Floats(&)[kIn],
                                                 Floats(&)[kOut], FloatMask&>>;
    }
    return false;
  }();

  HWY_ATTR void map_row(const Element* const (&in)[kIn], Element* const (&out)[kOut], size_t count,
                        bool streaming) const {
    size_t i = 0;
    if (const size_t unaligned = elements_to_alignment(out); streaming && unaligned <= count) {
      if (unaligned > 0) partial_pair(in, out, 0, unaligned);
      i = map_pairs<StoreMode::kStreaming>(in, out, unaligned, count);
    } else {
      i = map_pairs<StoreMode::kCached>(in, out, 0, count);
    }
    if (i < count) partial_pair(in, out, i, count - i);
  }

  // Returns the first pair that the formula cannot guarantee, or the end. Nothing of that pair is
  // written, as an output may be an input. The loop calls no function: the formula's constants
  // would not stay in registers across a call.
  template <StoreMode kMode>
  static HWY_ATTR HWY_NOINLINE size_t run(const Formula& given, const Element* const (&inputs)[kIn],
                                          Element* const (&outputs)[kOut], size_t i, size_t end) {
    // Copies, whose addresses are not taken and which no store could change: they stay in
    // registers.
    const Formula formula = given;
    const Element* in[kIn];
    Element* out[kOut];
    std::copy_n(inputs, kIn, in);
    std::copy_n(outputs, kOut, out);
    for (; i < end; i += kPairLanes) {
      if constexpr (kMode == StoreMode::kStreaming) {
        for (size_t k = 0; k < kIn; ++k) fetch_ahead<kPairLanes * sizeof(Element)>(in[k] + i);
      }
      Packed packed[kOut];
      if (HWY_UNLIKELY(!compute(formula, in, i, packed))) break;
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

  // Masks of tables take long, so that the loop only asks whether results are finite.
  enum class Masks { kOfFormulas, kOfTables };

  // The results of the pair from element i on; returns whether all are guaranteed. `exact`, where
  // given, replaces the lanes in which the formula is not valid.
  template <Masks kMasks = Masks::kOfFormulas>
  static HWY_ATTR HWY_INLINE bool compute(const Formula& formula, const Element* const (&in)[kIn],
                                          size_t i, Packed (&packed)[kOut],
                                          const Element* const* exact = nullptr) {
    const FloatTag d;
    Floats y[2][kOut];
    FloatMask valid[2] = {hn::FirstN(d, kFloatLanes), hn::FirstN(d, kFloatLanes)};
    bool accepted = true;
    const auto apply = [&](auto vector) HWY_ATTR {
      Floats x[kIn];
      for (size_t k = 0; k < kIn; ++k) x[k] = Traits::template load<vector>(d, in[k] + i);
      if constexpr (kUsesTable<Formula>) {
        const auto pattern = Traits::template pattern<vector>(d, in[Formula::kArgument] + i);
        const Floats value = look_up(d, formula.table->fast, pattern);
        if constexpr (kMasks == Masks::kOfFormulas || !kHasMask) {
          NoMask not_asked;
          formula.formula(d, x, value, y[vector], not_asked);
        } else {
          formula.formula(d, x, value, y[vector], valid[vector]);
          // NaN marks a factor that is not known; it is a result only where the argument is NaN.
          const auto known = hn::Or(hn::Eq(value, value), hn::IsNaN(x[Formula::kArgument]));
          valid[vector] = hn::And(valid[vector], known);
        }
      } else if constexpr (kSaysIfValid) {
        accepted = accepted & formula(d, x, y[vector], valid[vector]);
      } else if constexpr (kHasMask) {
        formula(d, x, y[vector], valid[vector]);
      } else {
        formula(d, x, y[vector]);
      }
    };
    apply(std::integral_constant<int, 0>());
    apply(std::integral_constant<int, 1>());
    if constexpr (kUsesTable<Formula> && kHasMask && kMasks == Masks::kOfFormulas) {
      // The first result of a lane that is not valid is not finite.
      const Floats zero = hn::Sub(y[0][0], y[0][0]);
      accepted = hn::AllTrue(d, hn::Eq(zero, hn::Sub(y[1][0], y[1][0])));
    } else if constexpr (kHasMask && !kSaysIfValid) {
      accepted = hn::AllTrue(d, hn::And(valid[0], valid[1]));
    }
    for (size_t k = 0; k < kOut; ++k) {
      if (exact != nullptr) {
        y[0][k] = hn::IfThenElse(valid[0], y[0][k], Traits::template load<0>(d, exact[k]));
        y[1][k] = hn::IfThenElse(valid[1], y[1][k], Traits::template load<1>(d, exact[k]));
      }
      const FloatPair pair{y[0][k], y[1][k]};
      if ((k == 0 ? kOutputs : kOthers) == Outputs::kRoundedToOdd) {
        packed[k] = Traits::round(d, pair);
      } else if ((k == 0 ? kOutputs : kOthers) == Outputs::kRoundedUnlessTiny) {
        packed[k] = Traits::round_unless_tiny(d, pair, accepted);
      } else {
        constexpr bool kMayBeExact = kOutputs == Outputs::kWithin5UlpOrExact;
        packed[k] = Traits::template round_if_certain<kMayBeExact>(d, pair, accepted);
      }
    }
    return accepted;
  }

  // Fewer elements than a pair has, copied to and from a full pair.
  HWY_ATTR HWY_NOINLINE void partial_pair(const Element* const (&in)[kIn],
                                          Element* const (&out)[kOut], size_t i,
                                          size_t count) const {
    alignas(64) Element from[kIn][kPairLanes] = {};
    alignas(64) Element to[kOut][kPairLanes];
    const Element* sources[kIn];
    Element* targets[kOut];
    for (size_t k = 0; k < kIn; ++k) {
      std::memcpy(from[k], in[k] + i, count * sizeof(Element));
      sources[k] = from[k];
    }
    for (size_t k = 0; k < kOut; ++k) targets[k] = to[k];
    map_pairs<StoreMode::kCached>(sources, targets, 0, kPairLanes);
    for (size_t k = 0; k < kOut; ++k) std::memcpy(out[k] + i, to[k], count * sizeof(Element));
  }

  // The pair from element i on, with the exact kernel's results where the formula's are not
  // guaranteed.
  HWY_ATTR HWY_NOINLINE void exact_pair(const Element* const (&in)[kIn],
                                        Element* const (&out)[kOut], size_t i) const {
    if constexpr (kUsesTable<Formula> && kHasMask) {
      Packed packed[kOut];
      if (compute<Masks::kOfTables>(formula_, in, i, packed)) {
        for (size_t k = 0; k < kOut; ++k) {
          Traits::template store<StoreMode::kCached>(packed[k], out[k] + i);
        }
        return;
      }
    }
    if constexpr (Traits::kIs16Bit && kOutputs != Outputs::kRoundedToOdd) {
      exact_elements<kPairLanes>(exact_, in, out, i, kPairLanes);
    } else {
      alignas(64) Element buffer[kOut][kPairLanes];
      Element* all[kOut];
      const Element* exact[kOut];
      const Element* sources[kIn];
      for (size_t k = 0; k < kOut; ++k) exact[k] = all[k] = buffer[k];
      for (size_t k = 0; k < kIn; ++k) sources[k] = in[k] + i;
      exact_elements<kPairLanes>(exact_, sources, all, 0, kPairLanes);
      Packed packed[kOut];
      compute(formula_, in, i, packed, exact);
      for (size_t k = 0; k < kOut; ++k) {
        Traits::template store<StoreMode::kCached>(packed[k], out[k] + i);
      }
    }
  }

  const Formula& formula_;
  const Exact& exact_;
};

template <class Element, size_t kIn, size_t kOut, Outputs kOutputs, Outputs kOthers, class Formula,
          class Exact>
inline constexpr bool
    kIsNativeMap<NativeMap<Element, kIn, kOut, kOutputs, kOthers, Formula, Exact>> = true;

// FLOAT has no second rounding: what its outputs promise does not count.
template <size_t kIn, size_t kOut, class Formula, class Exact>
using FloatMap =
    NativeMap<float, kIn, kOut, Outputs::kWithin3Ulp, Outputs::kWithin3Ulp, Formula, Exact>;

template <size_t kIn, size_t kOut, class Formula, class Exact>
HWY_ATTR void map_floats(const NativeBlock& block, const Formula& formula, const Exact& exact) {
  FloatMap<kIn, kOut, Formula, Exact>(formula, exact)(block);
}

// With a faster formula before the other, which is asked for what that is not sure of.
template <size_t kIn, size_t kOut, class Fast, class Formula, class Exact>
HWY_ATTR void map_floats_fast_first(const NativeBlock& block, const Fast& fast,
                                    const Formula& formula, const Exact& exact) {
  using Others = FloatMap<kIn, kOut, Formula, Exact>;
  const Others others(formula, exact);
  FloatMap<kIn, kOut, Fast, Others>(fast, others)(block);
}

template <size_t kIn, size_t kOut, Outputs kOutputs, class Formula, class Exact>
HWY_ATTR void map_bfloat16(const NativeBlock& block, const Formula& formula, const Exact& exact) {
  NativeMap<Bfloat16, kIn, kOut, kOutputs, kOutputs, Formula, Exact>(formula, exact)(block);
}
template <size_t kIn, size_t kOut, Outputs kOutputs, class Formula, class Exact>
HWY_ATTR void map_float16(const NativeBlock& block, const Formula& formula, const Exact& exact) {
  NativeMap<Float16, kIn, kOut, kOutputs, kOutputs, Formula, Exact>(formula, exact)(block);
}

template <size_t kIn, size_t kOut, Outputs kOutputs, Outputs kOthers = kOutputs, class Formula,
          class Exact>
HWY_ATTR void map_16bit(const NativeBlock& block, const Formula& formula, const Exact& exact) {
  if (block.dtype == ACL_FLOAT16) {
    NativeMap<Float16, kIn, kOut, kOutputs, kOthers, Formula, Exact>(formula, exact)(block);
  } else {
    NativeMap<Bfloat16, kIn, kOut, kOutputs, kOthers, Formula, Exact>(formula, exact)(block);
  }
}

// FLOAT, FLOAT16 and BF16 with one formula.
template <size_t kIn, size_t kOut, class Formula, class Exact>
HWY_ATTR void map_native(const NativeBlock& block, const Formula& formula, const Exact& exact) {
  if (block.dtype == ACL_FLOAT) return map_floats<kIn, kOut>(block, formula, exact);
  map_16bit<kIn, kOut, Outputs::kRoundedToOdd>(block, formula, exact);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
