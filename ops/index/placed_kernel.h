// SPDX-License-Identifier: Apache-2.0
// Slices of a tensor by their places: taken from there, put there, or added up there. A place is
// the number of a slice, in row-major order of the dimensions that slices do not stretch over. All
// places are known, and within their range, before anything is written: a number outside its range
// ends the task with an exception that names it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// One place for each of `count` positions. -1: the position has none.
struct Places {
  int64_t count;
  // Writes them; `scratch` has room for as many numbers more.
  std::function<void(const Run& run, int64_t* places, int64_t* scratch)> fill;
  int64_t scratch = 0;
};

// A tensor of numbers, or a mask that stands for the numbers of its true elements in row order.
struct IndexTerm {
  Elements elements;
  const char* name;
  const char* taken_from = nullptr;  // the tensor whose elements a mask takes, for messages
  bool is_mask;
  int64_t size;  // of what is numbered; of a mask: as many elements
  int64_t step;  // from one number to the next, in places
  bool counts_from_end = true;

  IndexTerm(const Arguments& arguments, size_t tensor, Elements of, int64_t numbered,
            int64_t distance);
};

// The place of a position is the sum of its numbers' and of its coordinates' steps. `shape` is that
// of the positions, to which tensors of numbers are broadcast; a mask has a number for each element
// of the last dimension. A mask may have fewer true elements than that where `may_lack`: the other
// positions have no place then. `steps`: of the coordinates; empty where they do not count.
Places index_places(const Dims& shape, std::vector<IndexTerm> terms, const Dims& steps = {},
                    bool may_lack = false);

// One place for each row of the last dimension of `coordinates`, whose numbers are those of the
// dimensions of `shape`, as many as it has.
Places coordinate_places(const Arguments& arguments, size_t coordinates, const Dims& shape,
                         bool counts_from_end);

// Place k as often as `repeats` says for it, for k < size. One number is that of all. As many in
// all as `count`: the task fails where they are not.
Places repeated_places(const Arguments& arguments, size_t repeats, int64_t size, int64_t count);

// to[i] = from[place i], bit for bit; what has no place stays. `found` is told for how many i.
Plan plan_taken(Places places, const Slices& from, const Slices& to,
                std::function<void(int64_t count)> found = nullptr);

// to[place i] = from[i], bit for bit. The last of equal places wins. What is in no place stays, or
// is `self`'s, of to's shape and dtype, which may be `to`.
Plan plan_put(Places places, const Slices& from, const Slices& to,
              const std::optional<Slices>& self = std::nullopt);

// The element that a scalar is in a dtype, as slices of `shape` for all positions; and a plan with
// it, made for these slices.
struct ScalarSlices {
  Slices slices;
  ScalarSlices(const Arguments& arguments, size_t scalar, aclDataType dtype, const Dims& positions,
               const Dims& shape);
  Plan fill_in(Plan plan) const;

 private:
  struct alignas(16) Element {
    unsigned char bytes[16];
  };
  Element element_ = {};
  size_t parameter_count_;
};

// How terms of one place are joined. A NaN wins over every maximum and minimum.
enum class Join { kSum, kProduct, kMax, kMin };

struct PlacedSum {
  Slices terms;                // one for each position
  std::optional<Slices> self;  // what the terms are added to; of out's shape and dtype
  Slices out;
  // What terms are multiplied by: as out's dtype is real, an integer or complex.
  double factor = 1;
  int64_t integer_factor = 1;
  int64_t zero = -1;            // a place that stays 0, if any
  bool is_mean = false;         // divided by the number of terms, integers rounded down
  Join join = Join::kSum;       // of others than sums the factor does not count
  bool self_counts = false;     // as a term of the mean
  bool self_gives_way = false;  // where there are terms
};

// out[v] = self[v] + the sum of the terms with place v, or joined with them otherwise, in their
// order. Computed in double, int64 or complex numbers of double, which are but added or multiplied,
// and rounded once. out may be self.
Plan plan_placed_sum(Places places, const PlacedSum& sum);

// Slices of a view that is none of the tensor's own: over `shape` with these strides.
Slices slices_of(const Arguments& arguments, size_t tensor, const Dims& shape, const Dims& strides,
                 const DimSet& inside);

}  // namespace aclgrad::ops
