// SPDX-License-Identifier: Apache-2.0
// aclnnInverse, aclnnSlogdet, aclnnTriangularSolve.
#include "aclnnop/aclnn_inverse.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "aclnnop/aclnn_slogdet.h"
#include "aclnnop/aclnn_triangular_solve.h"
#include "ops/engine/dtype/cast.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/math/scalar_math.h"
#include "ops/linalg/matrices.h"

namespace aclgrad::ops::inverse {
namespace {

// The order of rows stands behind the matrices: an integer takes the place of a double.
static_assert(sizeof(int64_t) == sizeof(double));
int64_t* order_at(double* doubles) { return reinterpret_cast<int64_t*>(doubles); }

// ---- Inverse ------------------------------------------------------------------------------------

namespace inverse {

enum : size_t { kSelf, kOut };

const OperatorSpec kSpec{
    "aclnnInverse",
    {input("self"), output("out")},
    Rules{not_null({kSelf, kOut}), dtype_in(kSelf, kRealFloats), same_dtype(kOut, kSelf),
          has_matrices(kSelf), is_square(kSelf), same_shape(kOut, kSelf)}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const Matrices self(arguments, kSelf), out(arguments, kOut);
  const int64_t n = self.rows, elements = n * n;
  return {[=](const Run& run) -> aclError {
    for_each_matrix(self.starts.count(), 2 * elements + n, [&](int64_t number, double* doubles) {
      const DenseMatrix lu = self.in(doubles), result = out.in(doubles + elements);
      int64_t* const order = order_at(doubles + 2 * elements);
      self.read_matrix(run, number, lu.data);
      if (factor_lu(lu, order) == 0) {
        throw std::runtime_error(
            fmt::format("matrix {} of self is singular, and has no inverse", number));
      }
      invert_lu(lu, order, result);
      out.write_matrix(run, number, result.data);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace inverse

// ---- Determinants -------------------------------------------------------------------------------

namespace slogdet {

enum : size_t { kSelf, kSign, kLog };

Rule has_rows() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(kSelf);
    if (shape[shape.size() - 1] > 0) return std::nullopt;
    return fmt::format("tensor {} must have matrices with elements, but is {}.",
                       arguments.name(kSelf), to_string(shape));
  });
}

// An element for each matrix; of a single one, of any rank.
Rule has_numbers(size_t tensor) {
  return [=](const Arguments& arguments) {
    const Dims batch = batch_of(arguments.shape(kSelf));
    if (batch.empty()) return has_one_element(tensor)(arguments);
    return has_shape(tensor, batch)(arguments);
  };
}

const OperatorSpec kSpec{
    "aclnnSlogdet",
    {input("self"), output("signOut"), output("logOut")},
    Rules{not_null({kSelf, kSign, kLog}), dtype_in(kSelf, kFloatAndDouble),
          same_dtype({kSign, kLog}, kSelf), has_matrices(kSelf), max_rank({kSign, kLog}),
          is_square(kSelf), has_rows(), has_numbers(kSign), has_numbers(kLog)}};

struct Determinant {
  double sign, log;
};

// Of a decomposition.
Determinant determinant_of(const DenseMatrix& lu, int exchanges) {
  if (exchanges == 0) return {0, -std::numeric_limits<double>::infinity()};
  Determinant result{static_cast<double>(exchanges), 0};
  for (int64_t i = 0; i < lu.rows; ++i) {
    const double size = std::abs(lu.at(i, i));
    if (std::isnan(size)) return {size, size};
    if (std::signbit(lu.at(i, i))) result.sign = -result.sign;
    result.log += std::isinf(size) ? size : natural_log(size);
  }
  return result;
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kSelf)) return {};
  const Matrices self(arguments, kSelf);
  const Elements sign(arguments, kSign), log(arguments, kLog);
  const int64_t n = self.rows, elements = n * n;
  return {[=](const Run& run) -> aclError {
    for_each_matrix(self.starts.count(), elements + n, [&](int64_t number, double* doubles) {
      const DenseMatrix lu = self.in(doubles);
      self.read_matrix(run, number, lu.data);
      const Determinant result = determinant_of(lu, factor_lu(lu, order_at(doubles + elements)));
      sign.write(run, &result.sign, number, number + 1);
      log.write(run, &result.log, number, number + 1);
    });
    return ACL_SUCCESS;
  }};
}

}  // namespace slogdet

// ---- Triangles ----------------------------------------------------------------------------------

namespace triangular {

enum : size_t { kSelf, kA, kUpper, kTranspose, kUnitriangular, kX, kM };

Rule has_rows_of_a() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& self = arguments.shape(kSelf);
    const Dims& a = arguments.shape(kA);
    if (batch_of(self) == batch_of(a) && self[self.size() - 2] == a[a.size() - 1]) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have the batch and the rows of tensor {} {}, but is {}.",
                       arguments.name(kSelf), arguments.name(kA), to_string(a), to_string(self));
  });
}

const OperatorSpec kSpec{
    "aclnnTriangularSolve",
    {input("self"), input("A"), attribute("upper"), attribute("transpose"),
     attribute("unitriangular"), output("xOut"), output("mOut")},
    Rules{not_null({kSelf, kA, kX, kM}), dtype_in(kSelf, kFloatAndDouble),
          same_dtype({kA, kX, kM}, kSelf), has_matrices(kSelf), has_matrices(kA), is_square(kA),
          has_rows_of_a(), same_shape(kX, kSelf), same_shape(kM, kA)}};

Plan plan(const Arguments& arguments) {
  const Plan copy = plan_cast(arguments, kA, kM);
  if (arguments.empty(kSelf)) return copy;
  const Matrices self(arguments, kSelf), a(arguments, kA), x(arguments, kX);
  const Triangle triangle{arguments.flag(kUpper), arguments.flag(kTranspose),
                          arguments.flag(kUnitriangular)};
  const int64_t of_a = a.index.count();
  return {[=, copies = copy.body](const Run& run) -> aclError {
            for_each_matrix(a.starts.count(), of_a + x.index.count(),
                            [&](int64_t number, double* doubles) {
                              const DenseMatrix left = a.in(doubles), right = x.in(doubles + of_a);
                              a.read_matrix(run, number, left.data);
                              self.read_matrix(run, number, right.data);
                              solve_triangular(left, triangle, right);
                              x.write_matrix(run, number, right.data);
                            });
            return copies(run);
          },
          copy.workspace_size};
}

}  // namespace triangular
}  // namespace

ACLGRAD_OPERATOR(aclnnInverse, inverse::kSpec, inverse::plan)
ACLGRAD_OPERATOR(aclnnSlogdet, slogdet::kSpec, slogdet::plan)
ACLGRAD_OPERATOR(aclnnTriangularSolve, triangular::kSpec, triangular::plan)

}  // namespace aclgrad::ops::inverse
