// SPDX-License-Identifier: Apache-2.0
// Division, and the larger or smaller of two elements.
#include <algorithm>

#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_maximum.h"
#include "aclnnop/aclnn_minimum.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

const DTypes kIntegers = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_BOOL};

const DTypes kFractions = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_COMPLEX64, ACL_COMPLEX128};

// Rounded once in FLOAT and DOUBLE; 16 bits are those of FLOAT, rounded.
constexpr Bound kQuotient{.of_float = 0.501, .of_16_bits = 0.5001, .of_double = 0.501};

void add_div(std::vector<Operator>& all) {
  Operator div = contract_of<decltype(aclnnDivGetWorkspaceSize)>(
      "aclnnDiv",
      {any_dtype(in("self", -9, 9)), any_dtype(in("other", 0.25L, 9)), any_dtype(out("out"))},
      kFractions);
  // An integer takes the truncated quotient, but not on 950.
  div.domain.also_accepts = [](const Arguments&, std::string_view product, aclDataType dtype) {
    return product != "Ascend950" && std::ranges::count(kIntegers, dtype) > 0;
  };
  div.domain.mixed = kIntegers;
  div.error_inputs = {{.what = "INT32 of INT32",
                       .changes = {{"out", TensorSpec{}}},
                       .words = {"DT_INT32"},
                       .product = "Ascend950",
                       .dtype = ACL_INT32}};
  div.results.formula = of_all([](auto x, Attributes) { return x[0] / x[1]; });
  div.results.bound = kQuotient;
  div.words.check = "div";
  div.words.computes = {"self / other, broadcasting", "self / other，支持广播"};
  div.words.in_graph = "div(a, b), a / b";
  all.push_back(div);
  all.push_back(in_place_of<decltype(aclnnInplaceDivGetWorkspaceSize)>(div));
  auto& in_place = std::get<TensorSpec>(all.back().call.parameters[0].spec);
  in_place.any_shape = false;
  in_place.any_dtype = true;
  all.back().error_inputs = div.error_inputs;
  all.back().error_inputs[0].changes[0].first = "selfRef";

  Operator divs = contract_of<decltype(aclnnDivsGetWorkspaceSize)>(
      "aclnnDivs",
      {any_dtype(in("self", -9, 9)), option(scalar("other", 2), "value"), any_dtype(out("out"))},
      kFractions + kIntegers);
  divs.domain.samples = {{{{"other", 3.0}}}, {{{"other", -0.75}}}};
  divs.results.formula = of_one([](const auto& x, Attributes a) { return x / a[0]; });
  divs.results.bound = kQuotient;
  divs.words.check = "divs";
  divs.words.computes = {"self / scalar", "self / 标量"};
  divs.words.in_graph = "div(a, 2.0), a / 2.0";
  all.push_back(divs);
  all.push_back(in_place_of<decltype(aclnnInplaceDivsGetWorkspaceSize)>(divs));
}

template <class PhaseOne>
Operator extremum(std::string name) {
  Operator op = contract_of<PhaseOne>(
      std::move(name),
      {promotes(in("self", -9, 9)), promotes(in("other", -9, 9)), promotes(out("out"))},
      kFloatsAndDouble + kIntegers);
  op.results.bound = {.of_float = 0, .of_16_bits = 0};
  return op;
}

void add_extrema(std::vector<Operator>& all) {
  Operator maximum = extremum<decltype(aclnnMaximumGetWorkspaceSize)>("aclnnMaximum");
  maximum.results.formula = of_all([](auto x, Attributes) {
    if (x[0] >= x[1]) return x[0] + 0;
    return x[1] >= x[0] ? x[1] + 0 : x[0] + x[1];  // NaN goes through
  });
  maximum.words.check = "maximum";
  maximum.words.computes = {"the larger of self and other, or NaN; or in BOOL",
                            "self 与 other 中较大者，或 NaN；BOOL 为逻辑或"};
  maximum.words.in_graph = "maximum(a, b)";
  Operator minimum = extremum<decltype(aclnnMinimumGetWorkspaceSize)>("aclnnMinimum");
  minimum.results.formula = of_all([](auto x, Attributes) {
    if (x[0] <= x[1]) return x[0] + 0;
    return x[1] <= x[0] ? x[1] + 0 : x[0] + x[1];
  });
  minimum.words.check = "minimum";
  minimum.words.computes = {"the smaller of self and other, or NaN; and in BOOL",
                            "self 与 other 中较小者，或 NaN；BOOL 为逻辑与"};
  minimum.words.in_graph = "minimum(a, b)";
  all.insert(all.end(), {maximum, minimum});
}

}  // namespace

void add_quotients(std::vector<Operator>& all) {
  add_div(all);
  add_extrema(all);
}

}  // namespace aclgrad::contract
