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

// An integer takes the truncated quotient, but not on 950.
bool takes_quotient(const Arguments&, std::string_view product, aclDataType dtype) {
  return product != "Ascend950" && std::ranges::count(kIntegers, dtype) > 0;
}

void add_div(std::vector<Operator>& all) {
  const Operator div{
      .call = ACLGRAD_CALL(aclnnDiv, any_dtype(in("self", -9, 9)), any_dtype(in("other", 0.25L, 9)),
                           any_dtype(out("out"))),
      .domain = {.everywhere = kFractions, .mixed = kIntegers, .also_accepts = takes_quotient},
      .results = {.formula = of_all([](auto x, Attributes) { return x[0] / x[1]; }),
                  .bound = kQuotient},
      .error_inputs = {{.what = "INT32 of INT32",
                        .changes = {{"out", TensorSpec{}}},
                        .words = {"DT_INT32"},
                        .product = "Ascend950",
                        .dtype = ACL_INT32}},
      .words = {"self / other, broadcasting", "self / other，支持广播", "div(a, b), a / b", "div"}};
  all.push_back(div);
  std::vector<ErrorInput> error_inputs = div.error_inputs;
  error_inputs[0].changes[0].first = "selfRef";
  all.push_back(in_place_of(div, ACLGRAD_CALL(aclnnInplaceDiv), error_inputs));
  auto& overwritten = std::get<TensorSpec>(all.back().call.parameters[0].spec);
  overwritten.any_shape = false;
  overwritten.any_dtype = true;

  const Operator divs{
      .call = ACLGRAD_CALL(aclnnDivs, any_dtype(in("self", -9, 9)),
                           option(scalar("other", 2), "value"), any_dtype(out("out"))),
      .domain = {.everywhere = kFractions + kIntegers,
                 .samples = {{{{"other", 3.0}}}, {{{"other", -0.75}}}}},
      .results = {.formula = of_one([](const auto& x, Attributes a) { return x / a[0]; }),
                  .bound = kQuotient},
      .words = {"self / scalar", "self / 标量", "div(a, 2.0), a / 2.0", "divs"}};
  all.push_back(divs);
  all.push_back(in_place_of(divs, ACLGRAD_CALL(aclnnInplaceDivs)));
}

void add_extrema(std::vector<Operator>& all) {
  const Parameter self = promotes(in("self", -9, 9)), other = promotes(in("other", -9, 9));
  const Parameter result = promotes(out("out"));
  const Formula larger = of_all([](auto x, Attributes) {
    if (x[0] >= x[1]) return x[0] + 0;
    return x[1] >= x[0] ? x[1] + 0 : x[0] + x[1];  // NaN goes through
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMaximum, self, other, result),
      .domain = {.everywhere = kFloatsAndDouble + kIntegers},
      .results = {.formula = larger, .bound = kExact},
      .words = {"the larger of self and other, or NaN; or in BOOL",
                "self 与 other 中较大者，或 NaN；BOOL 为逻辑或", "maximum(a, b)", "maximum"},
  });
  const Formula smaller = of_all([](auto x, Attributes) {
    if (x[0] <= x[1]) return x[0] + 0;
    return x[1] <= x[0] ? x[1] + 0 : x[0] + x[1];
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnMinimum, self, other, result),
      .domain = {.everywhere = kFloatsAndDouble + kIntegers},
      .results = {.formula = smaller, .bound = kExact},
      .words = {"the smaller of self and other, or NaN; and in BOOL",
                "self 与 other 中较小者，或 NaN；BOOL 为逻辑与", "minimum(a, b)", "minimum"},
  });
}

}  // namespace

void add_quotients(std::vector<Operator>& all) {
  add_div(all);
  add_extrema(all);
}

}  // namespace aclgrad::contract
