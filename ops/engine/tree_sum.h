// SPDX-License-Identifier: Apache-2.0
// Summation in an order fixed by the number of terms alone. Terms are cut into chunks of kSumChunk.
// In a chunk, term i is added to accumulator i mod kAccumulators; the accumulators are then added
// in pairs. The chunks' sums are added in order. Accumulators map to vector lanes and chunks to
// threads; neither changes the bits of the result.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>

namespace aclgrad::ops {

inline constexpr int64_t kSumChunk = 4096;
inline constexpr size_t kAccumulators = 8;

// Integers wrap, where adding them as they are would be undefined.
template <class T>
T wrapping_sum(const T& a, const T& b) {
  return a + b;
}
template <>
inline int64_t wrapping_sum(const int64_t& a, const int64_t& b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// The neutral element of addition; -0, as adding +0 would change the sign of -0.
template <class T>
inline constexpr T kNothing = T{};
template <>
inline constexpr double kNothing<double> = -0.0;
template <>
inline constexpr std::complex<double> kNothing<std::complex<double>>{-0.0, -0.0};

template <class T>
class AccumulatorSum {
 public:
  AccumulatorSum() { lanes_.fill(kNothing<T>); }

  // Blocks but the last must have a multiple of kAccumulators terms.
  void add(const T* terms, size_t count) {
    size_t i = 0;
    for (; i + kAccumulators <= count; i += kAccumulators) {
      for (size_t lane = 0; lane < kAccumulators; ++lane) {
        lanes_[lane] = wrapping_sum(lanes_[lane], terms[i + lane]);
      }
    }
    for (size_t lane = 0; i + lane < count; ++lane) {
      lanes_[lane] = wrapping_sum(lanes_[lane], terms[i + lane]);
    }
  }

  T total() const { return combine(lanes_); }

  static T combine(const std::array<T, kAccumulators>& lanes) {
    std::array<T, kAccumulators> sums = lanes;
    for (size_t width = kAccumulators / 2; width > 0; width /= 2) {
      for (size_t i = 0; i < width; ++i) sums[i] = wrapping_sum(sums[2 * i], sums[2 * i + 1]);
    }
    return sums[0];
  }

 private:
  std::array<T, kAccumulators> lanes_;
};

inline int64_t sum_chunks(int64_t terms) { return (terms + kSumChunk - 1) / kSumChunk; }

}  // namespace aclgrad::ops
