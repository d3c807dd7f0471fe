// SPDX-License-Identifier: Apache-2.0
// The words of a stream of random numbers, by Philox4x32-10.
#pragma once

#include "aclgrad_common/philox.h"

namespace aclgrad::ops {

using common::philox4x32_10;
using common::PhiloxCounter;

// The two words that belong to element `index` of the stream that `seed` and `offset` name.
struct RandomWords {
  uint32_t a, b;
};
constexpr RandomWords random_words(uint64_t seed, uint64_t offset, uint64_t index) {
  const uint64_t block = index / 2;
  const PhiloxCounter words =
      philox4x32_10({static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                     static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32)},
                    {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)});
  return index % 2 == 0 ? RandomWords{words[0], words[1]} : RandomWords{words[2], words[3]};
}

// 53 random bits as a number in [0, 1).
constexpr double uniform_of(RandomWords words) {
  const uint64_t bits = (static_cast<uint64_t>(words.b) << 21) | (words.a >> 11);
  return static_cast<double>(bits) * 0x1p-53;
}

__extension__ using Uint128 = unsigned __int128;

// An integer below `count`: count times the fraction that the 128 bits of block `index` are,
// rounded down. So each has the same probability, but for 2^-64 of it.
constexpr uint64_t random_below(uint64_t count, uint64_t seed, uint64_t offset, uint64_t index) {
  const RandomWords low = random_words(seed, offset, 2 * index);
  const RandomWords high = random_words(seed, offset, 2 * index + 1);
  const auto bits = [](RandomWords words) {
    return static_cast<uint64_t>(words.b) << 32 | words.a;
  };
  const Uint128 carried = static_cast<Uint128>(bits(low)) * count >> 64;
  return static_cast<uint64_t>((static_cast<Uint128>(bits(high)) * count + carried) >> 64);
}

}  // namespace aclgrad::ops
