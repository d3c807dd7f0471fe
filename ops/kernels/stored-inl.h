// SPDX-License-Identifier: Apache-2.0
// Per-target: maps a formula on vectors of float over stored elements of FLOAT, FLOAT16 or BF16.
// Included by kernel files inside Highway's foreach_target loop.
//
// A formula need not cover every input: it says for which lanes its result holds. The others, and
// 16-bit results that the float's error could round to the wrong side, are computed again by the
// exact kernel of the same function in double. A result thus depends on nothing but its own inputs.
//
// There may be a quicker formula before that, of which the same is true: one that covers less, or,
// for 16-bit elements, one of a larger error. As those results are the nearest ones whichever
// formula they come from, the two may take turns.
#if defined(ACLGRAD_OPS_KERNELS_STORED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_KERNELS_STORED_INL_H_
#undef ACLGRAD_OPS_KERNELS_STORED_INL_H_
#else
#define ACLGRAD_OPS_KERNELS_STORED_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ops/kernels/cells-inl.h"
#include "ops/kernels/elementwise.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// An exact kernel: one for the dense blocks of the elementwise engine.
using BlockFunction = void (*)(const double* const* in, double* const* out, size_t count);

// What a formula's outputs are.
enum class Outputs {
  kNear,             // within 3 units in the last place of a float
  kNearOrExact,      // within 5, and exact where in the very middle between two 16-bit elements
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
  using Verdict = std::conditional_t<
      kOutputs == Outputs::kElements, Certain,
      std::conditional_t<kIsRounded, typename Cell::Rounded, typename Cell::Near>>;

  static HWY_INLINE typename Cell::Packed pack(FloatTag d, FloatPair v, Verdict& verdict) {
    if constexpr (kOutputs == Outputs::kElements) {
      return Cell::exact(d, v);
    } else if constexpr (kIsRounded) {
      return Cell::template rounded<kIsSum>(d, v, verdict);
    } else {
      constexpr bool kMayBeExact = kOutputs == Outputs::kNearOrExact;
      constexpr int kDoubt = kMayBeExact ? 5 : 3;
      return Cell::template near<kDoubt, kMayBeExact>(d, v, verdict);
    }
  }
};

// A formula and what is known about its outputs. Formula: void(d, x, y) with x the input vectors
// and y the outputs (vectors, or each as a Twofold for kWithRest). It may have a fourth parameter
// `valid`, from which it takes the lanes that it leaves to others, and a fifth, the Cells.
template <Outputs kKind, class Formula>
struct Described {
  static constexpr Outputs kOutputs = kKind;
  Formula formula;
};

// A formula(d, x, value, y), where `value` is what the table of 65,536 entries has for the pattern
// of input kArgument. For 16-bit elements.
template <size_t kTabledArgument, class Formula>
struct Tabled {
  static constexpr size_t kArgument = kTabledArgument;
  const float* table;
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

// Quick and Careful: Described formulas, the same one where there is but one. Exact: callable as a
// BlockFunction.
template <class Stored, size_t kIn, size_t kOut, class Quick, class Careful, class Exact>
class StoredMap {
  using Cell = Cells<Stored>;
  using Packed = typename Cell::Packed;

 public:
  StoredMap(const Quick& quick, const Careful& careful, const Exact& exact)
      : quick_(quick), careful_(careful), exact_(exact) {}

  HWY_ATTR void operator()(const StoredBlock& block) const {
    for_each_row<Stored, kIn, kOut>(
        block, [&](const Stored* const(&in)[kIn], Stored* const(&out)[kOut])
                   HWY_ATTR { map_row(in, out, block.count, block.around_caches); });
  }

 private:
  HWY_ATTR void map_row(const Stored* const (&in)[kIn], Stored* const (&out)[kOut], size_t count,
                        bool around_caches) const {
    size_t i = 0;
    if (const size_t head = elements_to_alignment(out); around_caches && head <= count) {
      if (head > 0) part(in, out, 0, head);
      i = steps<Path::kAround>(in, out, head, count);
    }
    i = steps<Path::kCached>(in, out, i, count);
    if (i < count) part(in, out, i, count - i);
  }

  // Whole steps from element `i` on; returns where they end.
  template <Path kPath>
  HWY_ATTR HWY_INLINE size_t steps(const Stored* const (&in)[kIn], Stored* const (&out)[kOut],
                                   size_t i, size_t count) const {
    while (i + kStep <= count) {
      i = quick_steps<kPath>(in, out, i, count);
      if (i + kStep > count) break;
      careful_step(in, out, i);
      i += kStep;
    }
    return i;
  }

  // Returns the first step that may not hold, or the end. A function that calls no other: over a
  // call, the formula's constants would not stay in registers.
  template <Path kPath>
  HWY_ATTR HWY_NOINLINE size_t quick_steps(const Stored* const (&inputs)[kIn],
                                           Stored* const (&outputs)[kOut], size_t i,
                                           size_t count) const {
    // Copies, whose addresses are not taken and which no store could change: they stay in
    // registers.
    const Quick quick = quick_;
    const Stored* in[kIn];
    Stored* out[kOut];
    std::copy_n(inputs, kIn, in);
    std::copy_n(outputs, kOut, out);
    for (; i + kStep <= count; i += kStep) {
      if constexpr (kPath == Path::kAround) {
        for (size_t k = 0; k < kIn; ++k) fetch_ahead<kStep * sizeof(Stored)>(in[k] + i);
      }
      if (HWY_UNLIKELY(!step<kPath>(quick, in, out, i))) break;
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

  // False, and nothing stored, if some result may not hold: an output may be an input.
  template <Path kPath>
  static HWY_ATTR HWY_INLINE bool step(const Quick& quick, const Stored* const (&in)[kIn],
                                       Stored* const (&out)[kOut], size_t i) {
    Packed packed[kOut];
    const bool holds = compute(quick, in, i, packed, nullptr);
    if (HWY_LIKELY(holds)) {
      for (size_t k = 0; k < kOut; ++k) Cell::template store<kPath>(packed[k], out[k] + i);
    }
    return holds;
  }

  // The results of the step from element i on. True if all of them hold; otherwise, and if it is
  // wanted, with the bits of those that may not.
  template <class Description>
  static HWY_ATTR HWY_INLINE bool compute(const Description& description,
                                          const Stored* const (&in)[kIn], size_t i,
                                          Packed (&packed)[kOut], uint64_t* uncertain) {
    constexpr bool kHasRest = Description::kOutputs == Outputs::kWithRest;
    using X = Floats[kIn];
    using Y = std::conditional_t<kHasRest, Twofold<Floats>, Floats>[kOut];
    const FloatTag d;
    Y y[2];
    FloatCertainty valid = FloatCertainty::all();
    const bool has_mask = apply<X, 0>(description.formula, in, i, y[0], valid.first);
    apply<X, 1>(description.formula, in, i, y[1], valid.second);
    bool holds = !has_mask || valid.everywhere();
    uint64_t bits = uncertain == nullptr || !has_mask ? 0 : Cell::uncertain(valid);
    for_each_output([&](auto output) HWY_ATTR {
      constexpr size_t k = decltype(output)::value;
      using Pack = Packing<Stored, Description::kOutputs, k>;
      typename Pack::Verdict verdict;
      if constexpr (kHasRest) {
        FloatCertainty regular;
        const FloatPair odd{to_odd(y[0][k], regular.first), to_odd(y[1][k], regular.second)};
        packed[k] = Pack::pack(d, odd, verdict);
        holds = holds && regular.everywhere();
        if (uncertain != nullptr) bits |= Cell::uncertain(regular);
      } else {
        packed[k] = Pack::pack(d, FloatPair{y[0][k], y[1][k]}, verdict);
      }
      holds = holds && verdict.everywhere();
      if (uncertain != nullptr) bits |= Cell::uncertain(verdict);
    });
    if (uncertain != nullptr) *uncertain = bits;
    return holds;
  }

  template <class Function>
  static HWY_ATTR HWY_INLINE void for_each_output(const Function& function) {
    [&]<size_t... k>(std::index_sequence<k...>) HWY_ATTR {
      (function(std::integral_constant<size_t, k>()), ...);
    }
    (std::make_index_sequence<kOut>());
  }

  // Says whether the formula has its own opinion on what is valid.
  template <class X, int kVector, class Formula, class Y>
  static HWY_ATTR HWY_INLINE bool apply(const Formula& formula, const Stored* const (&in)[kIn],
                                        size_t i, Y& y, FloatMask& valid) {
    X x;
    for (size_t k = 0; k < kIn; ++k) x[k] = Cell::template load<kVector>(FloatTag(), in[k] + i);
    const FloatTag d;
    if constexpr (kIsTabled<Formula>) {
      const auto pattern = Cell::template pattern<kVector>(d, in[Formula::kArgument] + i);
      formula.formula(d, x, look_up(d, formula.table, pattern), y);
      return false;
    } else if constexpr (std::is_invocable_v<Formula, FloatTag, const X&, Y&>) {
      formula(d, x, y);
      return false;
    } else if constexpr (std::is_invocable_v<Formula, FloatTag, const X&, Y&, FloatMask&>) {
      formula(d, x, y, valid);
      return true;
    } else {
      formula(d, x, y, valid, Cell());
      return true;
    }
  }

  static HWY_INLINE Floats to_odd(Twofold<Floats> y, FloatMask& regular) {
    const FloatTag d;
    // Among the smallest numbers the rest may be lost.
    const auto large = hn::Gt(hn::Abs(y.high), hn::Set(d, 0x1p-100f));
    regular = hn::And(hn::Or(large, hn::Eq(y.high, hn::Zero(d))), hn::IsFinite(y.high));
    if constexpr (!Cell::kRoundsAgain) return y.high;
    return round_to_odd(d, y.high, y.low);
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
    careful_step(sources, targets, 0);
    for (size_t k = 0; k < kOut; ++k) std::memcpy(out[k] + i, to[k], count * sizeof(Stored));
  }

  // The step from element `start` on by the careful formula, and where that does not hold by the
  // exact kernel.
  HWY_ATTR HWY_NOINLINE void careful_step(const Stored* const (&in)[kIn],
                                          Stored* const (&out)[kOut], size_t start) const {
    Packed packed[kOut];
    uint64_t uncertain;
    const auto store = [&]() HWY_ATTR {
      for (size_t k = 0; k < kOut; ++k) {
        Cell::template store<Path::kCached>(packed[k], out[k] + start);
      }
    };
    if (HWY_LIKELY(compute(careful_, in, start, packed, &uncertain))) return store();
    // Only the elements that need it, side by side.
    alignas(64) double from[kIn][kStep] = {};
    alignas(64) double to[kOut][kStep];
    const double* sources[kIn];
    double* targets[kOut];
    size_t count = 0;
    for (uint64_t rest = uncertain; rest != 0; rest &= rest - 1, ++count) {
      const auto i = static_cast<size_t>(std::countr_zero(rest));
      for (size_t k = 0; k < kIn; ++k) from[k][count] = real_part(in[k][start + i]);
    }
    for (size_t k = 0; k < kIn; ++k) sources[k] = from[k];
    for (size_t k = 0; k < kOut; ++k) targets[k] = to[k];
    exact_(sources, targets, count);
    store();
    count = 0;
    for (uint64_t rest = uncertain; rest != 0; rest &= rest - 1, ++count) {
      const auto i = static_cast<size_t>(std::countr_zero(rest));
      for (size_t k = 0; k < kOut; ++k) out[k][start + i] = from_parts<Stored>(to[k][count], 0.0);
    }
  }

  const Quick& quick_;
  const Careful& careful_;
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

// 16-bit elements by a quick formula, and where that does not hold by a careful one.
template <size_t kIn, size_t kOut, Outputs kQuickOutputs, Outputs kOutputs, class Quick,
          class Careful, class Exact>
HWY_ATTR void map_shorts(const StoredBlock& block, const Quick& quick, const Careful& careful,
                         const Exact& exact) {
  using First = Described<kQuickOutputs, Quick>;
  using Second = Described<kOutputs, Careful>;
  const First first{quick};
  const Second second{careful};
  if (block.dtype == ACL_FLOAT16) {
    StoredMap<Half, kIn, kOut, First, Second, Exact>(first, second, exact)(block);
  } else {
    StoredMap<Bfloat, kIn, kOut, First, Second, Exact>(first, second, exact)(block);
  }
}

// With one formula.
template <size_t kIn, size_t kOut, Outputs kOutputs, class Formula, class Exact>
HWY_ATTR void map_shorts(const StoredBlock& block, const Formula& formula, const Exact& exact) {
  map_shorts<kIn, kOut, kOutputs, kOutputs>(block, formula, formula, exact);
}

// All of them with one formula.
template <size_t kIn, size_t kOut, Outputs kOutputs = Outputs::kNear, class Formula, class Exact>
HWY_ATTR void map_stored(const StoredBlock& block, const Formula& formula, const Exact& exact) {
  if (block.dtype == ACL_FLOAT) return map_floats<kIn, kOut, kOutputs>(block, formula, exact);
  map_shorts<kIn, kOut, kOutputs>(block, formula, exact);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
