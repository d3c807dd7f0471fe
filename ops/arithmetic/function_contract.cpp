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

// Of numbers; those of dual numbers are found by their argument.
using std::cos;
using std::erf;
using std::exp;
using std::log;
using std::sin;
using std::sqrt;

void add_functions(std::vector<Operator>& all) {
  Functions functions(all);
  const DTypes few = {ACL_BOOL, ACL_INT64};
  functions.add<decltype(aclnnExpGetWorkspaceSize), decltype(aclnnInplaceExpGetWorkspaceSize)>(
      "aclnnExp", "self", function(-10, 5, of_one([](const auto& x) { return exp(x); })),
      {{"eˣ", "eˣ"}, "exp(x)", few});
  functions.add<decltype(aclnnLogGetWorkspaceSize), decltype(aclnnInplaceLogGetWorkspaceSize)>(
      "aclnnLog", "self", function(0.0625L, 9, of_one([](const auto& x) { return log(x); })),
      {{"ln x", "ln x"}, "log(x)", kWholeNumbers});
  functions.add<decltype(aclnnSqrtGetWorkspaceSize), decltype(aclnnInplaceSqrtGetWorkspaceSize)>(
      "aclnnSqrt", "self", function(0.0625L, 9, of_one([](const auto& x) { return sqrt(x); })),
      {{"√x", "√x"}, "sqrt(x)", kWholeNumbers});
  functions.add<decltype(aclnnRsqrtGetWorkspaceSize), decltype(aclnnInplaceRsqrtGetWorkspaceSize)>(
      "aclnnRsqrt", "self", function(0.0625L, 9, of_one([](const auto& x) { return 1 / sqrt(x); })),
      {{"1/√x", "1/√x"}, "rsqrt(x)", kWholeNumbers});
  Operator reciprocal = function(0.0625L, 9, of_one([](const auto& x) { return 1 / x; }));
  reciprocal.domain.equal_formats = true;
  functions.add<decltype(aclnnReciprocalGetWorkspaceSize),
                decltype(aclnnInplaceReciprocalGetWorkspaceSize)>(
      "aclnnReciprocal", "self", reciprocal, {{"1/x", "1/x"}, "reciprocal(x)", kWholeNumbers});
  functions.add<decltype(aclnnSinGetWorkspaceSize), decltype(aclnnInplaceSinGetWorkspaceSize)>(
      "aclnnSin", "self", function(-50, 50, of_one([](const auto& x) { return sin(x); })),
      {{"sin x", "sin x"}, "sin(x)", kWholeNumbers});
  functions.add<decltype(aclnnCosGetWorkspaceSize), decltype(aclnnInplaceCosGetWorkspaceSize)>(
      "aclnnCos", "input", function(-50, 50, of_one([](const auto& x) { return cos(x); })),
      {{"cos x", "cos x"}, "cos(x)", kWholeNumbers});
  functions.add<decltype(aclnnErfGetWorkspaceSize), decltype(aclnnInplaceErfGetWorkspaceSize)>(
      "aclnnErf", "self",
      function(-4, 4, of_one([](const auto& x) { return erf(x); }), kFloatsAndDouble),
      {{"erf x", "erf x"}, "erf(x)", few});
  Operator neg = function(-6, 6, of_one([](const auto& x) { return -x; }),
                          {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128,
                           ACL_INT8, ACL_INT32, ACL_INT64});
  functions.add<decltype(aclnnNegGetWorkspaceSize), decltype(aclnnInplaceNegGetWorkspaceSize)>(
      "aclnnNeg", "self", neg, {{"−x", "−x"}, "neg(x)"});
}

void add_signs(std::vector<Operator>& all) {
  Operator magnitude = contract_of<decltype(aclnnAbsGetWorkspaceSize)>(
      "aclnnAbs", {in("self", -6, 6), out("out")}, kFloatsAndDouble + kWholeNumbers);
  magnitude.domain.mixed = {ACL_COMPLEX64};
  magnitude.domain.equal_formats = true;
  magnitude.results.formula = of_one([](const auto& x) {
    using std::abs;
    return abs(x);
  });
  magnitude.results.bound = {.of_float = 0, .of_16_bits = 0};
  magnitude.words.check = "abs";
  magnitude.words.computes = {"|x|", "|x|"};
  magnitude.words.in_graph = "abs(x)";
  Operator sign = contract_of<decltype(aclnnSignGetWorkspaceSize)>(
      "aclnnSign", {in("self", -6, 6), out("result")},
      kAll + DTypes{ACL_INT32, ACL_INT64, ACL_BOOL});
  sign.domain.max_rank = kAnyRank;
  sign.results.formula = of_one([](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    return x > 0 ? T(1) : x < 0 ? T(-1) : x;
  });
  sign.results.bound = {.of_float = 0, .of_16_bits = 0};
  sign.words.check = "sign";
  sign.words.computes = {"1, −1, or x where it is 0 or NaN", "1、−1；x 为 0 或 NaN 时为 x"};
  sign.words.in_graph = "sign(x)";
  all.insert(all.end(), {magnitude, sign});
}

}  // namespace

void add_elementwise_functions(std::vector<Operator>& all) {
  add_functions(all);
  add_signs(all);
}

}  // namespace aclgrad::contract
