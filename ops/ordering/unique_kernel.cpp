// SPDX-License-Identifier: Apache-2.0
#include "ops/ordering/unique_kernel.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "ops/engine/thread_scratch.h"
#include "ops/meta/dtypes.h"
#include "ops/meta/result_shape.h"
#include "ops/ordering/order_kernel.h"

namespace aclgrad::ops {
namespace {

// What is compared, each a row of keys.
template <class T>
struct UniqueScratch {
  std::vector<T> elements;  // row by row
  std::vector<Key> keys;
  std::vector<Item> items, spare;
  std::vector<int64_t> order;    // of rows
  std::vector<int64_t> first;    // row of each result, of which there are
  size_t found = 0;              // so many
  std::vector<int64_t> inverse;  // result of each row
  std::vector<int64_t> counts;   // rows of each result
  std::vector<T> results;
};

template <class T>
class Unique {
 public:
  Unique(const Arguments& arguments, const UniqueProblem& problem)
      : sorts_(problem.sorts),
        self_shape_(arguments.shape(problem.self)),
        values_(arguments, problem.values),
        values_shape_(arguments.tensor(problem.values)) {
    DimSet inside{};
    if (problem.axis) {
      inside = dimensions(0, kMaxRank);
      inside[*problem.axis] = false;
      axis_ = problem.axis;
    }
    self_ = Slices(arguments, problem.self, inside);
    if (problem.inverse) inverse_.emplace(arguments, *problem.inverse);
    if (problem.counts) {
      counts_.emplace(arguments, *problem.counts);
      counts_shape_.emplace(arguments.tensor(*problem.counts));
    }
  }

  void run(const Run& run) const {
    const ThreadScratch<UniqueScratch<T>> kept;
    UniqueScratch<T>& scratch = *kept;
    read(run, scratch);
    order(scratch);
    group(scratch);
    write(run, scratch);
  }

 private:
  int64_t rows() const { return self_.starts.count(); }
  int64_t width() const { return self_.index.count(); }

  void read(const Run& run, UniqueScratch<T>& scratch) const {
    scratch.elements.resize(static_cast<size_t>(rows() * width()));
    T* const elements = scratch.elements.data();
    if (!axis_) {
      read_elements(self_.at(run, 0), self_.dtype, self_.starts, 0, rows(), elements);
    } else if (width() > 0) {
      for (int64_t row = 0; row < rows(); ++row) {
        self_.read(run, 0, width(), elements + row * width(), self_.starts.offset(row));
      }
    }
    scratch.keys.resize(scratch.elements.size());
    std::transform(scratch.elements.begin(), scratch.elements.end(), scratch.keys.begin(),
                   key_of<T>);
  }

  void order(UniqueScratch<T>& scratch) const {
    const auto count = static_cast<size_t>(rows());
    scratch.order.resize(count);
    if (sorts_ && width() == 1) {
      scratch.items.resize(count);
      for (size_t i = 0; i < count; ++i) {
        scratch.items[i] = {scratch.keys[i], static_cast<int64_t>(i)};
      }
      sort_items(scratch.items, scratch.spare);
      for (size_t i = 0; i < count; ++i) {
        scratch.keys[i] = scratch.items[i].key;
        scratch.order[i] = scratch.items[i].place;
      }
      return;
    }
    std::iota(scratch.order.begin(), scratch.order.end(), int64_t{0});
    if (!sorts_) return;
    std::sort(scratch.order.begin(), scratch.order.end(), [&](int64_t a, int64_t b) {
      const Key* const x = scratch.keys.data() + a * width();
      const Key* const y = scratch.keys.data() + b * width();
      const auto [differs, other] = std::mismatch(x, x + width(), y);
      return differs == x + width() ? a < b : *differs < *other;
    });
  }

  // Whether the row at a place of the order equals the one before. Keys of single elements stand in
  // that order, too.
  bool repeats(const UniqueScratch<T>& scratch, size_t place) const {
    if (width() == 1) {
      const Key key = scratch.keys[place];
      return key == scratch.keys[place - 1] && !is_nan_key<T>(key);
    }
    const Key* const x = scratch.keys.data() + scratch.order[place - 1] * width();
    const Key* const y = scratch.keys.data() + scratch.order[place] * width();
    return std::equal(x, x + width(), y) && std::none_of(x, x + width(), is_nan_key<T>);
  }

  void group(UniqueScratch<T>& scratch) const {
    const size_t rows = scratch.order.size();
    scratch.first.resize(rows);
    if (counts_) scratch.counts.resize(rows);
    if (inverse_) scratch.inverse.resize(rows);
    size_t found = 0;
    size_t begin = 0;  // where the rows of the last result begin
    const auto count = [&](size_t end) {
      if (counts_ && found > 0) scratch.counts[found - 1] = static_cast<int64_t>(end - begin);
    };
    for (size_t i = 0; i < rows; ++i) {
      const int64_t row = scratch.order[i];
      if (i == 0 || !repeats(scratch, i)) {
        count(i);
        begin = i;
        scratch.first[found++] = row;
      }
      if (inverse_) scratch.inverse[static_cast<size_t>(row)] = static_cast<int64_t>(found) - 1;
    }
    count(rows);
    scratch.found = found;
  }

  // self's shape with the number of results in the place of the axis; or that number.
  Dims shape_of(int64_t results) const {
    if (!axis_) return {results};
    Dims shape = self_shape_;
    if (!shape.empty()) shape[*axis_] = results;
    return shape;
  }

  void write(const Run& run, UniqueScratch<T>& scratch) const {
    const auto results = static_cast<int64_t>(scratch.found);
    int64_t inner = 1;  // elements of a slice that lie behind each other
    for (size_t d = axis_.value_or(self_shape_.size()) + 1; d < self_shape_.size(); ++d) {
      inner *= self_shape_[d];
    }
    scratch.results.resize(scratch.elements.size());
    T* next = scratch.results.data();
    for (int64_t outer = 0; outer < width(); outer += inner) {
      for (size_t i = 0; i < scratch.found; ++i) {
        const T* const from = scratch.elements.data() + scratch.first[i] * width() + outer;
        next = std::copy_n(from, inner, next);
      }
    }
    values_.write(run, scratch.results.data(), 0, results * width());
    values_shape_.set(shape_of(results));
    if (inverse_) inverse_->write(run, scratch.inverse.data(), 0, rows());
    if (!counts_) return;
    counts_->write(run, scratch.counts.data(), 0, results);
    counts_shape_->set({results});
  }

  bool sorts_;
  std::optional<size_t> axis_;
  Dims self_shape_;
  Slices self_;
  Elements values_;
  ResultShape values_shape_;
  std::optional<Elements> inverse_, counts_;
  std::optional<ResultShape> counts_shape_;
};

template <class T>
Plan plan_unique_in(const Arguments& arguments, const UniqueProblem& problem) {
  const auto unique = std::make_shared<const Unique<T>>(arguments, problem);
  return {.body = [unique](const Run& run) -> aclError {
            unique->run(run);
            return ACL_SUCCESS;
          },
          .is_repeatable = false};
}

// ---- Not 0 --------------------------------------------------------------------------------------

// Elements that a thread takes at a time.
constexpr int64_t kPiece = 1 << 15;

class Nonzero {
 public:
  Nonzero(const Arguments& arguments, size_t self, size_t out, bool by_dimension)
      : shape_(arguments.shape(self)),
        self_(arguments, self),
        out_(arguments, out),
        out_shape_(arguments.tensor(out)),
        by_dimension_(by_dimension) {}

  uint64_t workspace_size() const {
    return static_cast<uint64_t>(pieces() + 1) * sizeof(int64_t) + alignof(int64_t);
  }

  void run(const Run& run) const {
    // How many there are before each piece, and in all.
    int64_t* const before = aligned<int64_t>(run.workspace());
    before[0] = 0;
    for_pieces([&](int64_t piece, int64_t begin, int64_t end) {
      before[piece + 1] = 0;
      for_flags(run, begin, end, [&](const bool* flags, int64_t first, int64_t stop) {
        before[piece + 1] += std::count(flags, flags + (stop - first), true);
      });
    });
    for (int64_t piece = 0; piece < pieces(); ++piece) before[piece + 1] += before[piece];
    const int64_t all = before[pieces()];
    for_pieces([&](int64_t piece, int64_t begin, int64_t end) {
      int64_t next = before[piece];
      for_found(run, begin, end, [&](const int64_t* places, int64_t found) {
        write(run, places, next, found, all);
        next += found;
      });
    });
    const auto rank = static_cast<int64_t>(shape_.size());
    out_shape_.set(by_dimension_ ? Dims{rank, all} : Dims{all, rank});
  }

 private:
  int64_t pieces() const { return (self_.index.count() + kPiece - 1) / kPiece; }

  // visit(piece, begin, end)
  template <class Visit>
  void for_pieces(const Visit& visit) const {
    parallel_pieces(pieces(), 1, [&](int64_t first, int64_t last) {
      for (int64_t piece = first; piece < last; ++piece) {
        visit(piece, piece * kPiece, std::min(self_.index.count(), (piece + 1) * kPiece));
      }
    });
  }

  // visit(flags, first, stop), block by block: whether elements of [first, stop) are not 0.
  template <class Visit>
  void for_flags(const Run& run, int64_t begin, int64_t end, const Visit& visit) const {
    alignas(64) bool flags[kBlock];
    for_blocks(begin, end, [&](int64_t first, int64_t stop) {
      if (is_floating(self_.dtype)) {
        read_flags<double>(run, first, stop, self_.dtype, flags);
      } else {
        const aclDataType through = is_complex(self_.dtype) ? ACL_BOOL : self_.dtype;
        read_flags<int64_t>(run, first, stop, through, flags);
      }
      visit(flags, first, stop);
    });
  }

  template <class T>
  void read_flags(const Run& run, int64_t first, int64_t stop, aclDataType through,
                  bool* flags) const {
    alignas(64) T block[kBlock];
    self_.read_through(run, first, stop, block, through);
    for (int64_t i = 0; i < stop - first; ++i) flags[i] = block[i] != 0;
  }

  // visit(places, count) for those in [begin, end) that are not 0, block by block.
  template <class Visit>
  void for_found(const Run& run, int64_t begin, int64_t end, const Visit& visit) const {
    alignas(64) int64_t places[kBlock];
    for_flags(run, begin, end, [&](const bool* flags, int64_t first, int64_t stop) {
      int64_t found = 0;
      for (int64_t i = first; i < stop; ++i) {
        places[found] = i;
        found += flags[i - first] ? 1 : 0;
      }
      if (found > 0) visit(places, found);
    });
  }

  // The indices of some elements, of which `first` others come before and `all` are there.
  void write(const Run& run, const int64_t* places, int64_t first, int64_t count,
             int64_t all) const {
    const size_t rank = shape_.size();
    alignas(64) std::array<int64_t, 8 * kBlock> indices;  // row by row, of at most 8 dimensions
    alignas(64) std::array<int64_t, kBlock> rest;
    std::copy_n(places, count, rest.begin());
    for (size_t d = rank; d-- > 0;) {
      // Places ascend and are less than a block apart, so that one division does.
      int64_t slower = d == 0 ? 0 : rest[0] / shape_[d];  // of the dimensions before
      int64_t begin = slower * shape_[d];
      for (size_t k = 0; k < static_cast<size_t>(count); ++k) {
        for (; d > 0 && rest[k] - begin >= shape_[d]; begin += shape_[d]) ++slower;
        indices[by_dimension_ ? d * kBlock + k : k * rank + d] = rest[k] - begin;
        rest[k] = slower;
      }
    }
    const auto n = static_cast<int64_t>(rank);
    if (!by_dimension_) return out_.write(run, indices.data(), first * n, (first + count) * n);
    for (int64_t d = 0; d < n; ++d) {
      out_.write(run, indices.data() + static_cast<size_t>(d) * kBlock, d * all + first,
                 d * all + first + count);
    }
  }

  Dims shape_;
  Elements self_;
  Elements out_;
  ResultShape out_shape_;
  bool by_dimension_;
};

}  // namespace

Plan plan_unique(const Arguments& arguments, const UniqueProblem& problem) {
  return is_floating(arguments.dtype(problem.self)) ? plan_unique_in<double>(arguments, problem)
                                                    : plan_unique_in<int64_t>(arguments, problem);
}

Plan plan_nonzero(const Arguments& arguments, size_t self, size_t out, bool by_dimension) {
  const auto nonzero = std::make_shared<const Nonzero>(arguments, self, out, by_dimension);
  return {.body = [nonzero](const Run& run) -> aclError {
            nonzero->run(run);
            return ACL_SUCCESS;
          },
          .workspace_size = nonzero->workspace_size(),
          .is_repeatable = false};
}

}  // namespace aclgrad::ops
