// SPDX-License-Identifier: Apache-2.0
// A hash of 16 bytes that reads memory about as fast as it comes: products of 32-bit halves, eight
// at a time, which compilers turn into vectors. It tells contents apart that differ by chance, not
// those that are made to be mistaken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace aclgrad::record {

struct Hash {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Hash&, const Hash&) = default;
};

inline uint64_t mixed(uint64_t x) {  // SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

inline Hash hash_of(std::span<const std::byte> bytes) {
  constexpr size_t kLanes = 8;
  constexpr size_t kStripe = kLanes * sizeof(uint64_t);
  constexpr size_t kStripesBetweenMixes = 16;
  std::array<uint64_t, kLanes> sum;
  std::array<uint64_t, kLanes> key;
  for (size_t i = 0; i < kLanes; ++i) {
    sum[i] = mixed(i + 1);
    key[i] = mixed(0x9e3779b97f4a7c15u * (i + 1));
  }
  const auto add = [&](const std::byte* stripe) {
    std::array<uint64_t, kLanes> word;
    std::memcpy(word.data(), stripe, kStripe);
    for (size_t i = 0; i < kLanes; ++i) {
      const uint64_t keyed = word[i] ^ key[i];
      sum[i] += (keyed & 0xffffffffu) * (keyed >> 32);
    }
    for (size_t i = 0; i < kLanes; ++i) sum[i] += word[i ^ 1];
  };
  const auto mix = [&] {
    for (size_t i = 0; i < kLanes; ++i)
      sum[i] = ((sum[i] ^ (sum[i] >> 47)) ^ key[i]) * 0x9e3779b185ebca87u;
    for (size_t i = 0; i < kLanes; ++i) key[i] = key[i] * 0xd1342543de82ef95u + 1;
  };
  size_t at = 0;
  size_t stripes = 0;
  for (; at + kStripe <= bytes.size(); at += kStripe) {
    add(bytes.data() + at);
    if (++stripes % kStripesBetweenMixes == 0) mix();
  }
  std::array<std::byte, kStripe> last = {};
  if (at < bytes.size()) std::memcpy(last.data(), bytes.data() + at, bytes.size() - at);
  add(last.data());
  mix();
  Hash hash{bytes.size(), ~bytes.size()};
  for (size_t i = 0; i < kLanes; ++i) {
    hash.low = mixed(hash.low ^ sum[i]) + i;
    hash.high = mixed(hash.high + sum[kLanes - 1 - i]) ^ (hash.low >> 17);
  }
  return hash;
}

}  // namespace aclgrad::record
