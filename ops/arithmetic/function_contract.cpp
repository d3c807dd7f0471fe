// SPDX-License-Identifier: Apache-2.0
// Elementwise functions of one tensor.
#include <cmath>

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_erf.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_rsqrt.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sqrt.h"
#include "ops/contract/unary.h"

namespace aclgrad::contract {
namespace {

void add_functions(std::vector<Operator>& all) {
  Functions functions(all);
  const DTypes few = {ACL_BOOL, ACL_INT64};
  functions.add(ACLGRAD_FUNCTION(Exp), "self",
                function(-10, 5, of_one([](const auto& x) { return exp(x); })),
                {{"eˣ", "eˣ"}, "exp(x)", few});
  functions.add(ACLGRAD_FUNCTION(Log), "self",
                function(0.0625L, 9, of_one([](const auto& x) { return log(x); })),
                {{"ln x", "ln x"}, "log(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Sqrt), "self",
                function(0.0625L, 9, of_one([](const auto& x) { return sqrt(x); })),
                {{"√x", "√x"}, "sqrt(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Rsqrt), "self",
                function(0.0625L, 9, of_one([](const auto& x) { return 1 / sqrt(x); })),
                {{"1/√x", "1/√x"}, "rsqrt(x)", kWholeNumbers});
  Operator reciprocal = function(0.0625L, 9, of_one([](const auto& x) { return 1 / x; }));
  reciprocal.domain.equal_formats = true;
  functions.add(ACLGRAD_FUNCTION(Reciprocal), "self", reciprocal,
                {{"1/x", "1/x"}, "reciprocal(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Sin), "self",
                function(-50, 50, of_one([](const auto& x) { return sin(x); })),
                {{"sin x", "sin x"}, "sin(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Cos), "input",
                function(-50, 50, of_one([](const auto& x) { return cos(x); })),
                {{"cos x", "cos x"}, "cos(x)", kWholeNumbers});
  functions.add(ACLGRAD_FUNCTION(Erf), "self",
                function(-4, 4, of_one([](const auto& x) { return erf(x); }), kFloatsAndDouble),
                {{"erf x", "erf x"}, "erf(x)", few});
  Operator neg = function(-6, 6, of_one([](const auto& x) { return -x; }),
                          {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128,
                           ACL_INT8, ACL_INT32, ACL_INT64});
  functions.add(ACLGRAD_FUNCTION(Neg), "self", neg, {{"−x", "−x"}, "neg(x)"});
}

void add_signs(std::vector<Operator>& all) {
  const Operator magnitude{
      .call = ACLGRAD_CALL(aclnnAbs, in("self", -6, 6), out("out")),
      .domain = {.everywhere = kFloatsAndDouble + kWholeNumbers,
                 .mixed = {ACL_COMPLEX64},
                 .equal_formats = true},
      .results = {.formula = of_one([](const auto& x) { return abs(x); }), .bound = kExact},
      .words = {"|x|", "|x|", "abs(x)", "abs"}};
  const Formula sign_formula = of_one([](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  });
  const Operator sign{
      .call = ACLGRAD_CALL(aclnnSign, in("self", -6, 6), out("result")),
      .domain = {.everywhere = kAll + DTypes{ACL_INT32, ACL_INT64, ACL_BOOL}, .max_rank = kAnyRank},
      .results = {.formula = sign_formula, .bound = kExact},
      .words = {"1, −1, or x where it is 0 or NaN", "1、−1；x 为 0 或 NaN 时为 x", "sign(x)",
                "sign"}};
  all.insert(all.end(), {magnitude, sign});
}

}  // namespace

void add_elementwise_functions(std::vector<Operator>& all) {
  add_functions(all);
  add_signs(all);
}

}  // namespace aclgrad::contract
