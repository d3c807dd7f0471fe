// SPDX-License-Identifier: Apache-2.0
// Sums, differences and products, with a tensor or a number as the second operand.
#include <algorithm>
#include <cmath>

#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

using Operators = std::vector<Operator>;

// `other` broadcasts against self, and has its shape unless it is given another.
void broadcast_operands(Arguments& a) {
  const char* first = a.has("self") ? "self" : "selfRef";
  if (!a.is_set("other")) a.shape("other") = a.shape(first);
  if (a.has("out")) {
    a.shape("out") = dense::broadcast_shape(a.shape(first), a.shape("other"));
  } else {
    a.tensor(first).any_shape = a.shape("other").empty();
  }
}

bool has_fraction(const Arguments& arguments) {
  return std::ranges::any_of(arguments.in(ACL_DOUBLE).numbers(),
                             [](Number each) { return std::trunc(each) != each; });
}

// Only beside a tensor of another dtype do integers and BOOL take a number with a fraction.
bool is_whole_beside_fraction(const Arguments& arguments, std::string_view, aclDataType dtype) {
  return is_whole(dtype) && has_fraction(arguments);
}

// One product converts a product by a number back to self's dtype by the usual rules only. The
// number is one that every tensor takes (number()), not one of self's dtype.
bool is_converted_to_less(const Arguments& arguments, std::string_view product, aclDataType dtype) {
  return product == "Ascend950" && is_whole(dtype) &&
         (dtype == ACL_BOOL || has_fraction(arguments));
}

Operator rounded_once(Operator op, Formula formula) {
  op.results.formula = std::move(formula);
  op.results.bound = {.of_float = 0.5005};  // the reference is rounded too, 11 bits further down
  op.results.complex = Complex::kParts;
  return op;
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

template <class PhaseOne>
Operator of_tensors(std::string name, double other, std::vector<Parameter> attributes,
                    Formula formula) {
  std::vector<Parameter> parameters = {operand("self", 5),
                                       option(operand("other", other), "other", Sets::kShape)};
  parameters.insert(parameters.end(), attributes.begin(), attributes.end());
  parameters.push_back(any_dtype(out("out")));
  Operator op = rounded_once(
      contract_of<PhaseOne>(std::move(name), std::move(parameters), kNumbers), std::move(formula));
  op.domain.arrange = broadcast_operands;
  op.domain.samples = {scaled(1),
                       scaled(-3),
                       scaled(0.75),
                       scaled(-3, Shape{4}),
                       scaled(1, Shape{3, 1}),
                       scaled(0.75, Shape{3, 1, 1, 4})};
  op.domain.also_refuses = is_whole_beside_fraction;
  return op;
}

template <class PhaseOne>
Operator of_number(std::string name, std::vector<Parameter> attributes, Formula formula) {
  std::vector<Parameter> parameters = {operand("self", 5)};
  parameters.insert(parameters.end(), attributes.begin(), attributes.end());
  parameters.push_back(any_dtype(out("out")));
  Operator op = rounded_once(
      contract_of<PhaseOne>(std::move(name), std::move(parameters), without(kNumbers, ACL_BOOL)),
      std::move(formula));
  op.domain.mixed = {ACL_BOOL};
  op.domain.samples = {{{{"other", 2.0}, {"alpha", -3.0}}}, {{{"other", -1.5}, {"alpha", 0.75}}}};
  op.domain.also_refuses = is_whole_beside_fraction;
  return op;
}

template <class PhaseOne>
Operator in_place(const Operator& op) {
  Operator form = in_place_of<PhaseOne>(op);
  std::get<TensorSpec>(form.call.parameters.front().spec).any_dtype = true;
  return form;
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
  Operator add = of_tensors<decltype(aclnnAddGetWorkspaceSize)>(
      "aclnnAdd", 1, {number("alpha", 2)},
      of_all([](auto x, Attributes a) { return x[0] + a[0] * x[1]; }));
  add.words.check = "add";
  add.words.computes = {"self + alpha·other, broadcasting", "self + alpha·other，支持广播"};
  add.words.in_graph = "add(a, b, alpha), a + b";
  Operator sub = of_tensors<decltype(aclnnSubGetWorkspaceSize)>(
      "aclnnSub", 1, {number("alpha", 2)},
      of_all([](auto x, Attributes a) { return x[0] - a[0] * x[1]; }));
  sub.words.check = "sub";
  sub.words.computes = {"self − alpha·other, broadcasting", "self − alpha·other，支持广播"};
  sub.words.in_graph = "sub(a, b, alpha), a - b";
  Operator add_in_place = in_place<decltype(aclnnInplaceAddGetWorkspaceSize)>(add);
  add_in_place.call.parameters.front() = as_const(add_in_place.call.parameters.front());
  all.insert(all.end(),
             {add, add_in_place, sub, in_place<decltype(aclnnInplaceSubGetWorkspaceSize)>(sub)});
}

void add_product(Operators& all) {
  Operator mul = of_tensors<decltype(aclnnMulGetWorkspaceSize)>(
      "aclnnMul", 5, {}, of_all([](auto x, Attributes) { return x[0] * x[1]; }));
  mul.results.complex = Complex::kBilinear;
  mul.domain.samples = {{}};
  for (const Shape& other : {Shape{4}, Shape{3, 1}, Shape{3, 1, 1, 4}, Shape{}}) {
    mul.domain.samples.push_back({{{"other", other}}});
  }
  mul.words.check = "mul";
  mul.words.computes = {"self·other, broadcasting", "self·other，支持广播"};
  mul.words.in_graph = "mul(a, b), a * b";
  all.insert(all.end(), {mul, in_place<decltype(aclnnInplaceMulGetWorkspaceSize)>(mul)});
}

void add_sums_with_number(Operators& all) {
  const Parameter other = option(number("other", 2), "value");
  Operator adds = of_number<decltype(aclnnAddsGetWorkspaceSize)>(
      "aclnnAdds", {other, number("alpha", 2)},
      of_one([](const auto& x, Attributes a) { return x + a[1] * a[0]; }));
  adds.error_inputs = {unsigned_number(161002, "Ascend910B")};
  adds.words.check = "adds";
  adds.words.computes = {"self + alpha·scalar", "self + alpha·标量"};
  adds.words.in_graph = "add(a, 2.0)";
  Operator adds_in_place = in_place<decltype(aclnnInplaceAddsGetWorkspaceSize)>(adds);
  adds_in_place.call.parameters.front() = as_const(adds_in_place.call.parameters.front());
  adds_in_place.error_inputs = adds.error_inputs;
  all.insert(all.end(), {adds, adds_in_place});

  Operator subs = of_number<decltype(aclnnSubsGetWorkspaceSize)>(
      "aclnnSubs", {other, number("alpha", 2)},
      of_one([](const auto& x, Attributes a) { return x - a[1] * a[0]; }));
  subs.error_inputs = adds.error_inputs;
  subs.words.check = "subs";
  subs.words.computes = {"self − alpha·scalar", "self − alpha·标量"};
  Operator subs_in_place = in_place<decltype(aclnnInplaceSubsGetWorkspaceSize)>(subs);
  subs_in_place.error_inputs = subs.error_inputs;
  all.insert(all.end(), {subs, subs_in_place});
}

void add_product_with_number(Operators& all) {
  // Of self's dtype in the right call, so that the result is one, too.
  const Parameter other = option({"other", ScalarSpec{2, std::nullopt}}, "value");
  Operator muls = of_number<decltype(aclnnMulsGetWorkspaceSize)>(
      "aclnnMuls", {other}, of_one([](const auto& x, Attributes a) { return x * a[0]; }));
  muls.domain.everywhere = kNumbers;
  muls.domain.mixed = {};
  muls.domain.samples = {{{{"other", 2.0}}}, {{{"other", -1.5}}}};
  muls.domain.also_refuses = is_converted_to_less;
  muls.error_inputs = {
      unsigned_number(161002, "Ascend950"), unsigned_number(561103, "Ascend910B"),
      refused("out", "INT32 of FLOAT", TensorSpec{.dtype = ACL_INT32}, "DT_INT32", "Ascend950")};
  muls.words.check = "muls";
  muls.words.computes = {"self·scalar", "self·标量"};
  muls.words.in_graph = "mul(a, 2.0)";
  Operator form = in_place<decltype(aclnnInplaceMulsGetWorkspaceSize)>(muls);
  form.error_inputs = {muls.error_inputs[0],
                       muls.error_inputs[1],
                       {.what = "INT32 for a FLOAT number",
                        .changes = {{"selfRef", TensorSpec{}}, {"other", ScalarSpec{1}}},
                        .words = {"DT_INT32"},
                        .product = "Ascend950",
                        .dtype = ACL_INT32}};
  all.insert(all.end(), {muls, form});
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
  add_selection(family.operators);
  return family;
}

}  // namespace aclgrad::contract
