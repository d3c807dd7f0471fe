// SPDX-License-Identifier: Apache-2.0
#include "bench/kernels/limit.h"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/kernels/limit.cpp"
#include <benchmark/benchmark.h>
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "aclgrad_ext.h"
#include "bench/kernels/streams.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The smaller halves of words. Taken from numbers of which one is positive they make another such
// number, so that an operator whose outputs are its inputs can go on with them.
template <class V>
HWY_INLINE V SmallerHalves(V a, V b) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Min(a, b);
#else
  const hn::ScalableTag<uint32_t> words;
  const hn::ScalableTag<uint16_t> halves;
  return hn::BitCast(words, hn::Min(hn::BitCast(halves, a), hn::BitCast(halves, b)));
#endif
}

// Every output gets the smallest halves of all inputs.
template <size_t kInputs, size_t kOutputs, bool kNonTemporal>
void Pass(const Streams& streams, size_t begin, size_t end) {
  const hn::ScalableTag<uint32_t> tag;
  const size_t lanes = hn::Lanes(tag);
  auto all = hn::Zero(tag);
  for (size_t at = begin; at + lanes <= end; at += lanes) {
    auto value = hn::Load(tag, streams.in[0] + at);
    for (size_t i = 1; i < kInputs; ++i) {
      value = SmallerHalves(value, hn::Load(tag, streams.in[i] + at));
    }
    if (kOutputs == 0) all = hn::Xor(all, value);
    for (size_t i = 0; i < kOutputs; ++i) {
      if (kNonTemporal) {
        hn::Stream(value, tag, streams.out[i] + at);
      } else {
        hn::Store(value, tag, streams.out[i] + at);
      }
    }
  }
  if (kOutputs == 0) {
    uint32_t kept = hn::GetLane(hn::SumOfLanes(tag, all));
    benchmark::DoNotOptimize(kept);
  }
  if (kNonTemporal) hwy::FlushStream();
}

template <size_t kInputs, bool kNonTemporal>
void PassTo(const Streams& streams, size_t begin, size_t end) {
  switch (streams.out.size()) {
    case 0:
      return Pass<kInputs, 0, kNonTemporal>(streams, begin, end);
    case 1:
      return Pass<kInputs, 1, kNonTemporal>(streams, begin, end);
    case 2:
      return Pass<kInputs, 2, kNonTemporal>(streams, begin, end);
    default:
      return Pass<kInputs, 3, kNonTemporal>(streams, begin, end);
  }
}

template <bool kNonTemporal>
void PassFrom(const Streams& streams, size_t begin, size_t end) {
  switch (streams.in.size()) {
    case 1:
      return PassTo<1, kNonTemporal>(streams, begin, end);
    case 2:
      return PassTo<2, kNonTemporal>(streams, begin, end);
    case 3:
      return PassTo<3, kNonTemporal>(streams, begin, end);
    default:
      return PassTo<4, kNonTemporal>(streams, begin, end);
  }
}

void Ordinary(const Streams& streams, size_t begin, size_t end) {
  PassFrom<false>(streams, begin, end);
}

void NonTemporal(const Streams& streams, size_t begin, size_t end) {
  PassFrom<true>(streams, begin, end);
}

}  // namespace aclgrad::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aclgrad::bench {
namespace {

HWY_EXPORT(Ordinary);
HWY_EXPORT(NonTemporal);

void ordinary_pass(const Streams& streams, size_t begin, size_t end) {
  HWY_DYNAMIC_DISPATCH(Ordinary)(streams, begin, end);
}

void non_temporal_pass(const Streams& streams, size_t begin, size_t end) {
  HWY_DYNAMIC_DISPATCH(NonTemporal)(streams, begin, end);
}

class Limit : public Contender {
 public:
  explicit Limit(bool non_temporal) : non_temporal_(non_temporal) {}

  std::string name() const override {
    return non_temporal_ ? "non-temporal stores" : "ordinary stores";
  }
  std::string version() const override { return ""; }
  void set_threads(int count) override {
    threads_ = count;
    aclgradSetNumThreads(count);
  }

  Call prepare(const Problem& problem) override {
    const Streams streams = streams_of(problem);
    if (!problem.contiguous || !problem.streams || streams.in.empty() || streams.in.size() > 4 ||
        streams.out.size() > 3 || (streams.out.empty() && non_temporal_)) {
      return nullptr;
    }
    const auto pass = non_temporal_ ? non_temporal_pass : ordinary_pass;
    const int threads = threads_;
    if (threads == 1) return [=] { pass(streams, 0, streams.words); };
    return [=] {
      // Whole lines for every thread; they are those that operators have.
      const size_t share = (streams.words / static_cast<size_t>(threads) + 15) / 16 * 16;
      auto part = [&](size_t i) {
        pass(streams, std::min(streams.words, i * share), std::min(streams.words, (i + 1) * share));
      };
      aclgradParallelFor(
          threads,
          [](void* context, int64_t i) {
            (*static_cast<decltype(part)*>(context))(static_cast<size_t>(i));
          },
          &part);
    };
  }

 private:
  bool non_temporal_;
  int threads_ = 1;
};

}  // namespace

std::unique_ptr<Contender> memory_limit(bool non_temporal) {
  return std::make_unique<Limit>(non_temporal);
}

}  // namespace aclgrad::bench
#endif
