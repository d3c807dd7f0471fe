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

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time.
constexpr int64_t kGrain = 1 << 16;

// A vector or matrix of one parameter, element by element.
struct View {
  size_t parameter = 0;
  aclDataType dtype = ACL_FLOAT;
  int64_t row_stride = 0;
  int64_t column_stride = 0;

  void* at(const Run& run, int64_t row, int64_t column) const {
    return element(run.data(parameter), dtype, row * row_stride + column * column_stride);
  }
  double value(const Run& run, int64_t row) const {
    double result = 0;
    load(at(run, row, 0), dtype, 1, &result, 1);
    return result;
  }
  void set(const Run& run, int64_t row, double value) const {
    store(&value, at(run, row, 0), dtype, 1, 1);
  }
};

// Rows of a matrix; a vector is one row.
View matrix(const Arguments& arguments, size_t parameter) {
  const Dims& strides = arguments.strides(parameter);
  const size_t rank = strides.size();
  return {parameter, arguments.dtype(parameter), rank == 2 ? strides[0] : 0, strides[rank - 1]};
}

// Elements of a vector; a 0-d tensor has one.
View vector(const Arguments& arguments, size_t parameter) {
  const Dims& strides = arguments.strides(parameter);
  return {parameter, arguments.dtype(parameter), strides.empty() ? 0 : strides[0], 0};
}

// What is known of a block of rows.
struct RowBlock {
  int64_t targets[kBlock];
  double weights[kBlock];  // of the targets
  double losses[kBlock];
};

struct Targets {
  int64_t rows, classes;
  View self, target, weight;
  LossReduction reduction;
  int64_t ignore_index;

  Targets(const Arguments& arguments, const NllParameters& parameters)
      : self(matrix(arguments, parameters.self)),
        target(vector(arguments, parameters.target)),
        weight(vector(arguments, parameters.weight)),
        reduction(parameters.reduction),
        ignore_index(parameters.ignore_index) {
    const Dims& shape = arguments.shape(parameters.self);
    rows = shape.size() == 2 ? shape[0] : 1;
    classes = shape[shape.size() - 1];
  }

  void load_targets(const Run& run, int64_t first, size_t count, int64_t* targets) const {
    load(target.at(run, first, 0), target.dtype, target.row_stride, targets, count);
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
      for (size_t i = 0; i < count; ++i) {
        const bool counts = targets[i] != ignore_index;
        weights[i] = counts ? real_part(elements[targets[i] * weight.row_stride].value) : 0;
      }
    });
  }

  // -weight * self at the rows' targets, 0 for rows that are ignored. A weight of 0 makes an
  // infinity 0, too: the limit.
  void compute_losses(const Run& run, int64_t first, const int64_t* targets, const double* weights,
                      size_t count, double* losses) const {
    visit_element_type(self.dtype, [&](auto tag) {
      const auto* row = run.data<const Unaligned<typename decltype(tag)::type>>(self.parameter);
      row += first * self.row_stride;
      for (size_t i = 0; i < count; ++i, row += self.row_stride) {
        const bool counts = targets[i] != ignore_index;
        const double log_probability =
            counts ? real_part(row[targets[i] * self.column_stride].value) : 0;
        const bool is_zero = weights[i] == 0 && std::isinf(log_probability);
        losses[i] = is_zero ? 0 : -weights[i] * log_probability;
      }
    });
  }

  void load_losses(const Run& run, int64_t first, size_t count, RowBlock& block) const {
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
  View out, total_weight;

  int64_t outputs() const { return 1; }
  int64_t chunks() const { return std::max<int64_t>(1, sum_chunks(targets.rows)); }
  int64_t together() const { return 1; }
  int64_t grain() const { return 1; }
  void reduce(const Run& run, int64_t, int64_t, int64_t chunk, State* sums) const {
    RealSum losses, weights;
    const int64_t end = std::min(targets.rows, (chunk + 1) * kSumChunk);
    for_blocks(chunk * kSumChunk, end, [&](int64_t first, int64_t stop) {
      const auto count = static_cast<size_t>(stop - first);
      RowBlock rows;
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
    out.set(run, 0, is_mean ? total.loss / total.weight : total.loss);
    total_weight.set(run, 0, total.weight);
  }
};

void write_losses(const Targets& targets, const Run& run, const View& out, int64_t begin,
                  int64_t end) {
  for_blocks(begin, end, [&](int64_t first, int64_t stop) {
    const auto count = static_cast<size_t>(stop - first);
    RowBlock rows;
    targets.load_losses(run, first, count, rows);
    store(rows.losses, out.at(run, first, 0), out.dtype, out.row_stride, count);
  });
}

// Zeros in every row of [begin, end).
void clear_rows(const Targets& state, const Run& run, const View& out, int64_t begin, int64_t end) {
  const size_t size = element_size(out.dtype);
  if (out.column_stride == 1) {
    const bool dense = out.row_stride == state.classes;
    const int64_t length = dense ? (end - begin) * state.classes : state.classes;
    for (int64_t n = begin; n < (dense ? begin + 1 : end); ++n) {
      std::memset(out.at(run, n, 0), 0, static_cast<size_t>(length) * size);
    }
    return;
  }
  const double zeros[kBlock] = {};
  for (int64_t n = begin; n < end; ++n) {
    for_blocks(0, state.classes, [&](int64_t first, int64_t stop) {
      store(zeros, out.at(run, n, first), out.dtype, out.column_stride,
            static_cast<size_t>(stop - first));
    });
  }
}

// What the gradients of the rows are multiplied by: one number for all, or one for each.
struct RowGradients {
  View view;
  bool per_row;
  double common = 0;
};

void write_gradients(const Targets& state, const Run& run, const RowGradients& gradients,
                     const View& out, int64_t begin, int64_t end) {
  for_blocks(begin, end, [&](int64_t first, int64_t stop) {
    const auto count = static_cast<size_t>(stop - first);
    int64_t targets[kBlock];
    double slopes[kBlock];
    double gradient[kBlock];
    clear_rows(state, run, out, first, stop);
    state.load_targets(run, first, count, targets);
    state.load_weights(run, targets, count, slopes);
    if (gradients.per_row) {
      const View& view = gradients.view;
      load(view.at(run, first, 0), view.dtype, view.row_stride, gradient, count);
    } else {
      std::fill_n(gradient, count, gradients.common);
    }
    for (size_t i = 0; i < count; ++i) slopes[i] = -slopes[i] * gradient[i];
    visit_element_type(out.dtype, [&](auto tag) {
      using Element = typename decltype(tag)::type;
      auto* row = run.data<Unaligned<Element>>(out.parameter) + first * out.row_stride;
      for (size_t i = 0; i < count; ++i, row += out.row_stride) {
        if (targets[i] == state.ignore_index) continue;
        row[targets[i] * out.column_stride].value = from_parts<Element>(slopes[i], 0);
      }
    });
  });
}

}  // namespace

Plan plan_nll(const Arguments& arguments, const NllParameters& parameters, size_t out,
              size_t total_weight) {
  const Targets state(arguments, parameters);
  const View result = vector(arguments, out);
  if (state.reduction == LossReduction::kNone) {
    if (arguments.empty(out)) return {};
    return {[state, result](const Run& run) -> aclError {
      state.check_targets(run);
      parallel_pieces(state.rows, kSumChunk, [&](int64_t begin, int64_t end) {
        write_losses(state, run, result, begin, end);
      });
      return ACL_SUCCESS;
    }};
  }
  Plan sum = plan_reduction(NllTotals{state, result, vector(arguments, total_weight)});
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
  return {[state, gradient = vector(arguments, grad_output),
           total = vector(arguments, total_weight),
           result = matrix(arguments, out)](const Run& run) -> aclError {
    state.check_targets(run);
    RowGradients gradients{gradient, state.reduction == LossReduction::kNone};
    if (!gradients.per_row) {
      gradients.common = gradient.value(run, 0);
      if (state.reduction == LossReduction::kMean) gradients.common /= total.value(run, 0);
    }
    const int64_t grain = std::max<int64_t>(1, kGrain / state.classes);
    parallel_pieces(state.rows, grain, [&](int64_t begin, int64_t end) {
      write_gradients(state, run, gradients, result, begin, end);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
