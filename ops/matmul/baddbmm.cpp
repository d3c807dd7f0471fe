// SPDX-License-Identifier: Apache-2.0
// aclnnBaddbmm, aclnnInplaceBaddbmm.
#include "aclnnop/aclnn_baddbmm.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/matmul/product_rules.h"

namespace aclgrad::ops::baddbmm {
namespace {

enum : size_t { kSelf, kBatch1, kBatch2, kBeta, kAlpha, kOut, kCubeMathType };
enum : size_t { kCubeMathTypeInPlace = kOut };

Dims product_shape(const Arguments& arguments) {
  const Dims& left = arguments.shape(kBatch1);
  return {left[0], left[1], arguments.shape(kBatch2)[2]};
}

Rule batch_serves() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t wanted = arguments.shape(kBatch1)[0];
    const int64_t batch = arguments.shape(kBatch2)[0];
    if (batch == wanted || batch == 1) return std::nullopt;
    return fmt::format("tensor {} {} must have the batch of tensor {} {} or 1, but has {}.",
                       arguments.name(kBatch2), to_string(arguments.shape(kBatch2)),
                       arguments.name(kBatch1), to_string(arguments.shape(kBatch1)), batch);
  });
}

Rule empty_as_product() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims product = product_shape(arguments);
    const bool is_empty = std::find(product.begin(), product.end(), 0) != product.end();
    if (arguments.empty(kSelf) == is_empty) return std::nullopt;
    return fmt::format("tensor {} {} must be empty exactly if the product {} is, but is {}.",
                       arguments.name(kSelf), to_string(arguments.shape(kSelf)), to_string(product),
                       is_empty ? "not" : "empty");
  });
}

// The format of self; one of fewer dimensions, which is broadcast, may have that of its own rank.
Rule has_format_of_self(size_t tensor) {
  return when(
      [=](const Arguments& arguments) {
        return arguments.shape(tensor).size() == arguments.shape(kSelf).size();
      },
      same_format(tensor, kSelf));
}

// In place, out is self and has its checks.
Rules rules(size_t out, size_t cube_math_type) {
  std::vector<size_t> others = {kBatch1, kBatch2};
  if (out != kSelf) others.push_back(out);
  return {out == kSelf ? not_null({kSelf, kBatch1, kBatch2, kBeta, kAlpha})
                       : not_null({kSelf, kBatch1, kBatch2, kBeta, kAlpha, out}),
          dtype_in(kSelf, kFloats),
          dtype_in(others, kFloats),
          scalar_castable_to_float(kBeta),
          scalar_castable_to_float(kAlpha),
          cube_math_type_known(cube_math_type),
          cube_math_type_fits(cube_math_type, kBatch1, kBatch2),
          rank_is(kBatch1, 3),
          rank_is(kBatch2, 3),
          max_rank(kSelf, 3),
          inner_sizes_match(kBatch1, kBatch2),
          batch_serves(),
          empty_as_product(),
          broadcasts_to_product(kSelf, product_shape),
          has_product_shape(out, product_shape),
          of_each(others, has_format_of_self)};
}

const OperatorSpec kBaddbmm{"aclnnBaddbmm",
                            {input("self"), input("batch1"), input("batch2"), attribute("beta"),
                             attribute("alpha"), output("out"), attribute("cubeMathType")},
                            rules(kOut, kCubeMathType)};
const OperatorSpec kInplaceBaddbmm{
    "aclnnInplaceBaddbmm",
    {in_out("selfRef"), input("batch1"), input("batch2"), attribute("beta"), attribute("alpha"),
     attribute("cubeMathType")},
    rules(kSelf, kCubeMathTypeInPlace)};

MatrixView matrices(const Arguments& arguments, size_t parameter, const Dims& strides,
                    int64_t batch) {
  return {
      parameter, arguments.dtype(parameter), strides[1], strides[2], {batch == 1 ? 0 : strides[0]}};
}

Plan plan(const Arguments& arguments, size_t out, size_t cube_math_type) {
  const auto view = [&](size_t parameter) {
    return matrices(arguments, parameter, arguments.strides(parameter),
                    arguments.shape(parameter)[0]);
  };
  const Dims shape = product_shape(arguments);
  MatmulProblem problem;
  problem.batch = {shape[0]};
  problem.m = shape[1];
  problem.n = shape[2];
  problem.k = arguments.shape(kBatch1)[2];
  problem.a = view(kBatch1);
  problem.b = view(kBatch2);
  problem.out = view(out);
  set_product_dtype(arguments, cube_math_type, problem);
  problem.alpha = factor_of(arguments, kAlpha, problem.dtype);
  problem.beta = factor_of(arguments, kBeta, problem.dtype);
  if (!is_zero(problem.beta)) {
    problem.addend = matrices(arguments, kSelf, operand(arguments, kSelf, shape).strides, shape[0]);
  }
  return plan_matmul(problem);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnBaddbmm, kBaddbmm,
                 [](const Arguments& arguments) { return plan(arguments, kOut, kCubeMathType); })
ACLGRAD_OPERATOR(aclnnInplaceBaddbmm, kInplaceBaddbmm, [](const Arguments& arguments) {
  return plan(arguments, kSelf, kCubeMathTypeInPlace);
})

}  // namespace aclgrad::ops::baddbmm
