// SPDX-License-Identifier: Apache-2.0
// Per-target: maps a formula in two stages over elements of FLOAT, FLOAT16 or BF16. For long
// formulas: out-of-order execution reaches about a hundred instructions ahead, and these must come
// from several vectors. The first stage runs kAhead pairs ahead of the second. Included by kernel
// files inside Highway's foreach_target loop.
#if defined(ACLGRAD_OPS_ENGINE_STAGED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACLGRAD_OPS_ENGINE_STAGED_INL_H_
#undef ACLGRAD_OPS_ENGINE_STAGED_INL_H_
#else
#define ACLGRAD_OPS_ENGINE_STAGED_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "ops/engine/fetch_ahead.h"
#include "ops/engine/native-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// First: void(d, x, middle) with x the input vectors, and `middle` what it hands on.
// Second: void(d, x, middle, y, valid), as a formula of native-inl.h with Outputs::kRoundedToOdd,
// which may clear more lanes of `valid` than it must; reconsider(d, x, middle, y, valid) sets those
// that are valid after all. Both are small and copied, so that the compiler sees that no store
// changes them.
template <class Element, size_t kIn, size_t kOut, size_t kMiddle, class First, class Second>
class StagedMap {
  using Traits = LoadStore<Element>;
  using Packed = typename Traits::Packed;
  static constexpr size_t kAhead = 4;
  static constexpr size_t kFetched = 12;

 public:
  StagedMap(const First& first, const Second& second) : first_(first), second_(second) {}

  // Whole pairs of dense elements. fix_up(i) computes the pair from element i on by NativeMap.
  // The next row begins `gap` elements after the end of this one.
  template <class FixUp>
  HWY_ATTR void operator()(const Element* const (&in)[kIn], Element* const (&out)[kOut],
                           size_t pairs, size_t gap, const FixUp& fix_up) const {
    Ring ring;
    for (size_t pair = 0; pair < HWY_MIN(kAhead, pairs); ++pair) begin(first_, in, pair, ring);
    for (size_t pair = 0; (pair = advance(in, out, pair, pairs, gap, ring)) < pairs; ++pair) {
      fix_up(pair * kPairLanes);
      if (pair + kAhead < pairs) begin(first_, in, pair + kAhead, ring);
    }
  }

 private:
  using Middle = float[kMiddle][kFloatLanes];

  // What the first stage has handed on.
  struct Ring {
    alignas(64) Middle middle[kAhead][2];

    HWY_INLINE Middle (&at(size_t pair))[2] { return middle[pair % kAhead]; }
  };

  static HWY_ATTR HWY_INLINE void begin(const First& first, const Element* const (&in)[kIn],
                                        size_t pair, Ring& ring) {
    first_stage<0>(first, in, pair * kPairLanes, ring.at(pair)[0]);
    first_stage<1>(first, in, pair * kPairLanes, ring.at(pair)[1]);
  }

  // Returns the first pair that may not be valid, or `pairs`. The loop calls no function, as in
  // NativeMap::run().
  HWY_ATTR HWY_NOINLINE size_t advance(const Element* const (&inputs)[kIn],
                                       Element* const (&outputs)[kOut], size_t pair, size_t pairs,
                                       size_t gap, Ring& ring) const {
    const First first = first_;
    const Second second = second_;
    const Element* in[kIn];
    Element* out[kOut];
    std::copy_n(inputs, kIn, in);
    std::copy_n(outputs, kOut, out);
    bool overwrites[kIn];
    for (size_t k = 0; k < kIn; ++k)
      overwrites[k] = std::find(out, out + kOut, in[k]) != out + kOut;
    for (; pair + kAhead < pairs; ++pair) {
      const size_t ahead = (pair + kFetched) * kPairLanes;
      prefetch(in, overwrites, ahead < pairs * kPairLanes ? ahead : ahead + gap);
      if (HWY_UNLIKELY(!finish(second, in, out, pair * kPairLanes, ring.at(pair)))) return pair;
      begin(first, in, pair + kAhead, ring);
    }
    for (; pair < pairs; ++pair) {
      if (HWY_UNLIKELY(!finish(second, in, out, pair * kPairLanes, ring.at(pair)))) return pair;
    }
    return pairs;
  }

  // Prefetches the inputs of a later first stage while the second stage computes.
  static HWY_INLINE void prefetch(const Element* const (&in)[kIn], const bool (&overwrites)[kIn],
                                  size_t i) {
    constexpr size_t kLine = 64 / sizeof(Element);
    for (size_t k = 0; k < kIn; ++k) {
      for (size_t lane = 0; lane < kPairLanes; lane += kLine) {
        const Element* const line = in[k] + i + lane;
        overwrites[k] ? fetch_to_overwrite(line) : hwy::Prefetch(line);
      }
    }
  }

  template <int kVector>
  static HWY_ATTR HWY_INLINE void load(const Element* const (&in)[kIn], size_t i,
                                       Floats (&x)[kIn]) {
    for (size_t k = 0; k < kIn; ++k) x[k] = Traits::template load<kVector>(FloatTag(), in[k] + i);
  }

  template <int kVector>
  static HWY_ATTR HWY_INLINE void first_stage(const First& first, const Element* const (&in)[kIn],
                                              size_t i, Middle& middle) {
    Floats x[kIn];
    Floats y[kMiddle];
    load<kVector>(in, i, x);
    first(FloatTag(), x, y);
    for (size_t k = 0; k < kMiddle; ++k) hn::Store(y[k], FloatTag(), middle[k]);
  }

  template <int kVector>
  static HWY_ATTR HWY_INLINE void second_stage(const Second& second,
                                               const Element* const (&in)[kIn], size_t i,
                                               const Middle& middle, Floats (&y)[kOut],
                                               FloatMask& valid, bool again) {
    Floats x[kIn];
    Floats between[kMiddle];
    load<kVector>(in, i, x);
    for (size_t k = 0; k < kMiddle; ++k) between[k] = hn::Load(FloatTag(), middle[k]);
    if (again) {
      second.reconsider(FloatTag(), x, between, y, valid);
    } else {
      second(FloatTag(), x, between, y, valid);
    }
  }

  // Returns false, and writes nothing, if some lane is not valid.
  static HWY_ATTR HWY_INLINE bool finish(const Second& second, const Element* const (&in)[kIn],
                                         Element* const (&out)[kOut], size_t i,
                                         const Middle (&middle)[2]) {
    Floats y[2][kOut];
    FloatMask valid[2];
    const auto everywhere = [&]() HWY_ATTR {
      return hn::AllTrue(FloatTag(), hn::And(valid[0], valid[1]));
    };
    second_stage<0>(second, in, i, middle[0], y[0], valid[0], false);
    second_stage<1>(second, in, i, middle[1], y[1], valid[1], false);
    if (HWY_UNLIKELY(!everywhere())) {
      // Keeps the compiler from hoisting the loads of this rare branch.
      asm volatile("" : "+r"(i));
      second_stage<0>(second, in, i, middle[0], y[0], valid[0], true);
      second_stage<1>(second, in, i, middle[1], y[1], valid[1], true);
      if (!everywhere()) return false;
    }
    for (size_t k = 0; k < kOut; ++k) {
      const Packed packed = Traits::round(FloatTag(), FloatPair{y[0][k], y[1][k]});
      Traits::template store<StoreMode::kCached>(packed, out[k] + i);
    }
    return true;
  }

  First first_;
  Second second_;
};

template <class Element, size_t kIn, size_t kOut, size_t kMiddle, class First, class Second,
          class Exact>
HWY_ATTR void map_stages_of(const NativeBlock& block, const First& first, const Second& second,
                            const Exact& exact) {
  const auto whole = [&](FloatTag d, const auto& x, auto& y, FloatMask& valid) HWY_ATTR {
    Floats middle[kMiddle];
    first(d, x, middle);
    second(d, x, middle, y, valid);
    second.reconsider(d, x, middle, y, valid);
  };
  const NativeMap<Element, kIn, kOut, Outputs::kRoundedToOdd, Outputs::kRoundedToOdd,
                  decltype(whole), Exact>
      fixed_up(whole, exact);
  const StagedMap<Element, kIn, kOut, kMiddle, First, Second> stages(first, second);
  // An estimate for prefetching: the distance of rows of the first operand serves for all.
  const int64_t row_stride =
      block.rows > 1 ? block.in_strides[0] / static_cast<int64_t>(sizeof(Element)) : 0;
  const size_t gap =
      HWY_MAX(block.count, static_cast<size_t>(HWY_MAX(row_stride, int64_t{0}))) - block.count;
  for_each_row<Element, kIn, kOut>(
      block, [&](const Element* const(&in)[kIn], Element* const(&out)[kOut]) HWY_ATTR {
        const auto fix_up = [&](size_t i, size_t count) HWY_ATTR {
          const void* from[kIn];
          void* to[kOut];
          for (size_t k = 0; k < kIn; ++k) from[k] = in[k] + i;
          for (size_t k = 0; k < kOut; ++k) to[k] = out[k] + i;
          NativeBlock sub_block = block;
          sub_block.in = from;
          sub_block.out = to;
          sub_block.count = count;
          sub_block.rows = 1;
          sub_block.streaming = false;
          fixed_up(sub_block);
        };
        const size_t whole_pairs = block.count / kPairLanes;
        const size_t done = whole_pairs * kPairLanes;
        stages(in, out, whole_pairs, gap,
               [&](size_t i) HWY_ATTR HWY_NOINLINE { fix_up(i, kPairLanes); });
        if (done < block.count) fix_up(done, block.count - done);
      });
}

template <size_t kIn, size_t kOut, size_t kMiddle, class First, class Second, class Exact>
HWY_ATTR void map_in_stages(const NativeBlock& block, const First& first, const Second& second,
                            const Exact& exact) {
  if (block.dtype == ACL_FLOAT) {
    map_stages_of<float, kIn, kOut, kMiddle>(block, first, second, exact);
  } else if (block.dtype == ACL_FLOAT16) {
    map_stages_of<Float16, kIn, kOut, kMiddle>(block, first, second, exact);
  } else {
    map_stages_of<Bfloat16, kIn, kOut, kMiddle>(block, first, second, exact);
  }
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
