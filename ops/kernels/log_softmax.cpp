// SPDX-License-Identifier: Apache-2.0
#include "ops/kernels/log_softmax.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "ops/kernels/cast.h"
#include "ops/kernels/formats.h"
#include "ops/kernels/log_softmax_rows.h"
#include "ops/kernels/strided.h"
#include "ops/kernels/thread_scratch.h"

namespace aclgrad::ops {
namespace {

// Elements that a thread takes at a time, at least.
constexpr int64_t kGrain = 16384;

// A tensor as rows along one axis: where rows start, and the way from one element to the next.
struct Rows {
  size_t parameter;
  aclDataType dtype;
  StridedIndex starts;
  int64_t stride;

  void* at(const Run& run, int64_t offset) const {
    return element(run.data(parameter), dtype, offset);
  }
  void* row(const Run& run, int64_t i) const { return at(run, starts.offset(i)); }
};

Rows rows_along(const Arguments& arguments, size_t parameter, size_t axis) {
  Dims shape = arguments.shape(parameter);
  const Dims& strides = arguments.strides(parameter);
  const int64_t stride = shape.empty() ? 1 : strides[axis];
  if (!shape.empty()) shape[axis] = 1;
  return {parameter, arguments.dtype(parameter), StridedIndex(shape, strides), stride};
}

template <size_t kOperands, class Body>
class RowSweep;

// The rows of several operands of the same shape.
template <size_t kOperands>
struct RowWise {
  std::array<Rows, kOperands> operands;  // the last one is the output
  int64_t rows;
  int64_t length;
  bool in_place;  // elements of rows are dense, and rows follow each other at fixed distances

  RowWise(const Arguments& arguments, const std::array<size_t, kOperands>& parameters, size_t axis)
      : RowWise(arguments, parameters, axis, std::make_index_sequence<kOperands>()) {
    const Dims& shape = arguments.shape(parameters[0]);
    length = shape.empty() ? 1 : shape[axis];
    rows = count_elements(shape) / length;
    in_place = std::all_of(operands.begin(), operands.end(), [&](const Rows& each) {
      return (each.stride == 1 || length == 1) && each.dtype == operands[0].dtype &&
             each.starts.inner_extent() == rows;
    });
  }

  template <class Body>
  aclError run(const Body& body) const {
    parallel_pieces(rows, std::max<int64_t>(1, kGrain / length), body);
    return ACL_SUCCESS;
  }

  // The plan of body(work, run, begin, end) for rows in place.
  template <class Body>
  Plan plan_in_place(const Body& body) const {
    const auto sweep = std::make_shared<const RowSweep<kOperands, Body>>(*this, body);
    return {[sweep](const Run& run) { return sweep->run_all(run); }, 0, sweep};
  }

  RowBlock block(int64_t begin, int64_t end) const {
    return {operands[0].dtype, static_cast<size_t>(end - begin), static_cast<size_t>(length)};
  }
  RowPlace place(const Run& run, size_t k, int64_t row) const {
    return {operands[k].row(run, row), operands[k].starts.inner_stride()};
  }

 private:
  template <size_t... k>
  RowWise(const Arguments& arguments, const std::array<size_t, kOperands>& parameters, size_t axis,
          std::index_sequence<k...>)
      : operands{rows_along(arguments, parameters[k], axis)...} {}
};

// A unit is a row.
template <size_t kOperands, class Body>
class RowSweep final : public Sweep {
 public:
  RowSweep(const RowWise<kOperands>& work, const Body& body) : work_(work), body_(body) {}

  int64_t units() const override { return work_.rows; }
  size_t operand_count() const override { return kOperands; }
  Reach reach(size_t index) const override {
    const Rows& rows = work_.operands[index];
    const auto size = static_cast<int64_t>(element_size(rows.dtype));
    return {rows.parameter, 0, rows.starts.inner_stride() * size, work_.length * size,
            index + 1 == kOperands};
  }
  void run_part(const Run& run, const Part& given) const override {
    const Part part = given.joined();
    for (int64_t row = 0; row < part.rows; ++row) {
      body_(work_, run, part.begin + row * part.stride, part.end + row * part.stride);
    }
  }
  aclError run_all(const Run& run) const {
    return work_.run([&](int64_t begin, int64_t end) { body_(work_, run, begin, end); });
  }

 private:
  RowWise<kOperands> work_;
  Body body_;
};

struct ScratchRows {
  std::vector<double> row;
  std::vector<double> logarithms;
};

// kBlock elements at a time, as load_through wants it.
void load_row(const void* start, const Rows& rows, aclDataType through, std::vector<double>& row) {
  for (size_t j = 0; j < row.size(); j += kBlock) {
    const void* from = element(start, rows.dtype, static_cast<int64_t>(j) * rows.stride);
    load_through(from, rows.dtype, through, rows.stride, row.data() + j,
                 std::min(kBlock, row.size() - j));
  }
}

void store_row(const std::vector<double>& row, void* start, const Rows& rows) {
  store(row.data(), start, rows.dtype, rows.stride, row.size());
}

// A row on its way to another type, with the digits that it would have there.
RowBlock gathered(const std::vector<double>& row, const Rows& target) {
  return {ACL_DOUBLE, 1, row.size(), target.dtype != ACL_DOUBLE};
}

RowPlace place_of(std::vector<double>& row) { return {row.data(), 0}; }

}  // namespace

Plan plan_log_softmax(const Arguments& arguments, size_t self, size_t out, size_t axis) {
  if (arguments.empty(self)) return {};
  const RowWise<2> work(arguments, {self, out}, axis);
  if (work.in_place) {
    return work.plan_in_place([](const auto& rows, const Run& run, int64_t begin, int64_t end) {
      log_softmax_rows(rows.block(begin, end), rows.place(run, 0, begin),
                       rows.place(run, 1, begin));
    });
  }
  return {[work](const Run& run) {
    return work.run([&](int64_t begin, int64_t end) {
      const auto& [source, target] = work.operands;
      const ThreadScratch<ScratchRows> scratch;
      std::vector<double>& row = scratch->row;
      row.resize(static_cast<size_t>(work.length));
      for (int64_t i = begin; i < end; ++i) {
        load_row(source.row(run, i), source, target.dtype, row);
        log_softmax_rows(gathered(row, target), place_of(row), place_of(row));
        store_row(row, target.row(run, i), target);
      }
    });
  }};
}

Plan plan_log_softmax_backward(const Arguments& arguments, size_t gradient, size_t output,
                               size_t out, size_t axis) {
  if (arguments.empty(out)) return {};
  const RowWise<3> work(arguments, {gradient, output, out}, axis);
  if (work.in_place) {
    return work.plan_in_place([](const auto& rows, const Run& run, int64_t begin, int64_t end) {
      log_softmax_backward_rows(rows.block(begin, end), rows.place(run, 0, begin),
                                rows.place(run, 1, begin), rows.place(run, 2, begin));
    });
  }
  return {[work](const Run& run) {
    return work.run([&](int64_t begin, int64_t end) {
      const auto& [gradients, outputs, target] = work.operands;
      const ThreadScratch<ScratchRows> scratch;
      auto& [row, logarithms] = *scratch;
      row.resize(static_cast<size_t>(work.length));
      logarithms.resize(static_cast<size_t>(work.length));
      for (int64_t i = begin; i < end; ++i) {
        load_row(gradients.row(run, i), gradients, gradients.dtype, row);
        load_row(outputs.row(run, i), outputs, outputs.dtype, logarithms);
        log_softmax_backward_rows(gathered(row, target), place_of(row), place_of(logarithms),
                                  place_of(row));
        store_row(row, target.row(run, i), target);
      }
    });
  }};
}

}  // namespace aclgrad::ops
