// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/random.h"

#include <fmt/format.h>

#include <cmath>
#include <new>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad_common/philox.h"
#include "data/row_numbers.h"

namespace aclgrad {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_word(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

/// The upper 53 bits as a multiple of 2^-53.
double to_unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  return common::philox4x32_10(counter, key);
}

std::array<std::uint64_t, 2> Random::block(std::uint64_t index) const {
  const std::array<std::uint32_t, 4> words =
      philox4x32({low_word(index), high_word(index), low_word(stream_), high_word(stream_)},
                 {low_word(seed_), high_word(seed_)});
  return {std::uint64_t{words[1]} << 32 | words[0], std::uint64_t{words[3]} << 32 | words[2]};
}

std::uint64_t Random::bits(std::uint64_t index) const { return block(index)[0]; }

double Random::uniform(std::uint64_t index) const { return to_unit_interval(bits(index)); }

double Random::normal(std::uint64_t index) const {
  const auto [first, second] = block(index);
  const double radius = std::sqrt(-2 * std::log(1 - to_unit_interval(first)));  // never log(0)
  return radius * std::cos(2 * std::numbers::pi * to_unit_interval(second));
}

std::uint64_t Random::below(std::uint64_t index, std::uint64_t bound) const {
  return static_cast<std::uint64_t>(Wide{bits(index)} * bound >> 64);
}

std::vector<std::int64_t> detail::row_numbers(std::int64_t first, std::int64_t count) {
  try {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw ValueError(fmt::format(
      "the numbers of {} rows do not fit into memory: batches in order (BatchOptions::shuffle is "
      "false), taken one by one, need those of a batch only",
      count));
}

std::vector<std::int64_t> random_permutation(std::int64_t count, std::uint64_t seed,
                                             std::uint64_t stream) {
  if (count < 0) {
    throw ValueError("a permutation needs a count of at least 0, got " + std::to_string(count));
  }
  const Random random(seed, stream);
  std::vector<std::int64_t> order = detail::row_numbers(0, count);
  for (std::size_t last = order.size(); last > 1; --last) {
    std::swap(order[last - 1], order[random.below(last, last)]);
  }
  return order;
}

}  // namespace aclgrad
