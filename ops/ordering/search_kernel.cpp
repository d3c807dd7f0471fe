// SPDX-License-Identifier: Apache-2.0
#include "ops/ordering/search_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "ops/meta/dtypes.h"
#include "ops/ordering/order_kernel.h"

namespace aclgrad::ops {
namespace {

// Values, or elements of sequences, that a thread takes at a time.
constexpr int64_t kGrain = 8 * static_cast<int64_t>(kBlock);

template <class T>
T number_of(const aclScalar& scalar) {
  if constexpr (std::is_same_v<T, double>) {
    return scalar.to_double();
  } else {
    return scalar.to_int64();
  }
}

template <class T>
class Search {
 public:
  Search(const Arguments& arguments, const SearchProblem& problem)
      : sequence_(arguments, problem.sequence),
        out_(arguments, problem.out),
        dtype_(problem.dtype),
        right_(problem.right),
        sorter_name_(problem.sorter ? arguments.name(*problem.sorter) : "") {
    const Dims& shape = arguments.shape(problem.sequence);
    length_ = shape[shape.size() - 1];
    if (problem.sorter) sorter_.emplace(arguments, *problem.sorter);
    if (arguments[problem.values].tensor() == nullptr) {
      scalar_ = number_of<T>(arguments.scalar(problem.values));
      return;
    }
    values_.emplace(arguments, problem.values);
    const Dims& values = arguments.shape(problem.values);
    if (shape.size() > 1) values_of_a_row_ = values[values.size() - 1];
  }

  uint64_t workspace_size() const {
    return static_cast<uint64_t>(
               saturating_product({sequence_.index.count(), static_cast<int64_t>(sizeof(Key))})) +
           alignof(Key);
  }

  void run(const Run& run) const {
    Key* const keys = aligned<Key>(run.workspace());
    parallel_pieces(sequence_.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      for_blocks(begin, end,
                 [&](int64_t first, int64_t stop) { load_keys(run, first, stop, keys); });
    });
    parallel_pieces(out_.index.count(), kGrain, [&](int64_t begin, int64_t end) {
      for_blocks(begin, end, [&](int64_t first, int64_t stop) { search(run, first, stop, keys); });
    });
  }

 private:
  void load_keys(const Run& run, int64_t first, int64_t stop, Key* keys) const {
    alignas(64) T block[kBlock];
    if (sorter_) {
      alignas(64) int64_t places[kBlock];
      sorter_->read(run, first, stop, places);
      for (int64_t i = first; i < stop; ++i) {
        const int64_t place = places[i - first];
        if (place < 0 || place >= length_) {
          throw std::runtime_error(fmt::format("element {} of {} is {}, but must be in [0, {}]", i,
                                               sorter_name_, place, length_ - 1));
        }
        const int64_t from = i / length_ * length_ + place;
        sequence_.read_through(run, from, from + 1, block + (i - first), dtype_);
      }
    } else {
      sequence_.read_through(run, first, stop, block, dtype_);
    }
    std::transform(block, block + (stop - first), keys + first, key_of<T>);
  }

  void search(const Run& run, int64_t first, int64_t stop, const Key* keys) const {
    alignas(64) T block[kBlock];
    alignas(64) int64_t places[kBlock];
    if (values_) {
      values_->read_through(run, first, stop, block, dtype_);
    } else {
      block[0] = scalar_;
    }
    for (int64_t i = first; i < stop; ++i) {
      const Key* const row = keys + (values_of_a_row_ > 0 ? i / values_of_a_row_ * length_ : 0);
      const Key key = key_of(block[i - first]);
      const Key* found = row + length_;
      if (!is_nan_key<T>(key)) {
        found = right_ ? std::upper_bound(row, row + length_, key)
                       : std::lower_bound(row, row + length_, key);
      }
      places[i - first] = found - row;
    }
    out_.write(run, places, first, stop);
  }

  Elements sequence_;
  std::optional<Elements> sorter_, values_;
  Elements out_;
  T scalar_ = {};
  aclDataType dtype_;
  bool right_;
  const char* sorter_name_;
  int64_t length_ = 0;           // of a sequence
  int64_t values_of_a_row_ = 0;  // 0: there is one sequence for all
};

template <class T>
Plan plan_for(const Arguments& arguments, const SearchProblem& problem) {
  const auto search = std::make_shared<const Search<T>>(arguments, problem);
  return {[search](const Run& run) -> aclError {
            search->run(run);
            return ACL_SUCCESS;
          },
          search->workspace_size()};
}

}  // namespace

Plan plan_search(const Arguments& arguments, const SearchProblem& problem) {
  if (arguments.empty(problem.out)) return {};
  return is_floating(problem.dtype) ? plan_for<double>(arguments, problem)
                                    : plan_for<int64_t>(arguments, problem);
}

}  // namespace aclgrad::ops
