// SPDX-License-Identifier: Apache-2.0
// Random numbers as a pure function of (seed, stream, index): no state, so any element can be drawn
// in any order, on any thread, on any machine, and comes out the same. The generator is
// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace aclgrad {

/// One block of Philox 4x32 with 10 rounds: 128 random bits for a 128-bit counter and 64-bit key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// A sequence of random numbers, addressed by index. Different seeds and different streams of one
/// seed give independent sequences; index i of bits, uniform, normal and below share one block, so
/// use different streams for numbers that must not depend on each other.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  /// 64 random bits.
  std::uint64_t bits(std::uint64_t index) const;

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform(std::uint64_t index) const;

  /// Standard normal by the Box-Muller transform, one block a number. It goes through the C
  /// library's log and cos, so the last bit may differ between C libraries.
  double normal(std::uint64_t index) const;

  /// Uniform integer in [0, bound), off from uniform by less than bound / 2^64; 0 for bound 0.
  std::uint64_t below(std::uint64_t index, std::uint64_t bound) const;

 private:
  std::array<std::uint64_t, 2> block(std::uint64_t index) const;

  std::uint64_t seed_;
  std::uint64_t stream_;
};

/// Random numbers one after the other, for programs that draw as they go. seed, stream and index
/// are all its state, so it can be written down and taken up again.
class RandomSequence {
 public:
  explicit RandomSequence(std::uint64_t seed, std::uint64_t stream = 0, std::uint64_t index = 0)
      : seed_(seed), stream_(stream), index_(index) {}

  std::uint64_t bits() { return Random(seed_, stream_).bits(index_++); }
  double uniform() { return Random(seed_, stream_).uniform(index_++); }
  double normal() { return Random(seed_, stream_).normal(index_++); }
  std::uint64_t below(std::uint64_t bound) { return Random(seed_, stream_).below(index_++, bound); }

  std::uint64_t seed() const noexcept { return seed_; }
  std::uint64_t stream() const noexcept { return stream_; }

  /// How many numbers were drawn.
  std::uint64_t index() const noexcept { return index_; }

  friend bool operator==(const RandomSequence&, const RandomSequence&) = default;

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t index_;
};

/// The numbers from 0 to count - 1 in random order (Fisher-Yates); the same everywhere for the same
/// arguments.
/// Throws ValueError for a negative count.
std::vector<std::int64_t> random_permutation(std::int64_t count, std::uint64_t seed,
                                             std::uint64_t stream = 0);

}  // namespace aclgrad
