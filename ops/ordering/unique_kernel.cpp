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
  std::vector<int64_t> first;    // row of each result
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
    std::iota(scratch.order.begin(), scratch.order.end(), int64_t{0});
    if (!sorts_) return;
    if (width() == 1) {
      scratch.items.resize(count);
      for (size_t i = 0; i < count; ++i) {
        scratch.items[i] = {scratch.keys[i], static_cast<int64_t>(i)};
      }
      sort_items(scratch.items, scratch.spare);
      for (size_t i = 0; i < count; ++i) scratch.order[i] = scratch.items[i].place;
      return;
    }
    std::sort(scratch.order.begin(), scratch.order.end(), [&](int64_t a, int64_t b) {
      const Key* const x = scratch.keys.data() + a * width();
      const Key* const y = scratch.keys.data() + b * width();
      const auto [differs, other] = std::mismatch(x, x + width(), y);
      return differs == x + width() ? a < b : *differs < *other;
    });
  }

  bool are_equal(const UniqueScratch<T>& scratch, int64_t a, int64_t b) const {
    const Key* const x = scratch.keys.data() + a * width();
    const Key* const y = scratch.keys.data() + b * width();
    return std::equal(x, x + width(), y) && std::none_of(x, x + width(), is_nan_key<T>);
  }

  void group(UniqueScratch<T>& scratch) const {
    scratch.first.clear();
    scratch.counts.clear();
    scratch.inverse.resize(scratch.order.size());
    for (size_t i = 0; i < scratch.order.size(); ++i) {
      const int64_t row = scratch.order[i];
      if (i == 0 || !are_equal(scratch, scratch.order[i - 1], row)) {
        scratch.first.push_back(row);
        scratch.counts.push_back(0);
      }
      ++scratch.counts.back();
      scratch.inverse[static_cast<size_t>(row)] = static_cast<int64_t>(scratch.first.size()) - 1;
    }
  }

  // self's shape with the number of results in the place of the axis; or that number.
  Dims shape_of(int64_t results) const {
    if (!axis_) return {results};
    Dims shape = self_shape_;
    if (!shape.empty()) shape[*axis_] = results;
    return shape;
  }

  void write(const Run& run, UniqueScratch<T>& scratch) const {
    const auto results = static_cast<int64_t>(scratch.first.size());
    int64_t inner = 1;  // elements of a slice that lie behind each other
    for (size_t d = axis_.value_or(self_shape_.size()) + 1; d < self_shape_.size(); ++d) {
      inner *= self_shape_[d];
    }
    scratch.results.clear();
    for (int64_t outer = 0; outer < width(); outer += inner) {
      for (const int64_t row : scratch.first) {
        const T* const from = scratch.elements.data() + row * width() + outer;
        scratch.results.insert(scratch.results.end(), from, from + inner);
      }
    }
    values_.write(run, scratch.results.data(), 0, static_cast<int64_t>(scratch.results.size()));
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
      for_found(run, begin, end,
                [&](const int64_t*, int64_t found) { before[piece + 1] += found; });
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

  // visit(places, count) for those in [begin, end) that are not 0, block by block.
  template <class Visit>
  void for_found(const Run& run, int64_t begin, int64_t end, const Visit& visit) const {
    alignas(64) int64_t block[kBlock];
    alignas(64) int64_t places[kBlock];
    for_blocks(begin, end, [&](int64_t first, int64_t stop) {
      self_.read_through(run, first, stop, block, ACL_BOOL);
      int64_t found = 0;
      for (int64_t i = first; i < stop; ++i) {
        places[found] = i;
        found += block[i - first] != 0 ? 1 : 0;
      }
      visit(places, found);
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
      for (int64_t i = 0; i < count; ++i) {
        const auto k = static_cast<size_t>(i);
        const int64_t slower = d == 0 ? 0 : rest[k] / shape_[d];  // of the dimensions before
        indices[by_dimension_ ? d * kBlock + k : k * rank + d] = rest[k] - slower * shape_[d];
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
