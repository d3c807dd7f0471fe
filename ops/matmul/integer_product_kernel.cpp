// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/integer_product_kernel.h"

#include <algorithm>
#include <type_traits>

#include "ops/engine/reduce.h"
#include "ops/engine/tree_sum.h"
#include "ops/matmul/matmul_kernel_direct.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Multiplications that a thread takes at a time.
constexpr int64_t kGrain = 1 << 15;

int64_t times(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t plus(int64_t a, int64_t b) { return wrapping_sum(a, b); }

struct IntegerProduct {
  MatmulProblem problem;
  WholeFactors factors;

  const void* at(const Run& run, const MatrixView& view, int64_t batch, int64_t row,
                 int64_t column) const {
    const int64_t start = problem.batch.empty() ? 0 : batch_offset(problem, view, batch);
    return element(static_cast<const void*>(run.data(view.parameter)), view.dtype,
                   start + row * view.row_stride + column * view.column_stride);
  }

  // Of few columns: the terms of one element after the other.
  void add_by_columns(const Run& run, int64_t batch, int64_t row, int64_t begin, int64_t end,
                      int64_t* sums) const {
    for_blocks(0, problem.k, [&](int64_t from, int64_t to) {
      int64_t a[kBlock], b[kBlock];
      const auto count = static_cast<size_t>(to - from);
      load(at(run, problem.a, batch, row, from), problem.a.dtype, problem.a.column_stride, a,
           count);
      for (int64_t j = begin; j < end; ++j) {
        load(at(run, problem.b, batch, from, j), problem.b.dtype, problem.b.row_stride, b, count);
        for (size_t i = 0; i < count; ++i) {
          sums[j - begin] = plus(sums[j - begin], times(a[i], b[i]));
        }
      }
    });
  }

  // Of many: one term of each.
  void add_by_rows(const Run& run, int64_t batch, int64_t row, int64_t begin, int64_t end,
                   int64_t* sums) const {
    const auto count = static_cast<size_t>(end - begin);
    for_blocks(0, problem.k, [&](int64_t from, int64_t to) {
      int64_t a[kBlock], b[kBlock];
      load(at(run, problem.a, batch, row, from), problem.a.dtype, problem.a.column_stride, a,
           static_cast<size_t>(to - from));
      for (int64_t k = from; k < to; ++k) {
        load(at(run, problem.b, batch, k, begin), problem.b.dtype, problem.b.column_stride, b,
             count);
        for (size_t j = 0; j < count; ++j) sums[j] = plus(sums[j], times(a[k - from], b[j]));
      }
    });
  }

  void run_row(const Run& run, int64_t batch, int64_t row) const {
    constexpr int64_t kFewColumns = 16;
    for_blocks(0, problem.n, [&](int64_t begin, int64_t end) {
      int64_t sums[kBlock] = {};
      if (factors.alpha == 0) {
      } else if (end - begin < kFewColumns) {
        add_by_columns(run, batch, row, begin, end, sums);
      } else {
        add_by_rows(run, batch, row, begin, end, sums);
      }
      const auto count = static_cast<size_t>(end - begin);
      for (size_t j = 0; j < count; ++j) sums[j] = times(factors.alpha, sums[j]);
      if (problem.addend && factors.beta != 0) {
        int64_t addend[kBlock];
        const MatrixView& view = *problem.addend;
        load(at(run, view, batch, row, begin), view.dtype, view.column_stride, addend, count);
        for (size_t j = 0; j < count; ++j) {
          sums[j] = plus(sums[j], times(factors.beta, addend[j]));
        }
      }
      store(sums, const_cast<void*>(at(run, problem.out, batch, row, begin)), problem.out.dtype,
            problem.out.column_stride, count);
    });
  }
};

// Chunks of terms, as sums have them.
template <class T>
struct Dot {
  using State = T;

  Elements self, other, out;

  int64_t outputs() const { return 1; }
  int64_t chunks() const { return std::max<int64_t>(1, sum_chunks(self.index.count())); }
  int64_t together() const { return 1; }
  int64_t grain() const { return 8; }
  void reduce(const Run& run, int64_t, int64_t, int64_t chunk, T* states) const {
    AccumulatorSum<T> sum;
    const int64_t end = std::min(self.index.count(), (chunk + 1) * kSumChunk);
    for_blocks(chunk * kSumChunk, end, [&](int64_t begin, int64_t stop) {
      T a[kBlock], b[kBlock];
      self.read(run, begin, stop, a);
      other.read(run, begin, stop, b);
      for (int64_t i = 0; i < stop - begin; ++i) {
        if constexpr (std::is_same_v<T, int64_t>) {
          a[i] = times(a[i], b[i]);
        } else {
          a[i] *= b[i];
        }
      }
      sum.add(a, static_cast<size_t>(stop - begin));
    });
    *states = sum.total();
  }
  void merge(T& state, const T& next) const { state = wrapping_sum(state, next); }
  // The sum begins with +0.
  void finish(const Run& run, int64_t, int64_t, T* states) const {
    const T total = wrapping_sum(*states, T{});
    out.write(run, &total, 0, 1);
  }
};

template <class T>
Plan dot_in(const Arguments& arguments, size_t self, size_t other, size_t out) {
  return plan_reduction(
      Dot<T>{Elements(arguments, self), Elements(arguments, other), Elements(arguments, out)});
}

}  // namespace

Plan plan_integer_product(const MatmulProblem& problem, const WholeFactors& factors) {
  const int64_t rows = saturating_product({count_elements(problem.batch), problem.m});
  if (saturating_product({rows, problem.n}) == 0) return {};
  const int64_t of_row = std::max<int64_t>(1, saturating_product({problem.n, problem.k}));
  return {[=, product = IntegerProduct{problem, factors}](const Run& run) -> aclError {
    parallel_pieces(rows, std::max<int64_t>(1, kGrain / of_row), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        product.run_row(run, i / product.problem.m, i % product.problem.m);
      }
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_any_product(const MatmulProblem& problem, const WholeFactors& factors) {
  return is_integer(problem.a.dtype) ? plan_integer_product(problem, factors)
                                     : plan_matmul(problem);
}

Plan plan_dot(const Arguments& arguments, size_t self, size_t other, size_t out) {
  return is_integer(arguments.dtype(self)) ? dot_in<int64_t>(arguments, self, other, out)
                                           : dot_in<double>(arguments, self, other, out);
}

}  // namespace aclgrad::ops
