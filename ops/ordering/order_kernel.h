// SPDX-License-Identifier: Apache-2.0
// The order of elements, in which a NaN is larger than every number and -0 equals +0: sorting lines
// of a tensor, and choosing one element of each by its place in that order.
#pragma once

#include <bit>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

#include "ops/engine/iterate.h"

namespace aclgrad::ops {

// ---- Keys ---------------------------------------------------------------------------------------

// Unsigned numbers in the order of the elements, which are given as double or int64_t.
using Key = uint64_t;

// That of a NaN; integers have none.
inline constexpr Key kNanKey = std::numeric_limits<Key>::max();

template <class T>
bool is_nan_key(Key key) {
  return std::is_same_v<T, double> && key == kNanKey;
}

template <class T>
Key key_of(T x) {
  constexpr Key kSign = Key{1} << 63;
  if constexpr (std::is_same_v<T, double>) {
    if (x != x) return kNanKey;
    const Key bits = std::bit_cast<Key>(x + 0.0);  // which makes +0 of -0
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else {
    return static_cast<Key>(x) ^ kSign;
  }
}

struct Item {
  Key key;
  int64_t place;
};

// By keys; equal ones keep their order. `spare` is memory for it, of any size and contents.
void sort_items(std::vector<Item>& items, std::vector<Item>& spare);

// ---- Lines --------------------------------------------------------------------------------------

struct SortProblem {
  size_t self;
  size_t axis;
  bool descending;
  std::optional<size_t> values;
  size_t indices;
};

// Equal elements keep their order, descending too.
Plan plan_sort(const Arguments& arguments, const SortProblem& problem);

struct ChoiceProblem {
  size_t self;
  std::optional<size_t> axis;  // none: all elements are one line
  // The place in ascending order, from 0 on, of the chosen one of `count` elements, of which the
  // last `nans` are NaN.
  std::function<int64_t(int64_t count, int64_t nans)> place;
  bool first_of_equals;  // the index is that of the first equal element; else of the one chosen
  size_t values;
  std::optional<size_t> indices;
};

// At least one element in a line.
Plan plan_choice(const Arguments& arguments, const ChoiceProblem& problem);

}  // namespace aclgrad::ops
