// SPDX-License-Identifier: Apache-2.0
// Powers, bounds, comparisons, choices by a condition, and fused sums.
#include <algorithm>
#include <cmath>
#include <functional>

#include "aclnnop/aclnn_addcdiv.h"
#include "aclnnop/aclnn_addcmul.h"
#include "aclnnop/aclnn_clamp.h"
#include "aclnnop/aclnn_eq_scalar.h"
#include "aclnnop/aclnn_eq_tensor.h"
#include "aclnnop/aclnn_ge_scalar.h"
#include "aclnnop/aclnn_ge_tensor.h"
#include "aclnnop/aclnn_gt_scalar.h"
#include "aclnnop/aclnn_gt_tensor.h"
#include "aclnnop/aclnn_le_scalar.h"
#include "aclnnop/aclnn_le_tensor.h"
#include "aclnnop/aclnn_lt_scalar.h"
#include "aclnnop/aclnn_lt_tensor.h"
#include "aclnnop/aclnn_masked_fill_scalar.h"
#include "aclnnop/aclnn_ne_scalar.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_s_where.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {
namespace {

const DTypes kCounts = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};
constexpr Bound kExact{.of_float = 0, .of_16_bits = 0};

// The form in place, whose tensor some headers declare const.
template <class PhaseOne>
void add_in_place(std::vector<Operator>& all, const Operator& op, bool is_const = true) {
  all.push_back(in_place_of<PhaseOne>(op));
  Parameter& tensor = all.back().call.parameters[0];
  if (is_const) tensor = as_const(tensor);
}

// ---- Powers -------------------------------------------------------------------------------------

void add_powers(std::vector<Operator>& all) {
  const auto formula = [](auto x, auto y) {
    using std::pow;
    return pow(x, y);
  };
  Operator number = contract_of<decltype(aclnnPowTensorScalarGetWorkspaceSize)>(
      "aclnnPowTensorScalar",
      {any_dtype(in("self", 0.25L, 4)), scalar("exponent", 2), as_const(any_dtype(out("out")))},
      kFloatsAndDouble + DTypes{ACL_COMPLEX64, ACL_COMPLEX128});
  number.domain.mixed = kCounts + DTypes{ACL_BOOL};
  number.domain.samples = {
      {{{"exponent", 2.0}}}, {{{"exponent", 3.0}}}, {{{"exponent", -0.5}}}, {{{"exponent", 1.7}}}};
  number.results.formula =
      of_one([formula](const auto& x, Attributes a) { return formula(x, a[0]); });
  number.results.bound = bounded(2);
  number.results.nan_goes_through = false;  // NaN^0 is 1
  number.words.check = "pow";
  number.words.computes = {"x^exponent", "x^exponent"};
  number.words.in_graph = "pow(x, 3.0)";
  number.error_inputs = {{.what = "negative for integers",
                          .changes = {{"exponent", ScalarSpec{-2, ACL_INT32}}},
                          .words = {"-2"},
                          .dtype = ACL_INT32},
                         {.what = "both BOOL",
                          .changes = {{"exponent", ScalarSpec{1, ACL_BOOL}}},
                          .words = {"DT_BOOL"},
                          .dtype = ACL_BOOL}};
  all.push_back(number);
  add_in_place<decltype(aclnnInplacePowTensorScalarGetWorkspaceSize)>(all, number);
  all.back().error_inputs = number.error_inputs;
  all.back().error_inputs.push_back(
      {.what = "a fraction for integers",
       .changes = {{"selfRef", TensorSpec{}}, {"exponent", ScalarSpec{0.5}}},
       .words = {"DT_FLOAT"},
       .dtype = ACL_INT32});

  Operator tensors = contract_of<decltype(aclnnPowTensorTensorGetWorkspaceSize)>(
      "aclnnPowTensorTensor",
      {any_dtype(in("self", 1, 4)), any_dtype(in("exponent", -3, 3)), any_dtype(out("out"))},
      number.domain.everywhere + kCounts);
  tensors.domain.mixed = {ACL_BOOL};
  tensors.results.formula = of_all([formula](auto x, Attributes) { return formula(x[0], x[1]); });
  tensors.results.bound = bounded(2);
  tensors.results.nan_goes_through = false;  // 1^NaN is 1
  tensors.words.check = "pow_tensor";
  tensors.words.computes = {"self^exponent, broadcasting", "self^exponent，支持广播"};
  tensors.words.in_graph = "pow(x, y)";
  tensors.error_inputs = {{.what = "both BOOL",
                           .changes = {{"self", TensorSpec{}}},
                           .words = {"DT_BOOL"},
                           .dtype = ACL_BOOL}};
  all.push_back(tensors);
}

// ---- Bounds -------------------------------------------------------------------------------------

template <class PhaseOne, class F>
Operator clamp(std::string name, std::vector<Parameter> bounds, F formula) {
  std::vector<Parameter> parameters = {any_dtype(in("self", -6, 6))};
  parameters.insert(parameters.end(), bounds.begin(), bounds.end());
  parameters.push_back(any_dtype(out("out")));
  Operator op =
      contract_of<PhaseOne>(std::move(name), std::move(parameters), kFloatsAndDouble + kCounts);
  op.results.formula = of_one(formula);
  op.results.bound = kExact;
  return op;
}

void add_clamps(std::vector<Operator>& all) {
  const auto above = [](const auto& x, Number low) {
    using T = std::decay_t<decltype(x)>;
    return x < low ? T(low) : x;
  };
  const auto below = [](const auto& x, Number high) {
    using T = std::decay_t<decltype(x)>;
    return x > high ? T(high) : x;
  };
  Parameter least = number("clipValueMin", 0);
  Parameter most = number("clipValueMax", 2);
  const Text words = {"max(min(x, clipValueMax), clipValueMin)",
                      "max(min(x, clipValueMax), clipValueMin)"};
  Operator low = clamp<decltype(aclnnClampMinGetWorkspaceSize)>(
      "aclnnClampMin", {least}, [above](const auto& x, Attributes a) { return above(x, a[0]); });
  low.domain.samples = {{{{"clipValueMin", -1.0}}}};
  low.words.computes = {"max(x, clipValueMin)", "max(x, clipValueMin)"};
  low.words.check = "clamp_min";
  low.words.in_graph = "clamp(x, {.min = 0})";
  Operator high = clamp<decltype(aclnnClampMaxGetWorkspaceSize)>(
      "aclnnClampMax", {most}, [below](const auto& x, Attributes a) { return below(x, a[0]); });
  high.words.computes = {"min(x, clipValueMax)", "min(x, clipValueMax)"};
  high.words.check = "clamp_max";
  high.words.in_graph = "clamp(x, {.max = 6})";
  for (Parameter* bound : {&least, &most}) std::get<ScalarSpec>(bound->spec).optional = true;
  Operator both = clamp<decltype(aclnnClampGetWorkspaceSize)>(
      "aclnnClamp", {least, most},
      [above, below](const auto& x, Attributes a) { return above(below(x, a[1]), a[0]); });
  both.domain.samples = {{{{"clipValueMin", -1.0}, {"clipValueMax", 2.0}}},
                         {{{"clipValueMin", 3.0}, {"clipValueMax", -2.0}}}};
  both.error_inputs = {{.what = "and clipValueMax null",
                        .nulls = {"clipValueMin", "clipValueMax"},
                        .status = 161001,
                        .words = {"null pointer"}}};
  both.words.computes = words;
  both.words.check = "clamp";
  both.words.in_graph = "clamp(x, {.min = 0, .max = 6})";
  all.insert(all.end(), {both, low, high});
  add_in_place<decltype(aclnnInplaceClampMaxGetWorkspaceSize)>(all, high);
}

// ---- Comparisons --------------------------------------------------------------------------------

// What the operators of one comparison have in common.
struct Relation {
  std::string name;  // "Gt"
  std::string word;  // "gt"
  std::string sign;  // ">"
  bool is_equality;
  bool scalar_form_is_const;
  bool tensor_form_is_const;
};

// Beside a UINT16 tensor, which one product takes.
ErrorInput unlike_numbers(ParameterSpec other) {
  return {.what = "of a dtype without a common one",
          .changes = {{"other", std::move(other)}},
          .words = {"no common type"},
          .product = "Ascend950",
          .dtype = ACL_UINT16};
}

void describe(Operator& op, const Relation& kind, const std::string& second) {
  op.results.bound = kExact;
  op.results.nan_goes_through = false;
  op.domain.also_accepts = [kind](const Arguments&, std::string_view product, aclDataType dtype) {
    return kind.is_equality && product == "Ascend950" && std::ranges::count(kUnsigned, dtype) > 0;
  };
  op.words.computes = {"1 where self " + kind.sign + " other, 0 elsewhere",
                       "self " + kind.sign + " other 时为 1，否则为 0"};
  op.words.in_graph = kind.word + "(a, " + second + ")";
}

DTypes compared_dtypes(const Relation& kind) {
  const DTypes real = kFloatsAndDouble + kCounts + DTypes{ACL_BOOL};
  return real + (kind.is_equality ? DTypes{ACL_COMPLEX64, ACL_COMPLEX128} : kUnsigned);
}

// The result is compared in the operands' dtype here, in others by tests of their own.
template <class Scalar, class ScalarInPlace, class Tensor, class TensorInPlace, class F>
void add_comparison(std::vector<Operator>& all, const Relation& kind, F compare) {
  Operator scalar = contract_of<Scalar>(
      "aclnn" + kind.name + "Scalar",
      {any_dtype(in("self", -3, 3)), {"other", ScalarSpec{1, std::nullopt}}, any_dtype(out("out"))},
      compared_dtypes(kind));
  scalar.results.formula = of_one([compare](const auto& x, Attributes a) {
    using T = std::decay_t<decltype(x)>;
    return T(compare(x, T(a[0])) ? 1 : 0);
  });
  describe(scalar, kind, "1.0");
  scalar.words.check = kind.word + "_scalar";
  // They promote with no number of another dtype.
  scalar.domain.also_refuses = [](const Arguments&, std::string_view, aclDataType dtype) {
    return std::ranges::count(kUnsigned, dtype) > 0;
  };
  scalar.error_inputs = {unlike_numbers(ScalarSpec{1, ACL_INT32})};
  all.push_back(scalar);
  add_in_place<ScalarInPlace>(all, scalar, kind.scalar_form_is_const);
  all.back().error_inputs = scalar.error_inputs;
  Operator tensor = contract_of<Tensor>(
      "aclnn" + kind.name + "Tensor",
      {promotes(in("self", -3, 3)), promotes(in("other", -3, 3)), any_dtype(out("out"))},
      compared_dtypes(kind));
  tensor.results.formula = of_all([compare](auto x, Attributes) {
    using T = std::decay_t<decltype(x[0])>;
    return T(compare(x[0], x[1]) ? 1 : 0);
  });
  describe(tensor, kind, "b");
  tensor.words.check = kind.word;
  tensor.error_inputs = {unlike_numbers(TensorSpec{.dtype = ACL_INT32})};
  all.push_back(tensor);
  add_in_place<TensorInPlace>(all, tensor, kind.tensor_form_is_const);
  all.back().error_inputs = tensor.error_inputs;
}

#define ACLGRAD_COMPARISON(name, ...)                                  \
  add_comparison<decltype(aclnn##name##ScalarGetWorkspaceSize),        \
                 decltype(aclnnInplace##name##ScalarGetWorkspaceSize), \
                 decltype(aclnn##name##TensorGetWorkspaceSize),        \
                 decltype(aclnnInplace##name##TensorGetWorkspaceSize)>(all, __VA_ARGS__)

void add_comparisons(std::vector<Operator>& all) {
  ACLGRAD_COMPARISON(Gt, {"Gt", "gt", ">", false, false, true}, std::greater<>());
  ACLGRAD_COMPARISON(Ge, {"Ge", "ge", "≥", false, false, false}, std::greater_equal<>());
  ACLGRAD_COMPARISON(Lt, {"Lt", "lt", "<", false, true, true}, std::less<>());
  ACLGRAD_COMPARISON(Le, {"Le", "le", "≤", false, false, false}, std::less_equal<>());
  ACLGRAD_COMPARISON(Eq, {"Eq", "eq", "=", true, true, true}, std::equal_to<>());
  ACLGRAD_COMPARISON(Ne, {"Ne", "ne", "≠", true, false, false}, std::not_equal_to<>());
}

#undef ACLGRAD_COMPARISON

// ---- Choices ------------------------------------------------------------------------------------

// The mask or condition: whole numbers 0 and 1.
Parameter condition_named(std::string name) { return typed(in(std::move(name), 0, 1), ACL_BOOL); }

void add_choices(std::vector<Operator>& all) {
  Operator where = contract_of<decltype(aclnnSWhereGetWorkspaceSize)>(
      "aclnnSWhere",
      {condition_named("condition"), promotes(in("self")), promotes(in("other")),
       any_dtype(out("out"))},
      kFloatsAndDouble + kCounts + kUnsigned + DTypes{ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128});
  where.domain.base = "self";
  where.results.formula = of_all([](auto x, Attributes) { return x[0] == 0 ? x[2] : x[1]; });
  where.results.bound = kExact;
  where.results.nan_goes_through = false;
  where.words.check = "where";
  where.words.computes = {"self where condition, other elsewhere",
                          "condition 处为 self，其余为 other"};
  where.words.in_graph = "where(condition, a, b)";
  all.push_back(where);

  Operator fill = contract_of<decltype(aclnnInplaceMaskedFillScalarGetWorkspaceSize)>(
      "aclnnInplaceMaskedFillScalar",
      {any_dtype(in("selfRef")), condition_named("mask"), number("value", 3)},
      kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT32, ACL_INT64, ACL_BOOL});
  std::get<TensorSpec>(fill.call.parameters[0].spec).role = Role::kInPlace;
  fill.results.formula = of_all([](auto x, Attributes a) {
    using T = std::decay_t<decltype(x[0])>;
    return x[1] == 0 ? x[0] : T(a[0]);
  });
  fill.results.bound = kExact;
  fill.results.nan_goes_through = false;
  fill.words.check = "masked_fill";
  fill.words.computes = {"value where mask, selfRef elsewhere", "mask 处为 value，其余不变"};
  fill.words.in_graph = "masked_fill(x, mask, 3.0)";
  all.push_back(fill);
}

// ---- Fused sums ---------------------------------------------------------------------------------

template <class PhaseOne, class InPlace, class F>
void add_fused(std::vector<Operator>& all, std::string name, Number low, DTypes dtypes, F formula,
               const Text& computes, bool is_const) {
  const Parameter result = any_dtype(out("out"));
  Operator op = contract_of<PhaseOne>(
      std::move(name),
      {promotes(in("self")), promotes(in("tensor1")), promotes(in("tensor2", low, 4)),
       scalar("value", 2), is_const ? as_const(result) : result},
      std::move(dtypes));
  op.domain.samples = {{{{"value", 1.0}}}, {{{"value", 3.0}}}};
  op.results.formula = of_all(formula);
  op.results.bound = bounded(1);
  op.results.magnitude = [formula](const Arguments& a, const Arrays& inputs) {
    Array terms = inputs[0];
    const std::vector<Number>& numbers = a.numbers();
    for (size_t i = 0; i < terms.values.size(); ++i) {
      const Number x[] = {0, inputs[1].values[i], inputs[2].values[i]};
      terms.values[i] = std::abs(inputs[0].values[i]) +
                        std::abs(formula(std::span<const Number>(x), Attributes(numbers)));
    }
    return Arrays{terms};
  };
  op.words.computes = computes;
  all.push_back(op);
  add_in_place<InPlace>(all, op);
}

void add_fused_sums(std::vector<Operator>& all) {
  add_fused<decltype(aclnnAddcmulGetWorkspaceSize), decltype(aclnnInplaceAddcmulGetWorkspaceSize)>(
      all, "aclnnAddcmul", -4, kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT8},
      [](auto x, Attributes a) { return x[0] + a[0] * x[1] * x[2]; },
      {"self + value·tensor1·tensor2", "self + value·tensor1·tensor2"}, false);
  Operator* form = &all.back();
  const ErrorInput no_product = {.what = "of a dtype that promotes to INT16",
                                 .changes = {{"tensor1", TensorSpec{.dtype = ACL_UINT8}}},
                                 .words = {"do not promote"},
                                 .dtype = ACL_INT8};
  form[-1].words.check = "addcmul";
  form[-1].words.in_graph = "addcmul(x, a, b, 1.0)";
  form[-1].error_inputs = form[0].error_inputs = {no_product};
  add_fused<decltype(aclnnAddcdivGetWorkspaceSize), decltype(aclnnInplaceAddcdivGetWorkspaceSize)>(
      all, "aclnnAddcdiv", 0.25L, kFloatsAndDouble,
      [](auto x, Attributes a) { return x[0] + a[0] * x[1] / x[2]; },
      {"self + value·tensor1/tensor2", "self + value·tensor1/tensor2"}, true);
  form = &all.back();
  form[-1].words.check = "addcdiv";
  form[-1].words.in_graph = "addcdiv(x, a, b, 1.0)";
  form[0].error_inputs = {
      {.what = "of INT64 beside FLOAT",
       .changes = {{"selfRef", TensorSpec{}}, {"tensor1", TensorSpec{.dtype = ACL_FLOAT}}},
       .words = {"DT_INT64"},
       .dtype = ACL_INT64}};
  // Integers are divided in FLOAT, and the quotient truncated.
  form[-1].domain.also_accepts = form[0].domain.also_accepts =
      [](const Arguments&, std::string_view, aclDataType dtype) { return dtype == ACL_INT64; };
}

}  // namespace

void add_selection(std::vector<Operator>& all) {
  add_powers(all);
  add_clamps(all);
  add_comparisons(all);
  add_choices(all);
  add_fused_sums(all);
}

}  // namespace aclgrad::contract
