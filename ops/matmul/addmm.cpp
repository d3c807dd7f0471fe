// SPDX-License-Identifier: Apache-2.0
// aclnnAddmm, aclnnInplaceAddmm.
#include "aclnnop/aclnn_addmm.h"

#include <fmt/format.h>

#include "ops/matmul/product_rules.h"

namespace aclgrad::ops::addmm {
namespace {

enum : size_t { kSelf, kMat1, kMat2, kBeta, kAlpha, kOut, kCubeMathType };
enum : size_t { kCubeMathTypeInPlace = kOut };

Rule not_fractal_nz(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.tensor(tensor).format != ACL_FORMAT_FRACTAL_NZ) return std::nullopt;
    return fmt::format(
        "tensor {} must not be in a private format, but its format is FRACTAL_NZ, expected ND.",
        arguments.name(tensor));
  });
}

Dims product_shape(const Arguments& arguments) {
  return {arguments.shape(kMat1)[0], arguments.shape(kMat2)[1]};
}

// In place, out is self and has its checks.
std::vector<Rule> rules(size_t out, size_t cube_math_type) {
  std::vector<Rule> list = {out == kSelf ? not_null({kSelf, kMat1, kMat2, kBeta, kAlpha})
                                         : not_null({kSelf, kMat1, kMat2, kBeta, kAlpha, out}),
                            dtype_in(kMat1, kFloats), dtype_in(kMat2, kFloats),
                            dtype_in(kSelf, kFloats)};
  if (out != kSelf) list.push_back(dtype_in(out, kFloats));
  for (Rule& rule : std::vector<Rule>{
           scalar_castable_to_float(kBeta), scalar_castable_to_float(kAlpha),
           cube_math_type_fits(cube_math_type, kMat1, kMat2), rank_is(kMat1, 2), rank_is(kMat2, 2),
           inner_sizes_match(kMat1, kMat2), not_fractal_nz(kSelf), not_0d(kSelf),
           max_rank(kSelf, 2), broadcasts_to_product(kSelf, product_shape),
           has_product_shape(out, product_shape), cube_math_type_known(cube_math_type)}) {
    list.push_back(std::move(rule));
  }
  return list;
}

const OperatorSpec kAddmm{"aclnnAddmm",
                          {input("self"), input("mat1"), input("mat2"), attribute("beta"),
                           attribute("alpha"), output("out"), attribute("cubeMathType")},
                          rules(kOut, kCubeMathType)};
const OperatorSpec kInplaceAddmm{"aclnnInplaceAddmm",
                                 {in_out("selfRef"), input("mat1"), input("mat2"),
                                  attribute("beta"), attribute("alpha"), attribute("cubeMathType")},
                                 rules(kSelf, kCubeMathTypeInPlace)};

Plan plan(const Arguments& arguments, size_t out, size_t cube_math_type) {
  if (arguments.empty(kSelf)) return {};
  MatmulProblem problem = matrix_product(arguments, kMat1, kMat2, out, cube_math_type);
  problem.alpha = factor_of(arguments, kAlpha, problem.dtype);
  if (is_zero(problem.alpha)) problem.k = 0;  // the product is not computed
  problem.beta = factor_of(arguments, kBeta, problem.dtype);
  if (!is_zero(problem.beta)) {
    const Operand addend = operand(arguments, kSelf, product_shape(arguments));
    problem.addend = MatrixView{kSelf, addend.dtype, addend.strides[0], addend.strides[1], {}};
  }
  return plan_matmul(problem);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnAddmm, kAddmm,
                 [](const Arguments& arguments) { return plan(arguments, kOut, kCubeMathType); })
ACLGRAD_OPERATOR(aclnnInplaceAddmm, kInplaceAddmm, [](const Arguments& arguments) {
  return plan(arguments, kSelf, kCubeMathTypeInPlace);
})

}  // namespace aclgrad::ops::addmm
