// SPDX-License-Identifier: Apache-2.0
#include "ops/matmul/product_rules.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "aclgrad_ext.h"
#include "ops/meta/soc.h"

namespace aclgrad::ops {
namespace {

// Values of cubeMathType that change the computation or are limits.
constexpr int64_t kKeepDtype = 0;
constexpr int64_t kUseFloat16 = 2;
constexpr int64_t kUseHf32 = 3;
constexpr int64_t kLastCubeMathType = 4;

}  // namespace

Rule cube_math_type_known(size_t attribute) {
  return integer_between(attribute, kKeepDtype, kLastCubeMathType);
}

Rule cube_math_type_fits(size_t attribute, size_t a, size_t b) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t value = arguments.integer(attribute);
    const auto promoted = promote_types(arguments.dtype(a), arguments.dtype(b));
    if (is_a2_or_later(current_soc()) || promoted != ACL_FLOAT ||
        (value != kKeepDtype && value != kUseHf32)) {
      return std::nullopt;
    }
    return fmt::format("{} {} with {} operands is not supported on {}, expected 1, 2 or 4.",
                       arguments.name(attribute), value, dtype_name(*promoted), aclrtGetSocName());
  });
}

Rule rank_is(size_t tensor, size_t rank) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    if (shape.size() == rank) return std::nullopt;
    return fmt::format("tensor {} must have {} dimensions, but is {}.", arguments.name(tensor),
                       rank, to_string(shape));
  });
}

Rule inner_sizes_match(size_t a, size_t b) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& left = arguments.shape(a);
    const Dims& right = arguments.shape(b);
    // A vector on the right is a column.
    const int64_t rows = right.size() == 1 ? right[0] : right[right.size() - 2];
    if (left[left.size() - 1] == rows) return std::nullopt;
    return fmt::format(
        "the last size of tensor {} {} and the rows of tensor {} {} must be equal, but "
        "are {} and {}.",
        arguments.name(a), to_string(left), arguments.name(b), to_string(right),
        left[left.size() - 1], rows);
  });
}

Rule has_product_shape(size_t tensor, ProductShape product) {
  return
      [=](const Arguments& arguments) { return has_shape(tensor, product(arguments))(arguments); };
}

Rule broadcasts_to_product(size_t tensor, ProductShape product) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims wanted = product(arguments);
    if (broadcasts_to(arguments.shape(tensor), wanted)) return std::nullopt;
    return fmt::format("tensor {} {} does not broadcast to the product's size, expected {}.",
                       arguments.name(tensor), to_string(arguments.shape(tensor)),
                       to_string(wanted));
  });
}

MatrixView matrix_view(const Arguments& arguments, size_t parameter) {
  const Dims& strides = arguments.strides(parameter);
  return {parameter, arguments.dtype(parameter), strides[0], strides[1], {}};
}

MatmulProblem matrix_product(const Arguments& arguments, size_t a, size_t b, size_t out,
                             size_t cube_math_type) {
  MatmulProblem problem;
  problem.m = arguments.shape(a)[0];
  problem.k = arguments.shape(a)[1];
  problem.n = arguments.shape(b)[1];
  problem.a = matrix_view(arguments, a);
  problem.b = matrix_view(arguments, b);
  problem.out = matrix_view(arguments, out);
  set_product_dtype(arguments, cube_math_type, problem);
  return problem;
}

double factor_of(const Arguments& arguments, size_t scalar, aclDataType dtype) {
  const double value = arguments.scalar(scalar).to_double();
  return dtype == ACL_DOUBLE ? value : static_cast<double>(static_cast<float>(value));
}

bool is_zero(double factor) {
  return std::abs(factor) < static_cast<double>(std::numeric_limits<float>::epsilon());
}

void set_product_dtype(const Arguments& arguments, size_t cube_math_type, MatmulProblem& problem) {
  problem.dtype = *promote_types(problem.a.dtype, problem.b.dtype);
  problem.round_to_float16 =
      arguments.integer(cube_math_type) == kUseFloat16 && problem.dtype == ACL_FLOAT;
  problem.may_add_pairs = problem.dtype == ACL_BF16 && aclgradIsDeterministic() == 0;
}

}  // namespace aclgrad::ops
