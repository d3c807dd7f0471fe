// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/reduce_kernel.h"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <limits>
#include <type_traits>

#include "aclgrad_ext.h"
#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/reduce.h"
#include "ops/engine/sums.h"
#include "ops/engine/tree_sum.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Outputs that are handled together, at most and at least. When the elements of neighbouring
// outputs lie side by side, whole rows of them are added at once: the longer, the better memory
// delivers.
constexpr int64_t kOutputs = ColumnSums::kColumns;
static_assert(kOutputs <= kMaxTogether);
constexpr int64_t kFewOutputs = 64;

// Terms that a thread takes at a time.
constexpr int64_t kGrain = 1 << 16;

// Runs that are shorter are converted here: calling for them would take longer than the work.
constexpr int64_t kShortRun = 16;

template <class T>
void divide(T& value, int64_t count) {
  value /= static_cast<double>(count);
}
template <>
void divide(int64_t& value, int64_t count) {
  value /= count;
}

// Sums of blocks: real numbers have kernels for it.
template <class T>
using Summation = std::conditional_t<std::is_same_v<T, double>, RealSum, AccumulatorSum<T>>;

void add_block(const double* block, size_t count, RealSum& sum) {
  sum.add(block, ACL_DOUBLE, count);
}
template <class T>
void add_block(const T* block, size_t count, AccumulatorSum<T>& sum) {
  sum.add(block, count);
}

template <class T>
class Sums {
 public:
  using State = T;

  Sums(const Arguments& arguments, const ReduceProblem& problem)
      : problem_(problem),
        input_(arguments, problem.input, problem.reduced),
        output_(arguments, problem.output) {
    direct_ = std::is_same_v<T, double> && is_floating(input_.dtype) &&
              converts_exactly(input_.dtype, problem.dtype) && !skips_nan();
    side_by_side_ = kept().inner_extent() >= 4 && terms().count() > 1 &&
                    std::abs(kept().inner_stride()) < std::abs(terms().inner_stride());
  }

  int64_t outputs() const { return kept().count(); }
  int64_t chunks() const { return std::max<int64_t>(1, sum_chunks(terms().count())); }
  // As many as there are for each thread. How outputs are grouped changes no bit.
  int64_t together() const {
    if (outputs() <= kFewOutputs) return kFewOutputs;
    const int64_t threads = aclgradGetNumThreads();
    const int64_t share = (outputs() + threads - 1) / threads;
    return std::clamp((share + kFewOutputs - 1) / kFewOutputs * kFewOutputs, kFewOutputs, kOutputs);
  }
  int64_t grain() const {
    if (chunks() == 1) return std::max<int64_t>(1, kGrain / terms().count() / together());
    return outputs() == 1 && is_dense() ? kGrain / kSumChunk : 1;
  }
  void reduce(const Run& run, int64_t first, int64_t count, int64_t chunk, T* sums) const {
    sum_chunk(run, first, first + count, chunk, sums);
  }
  void reduce_chunks(const Run& run, int64_t begin, int64_t end, T* sums) const {
    if constexpr (std::is_same_v<T, double>) {
      if (is_dense()) {
        const int64_t first = begin * kSumChunk;
        const int64_t last = std::min(terms().count(), end * kSumChunk);
        return sum_dense_chunks(input_.at(run, first), input_.dtype,
                                static_cast<size_t>(last - first), sums + begin);
      }
    }
    for (int64_t chunk = begin; chunk < end; ++chunk) sum_chunk(run, 0, 1, chunk, sums + chunk);
  }
  void merge(T& sum, const T& next) const { sum = wrapping_sum(sum, next); }
  void finish(const Run& run, int64_t first, int64_t count, T* sums) const {
    if (problem_.reduction == Reduction::kMean) {
      for (int64_t i = 0; i < count; ++i) divide(sums[i], terms().count());
    }
    output_.write_through(run, sums, problem_.dtype, first, first + count);
  }

 private:
  const StridedIndex& kept() const { return input_.starts; }  // dimensions the output has, too
  const StridedIndex& terms() const { return input_.index; }  // those that are summed over
  bool is_dense() const { return direct_ && terms().dense(); }

  void fetch(const Run& run, int64_t offset, int64_t stride, int64_t count, T* block) const {
    if constexpr (std::is_same_v<T, double>) {
      if (direct_ && input_.dtype == ACL_FLOAT && count < kShortRun) {
        const auto* from = run.data<const Unaligned<float>>(problem_.input) + offset;
        for (int64_t i = 0; i < count; ++i) block[i] = static_cast<double>(from[i * stride].value);
        return;
      }
    }
    load_through(input_.at(run, offset), input_.dtype, problem_.dtype, stride, block,
                 static_cast<size_t>(count));
    if (skips_nan()) std::replace_if(block, block + count, is_nan, T{});
  }

  bool skips_nan() const { return problem_.reduction == Reduction::kNansum; }
  static bool is_nan(const T& x) { return x != x; }

  // The sums over one chunk of terms for outputs [begin, end).
  void sum_chunk(const Run& run, int64_t begin, int64_t end, int64_t chunk, T* sums) const {
    const int64_t first = chunk * kSumChunk;
    const int64_t last = std::min(terms().count(), first + kSumChunk);
    kept().for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t count) {
      if (!(direct_ && sum_directly(run, offset, stride, count, first, last, sums))) {
        if (side_by_side_) {
          sum_rows(run, offset, stride, count, first, last, sums);
        } else {
          for (int64_t i = 0; i < count; ++i) {
            sums[i] = sum_one(run, offset + i * stride, first, last);
          }
        }
      }
      sums += count;
    });
  }

  // Adds from the tensor's own memory; false when its layout does not allow it.
  bool sum_directly(const Run& run, int64_t base, int64_t stride, int64_t count, int64_t first,
                    int64_t last, T* sums) const {
    if constexpr (std::is_same_v<T, double>) {
      const auto at = [&](int64_t offset) { return input_.at(run, base + offset); };
      const auto outputs = static_cast<size_t>(count);
      if (side_by_side_ && stride == 1 && terms().is_line()) {
        const int64_t step = terms().inner_stride();
        sum_columns(at(first * step), input_.dtype, step, static_cast<size_t>(last - first),
                    outputs, sums);
        return true;
      }
      if (side_by_side_ && stride == 1) {
        ColumnSums columns(outputs);
        terms().for_runs(first, last, [&](int64_t offset, int64_t step, int64_t rows) {
          columns.add(at(offset), input_.dtype, step, static_cast<size_t>(rows));
        });
        columns.finish(sums);
        return true;
      }
      if (terms().dense()) {
        sum_lines(at(first), input_.dtype, stride, outputs, static_cast<size_t>(last - first),
                  sums);
        return true;
      }
    }
    return false;
  }

  T sum_one(const Run& run, int64_t base, int64_t first, int64_t last) const {
    alignas(64) T block[kBlock];
    Summation<T> sum;
    for (int64_t i = first; i < last; i += static_cast<int64_t>(kBlock)) {
      const int64_t stop = std::min(last, i + static_cast<int64_t>(kBlock));
      T* next = block;
      terms().for_runs(i, stop, [&](int64_t offset, int64_t stride, int64_t count) {
        fetch(run, base + offset, stride, count, next);
        next += count;
      });
      add_block(block, static_cast<size_t>(stop - i), sum);
    }
    return sum.total();
  }

  void sum_rows(const Run& run, int64_t base, int64_t stride, int64_t count, int64_t first,
                int64_t last, T* sums) const {
    alignas(64) T row[kOutputs];
    alignas(64) std::array<T, kOutputs> lanes[kAccumulators];
    for (std::array<T, kOutputs>& each : lanes) std::fill_n(each.begin(), count, kNothing<T>);
    size_t lane = 0;
    terms().for_runs(first, last, [&](int64_t offset, int64_t step, int64_t rows) {
      for (int64_t i = 0; i < rows; ++i, lane = (lane + 1) % kAccumulators) {
        fetch(run, base + offset + i * step, stride, count, row);
        std::array<T, kOutputs>& into = lanes[lane];
        for (size_t j = 0; j < static_cast<size_t>(count); ++j) {
          into[j] = wrapping_sum(into[j], row[j]);
        }
      }
    });
    for (size_t j = 0; j < static_cast<size_t>(count); ++j) {
      std::array<T, kAccumulators> column;
      for (size_t k = 0; k < kAccumulators; ++k) column[k] = lanes[k][j];
      sums[j] = AccumulatorSum<T>::combine(column);
    }
  }

  ReduceProblem problem_;
  Slices input_;
  Elements output_;
  bool direct_ = false;  // elements are terms as they are stored
  bool side_by_side_ = false;
};

}  // namespace

Plan plan_fill(const Arguments& arguments, std::initializer_list<size_t> outputs, double value) {
  return elementwise(arguments, outputs, {},
                     RealKernel([value, size = outputs.size()](const double* const*,
                                                               double* const* out, size_t count) {
                       for (size_t k = 0; k < size; ++k) std::fill_n(out[k], count, value);
                     }));
}

Plan plan_reduce(const Arguments& arguments, const ReduceProblem& problem) {
  if (arguments.empty(problem.output)) return {};
  if (arguments.empty(problem.input)) {
    const double value =
        problem.reduction == Reduction::kMean ? std::numeric_limits<double>::quiet_NaN() : 0;
    return plan_fill(arguments, {problem.output}, value);
  }
  if (is_complex(problem.dtype))
    return plan_reduction(Sums<std::complex<double>>(arguments, problem));
  if (is_floating(problem.dtype)) return plan_reduction(Sums<double>(arguments, problem));
  return plan_reduction(Sums<int64_t>(arguments, problem));
}

}  // namespace aclgrad::ops
