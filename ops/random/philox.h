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

}  // namespace aclgrad::ops
