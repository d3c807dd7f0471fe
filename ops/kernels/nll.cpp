// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/nll.h"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "ops/kernels/formats.h"
#include "ops/kernels/strided.h"
#include "ops/kernels/tree_sum.h"

namespace aclgrad::ops {
namespace {

// A vector or matrix of one parameter, element by element.
struct View {
  size_t parameter = 0;
  aclDataType dtype = ACL_FLOAT;
  int64_t row_stride = 0;
  int64_t column_stride = 0;

  void* at(const Run& run, int64_t row, int64_t column) const {
    return element(run.data(parameter), dtype, row * row_stride + column * column_stride);
  }
  double value(const Run& run, int64_t row, int64_t column = 0) const {
    double result = 0;
    load(at(run, row, column), dtype, 1, &result, 1);
    return result;
  }
  int64_t integer(const Run& run, int64_t row) const {
    int64_t result = 0;
    load(at(run, row, 0), dtype, 1, &result, 1);
    return result;
  }
  void set(const Run& run, int64_t row, int64_t column, double value) const {
    store(&value, at(run, row, column), dtype, 1, 1);
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

struct State {
  const char* operator_name;
  int64_t rows, classes;
  View self, target, weight;
  LossReduction reduction;
  int64_t ignore_index;

  State(const Arguments& arguments, const NllParameters& parameters)
      : operator_name(arguments.spec().name),
        self(matrix(arguments, parameters.self)),
        target(vector(arguments, parameters.target)),
        weight(vector(arguments, parameters.weight)),
        reduction(parameters.reduction),
        ignore_index(parameters.ignore_index) {
    const Dims& shape = arguments.shape(parameters.self);
    rows = shape.size() == 2 ? shape[0] : 1;
    classes = shape[shape.size() - 1];
  }

  void check_targets(const Run& run) const {
    for (int64_t n = 0; n < rows; ++n) {
      const int64_t wanted = target.integer(run, n);
      if (wanted == ignore_index || (wanted >= 0 && wanted < classes)) continue;
      throw std::runtime_error(
          fmt::format("{}: target of row {} is class {}, but there are {} classes and the ignored "
                      "index is {}.",
                      operator_name, n, wanted, classes, ignore_index));
    }
  }

  // The class of row n; false when the row is ignored.
  bool wanted_class(const Run& run, int64_t n, int64_t& wanted) const {
    wanted = target.integer(run, n);
    return wanted != ignore_index;
  }
};

// Adds one term at a time, in the order of tree_sum.h.
class RunningSum {
 public:
  void add(double term) {
    block_[filled_++] = term;
    if (filled_ == kSumChunk) flush();
  }
  double total() {
    flush();
    return total_;
  }

 private:
  void flush() {
    LaneSum<double> sum;
    sum.add(block_, filled_);
    total_ += sum.total();
    filled_ = 0;
  }
  double block_[kSumChunk];
  size_t filled_ = 0;
  double total_ = 0;
};

}  // namespace

Plan plan_nll(const Arguments& arguments, const NllParameters& parameters, size_t out,
              size_t total_weight) {
  const State state(arguments, parameters);
  const bool writes_rows = state.reduction == LossReduction::kNone;
  if (writes_rows && arguments.empty(out)) return {};
  return {[state, writes_rows, result = vector(arguments, out),
           total = vector(arguments, total_weight)](const Run& run) -> aclError {
    state.check_targets(run);
    auto losses = std::make_unique<RunningSum>();
    auto weights = std::make_unique<RunningSum>();
    for (int64_t n = 0; n < state.rows; ++n) {
      int64_t wanted = 0;
      double weight = 0;
      double loss = 0;
      if (state.wanted_class(run, n, wanted)) {
        weight = state.weight.value(run, wanted);
        loss = -weight * state.self.value(run, n, wanted);
      }
      if (writes_rows) {
        result.set(run, n, 0, loss);
      } else {
        losses->add(loss);
        weights->add(weight);
      }
    }
    if (writes_rows) return ACL_SUCCESS;
    const double sum = losses->total();
    const double weight = weights->total();
    result.set(run, 0, 0, state.reduction == LossReduction::kMean ? sum / weight : sum);
    total.set(run, 0, 0, weight);
    return ACL_SUCCESS;
  }};
}

Plan plan_nll_backward(const Arguments& arguments, const NllParameters& parameters,
                       size_t grad_output, size_t total_weight, size_t out) {
  if (arguments.empty(out)) return {};
  const State state(arguments, parameters);
  return {[state, gradient = vector(arguments, grad_output),
           total = vector(arguments, total_weight), result = matrix(arguments, out),
           per_row = state.reduction == LossReduction::kNone](const Run& run) -> aclError {
    state.check_targets(run);
    double common = gradient.value(run, 0);
    if (state.reduction == LossReduction::kMean) common /= total.value(run, 0);
    const double zeros[kBlock] = {};
    for (int64_t n = 0; n < state.rows; ++n) {
      for (int64_t c = 0; c < state.classes; c += static_cast<int64_t>(kBlock)) {
        const int64_t count = std::min(state.classes - c, static_cast<int64_t>(kBlock));
        store(zeros, result.at(run, n, c), result.dtype, result.column_stride,
              static_cast<size_t>(count));
      }
      int64_t wanted = 0;
      if (!state.wanted_class(run, n, wanted)) continue;
      const double g = per_row ? gradient.value(run, n) : common;
      result.set(run, n, wanted, -state.weight.value(run, wanted) * g);
    }
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
