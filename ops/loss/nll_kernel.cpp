// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/nll_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/reduce.h"
#include "ops/engine/sums.h"
#include "ops/loss/class_scores.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 16;

double first_of(const Run& run, const Elements& tensor) {
  double value = 0;
  tensor.read(run, 0, 1, &value);
  return value;
}

// Calls visit(i, offset of row first + i, distance of its elements) for `count` rows.
template <class Visit>
void for_each_row(const Slices& rows, int64_t first, size_t count, const Visit& visit) {
  const int64_t class_stride = rows.index.inner_stride();
  size_t i = 0;
  rows.starts.for_runs(first, first + static_cast<int64_t>(count),
                       [&](int64_t offset, int64_t stride, int64_t n) {
                         for (; n > 0; --n, offset += stride) visit(i++, offset, class_stride);
                       });
}

// What is known of a block of rows.
struct ClassRows {
  int64_t targets[kBlock];
  double weights[kBlock];  // of the targets
  double losses[kBlock];
};

struct Targets {
  int64_t rows, classes;
  Slices self;
  Elements target, weight;
  LossReduction reduction;
  int64_t ignore_index;

  Targets(const Arguments& arguments, const NllParameters& parameters)
      : rows(count_elements(arguments.shape(parameters.target))),
        classes(count_elements(arguments.shape(parameters.weight))),
        self(rows_of_scores(arguments, parameters.self)),
        target(arguments, parameters.target),
        weight(arguments, parameters.weight),
        reduction(parameters.reduction),
        ignore_index(parameters.ignore_index) {}

  void load_targets(const Run& run, int64_t first, size_t count, int64_t* targets) const {
    target.read(run, first, first + static_cast<int64_t>(count), targets);
  }

  bool is_class(int64_t wanted) const {
    return static_cast<uint64_t>(wanted) < static_cast<uint64_t>(classes);
  }

  void check_targets(const Run& run) const {
    for_blocks(0, rows, [&](int64_t first, int64_t end) {
      const auto count = static_cast<size_t>(end - first);
      int64_t targets[kBlock];
      load_targets(run, first, count, targets);
      bool fine = true;
      for (size_t i = 0; i < count; ++i) {
        fine = fine && (is_class(targets[i]) || targets[i] == ignore_index);
      }
      if (!fine) refuse_target(first, targets, count);
    });
  }

  // The weights of the rows' targets, 0 for rows that are ignored.
  void load_weights(const Run& run, const int64_t* targets, size_t count, double* weights) const {
    visit_element_type(weight.dtype, [&](auto tag) {
      const auto* elements =
          run.data<const Unaligned<typename decltype(tag)::type>>(weight.parameter);
      const int64_t stride = weight.index.inner_stride();
      for (size_t i = 0; i < count; ++i) {
        const bool counts = targets[i] != ignore_index;
        weights[i] = counts ? real_part(elements[targets[i] * stride].value) : 0;
      }
    });
  }

  // -weight * self at the rows' targets, 0 for rows that are ignored. A class of weight 0 does not
  // count whatever its score is, an infinity or NaN.
  void compute_losses(const Run& run, int64_t first, const int64_t* targets, const double* weights,
                      size_t count, double* losses) const {
    visit_element_type(self.dtype, [&](auto tag) {
      const auto* const elements =
          run.data<const Unaligned<typename decltype(tag)::type>>(self.parameter);
      for_each_row(self, first, count, [&](size_t i, int64_t row, int64_t class_stride) {
        const bool counts = targets[i] != ignore_index;
        const double log_probability =
            counts ? real_part(elements[row + targets[i] * class_stride].value) : 0;
        const bool is_absent = weights[i] == 0 && !std::isfinite(log_probability);
        losses[i] = is_absent ? 0 : -weights[i] * log_probability;
      });
    });
  }

  void load_losses(const Run& run, int64_t first, size_t count, ClassRows& block) const {
    load_targets(run, first, count, block.targets);
    load_weights(run, block.targets, count, block.weights);
    compute_losses(run, first, block.targets, block.weights, count, block.losses);
  }

 private:
  [[noreturn]] void refuse_target(int64_t first, const int64_t* targets, size_t count) const {
    const int64_t* wrong = std::find_if(targets, targets + count, [&](int64_t wanted) {
      return !is_class(wanted) && wanted != ignore_index;
    });
    throw std::runtime_error(
        fmt::format("target of row {} is class {}, but there are {} classes and the ignored index "
                    "is {}",
                    first + (wrong - targets), *wrong, classes, ignore_index));
  }
};

// The losses and weights of all rows, added in the order of tree_sum.h.
struct NllTotals {
  struct State {
    double loss, weight;
  };

  Targets targets;
  Elements out, total_weight;

  int64_t outputs() const { return 1; }
  int64_t chunks() const { return std::max<int64_t>(1, sum_chunks(targets.rows)); }
  int64_t together() const { return 1; }
  int64_t grain() const { return 1; }
  void reduce(const Run& run, int64_t, int64_t, int64_t chunk, State* sums) const {
    RealSum losses, weights;
    const int64_t end = std::min(targets.rows, (chunk + 1) * kSumChunk);
    for_blocks(chunk * kSumChunk, end, [&](int64_t first, int64_t stop) {
      const auto count = static_cast<size_t>(stop - first);
      ClassRows rows;
      targets.load_losses(run, first, count, rows);
      losses.add(rows.losses, ACL_DOUBLE, count);
      weights.add(rows.weights, ACL_DOUBLE, count);
    });
    *sums = {losses.total(), weights.total()};
  }
  void merge(State& sums, const State& next) const {
    sums.loss += next.loss;
    sums.weight += next.weight;
  }
  void finish(const Run& run, int64_t, int64_t, const State* sums) const {
    const State total{0.0 + sums->loss, 0.0 + sums->weight};  // without rows they are -0
    const bool is_mean = targets.reduction == LossReduction::kMean;
    const double loss = is_mean ? total.loss / total.weight : total.loss;
    out.write(run, &loss, 0, 1);
    total_weight.write(run, &total.weight, 0, 1);
  }
};

void write_losses(const Targets& targets, const Run& run, const Elements& out, int64_t begin,
                  int64_t end) {
  for_blocks(begin, end, [&](int64_t first, int64_t stop) {
    const auto count = static_cast<size_t>(stop - first);
    ClassRows rows;
    targets.load_losses(run, first, count, rows);
    out.write(run, rows.losses, first, stop);
  });
}

// Zeros in every row of [begin, end).
void clear_rows(const Targets& state, const Run& run, const Slices& out, int64_t begin,
                int64_t end) {
  const size_t size = element_size(out.dtype);
  if (out.index.dense() && out.starts.is_line()) {
    const int64_t distance = out.starts.inner_stride();
    const bool dense = distance == state.classes;
    const int64_t length = dense ? (end - begin) * state.classes : state.classes;
    for (int64_t n = begin; n < (dense ? begin + 1 : end); ++n) {
      std::memset(out.at(run, n * distance), 0, static_cast<size_t>(length) * size);
    }
    return;
  }
  const double zeros[kBlock] = {};
  const auto clear = [&](const StridedIndex& line, int64_t start, int64_t first, int64_t stop) {
    for_blocks(first, stop, [&](int64_t from, int64_t to) {
      write_elements(zeros, out.at(run, start), out.dtype, line, from, to);
    });
  };
  // Elements of one class may lie together, as in pictures, where those of a row do not.
  if (!out.index.dense()) {
    const int64_t class_stride = out.index.inner_stride();
    for (int64_t c = 0; c < state.classes; ++c) clear(out.starts, c * class_stride, begin, end);
    return;
  }
  for (int64_t n = begin; n < end; ++n) clear(out.index, out.starts.offset(n), 0, state.classes);
}

// What the gradients of the rows are multiplied by: one number for all, or one for each.
struct RowGradients {
  Elements elements;
  bool per_row;
  double common = 0;
};

void write_gradients(const Targets& state, const Run& run, const RowGradients& gradients,
                     const Slices& out, int64_t begin, int64_t end) {
  for_blocks(begin, end, [&](int64_t first, int64_t stop) {
    const auto count = static_cast<size_t>(stop - first);
    int64_t targets[kBlock];
    double slopes[kBlock];
    double gradient[kBlock];
    clear_rows(state, run, out, first, stop);
    state.load_targets(run, first, count, targets);
    state.load_weights(run, targets, count, slopes);
    if (gradients.per_row) {
      gradients.elements.read(run, first, stop, gradient);
    } else {
      std::fill_n(gradient, count, gradients.common);
    }
    for (size_t i = 0; i < count; ++i) slopes[i] = -slopes[i] * gradient[i];
    visit_element_type(out.dtype, [&](auto tag) {
      using Element = typename decltype(tag)::type;
      auto* const elements = run.data<Unaligned<Element>>(out.parameter);
      for_each_row(out, first, count, [&](size_t i, int64_t row, int64_t class_stride) {
        if (targets[i] == state.ignore_index) return;
        elements[row + targets[i] * class_stride].value = from_parts<Element>(slopes[i], 0);
      });
    });
  });
}

}  // namespace

Plan plan_nll(const Arguments& arguments, const NllParameters& parameters, size_t out,
              size_t total_weight, bool clears_total) {
  const Targets state(arguments, parameters);
  const Elements result(arguments, out), total(arguments, total_weight);
  if (state.reduction == LossReduction::kNone) {
    if (arguments.empty(out)) return {};
    return {[=](const Run& run) -> aclError {
      state.check_targets(run);
      parallel_pieces(state.rows, kSumChunk, [&](int64_t begin, int64_t end) {
        write_losses(state, run, result, begin, end);
      });
      const double zero = 0;
      if (clears_total) total.write(run, &zero, 0, 1);
      return ACL_SUCCESS;
    }};
  }
  Plan sum = plan_reduction(NllTotals{state, result, total});
  return {[state, body = std::move(sum.body)](const Run& run) -> aclError {
            state.check_targets(run);
            return body(run);
          },
          sum.workspace_size};
}

Plan plan_nll_backward(const Arguments& arguments, const NllParameters& parameters,
                       size_t grad_output, size_t total_weight, size_t out) {
  if (arguments.empty(out)) return {};
  const Targets state(arguments, parameters);
  return {[state, gradient = Elements(arguments, grad_output),
           total = Elements(arguments, total_weight),
           result = rows_of_scores(arguments, out)](const Run& run) -> aclError {
    state.check_targets(run);
    RowGradients gradients{gradient, state.reduction == LossReduction::kNone};
    if (!gradients.per_row) {
      gradients.common = first_of(run, gradient);
      if (state.reduction == LossReduction::kMean) gradients.common /= first_of(run, total);
    }
    const int64_t grain = std::max<int64_t>(1, kGrain / state.classes);
    parallel_pieces(state.rows, grain, [&](int64_t begin, int64_t end) {
      write_gradients(state, run, gradients, result, begin, end);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
