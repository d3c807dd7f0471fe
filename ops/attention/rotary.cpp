// SPDX-License-Identifier: Apache-2.0
// aclnnRotaryPositionEmbedding, aclnnRotaryPositionEmbeddingGrad.
#include <fmt/format.h>

#include <vector>

#include "aclnnop/aclnn_rotary_position_embedding.h"
#include "aclnnop/aclnn_rotary_position_embedding_grad.h"
#include "ops/attention/rotary_kernel.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/thread_scratch.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::rotary {
namespace {

// ---- Gradients of the table ---------------------------------------------------------------------

struct TableRows {
  std::vector<double> g, x, cos, sin;
};

// Sums over the rows that read one row of cos and sin, in their order.
class TableGradient {
 public:
  TableGradient(const Arguments& arguments, size_t dy, size_t x, size_t cos,
                std::optional<size_t> of_cos, std::optional<size_t> of_sin, int64_t mode)
      : dy_(arguments, dy, cos),
        x_(arguments, x, cos),
        size_(arguments.shape(x)[arguments.shape(x).size() - 1]),
        pairs_(mode, size_) {
    if (of_cos) of_cos_.emplace(arguments, *of_cos, cos);
    if (of_sin) of_sin_.emplace(arguments, *of_sin, cos);
  }

  void run(const Run& run) const {
    parallel_pieces(x_.kept.count(), 1, [&](int64_t begin, int64_t end) {
      const auto size = static_cast<size_t>(size_);
      const ThreadScratch<TableRows> rows;
      std::vector<double>&g = rows->g, &x = rows->x, &cos = rows->cos, &sin = rows->sin;
      for (std::vector<double>* each : {&g, &x, &cos, &sin}) each->resize(size);
      for (int64_t row = begin; row < end; ++row) {
        std::fill(cos.begin(), cos.end(), 0);
        std::fill(sin.begin(), sin.end(), 0);
        for (int64_t i = 0; i < x_.summed.count(); ++i) {
          dy_.read(run, row, i, g);
          x_.read(run, row, i, x);
          for (size_t k = 0; k < size; ++k) cos[k] += g[k] * x[k];
          const auto second = static_cast<size_t>(pairs_.second);
          for (size_t pair = 0; pair < size / 2; ++pair) {
            const size_t a = pair * static_cast<size_t>(pairs_.stride), b = a + second;
            sin[a] -= g[a] * x[b];
            sin[b] += g[b] * x[a];
          }
        }
        if (of_cos_) of_cos_->write(run, row, cos);
        if (of_sin_) of_sin_->write(run, row, sin);
      }
    });
  }

 private:
  // A tensor by the rows of the table, and those that each of them is read by.
  struct Rows {
    size_t parameter;
    aclDataType dtype;
    int64_t stride;
    StridedIndex kept, summed;

    Rows(const Arguments& arguments, size_t tensor, size_t table)
        : parameter(tensor), dtype(arguments.dtype(tensor)) {
      const Dims& shape = arguments.shape(tensor);
      const Dims& strides = arguments.strides(tensor);
      const size_t last = shape.size() - 1;
      stride = strides[last];
      DimSet some{};
      for (size_t d = 0; d < last; ++d) some[d] = arguments.shape(table)[d] == 1;
      const Dims rows(shape.data(), last), steps(strides.data(), last);
      kept = StridedIndex(selected(rows, some, false), selected(steps, some, false));
      summed = StridedIndex(selected(rows, some, true), selected(steps, some, true));
    }
    void* at(const Run& run, int64_t row, int64_t i) const {
      return element(run.data(parameter), dtype, kept.offset(row) + summed.offset(i));
    }
    void read(const Run& run, int64_t row, int64_t i, std::vector<double>& to) const {
      load<double>(at(run, row, i), dtype, stride, to.data(), to.size());
    }
    void write(const Run& run, int64_t row, const std::vector<double>& from) const {
      store<double>(from.data(), at(run, row, 0), dtype, stride, from.size());
    }
  };

  Rows dy_, x_;
  std::optional<Rows> of_cos_ = std::nullopt, of_sin_ = std::nullopt;
  int64_t size_;
  RotaryPairs pairs_;
};

// ---- Checks -------------------------------------------------------------------------------------

Rule has_pairs(size_t x) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(x);
    if ((shape.size() == 3 || shape.size() == 4) && shape[shape.size() - 1] % 2 == 0) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have rank 3 or 4 and an even last size, but is {}.",
                       arguments.name(x), to_string(shape));
  });
}

// Of x's rank, each size x's or 1, the last x's.
Rule is_table_of(size_t table, size_t x) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(table);
    const Dims& shape_of_x = arguments.shape(x);
    if (shape.size() == shape_of_x.size() && broadcasts_to(shape, shape_of_x) &&
        shape[shape.size() - 1] == shape_of_x[shape_of_x.size() - 1]) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have the sizes of {} {}, or 1 but for the last, but is {}.",
                       arguments.name(table), arguments.name(x), to_string(shape_of_x),
                       to_string(shape));
  });
}

// `alike` are tensors of x's shape, `tables` those of the shape of the first of them.
Rules rules(const Rules& given, size_t x, const std::vector<size_t>& alike,
            const std::vector<size_t>& tables, size_t mode) {
  const std::vector<size_t> more_tables(tables.begin() + 1, tables.end());
  return {given,
          dtype_in(x, kRealFloats),
          same_dtype(alike, x),
          same_dtype(tables, x),
          has_pairs(x),
          same_shape(alike, x),
          is_table_of(tables[0], x),
          same_shape(more_tables, tables[0]),
          integer_between(mode, 0, 1)};
}

namespace forward {
enum : size_t { kX, kCos, kSin, kMode, kOut };
const OperatorSpec kSpec{
    "aclnnRotaryPositionEmbedding",
    {input("x"), input("cos"), input("sin"), attribute("mode"), output("yOut")},
    rules(not_null({kX, kCos, kSin, kOut}), kX, {kOut}, {kCos, kSin}, kMode)};
}  // namespace forward

namespace backward {
enum : size_t { kDy, kCos, kSin, kX, kMode, kDx, kDcos, kDsin };
const OperatorSpec kSpec{
    "aclnnRotaryPositionEmbeddingGrad",
    {input("dy"), input("cos"), input("sin"), input("xOptional"), attribute("mode"),
     output("dxOut"), output("dcosOptional"), output("dsinOptional")},
    rules({not_null({kDy, kCos, kSin, kDx}), live_if_given({kX, kDcos, kDsin})}, kDy, {kX, kDx},
          {kCos, kSin, kDcos, kDsin}, kMode)};

Plan plan(const Arguments& arguments) {
  const int64_t mode = arguments.integer(kMode);
  Plan turned = plan_rotary(arguments, {kDy, kCos, kSin, kDx}, mode, true);
  const auto wanted = [&](size_t tensor) {
    const bool is_written =
        arguments.given(kX) && arguments.given(tensor) && !arguments.empty(tensor);
    return is_written ? std::optional(tensor) : std::nullopt;
  };
  if (!wanted(kDcos) && !wanted(kDsin)) return turned;
  const TableGradient table(arguments, kDy, kX, kCos, wanted(kDcos), wanted(kDsin), mode);
  return {[table, body = turned.body](const Run& run) -> aclError {
    table.run(run);
    return body ? body(run) : ACL_SUCCESS;
  }};
}
}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnRotaryPositionEmbedding, forward::kSpec, [](const Arguments& arguments) {
  using namespace forward;
  return plan_rotary(arguments, {kX, kCos, kSin, kOut}, arguments.integer(kMode), false);
})
ACLGRAD_OPERATOR(aclnnRotaryPositionEmbeddingGrad, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::rotary
