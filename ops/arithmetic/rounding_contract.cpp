// SPDX-License-Identifier: Apache-2.0
// Rounding, quotients that are rounded and their remainders, and numbers in the place of others.
#include <limits>
#include <numeric>

#include "aclnnop/aclnn_ceil.h"
#include "aclnnop/aclnn_div.h"
#include "aclnnop/aclnn_floor.h"
#include "aclnnop/aclnn_floor_divide.h"
#include "aclnnop/aclnn_fmod_scalar.h"
#include "aclnnop/aclnn_fmod_tensor.h"
#include "aclnnop/aclnn_frac.h"
#include "aclnnop/aclnn_gcd.h"
#include "aclnnop/aclnn_nan_to_num.h"
#include "aclnnop/aclnn_remainder.h"
#include "aclnnop/aclnn_round.h"
#include "aclnnop/aclnn_trunc.h"
#include "ops/contract/binary.h"

namespace aclgrad::contract {
namespace {

using Operators = std::vector<Operator>;

const DTypes kNumbersOfAllSizes = kFloatsAndDouble + kCounts;
const DTypes kFewIntegers = kFloatsAndDouble + DTypes{ACL_INT32, ACL_INT64};

// ---- Rounding -----------------------------------------------------------------------------------

template <class Rounded>
void add_rounding(Operators& all, Signature call, Signature form, const DTypes& dtypes,
                  Rounded rounded, std::string english, std::string chinese, std::string graph) {
  const auto formula = [rounded](std::span<const Number> x, Attributes) -> Number {
    return rounded(x[0]);
  };
  call.parameters = {any_dtype(filled(in("self", -6, 6), 2)), any_dtype(out("out"))};
  const Operator op{.call = std::move(call),
                    .domain = {.everywhere = dtypes},
                    .results = {.formula = {formula, nullptr}, .bound = kExact},
                    .words = {std::move(english), std::move(chinese), std::move(graph)}};
  all.insert(all.end(), {op, in_place_of(op, std::move(form))});
}

#define ACLGRAD_FORMS(name) ACLGRAD_CALL(aclnn##name), ACLGRAD_CALL(aclnnInplace##name)

// In the steps of FLOAT, or of DOUBLE; 16 bits are those of FLOAT, rounded.
template <class T>
Number rounded_to_decimals(Number x, int64_t decimals) {
  const auto power = static_cast<T>(std::pow(Number{10}, static_cast<Number>(std::abs(decimals))));
  const auto value = static_cast<T>(x);
  if (decimals > 0) return static_cast<T>(std::nearbyint(static_cast<T>(value * power)) / power);
  return static_cast<T>(std::nearbyint(static_cast<T>(value / power)) * power);
}

void add_rounding_to_integers(Operators& all) {
  add_rounding(
      all, ACLGRAD_FORMS(Floor), kNumbersOfAllSizes, [](Number x) { return std::floor(x); },
      "⌊self⌋", "⌊self⌋", "floor(x)");
  add_rounding(
      all, ACLGRAD_FORMS(Ceil), kNumbersOfAllSizes, [](Number x) { return std::ceil(x); }, "⌈self⌉",
      "⌈self⌉", "ceil(x)");
  add_rounding(
      all, ACLGRAD_FORMS(Trunc), kNumbersOfAllSizes, [](Number x) { return std::trunc(x); },
      "self without its fraction", "self 去掉小数部分", "trunc(x)");
  add_rounding(
      all, ACLGRAD_FORMS(Frac), kNumbersOfAllSizes, [](Number x) { return x - std::trunc(x); },
      "the fraction of self, with its sign", "self 的小数部分，符号同 self", "frac(x)");
  add_rounding(
      all, ACLGRAD_FORMS(Round), kFewIntegers, [](Number x) { return std::nearbyint(x); },
      "the integer nearest to self, of two the even one", "与 self 最近的整数，居中时取偶数",
      "round(x)");

  const auto to_decimals = [](auto x, Attributes a, aclDataType dtype) -> Number {
    const auto decimals = static_cast<int64_t>(a[0]);
    if (is_whole(dtype)) return decimals >= 0 ? x[0] : rounded_to_decimals<Number>(x[0], decimals);
    return dtype == ACL_DOUBLE ? rounded_to_decimals<double>(x[0], decimals)
                               : rounded(rounded_to_decimals<float>(x[0], decimals), dtype);
  };
  const Operator decimals{
      .call = ACLGRAD_CALL(aclnnRoundDecimals, any_dtype(filled(in("self", -60, 60), 2)),
                           integer("decimals", 1), any_dtype(out("out"))),
      .domain = {.everywhere = kFewIntegers, .samples = samples_of("decimals", {1, 0, 3, -1, -2})},
      .results = {.reference = by_dtype(to_decimals), .bound = kExact},
      .words = {"the number with so many decimals nearest to self",
                "与 self 最近的、具有给定小数位数的数", "round(x, decimals)"}};
  all.insert(all.end(), {decimals, in_place_of(decimals, ACLGRAD_CALL(aclnnInplaceRoundDecimals))});
}

#undef ACLGRAD_FORMS

// ---- Quotients ----------------------------------------------------------------------------------

// Integers by 0 are 0.
Number floored_rest(Number x, Number y, aclDataType dtype) {
  if (y == 0 && is_whole(dtype)) return 0;
  const Number rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}
Number truncated_rest(Number x, Number y, aclDataType dtype) {
  return y == 0 && is_whole(dtype) ? 0 : std::fmod(x, y);
}
Number floored_quotient(Number x, Number y, aclDataType dtype) {
  if (y == 0) return is_whole(dtype) ? 0 : x / y;
  const Number rest = std::fmod(x, y);
  const Number quotient = (x - rest) / y - (rest != 0 && (rest < 0) != (y < 0) ? 1 : 0);
  const Number nearest = std::nearbyint(quotient);
  return nearest == 0 ? std::copysign(Number{0}, x / y) : nearest;
}
// Rounded once before its fraction is dropped.
Number truncated_quotient(Number x, Number y, aclDataType dtype) {
  if (y == 0 && is_whole(dtype)) return 0;
  if (is_whole(dtype)) return std::trunc(x / y);
  return std::trunc(rounded(x / y, dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT));
}

using ByOperands = Number (*)(Number x, Number y, aclDataType dtype);

// What is promised of a division by a tensor, by a number and of a number, beside tensors.
struct Quotient {
  ByOperands formula;
  std::string english;
  std::string chinese;
  DTypes dtypes;
  DTypes mixed;            // beside a number
  std::string graph = {};  // what records the division by a tensor

  Results of_tensors() const {
    return results_by_dtype(
        [f = formula](auto x, Attributes, aclDataType dtype) { return f(x[0], x[1], dtype); },
        bounded(1));
  }
  Results by_number() const {
    return results_by_dtype(
        [f = formula](auto x, Attributes a, aclDataType dtype) { return f(x[0], a[0], dtype); },
        bounded(1));
  }
};

Operator quotient_of_tensors(const Quotient& quotient, Signature call) {
  call.parameters = {any_dtype(filled(in("self", -20, 20), 7)),
                     shaped_by_option(any_dtype(filled(in("other", 0.5L, 5), 2))),
                     any_dtype(out("out"))};
  return {.call = std::move(call),
          .domain = {.everywhere = quotient.dtypes,
                     .arrange = broadcast_operands,
                     .samples = broadcasting({{4}, {3, 1}, {3, 1, 1, 4}, {}})},
          .results = quotient.of_tensors(),
          .words = {quotient.english + ", broadcasting", quotient.chinese + "，支持广播",
                    quotient.graph}};
}

Operator quotient_by_number(const Quotient& quotient, Signature call) {
  call.parameters = {any_dtype(filled(in("self", -20, 20), 7)), number_operand("other", 2),
                     any_dtype(out("out"))};
  return {.call = std::move(call),
          .domain = {.everywhere = quotient.dtypes,
                     .mixed = quotient.mixed,
                     .also_refuses = is_whole_beside_fraction,
                     .samples = samples_of("other", {3, 5, 1.25})},
          .results = quotient.by_number(),
          .words = {quotient.english + ", of a number", quotient.chinese + "（标量）"}};
}

const DTypes kBool = {ACL_BOOL};

void add_rounded_quotients(Operators& all) {
  Quotient floored{floored_quotient,   "⌊self/other⌋", "⌊self/other⌋",
                   kNumbersOfAllSizes, kBool,          "floor_divide(a, b)"};
  const Operator number = quotient_by_number(floored, ACLGRAD_CALL(aclnnFloorDivides));
  floored.dtypes = floored.dtypes + kBool;
  const Operator tensor = quotient_of_tensors(floored, ACLGRAD_CALL(aclnnFloorDivide));
  all.insert(all.end(), {tensor, in_place(tensor, ACLGRAD_CALL(aclnnInplaceFloorDivide)), number,
                         in_place_of(number, ACLGRAD_CALL(aclnnInplaceFloorDivides))});
}

void add_remainders(Operators& all) {
  const ErrorInput fraction{.what = "a fraction for integers",
                            .changes = {{"selfRef", TensorSpec{}}, {"other", ScalarSpec{1.5}}},
                            .words = {"DT_FLOAT"},
                            .dtype = ACL_INT32};
  const Quotient floored{floored_rest,
                         "self − other·⌊self/other⌋",
                         "self − other·⌊self/other⌋",
                         kNumbersOfAllSizes,
                         {},
                         "remainder(a, b)"};
  const Operator tensor = quotient_of_tensors(floored, ACLGRAD_CALL(aclnnRemainderTensorTensor));
  const Operator by = quotient_by_number(floored, ACLGRAD_CALL(aclnnRemainderTensorScalar));
  Operator of = by;
  of.call = ACLGRAD_CALL(aclnnRemainderScalarTensor, number_operand("self", 7),
                         any_dtype(filled(in("other", 0.5L, 5), 2)), any_dtype(out("out")));
  of.domain.base = "other";
  of.domain.samples = samples_of("self", {7, 20, 1.25});
  of.results = results_by_dtype(
      [](auto x, Attributes a, aclDataType dtype) { return floored_rest(a[0], x[0], dtype); },
      bounded(1));
  all.insert(all.end(),
             {tensor, in_place(tensor, ACLGRAD_CALL(aclnnInplaceRemainderTensorTensor)), by,
              in_place_of(by, ACLGRAD_CALL(aclnnInplaceRemainderTensorScalar), {fraction}), of});

  const Quotient truncated{truncated_rest,
                           "self − other·trunc(self/other)",
                           "self − other·trunc(self/other)",
                           kNumbersOfAllSizes,
                           {},
                           "fmod(a, b)"};
  const Operator fmod = quotient_of_tensors(truncated, ACLGRAD_CALL(aclnnFmodTensor));
  const Operator fmods = quotient_by_number(truncated, ACLGRAD_CALL(aclnnFmodScalar));
  all.insert(all.end(), {fmod, in_place(fmod, ACLGRAD_CALL(aclnnInplaceFmodTensor)), fmods,
                         in_place_of(fmods, ACLGRAD_CALL(aclnnInplaceFmodScalar), {fraction})});

  Operator divisor = quotient_of_tensors(
      {[](Number x, Number y, aclDataType) {
         return static_cast<Number>(std::gcd(static_cast<int64_t>(x), static_cast<int64_t>(y)));
       },
       "the largest integer that divides self and other",
       "self 与 other 的最大公约数",
       {ACL_INT32, ACL_INT64},
       {},
       "gcd(first, second)"},
      ACLGRAD_CALL(aclnnGcd));
  divisor.domain.from_a2_on = {};
  divisor.results.formula = {};
  divisor.results.bound = kExact;
  all.push_back(divisor);
}

// The true quotient of integers is that of aclnnDiv, which has its own contract.
void add_division_with_mode(Operators& all) {
  const auto formula = [](Number x, Number y, Number mode, aclDataType dtype) {
    if (mode == 0) return x / y;
    return mode == 1 ? truncated_quotient(x, y, dtype) : floored_quotient(x, y, dtype);
  };
  const Quotient quotient{nullptr,
                          "self/other, its integer part, or ⌊self/other⌋, by mode",
                          "按 mode 为 self/other、其整数部分或 ⌊self/other⌋",
                          kNumbersOfAllSizes,
                          kBool,
                          "div(a, b, Rounding::trunc)"};
  const auto with_mode = [&](Operator op) {
    Parameter mode = declared(integer("mode", 2), "int");
    op.call.parameters.insert(op.call.parameters.end() - 1, mode);
    for (Sample& sample : op.domain.samples) sample.settings.emplace_back("mode", 2.0);
    op.domain.samples.push_back({{{"mode", 1.0}}});
    op.error_inputs = {wrong_number("mode", 3, "mode"),
                       wrong_number("mode", -1, "mode"),
                       {.what = "= 1 for complex numbers",
                        .changes = {{"mode", int64_t{1}}},
                        .words = {"mode"},
                        .dtype = ACL_COMPLEX64}};
    return op;
  };
  Operator tensor = quotient_of_tensors(quotient, ACLGRAD_CALL(aclnnDivMod));
  tensor.results =
      results_by_dtype([formula](auto x, Attributes a,
                                 aclDataType dtype) { return formula(x[0], x[1], a[0], dtype); },
                       bounded(1));
  tensor.domain.everywhere = quotient.dtypes + kBool;
  tensor = with_mode(tensor);
  tensor.error_inputs.push_back({.what = "= 0 for integers",
                                 .changes = {{"out", TensorSpec{}}, {"mode", int64_t{0}}},
                                 .words = {"DT_FLOAT"},
                                 .product = "Ascend950",
                                 .dtype = ACL_INT32});
  std::vector<ErrorInput> of_form = tensor.error_inputs;
  of_form.back().changes[0].first = "selfRef";
  Operator number = quotient_by_number(quotient, ACLGRAD_CALL(aclnnDivMods));
  number.results =
      results_by_dtype([formula](auto x, Attributes a,
                                 aclDataType dtype) { return formula(x[0], a[0], a[1], dtype); },
                       bounded(1));
  // BOOL converts to itself, whatever it is computed in.
  number.domain.everywhere = tensor.domain.everywhere;
  number.domain.mixed = {};
  number.domain.also_refuses = nullptr;
  std::get<ScalarSpec>(number.call.parameters[1].spec).value = 1;
  number.domain.samples = samples_of("other", {3, 5});
  number = with_mode(number);
  all.insert(all.end(),
             {tensor, in_place(tensor, ACLGRAD_CALL(aclnnInplaceDivMod), of_form), number,
              in_place(number, ACLGRAD_CALL(aclnnInplaceDivMods), number.error_inputs)});
}

// ---- Other numbers ------------------------------------------------------------------------------

void add_replacement(Operators& all) {
  const auto replaced = [](auto x, Attributes a, aclDataType) -> Number {
    if (std::isnan(x[0])) return a[0];
    if (!std::isinf(x[0])) return x[0];
    return x[0] > 0 ? a[1] : a[2];
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Operator op{
      .call = ACLGRAD_CALL(aclnnNanToNum, any_dtype(in("self")), declared({"nan", 0.0}, "float"),
                           declared({"posinf", 3.0}, "float"), declared({"neginf", -3.0}, "float"),
                           any_dtype(out("out"))),
      .domain =
          {.everywhere = kNumbersOfAllSizes + kBool,
           .samples = {{{{"nan", 0.5}, {"posinf", 2.0}, {"neginf", -1.0}}},
                       {{{"nan", -kInfinity}, {"posinf", kInfinity}, {"neginf", -kInfinity}}}}},
      .results = results_by_dtype(replaced, kExact),
      .words = {"self with three numbers in the place of NaN and the infinities",
                "以三个给定值替换 self 中的 NaN 与正负无穷", "nan_to_num(x)"}};
  op.results.nan_goes_through = false;
  all.insert(all.end(), {op, in_place_of(op, ACLGRAD_CALL(aclnnInplaceNanToNum))});
}

}  // namespace

void add_rounding(Operators& all) {
  add_rounding_to_integers(all);
  add_rounded_quotients(all);
  add_division_with_mode(all);
  add_remainders(all);
  add_replacement(all);
}

}  // namespace aclgrad::contract
