// SPDX-License-Identifier: Apache-2.0
// aclnnLinalgQr.
#include <fmt/format.h>

#include <algorithm>

#include "aclnnop/aclnn_linalg_qr.h"
#include "ops/linalg/matrices.h"

namespace aclgrad::ops::qr {
namespace {

enum : size_t { kSelf, kMode, kQ, kR };
enum : int64_t { kReduced, kComplete, kOnlyR };

struct Sizes {
  int64_t rows, columns, between;  // columns of Q, rows of R
};
Sizes sizes_of(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kSelf);
  const int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  return {rows, columns, arguments.integer(kMode) == kComplete ? rows : std::min(rows, columns)};
}

Rule is_not_empty() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.empty(kSelf)) return std::nullopt;
    return fmt::format("tensor {} must have elements, but is {}.", arguments.name(kSelf),
                       to_string(arguments.shape(kSelf)));
  });
}

CheckResult has_size_of_q(const Arguments& arguments) {
  const Sizes sizes = sizes_of(arguments);
  const Dims shape =
      arguments.integer(kMode) == kOnlyR
          ? Dims{0}
          : with_sizes(batch_of(arguments.shape(kSelf)), {sizes.rows, sizes.between});
  return has_shape(kQ, shape)(arguments);
}

CheckResult has_size_of_r(const Arguments& arguments) {
  const Sizes sizes = sizes_of(arguments);
  return has_shape(
      kR, with_sizes(batch_of(arguments.shape(kSelf)), {sizes.between, sizes.columns}))(arguments);
}

const OperatorSpec kSpec{
    "aclnnLinalgQr",
    {input("self"), attribute("mode"), output("Q"), output("R")},
    Rules{not_null({kSelf, kQ, kR}), dtype_in(kSelf, kFloatAndDouble), same_dtype({kQ, kR}, kSelf),
          has_matrices(kSelf), integer_between(kMode, 0, 2), is_not_empty(), has_size_of_q,
          has_size_of_r}};

// The upper triangle of the rows that R has.
void write_r(const Run& run, const Matrices& r, int64_t number, const DenseMatrix& factors,
             double* room) {
  for (int64_t i = 0; i < r.rows; ++i) {
    double* const row = room + i * r.columns;
    const int64_t below = std::min(i, r.columns);
    std::fill_n(row, below, 0.0);
    std::copy(factors.row(i) + below, factors.row(i) + r.columns, row + below);
  }
  r.write_matrix(run, number, room);
}

Plan plan(const Arguments& arguments) {
  const Sizes sizes = sizes_of(arguments);
  const Matrices self(arguments, kSelf), r(arguments, kR);
  const bool makes_q = arguments.integer(kMode) != kOnlyR;
  const Matrices q = makes_q ? Matrices(arguments, kQ) : Matrices();
  const int64_t of_self = sizes.rows * sizes.columns, of_q = sizes.rows * sizes.between;
  const int64_t room = of_self + std::max(of_q, of_self) + sizes.between + sizes.rows +
                       std::max(sizes.columns, sizes.between);
  return {[=](const Run& run) -> aclError {
    for_each_matrix(self.starts.count(), room, [&](int64_t number, double* doubles) {
      const DenseMatrix factors = self.in(doubles);
      double* const result = doubles + of_self;
      double* const scales = result + std::max(of_q, of_self);
      double* const work = scales + sizes.between;
      self.read_matrix(run, number, factors.data);
      factor_qr(factors, scales, work);
      write_r(run, r, number, factors, result);
      if (!makes_q) return;
      form_q(factors, scales, q.in(result), work);
      q.write_matrix(run, number, result);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnLinalgQr, kSpec, plan)

}  // namespace aclgrad::ops::qr
