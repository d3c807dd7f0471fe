// SPDX-License-Identifier: Apache-2.0
// Per-target: maps a formula in two stages over stored elements of FLOAT, FLOAT16 or BF16, for
// formulas so long that one after the other they leave the processor waiting: it looks ahead by
// about a hundred instructions, which must come from several vectors. The first stage is taken over
// some vectors, then the second. Included by kernel files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_ENGINE_STAGED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_STAGED_INL_H_
#undef ACLGRAD_OPS_ENGINE_STAGED_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_STAGED_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "ops/engine/stored-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// First: void(d, x, middle) with x the input vectors, and `middle` what it hands on.
// Second: void(d, x, middle, y, valid), as a formula of stored-inl.h, of whose lanes it leaves more
// to others than it must; reconsider(d, x, middle, y, valid) puts back those that do hold.
// Both are small and copied: the compiler sees that what is stored cannot change them.
template <class Stored, size_t kIn, size_t kOut, size_t kMiddle, Outputs kOutputs, class First,
          class Second>
class StagedMap {
  using Cell = Cells<Stored>;
  using Packed = typename Cell::Packed;
  static constexpr size_t kAhead = 4;
  static constexpr size_t kFetched = 12;

 public:
  StagedMap(const First& first, const Second& second) : first_(first), second_(second) {}

  // Whole steps of dense elements. fix_up(i): the step from element i on, in another way. What
  // comes after them lies `gap` elements further.
  template <class FixUp>
  HWY_ATTR void operator()(const Stored* const (&in)[kIn], Stored* const (&out)[kOut], size_t steps,
                           size_t gap, const FixUp& fix_up) const {
    Ring ring;
    for (size_t step = 0; step < HWY_MIN(kAhead, steps); ++step) begin(first_, in, step, ring);
    for (size_t step = 0; (step = advance(in, out, step, steps, gap, ring)) < steps; ++step) {
      fix_up(step * kStep);
      if (step + kAhead < steps) begin(first_, in, step + kAhead, ring);
    }
  }

 private:
  using Middle = float[kMiddle][kFloatLanes];

  // What the first stage has handed on.
  struct Ring {
    alignas(64) Middle middle[kAhead][2];

    HWY_INLINE Middle (&of(size_t step))[2] { return middle[step % kAhead]; }
  };

  static HWY_ATTR HWY_INLINE void begin(const First& first, const Stored* const (&in)[kIn],
                                        size_t step, Ring& ring) {
    first_stage<0>(first, in, step * kStep, ring.of(step)[0]);
    first_stage<1>(first, in, step * kStep, ring.of(step)[1]);
  }

  // Returns the first step that may not hold, or `steps`. A function that calls no other, as
  // StoredMap::fast_steps().
  HWY_ATTR HWY_NOINLINE size_t advance(const Stored* const (&inputs)[kIn],
                                       Stored* const (&outputs)[kOut], size_t step, size_t steps,
                                       size_t gap, Ring& ring) const {
    const First first = first_;
    const Second second = second_;
    const Stored* in[kIn];
    Stored* out[kOut];
    std::copy_n(inputs, kIn, in);
    std::copy_n(outputs, kOut, out);
    for (; step + kAhead < steps; ++step) {
      const size_t ahead = (step + kFetched) * kStep;
      prefetch(in, ahead < steps * kStep ? ahead : ahead + gap);
      if (HWY_UNLIKELY(!finish(second, in, out, step * kStep, ring.of(step)))) return step;
      begin(first, in, step + kAhead, ring);
    }
    for (; step < steps; ++step) {
      if (HWY_UNLIKELY(!finish(second, in, out, step * kStep, ring.of(step)))) return step;
    }
    return steps;
  }

  // The second stage reads nothing new: what the next first stage needs can come meanwhile.
  static HWY_INLINE void prefetch(const Stored* const (&in)[kIn], size_t i) {
    constexpr size_t kLine = 64 / sizeof(Stored);
    for (const Stored* each : in) {
      for (size_t k = 0; k < kStep; k += kLine) hwy::Prefetch(each + i + k);
    }
  }

  template <int kVector>
  static HWY_ATTR HWY_INLINE void load(const Stored* const (&in)[kIn], size_t i, Floats (&x)[kIn]) {
    for (size_t k = 0; k < kIn; ++k) x[k] = Cell::template load<kVector>(FloatTag(), in[k] + i);
  }

  template <int kVector>
  static HWY_ATTR HWY_INLINE void first_stage(const First& first, const Stored* const (&in)[kIn],
                                              size_t i, Middle& middle) {
    Floats x[kIn];
    Floats y[kMiddle];
    load<kVector>(in, i, x);
    first(FloatTag(), x, y);
    for (size_t k = 0; k < kMiddle; ++k) hn::Store(y[k], FloatTag(), middle[k]);
  }

  template <int kVector>
  static HWY_ATTR HWY_INLINE void second_stage(const Second& second, const Stored* const (&in)[kIn],
                                               size_t i, const Middle& middle, Floats (&y)[kOut],
                                               FloatMask& valid, bool again) {
    Floats x[kIn];
    Floats held[kMiddle];
    load<kVector>(in, i, x);
    for (size_t k = 0; k < kMiddle; ++k) held[k] = hn::Load(FloatTag(), middle[k]);
    if (again) {
      second.reconsider(FloatTag(), x, held, y, valid);
    } else {
      second(FloatTag(), x, held, y, valid);
    }
  }

  // False if something does not hold; then nothing is stored.
  static HWY_ATTR HWY_INLINE bool finish(const Second& second, const Stored* const (&in)[kIn],
                                         Stored* const (&out)[kOut], size_t i,
                                         const Middle (&middle)[2]) {
    Floats y[2][kOut];
    FloatMask valid[2];
    const auto everywhere = [&]() HWY_ATTR {
      return hn::AllTrue(FloatTag(), hn::And(valid[0], valid[1]));
    };
    second_stage<0>(second, in, i, middle[0], y[0], valid[0], false);
    second_stage<1>(second, in, i, middle[1], y[1], valid[1], false);
    if (HWY_UNLIKELY(!everywhere())) {
      // Else the compiler reads for this before it knows whether it must.
      asm volatile("" : "+r"(i));
      second_stage<0>(second, in, i, middle[0], y[0], valid[0], true);
      second_stage<1>(second, in, i, middle[1], y[1], valid[1], true);
      if (!everywhere()) return false;
    }
    Packed packed[kOut];
    bool holds = true;
    pack<0>(y, packed, holds);
    if (!holds) return false;
    for (size_t k = 0; k < kOut; ++k) Cell::template store<Path::kCached>(packed[k], out[k] + i);
    return true;
  }

  template <size_t k>
  static HWY_ATTR HWY_INLINE void pack(const Floats (&y)[2][kOut], Packed (&packed)[kOut],
                                       bool& holds) {
    if constexpr (k < kOut) {
      using Pack = Packing<Stored, kOutputs, k>;
      packed[k] = Pack::template pack<Taken::kAll>(FloatTag(), FloatPair{y[0][k], y[1][k]}, holds);
      pack<k + 1>(y, packed, holds);
    }
  }

  First first_;
  Second second_;
};

template <class Stored, size_t kIn, size_t kOut, size_t kMiddle, Outputs kOutputs, class First,
          class Second, class Exact>
HWY_ATTR void map_stages_of(const StoredBlock& block, const First& first, const Second& second,
                            const Exact& exact) {
  const auto whole = [&](FloatTag d, const auto& x, auto& y, FloatMask& valid) HWY_ATTR {
    Floats middle[kMiddle];
    first(d, x, middle);
    second(d, x, middle, y, valid);
    second.reconsider(d, x, middle, y, valid);
  };
  using One = Described<kOutputs, decltype(whole)>;
  const One one{whole};
  const StoredMap<Stored, kIn, kOut, One, One, Exact> fixed_up(one, one, exact);
  const StagedMap<Stored, kIn, kOut, kMiddle, kOutputs, First, Second> stages(first, second);
  // As far as the rows of all operands lie as far apart as those of the first.
  const int64_t row_step =
      block.rows > 1 ? block.in_steps[0] / static_cast<int64_t>(sizeof(Stored)) : 0;
  const size_t gap =
      HWY_MAX(block.count, static_cast<size_t>(HWY_MAX(row_step, int64_t{0}))) - block.count;
  for_each_row<Stored, kIn, kOut>(block, [&](const Stored* const(&in)[kIn],
                                             Stored* const(&out)[kOut]) HWY_ATTR {
    const auto fix_up = [&](size_t i, size_t count) HWY_ATTR {
      const void* from[kIn];
      void* to[kOut];
      for (size_t k = 0; k < kIn; ++k) from[k] = in[k] + i;
      for (size_t k = 0; k < kOut; ++k) to[k] = out[k] + i;
      StoredBlock part = block;
      part.in = from;
      part.out = to;
      part.count = count;
      part.rows = 1;
      part.around_caches = false;
      fixed_up(part);
    };
    const size_t whole_steps = block.count / kStep;
    const size_t done = whole_steps * kStep;
    stages(in, out, whole_steps, gap, [&](size_t i) HWY_ATTR HWY_NOINLINE { fix_up(i, kStep); });
    if (done < block.count) fix_up(done, block.count - done);
  });
}

template <size_t kIn, size_t kOut, size_t kMiddle, Outputs kOutputs, class First, class Second,
          class Exact>
HWY_ATTR void map_in_stages(const StoredBlock& block, const First& first, const Second& second,
                            const Exact& exact) {
  if (block.dtype == ACL_FLOAT) {
    map_stages_of<float, kIn, kOut, kMiddle, kOutputs>(block, first, second, exact);
  } else if (block.dtype == ACL_FLOAT16) {
    map_stages_of<Half, kIn, kOut, kMiddle, kOutputs>(block, first, second, exact);
  } else {
    map_stages_of<Bfloat, kIn, kOut, kMiddle, kOutputs>(block, first, second, exact);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
