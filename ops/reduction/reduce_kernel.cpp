// SPDX-License-Identifier: Apache-2.0
#include "ops/reduction/reduce_kernel.h"

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <limits>
#include <new>
#include <type_traits>

#include "aclgrad_ext.h"
#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/formats.h"
#include "ops/engine/strided.h"
#include "ops/engine/sums.h"
#include "ops/engine/tree_sum.h"
#include "ops/meta/dtypes.h"

namespace aclgrad::ops {
namespace {

// Outputs that are handled together, at most and at least. When the elements of neighbouring
// outputs lie side by side, whole rows of them are added at once: the longer, the better memory
// delivers.
constexpr int64_t kOutputs = ColumnSums::kColumns;
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
class Reducer {
 public:
  Reducer(const Arguments& arguments, const ReduceProblem& problem)
      : problem_(problem),
        input_dtype_(arguments.dtype(problem.input)),
        output_dtype_(arguments.dtype(problem.output)),
        output_(arguments.shape(problem.output), arguments.strides(problem.output)) {
    Dims kept_shape, kept_strides, reduced_shape, reduced_strides;
    const Dims& shape = arguments.shape(problem.input);
    const Dims& strides = arguments.strides(problem.input);
    for (size_t i = 0; i < shape.size(); ++i) {
      (problem.reduced[i] ? reduced_shape : kept_shape).push_back(shape[i]);
      (problem.reduced[i] ? reduced_strides : kept_strides).push_back(strides[i]);
    }
    kept_ = StridedIndex(kept_shape, kept_strides);
    terms_ = StridedIndex(reduced_shape, reduced_strides);
    chunks_ = sum_chunks(terms_.count());
    direct_ = std::is_same_v<T, double> && is_floating(input_dtype_) &&
              converts_exactly(input_dtype_, problem.dtype);
    side_by_side_ = kept_.inner_extent() >= 4 && terms_.count() > 1 &&
                    std::abs(kept_.inner_stride()) < std::abs(terms_.inner_stride());
  }

  // Sums of the chunks of outputs with more than one.
  uint64_t workspace_size() const {
    if (chunks_ <= 1) return 0;
    return static_cast<uint64_t>(chunks_ * kept_.count()) * sizeof(T) + alignof(T);
  }

  void run(const Run& run) const {
    if (chunks_ <= 1 && kept_.count() <= kFewOutputs) {
      T sums[kFewOutputs];  // for small tensors, without groups
      sum_chunk(run, 0, kept_.count(), 0, sums);
      return finish(run, 0, kept_.count(), sums);
    }
    const int64_t group = outputs_together();
    if (chunks_ <= 1) {
      const int64_t groups = std::max<int64_t>(1, kGrain / terms_.count() / group);
      parallel_pieces(kept_.count(), groups * group, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i += group) {
          const int64_t stop = std::min(end, i + group);
          T sums[kOutputs];
          sum_chunk(run, i, stop, 0, sums);
          finish(run, i, stop, sums);
        }
      });
      return;
    }
    T* partial = partial_sums(run);
    if (kept_.count() == 1 && direct_ && terms_.dense()) {
      sum_whole_tensor(run, partial);
    } else {
      const int64_t groups = (kept_.count() + group - 1) / group;
      parallel_pieces(groups * chunks_, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t first = i / chunks_ * group;
          const int64_t last = std::min(kept_.count(), first + group);
          const int64_t chunk = i % chunks_;
          sum_chunk(run, first, last, chunk, partial + chunk * kept_.count() + first);
        }
      });
    }
    for (int64_t i = 0; i < kept_.count(); i += kOutputs) {
      const int64_t stop = std::min(kept_.count(), i + kOutputs);
      T sums[kOutputs];
      for (int64_t j = i; j < stop; ++j) {
        T sum = partial[j];
        for (int64_t chunk = 1; chunk < chunks_; ++chunk) {
          sum = wrapping_sum(sum, partial[chunk * kept_.count() + j]);
        }
        sums[j - i] = sum;
      }
      finish(run, i, stop, sums);
    }
  }

 private:
  // As many as there are for each thread. How outputs are grouped changes no bit.
  int64_t outputs_together() const {
    const int64_t threads = aclgradGetNumThreads();
    const int64_t share = (kept_.count() + threads - 1) / threads;
    return std::clamp((share + kFewOutputs - 1) / kFewOutputs * kFewOutputs, kFewOutputs, kOutputs);
  }

  T* partial_sums(const Run& run) const {
    void* start = run.workspace();
    size_t room = workspace_size();
    return static_cast<T*>(std::align(alignof(T), room - alignof(T), start, room));
  }

  // The chunks of a dense tensor.
  void sum_whole_tensor(const Run& run, T* partial) const {
    if constexpr (std::is_same_v<T, double>) {
      parallel_pieces(terms_.count(), kGrain, [&](int64_t begin, int64_t end) {
        sum_dense_chunks(element(run.data(problem_.input), input_dtype_, begin), input_dtype_,
                         static_cast<size_t>(end - begin), partial + begin / kSumChunk);
      });
    }
  }

  void fetch(const Run& run, int64_t offset, int64_t stride, int64_t count, T* block) const {
    if constexpr (std::is_same_v<T, double>) {
      if (direct_ && input_dtype_ == ACL_FLOAT && count < kShortRun) {
        const auto* from = run.data<const Unaligned<float>>(problem_.input) + offset;
        for (int64_t i = 0; i < count; ++i) block[i] = static_cast<double>(from[i * stride].value);
        return;
      }
    }
    load_through(element(run.data(problem_.input), input_dtype_, offset), input_dtype_,
                 problem_.dtype, stride, block, static_cast<size_t>(count));
  }

  // The sums over one chunk of terms for outputs [begin, end).
  void sum_chunk(const Run& run, int64_t begin, int64_t end, int64_t chunk, T* sums) const {
    const int64_t first = chunk * kSumChunk;
    const int64_t last = std::min(terms_.count(), first + kSumChunk);
    kept_.for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t count) {
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
      const auto at = [&](int64_t offset) {
        return element(run.data(problem_.input), input_dtype_, base + offset);
      };
      const auto outputs = static_cast<size_t>(count);
      if (side_by_side_ && stride == 1 && terms_.is_line()) {
        const int64_t step = terms_.inner_stride();
        sum_columns(at(first * step), input_dtype_, step, static_cast<size_t>(last - first),
                    outputs, sums);
        return true;
      }
      if (side_by_side_ && stride == 1) {
        ColumnSums columns(outputs);
        terms_.for_runs(first, last, [&](int64_t offset, int64_t step, int64_t rows) {
          columns.add(at(offset), input_dtype_, step, static_cast<size_t>(rows));
        });
        columns.finish(sums);
        return true;
      }
      if (terms_.dense()) {
        sum_lines(at(first), input_dtype_, stride, outputs, static_cast<size_t>(last - first),
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
      terms_.for_runs(i, stop, [&](int64_t offset, int64_t stride, int64_t count) {
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
    terms_.for_runs(first, last, [&](int64_t offset, int64_t step, int64_t rows) {
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

  void finish(const Run& run, int64_t begin, int64_t end, T* sums) const {
    if (problem_.reduction == Reduction::kMean) {
      for (int64_t i = 0; i < end - begin; ++i) divide(sums[i], terms_.count());
    }
    output_.for_runs(begin, end, [&](int64_t offset, int64_t stride, int64_t count) {
      store_through(sums, element(run.data(problem_.output), output_dtype_, offset), problem_.dtype,
                    output_dtype_, stride, static_cast<size_t>(count));
      sums += count;
    });
  }

  ReduceProblem problem_;
  aclDataType input_dtype_;
  aclDataType output_dtype_;
  StridedIndex output_;
  StridedIndex kept_;   // the input's dimensions that the output has too
  StridedIndex terms_;  // those that are summed over
  int64_t chunks_ = 0;
  bool direct_ = false;  // elements are terms as they are stored
  bool side_by_side_ = false;
};

template <class T>
Plan plan_for(const Arguments& arguments, const ReduceProblem& problem) {
  auto reducer = std::make_shared<const Reducer<T>>(arguments, problem);
  return {[reducer](const Run& run) -> aclError {
            reducer->run(run);
            return ACL_SUCCESS;
          },
          reducer->workspace_size()};
}

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
        problem.reduction == Reduction::kSum ? 0 : std::numeric_limits<double>::quiet_NaN();
    return plan_fill(arguments, {problem.output}, value);
  }
  if (is_complex(problem.dtype)) return plan_for<std::complex<double>>(arguments, problem);
  if (is_floating(problem.dtype)) return plan_for<double>(arguments, problem);
  return plan_for<int64_t>(arguments, problem);
}

}  // namespace aclgrad::ops
