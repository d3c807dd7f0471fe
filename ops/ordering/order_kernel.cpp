// SPDX-License-Identifier: Apache-2.0
#include "ops/ordering/order_kernel.h"

#include <algorithm>
#include <array>

#include "ops/engine/thread_scratch.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time, at least.
constexpr int64_t kGrain = 1 << 14;

// Fewer items are compared with each other; of more, digit by digit is faster.
constexpr size_t kFewItems = 512;

// Keys of 32 bits have three digits.
constexpr size_t kBits = 11;
constexpr size_t kDigits = (8 * sizeof(Key) + kBits - 1) / kBits;
constexpr size_t kValues = size_t{1} << kBits;  // of a digit

size_t digit_of(Key key, size_t digit) { return key >> (kBits * digit) & (kValues - 1); }

}  // namespace

void sort_items(std::vector<Item>& items, std::vector<Item>& spare) {
  if (items.size() <= kFewItems) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return a.key != b.key ? a.key < b.key : a.place < b.place;
    });
    return;
  }
  // Radix sort from the last digit on: each pass keeps the order of equal digits. All digits are
  // counted at once, and one that all keys share, as most of narrow dtypes, needs no pass.
  std::array<std::array<size_t, kValues>, kDigits> counts{};
  for (const Item& item : items) {
    for (size_t digit = 0; digit < kDigits; ++digit) ++counts[digit][digit_of(item.key, digit)];
  }
  spare.resize(items.size());
  for (size_t digit = 0; digit < kDigits; ++digit) {
    std::array<size_t, kValues>& next = counts[digit];
    if (next[digit_of(items[0].key, digit)] == items.size()) continue;
    size_t before = 0;
    for (size_t& count : next) before += std::exchange(count, before);
    for (const Item& item : items) spare[next[digit_of(item.key, digit)]++] = item;
    items.swap(spare);
  }
}

namespace {

template <class T>
struct LineScratch {
  std::vector<T> values;
  std::vector<Item> items, spare;
  std::vector<T> sorted;
  std::vector<int64_t> places;
  std::vector<Key> keys, rest;
};

// Lines along an axis, or all elements as one.
Slices lines_of(const Arguments& arguments, size_t tensor, const std::optional<size_t>& axis) {
  return {arguments, tensor, axis ? dimensions(*axis, 1) : dimensions(0, kMaxRank)};
}

// visit(line, scratch), with its elements in scratch.values.
template <class T, class Visit>
void for_lines(const Run& run, const Slices& self, const Visit& visit) {
  const int64_t length = self.index.count();
  parallel_pieces(self.starts.count(), std::max<int64_t>(1, kGrain / length),
                  [&](int64_t begin, int64_t end) {
                    const ThreadScratch<LineScratch<T>> scratch;
                    scratch->values.resize(static_cast<size_t>(length));
                    for (int64_t line = begin; line < end; ++line) {
                      self.read(run, 0, length, scratch->values.data(), self.starts.offset(line));
                      visit(line, *scratch);
                    }
                  });
}

// ---- Sorting ------------------------------------------------------------------------------------

template <class T>
Plan plan_sort_in(const Arguments& arguments, const SortProblem& problem) {
  const Slices self = lines_of(arguments, problem.self, problem.axis);
  const Slices indices = lines_of(arguments, problem.indices, problem.axis);
  std::optional<Slices> values;
  if (problem.values) values = lines_of(arguments, *problem.values, problem.axis);
  return {[=, descending = problem.descending](const Run& run) -> aclError {
    for_lines<T>(run, self, [&](int64_t line, LineScratch<T>& scratch) {
      const size_t count = scratch.values.size();
      scratch.items.resize(count);
      for (size_t i = 0; i < count; ++i) {
        const Key key = key_of(scratch.values[i]);
        scratch.items[i] = {descending ? ~key : key, static_cast<int64_t>(i)};
      }
      sort_items(scratch.items, scratch.spare);
      scratch.places.resize(count);
      for (size_t i = 0; i < count; ++i) scratch.places[i] = scratch.items[i].place;
      indices.write(run, scratch.places.data(), 0, indices.index.count(),
                    indices.starts.offset(line));
      if (!values) return;
      scratch.sorted.resize(count);
      for (size_t i = 0; i < count; ++i) {
        scratch.sorted[i] = scratch.values[static_cast<size_t>(scratch.places[i])];
      }
      values->write(run, scratch.sorted.data(), 0, values->index.count(),
                    values->starts.offset(line));
    });
    return ACL_SUCCESS;
  }};
}

// ---- Choosing -----------------------------------------------------------------------------------

template <class T>
Plan plan_choice_in(const Arguments& arguments, const ChoiceProblem& problem) {
  const Slices self = lines_of(arguments, problem.self, problem.axis);
  const Elements values(arguments, problem.values);
  std::optional<Elements> indices;
  if (problem.indices) indices.emplace(arguments, *problem.indices);
  return {[=, choose = problem.place,
           first_of_equals = problem.first_of_equals](const Run& run) -> aclError {
    for_lines<T>(run, self, [&](int64_t line, LineScratch<T>& scratch) {
      std::vector<Key>& keys = scratch.keys;
      keys.resize(scratch.values.size());
      std::transform(scratch.values.begin(), scratch.values.end(), keys.begin(), key_of<T>);
      const int64_t nans = std::count_if(keys.begin(), keys.end(), is_nan_key<T>);
      const int64_t place = choose(static_cast<int64_t>(keys.size()), nans);
      scratch.rest.assign(keys.begin(), keys.end());
      const auto chosen = scratch.rest.begin() + place;
      std::nth_element(scratch.rest.begin(), chosen, scratch.rest.end());
      // Of the elements with this key, in their order, the one that sorting puts there.
      const Key key = *chosen;
      const auto is_equal = [key](Key each) { return each == key; };
      int64_t turn = 0;
      if (!first_of_equals) {
        const auto is_less = [key](Key each) { return each < key; };
        turn = place - std::count_if(keys.begin(), keys.end(), is_less);
      }
      auto found = std::find_if(keys.begin(), keys.end(), is_equal);
      for (; turn > 0; --turn) found = std::find_if(found + 1, keys.end(), is_equal);
      const int64_t index = found - keys.begin();
      values.write(run, &scratch.values[static_cast<size_t>(index)], line, line + 1);
      if (indices) indices->write(run, &index, line, line + 1);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace

Plan plan_sort(const Arguments& arguments, const SortProblem& problem) {
  if (arguments.empty(problem.self)) return {};
  return is_floating(arguments.dtype(problem.self)) ? plan_sort_in<double>(arguments, problem)
                                                    : plan_sort_in<int64_t>(arguments, problem);
}

Plan plan_choice(const Arguments& arguments, const ChoiceProblem& problem) {
  if (arguments.empty(problem.self)) return {};
  return is_floating(arguments.dtype(problem.self)) ? plan_choice_in<double>(arguments, problem)
                                                    : plan_choice_in<int64_t>(arguments, problem);
}

}  // namespace aclgrad::ops
