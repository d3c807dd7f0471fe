// SPDX-License-Identifier: Apache-2.0
// Sums, differences and products, with a tensor or a number as the second operand.
#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_add_relu.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_rsub.h"
#include "aclnnop/aclnn_sub.h"
#include "ops/contract/binary.h"

namespace aclgrad::contract {
namespace {

using Operators = std::vector<Operator>;

const DTypes kRealNumbers = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_INT8,
                             ACL_INT16, ACL_INT32,   ACL_INT64,  ACL_UINT8};

// One product converts a product by a number back to self's dtype by the usual rules only. The
// number is one that every tensor takes (number()), not one of self's dtype.
bool is_converted_to_less(const Arguments& arguments, std::string_view product, aclDataType dtype) {
  return product == "Ascend950" && is_whole(dtype) &&
         (dtype == ACL_BOOL || has_fraction(arguments));
}

Results rounded_once(Formula formula) {
  return {.formula = std::move(formula),
          .complex = Complex::kParts,
          .bound = {.of_float = 0.5005}};  // the reference is rounded too, 11 bits further down
}

// Values stay small enough for a product in INT8.
Parameter operand(std::string name, double value) {
  return any_dtype(filled(in(std::move(name), -9, 9), value));
}

Sample scaled(double alpha, const std::optional<Shape>& other = std::nullopt) {
  Sample sample{{{"alpha", alpha}}};
  if (other) sample.settings.emplace_back("other", *other);
  return sample;
}

const Parameter kOperand = operand("self", 5);
const Parameter kPromoted = any_dtype(out("out"));
const Parameter kAlpha = number("alpha", 2);

Parameter second_operand(double value) {
  return option(operand("other", value), "other", Sets::kShape);
}

Operator of_tensors(Signature call, std::vector<Sample> samples, Results results, Words words) {
  return {.call = std::move(call),
          .domain = {.everywhere = kNumbers,
                     .also_refuses = is_whole_beside_fraction,
                     .arrange = broadcast_operands,
                     .samples = std::move(samples)},
          .results = std::move(results),
          .words = std::move(words)};
}

// Beside a BOOL tensor; there is no dtype that both promote to.
ErrorInput unsigned_number(aclnnStatus status, const char* product) {
  return {.what = "of DT_UINT64 for a BOOL tensor",
          .changes = {{"other", ScalarSpec{1, ACL_UINT64}}},
          .status = status,
          .words = {"DT_UINT64"},
          .product = product,
          .dtype = ACL_BOOL};
}

void add_sums(Operators& all) {
  const std::vector<Sample> samples = {scaled(1),
                                       scaled(-3),
                                       scaled(0.75),
                                       scaled(-3, Shape{4}),
                                       scaled(1, Shape{3, 1}),
                                       scaled(0.75, Shape{3, 1, 1, 4})};
  const Operator add =
      of_tensors(ACLGRAD_CALL(aclnnAdd, kOperand, second_operand(1), kAlpha, kPromoted), samples,
                 rounded_once(of_all([](auto x, Attributes a) { return x[0] + a[0] * x[1]; })),
                 {"self + alpha·other, broadcasting", "self + alpha·other，支持广播",
                  "add(a, b, alpha), a + b", "add"});
  const Operator sub =
      of_tensors(ACLGRAD_CALL(aclnnSub, kOperand, second_operand(1), kAlpha, kPromoted), samples,
                 rounded_once(of_all([](auto x, Attributes a) { return x[0] - a[0] * x[1]; })),
                 {"self − alpha·other, broadcasting", "self − alpha·other，支持广播",
                  "sub(a, b, alpha), a - b", "sub"});
  all.insert(all.end(), {add, as_const(in_place(add, ACLGRAD_CALL(aclnnInplaceAdd))), sub,
                         in_place(sub, ACLGRAD_CALL(aclnnInplaceSub))});
  Operator rsub =
      of_tensors(ACLGRAD_CALL(aclnnRsub, kOperand, second_operand(1), kAlpha, kPromoted), samples,
                 rounded_once(of_all([](auto x, Attributes a) { return x[1] - a[0] * x[0]; })),
                 {"other − alpha·self, broadcasting", "other − alpha·self，支持广播"});
  rsub.domain.everywhere = kRealNumbers;
  Operator add_relu = rsub;
  add_relu.call = ACLGRAD_CALL(aclnnAddRelu, kOperand, second_operand(1), kAlpha, kPromoted);
  // No sum below 0 in UINT8, where it wraps before it is cut off.
  add_relu.domain.samples = {scaled(1), scaled(0.75), scaled(2, Shape{4}), scaled(1, Shape{3, 1})};
  add_relu.results = rounded_once(of_all([](auto x, Attributes a) {
    const auto sum = x[0] + a[0] * x[1];
    return sum < 0 ? decltype(sum - sum)(0) : sum;
  }));
  add_relu.words = {"max(self + alpha·other, 0), broadcasting",
                    "max(self + alpha·other, 0)，支持广播"};
  all.insert(all.end(), {rsub, add_relu, in_place(add_relu, ACLGRAD_CALL(aclnnInplaceAddRelu))});
}

void add_product(Operators& all) {
  const auto samples = broadcasting({{4}, {3, 1}, {3, 1, 1, 4}, {}});
  Results results = rounded_once(of_all([](auto x, Attributes) { return x[0] * x[1]; }));
  results.complex = Complex::kBilinear;
  const Operator mul =
      of_tensors(ACLGRAD_CALL(aclnnMul, kOperand, second_operand(5), kPromoted), samples, results,
                 {"self·other, broadcasting", "self·other，支持广播", "mul(a, b), a * b", "mul"});
  all.insert(all.end(), {mul, in_place(mul, ACLGRAD_CALL(aclnnInplaceMul))});
}

void add_sums_with_number(Operators& all) {
  const Parameter other = option(number("other", 2), "value");
  const std::vector<ErrorInput> error_inputs = {unsigned_number(161002, "Ascend910B")};
  const Domain domain{
      .everywhere = without(kNumbers, ACL_BOOL),
      .mixed = {ACL_BOOL},
      .also_refuses = is_whole_beside_fraction,
      .samples = {{{{"other", 2.0}, {"alpha", -3.0}}}, {{{"other", -1.5}, {"alpha", 0.75}}}}};
  const Operator adds{
      .call = ACLGRAD_CALL(aclnnAdds, kOperand, other, kAlpha, kPromoted),
      .domain = domain,
      .results = rounded_once(of_one([](const auto& x, Attributes a) { return x + a[1] * a[0]; })),
      .error_inputs = error_inputs,
      .words = {"self + alpha·scalar", "self + alpha·标量", "add(a, 2.0)", "adds"}};
  const Operator subs{
      .call = ACLGRAD_CALL(aclnnSubs, kOperand, other, kAlpha, kPromoted),
      .domain = domain,
      .results = rounded_once(of_one([](const auto& x, Attributes a) { return x - a[1] * a[0]; })),
      .error_inputs = error_inputs,
      .words = {"self − alpha·scalar", "self − alpha·标量", "", "subs"}};
  Operator rsubs = subs;
  rsubs.call = ACLGRAD_CALL(aclnnRsubs, kOperand, other, kAlpha, kPromoted);
  rsubs.domain.everywhere = kRealNumbers;
  rsubs.domain.mixed.clear();
  rsubs.results = rounded_once(of_one([](const auto& x, Attributes a) { return a[0] - a[1] * x; }));
  rsubs.error_inputs.clear();
  rsubs.words = {"scalar − alpha·self", "标量 − alpha·self"};
  all.push_back(rsubs);
  all.insert(all.end(),
             {adds, as_const(in_place(adds, ACLGRAD_CALL(aclnnInplaceAdds), error_inputs)), subs,
              in_place(subs, ACLGRAD_CALL(aclnnInplaceSubs), error_inputs)});
}

void add_product_with_number(Operators& all) {
  const std::vector<ErrorInput> wrong_numbers = {unsigned_number(161002, "Ascend950"),
                                                 unsigned_number(561103, "Ascend910B")};
  // Of self's dtype in the right call, so that the result is one, too.
  const Parameter other = option({"other", ScalarSpec{2, std::nullopt}}, "value");
  const Operator muls{
      .call = ACLGRAD_CALL(aclnnMuls, kOperand, other, kPromoted),
      .domain = {.everywhere = kNumbers,
                 .also_refuses = is_converted_to_less,
                 .samples = samples_of("other", {2, -1.5})},
      .results = rounded_once(of_one([](const auto& x, Attributes a) { return x * a[0]; })),
      .error_inputs = wrong_numbers +
                      std::vector{refused("out", "INT32 of FLOAT", TensorSpec{.dtype = ACL_INT32},
                                          "DT_INT32", "Ascend950")},
      .words = {"self·scalar", "self·标量", "mul(a, 2.0)", "muls"}};
  const ErrorInput wrong_tensor{.what = "INT32 for a FLOAT number",
                                .changes = {{"selfRef", TensorSpec{}}, {"other", ScalarSpec{1}}},
                                .words = {"DT_INT32"},
                                .product = "Ascend950",
                                .dtype = ACL_INT32};
  all.insert(all.end(), {muls, in_place(muls, ACLGRAD_CALL(aclnnInplaceMuls),
                                        wrong_numbers + std::vector{wrong_tensor})});
}

}  // namespace

FamilyContracts arithmetic_contracts() {
  FamilyContracts family{{"Elementwise arithmetic", "逐元素运算"}, {}};
  add_sums(family.operators);
  add_product(family.operators);
  add_sums_with_number(family.operators);
  add_product_with_number(family.operators);
  add_quotients(family.operators);
  add_elementwise_functions(family.operators);
  add_binary_functions(family.operators);
  add_selection(family.operators);
  add_logic(family.operators);
  add_rounding(family.operators);
  return family;
}

}  // namespace aclgrad::contract
