// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/log_softmax.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/kernels/cast.h"
#include "ops/kernels/formats.h"
#include "ops/kernels/strided.h"
#include "ops/kernels/tree_sum.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time, at least.
constexpr int64_t kGrain = 4096;

// A tensor as rows along one axis: where rows start, and the way from one element to the next.
struct Rows {
  size_t parameter;
  aclDataType dtype;
  StridedIndex starts;
  int64_t stride;

  void* row(const Run& run, int64_t i) const {
    return element(run.data(parameter), dtype, starts.offset(i));
  }
};

Rows rows_along(const Arguments& arguments, size_t parameter, size_t axis) {
  Dims shape = arguments.shape(parameter);
  const Dims& strides = arguments.strides(parameter);
  const int64_t stride = shape.empty() ? 0 : strides[axis];
  if (!shape.empty()) shape[axis] = 1;
  return {parameter, arguments.dtype(parameter), StridedIndex(shape, strides), stride};
}

double sum_of(const std::vector<double>& terms) {
  double total = kNothing<double>;
  for (size_t i = 0; i < terms.size(); i += kSumChunk) {
    LaneSum<double> sum;
    sum.add(terms.data() + i, std::min<size_t>(kSumChunk, terms.size() - i));
    total += sum.total();
  }
  return total;
}

// kBlock elements at a time, as load_through wants it.
void load_row(const Run& run, const Rows& rows, int64_t i, aclDataType through,
              std::vector<double>& row) {
  const void* start = rows.row(run, i);
  for (size_t j = 0; j < row.size(); j += kBlock) {
    const void* from = element(start, rows.dtype, static_cast<int64_t>(j) * rows.stride);
    load_through(from, rows.dtype, through, rows.stride, row.data() + j,
                 std::min(kBlock, row.size() - j));
  }
}

void store_row(const Run& run, const Rows& rows, int64_t i, const std::vector<double>& row) {
  store(row.data(), rows.row(run, i), rows.dtype, rows.stride, row.size());
}

void log_softmax(std::vector<double>& row, std::vector<double>& terms) {
  // A NaN in the row is not its maximum here; it comes back through the sum.
  const double largest = *std::max_element(row.begin(), row.end());
  for (size_t j = 0; j < row.size(); ++j) {
    row[j] -= largest;
    terms[j] = std::exp(row[j]);
  }
  const double logarithm = std::log(sum_of(terms));
  for (double& value : row) value -= logarithm;
}

struct Extent {
  int64_t rows;
  size_t length;
  int64_t grain;
};

Extent extent_of(const Arguments& arguments, size_t parameter, size_t axis) {
  const Dims& shape = arguments.shape(parameter);
  const int64_t length = shape.empty() ? 1 : shape[axis];
  return {count_elements(shape) / length, static_cast<size_t>(length),
          std::max<int64_t>(1, kGrain / length)};
}

}  // namespace

Plan plan_log_softmax(const Arguments& arguments, size_t self, size_t out, size_t axis) {
  if (arguments.empty(self)) return {};
  return {[extent = extent_of(arguments, self, axis), source = rows_along(arguments, self, axis),
           target = rows_along(arguments, out, axis)](const Run& run) -> aclError {
    parallel_pieces(extent.rows, extent.grain, [&](int64_t begin, int64_t end) {
      std::vector<double> row(extent.length);
      std::vector<double> terms(extent.length);
      for (int64_t i = begin; i < end; ++i) {
        load_row(run, source, i, target.dtype, row);
        log_softmax(row, terms);
        store_row(run, target, i, row);
      }
    });
    return ACL_SUCCESS;
  }};
}

Plan plan_log_softmax_backward(const Arguments& arguments, size_t gradient, size_t output,
                               size_t out, size_t axis) {
  if (arguments.empty(out)) return {};
  return {[extent = extent_of(arguments, gradient, axis),
           gradients = rows_along(arguments, gradient, axis),
           outputs = rows_along(arguments, output, axis),
           target = rows_along(arguments, out, axis)](const Run& run) -> aclError {
    parallel_pieces(extent.rows, extent.grain, [&](int64_t begin, int64_t end) {
      std::vector<double> row(extent.length);
      std::vector<double> logarithms(extent.length);
      for (int64_t i = begin; i < end; ++i) {
        load_row(run, gradients, i, gradients.dtype, row);
        load_row(run, outputs, i, outputs.dtype, logarithms);
        const double sum = sum_of(row);
        for (size_t j = 0; j < row.size(); ++j) row[j] -= std::exp(logarithms[j]) * sum;
        store_row(run, target, i, row);
      }
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace aclgrad::ops
