// SPDX-License-Identifier: Apache-2.0
// Powers, bounds, comparisons, choices by a condition, and sums of products.
#include <algorithm>
#include <array>
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
#include "aclnnop/aclnn_masked_fill_tensor.h"
#include "aclnnop/aclnn_ne_scalar.h"
#include "aclnnop/aclnn_ne_tensor.h"
#include "aclnnop/aclnn_pow.h"
#include "aclnnop/aclnn_pow_tensor_tensor.h"
#include "aclnnop/aclnn_s_where.h"
#include "ops/contract/binary.h"

namespace aclgrad::contract {
namespace {

// ---- Powers -------------------------------------------------------------------------------------

void add_powers(std::vector<Operator>& all) {
  const Operator number{
      .call = ACLGRAD_CALL(aclnnPowTensorScalar, any_dtype(in("self", 0.25L, 4)),
                           scalar("exponent", 2), as_const(any_dtype(out("out")))),
      .domain = {.everywhere = kFloatsAndDouble + DTypes{ACL_COMPLEX64, ACL_COMPLEX128},
                 .mixed = kCounts + DTypes{ACL_BOOL},
                 .samples = {{{{"exponent", 2.0}}},
                             {{{"exponent", 3.0}}},
                             {{{"exponent", -0.5}}},
                             {{{"exponent", 1.7}}}}},
      .results = {.formula = of_one([](const auto& x, Attributes a) { return pow(x, a[0]); }),
                  .bound = bounded(2),
                  .nan_goes_through = false},  // NaN^0 is 1
      .error_inputs = {{.what = "negative for integers",
                        .changes = {{"exponent", ScalarSpec{-2, ACL_INT32}}},
                        .words = {"-2"},
                        .dtype = ACL_INT32},
                       {.what = "both BOOL",
                        .changes = {{"exponent", ScalarSpec{1, ACL_BOOL}}},
                        .words = {"DT_BOOL"},
                        .dtype = ACL_BOOL}},
      .words = {"x^exponent", "x^exponent", "pow(x, 3.0)", "pow"}};
  all.push_back(number);
  const ErrorInput fraction{.what = "a fraction for integers",
                            .changes = {{"selfRef", TensorSpec{}}, {"exponent", ScalarSpec{0.5}}},
                            .words = {"DT_FLOAT"},
                            .dtype = ACL_INT32};
  all.push_back(as_const(in_place_of(number, ACLGRAD_CALL(aclnnInplacePowTensorScalar),
                                     number.error_inputs + std::vector{fraction})));

  const Operator tensors{
      .call = ACLGRAD_CALL(aclnnPowTensorTensor, any_dtype(in("self", 1, 4)),
                           any_dtype(in("exponent", -3, 3)), any_dtype(out("out"))),
      .domain = {.everywhere = number.domain.everywhere + kCounts, .mixed = {ACL_BOOL}},
      .results = {.formula = of_all([](auto x, Attributes) { return pow(x[0], x[1]); }),
                  .bound = bounded(2),
                  .nan_goes_through = false},  // 1^NaN is 1
      .error_inputs = {{.what = "both BOOL",
                        .changes = {{"self", TensorSpec{}}},
                        .words = {"DT_BOOL"},
                        .dtype = ACL_BOOL}},
      .words = {"self^exponent, broadcasting", "self^exponent，支持广播", "pow(x, y)",
                "pow_tensor"},
  };
  all.insert(all.end(), {tensors, in_place_of(tensors, ACLGRAD_CALL(aclnnInplacePowTensorTensor),
                                              {{.what = "both BOOL",
                                                .changes = {{"selfRef", TensorSpec{}}},
                                                .words = {"DT_BOOL"},
                                                .dtype = ACL_BOOL}})});

  all.push_back(
      {.call = ACLGRAD_CALL(aclnnPowScalarTensor, scalar("self", 2),
                            any_dtype(in("exponent", -4, 4)), as_const(any_dtype(out("out")))),
       .domain = {.everywhere = kFloatsAndDouble + DTypes{ACL_COMPLEX64, ACL_COMPLEX128},
                  .mixed = kCounts + DTypes{ACL_BOOL},
                  .base = "exponent",
                  .samples = samples_of("self", {0.5, 1.7, 3})},
       .results = {.formula = of_one([](const auto& x, Attributes a) {
                     return pow(std::decay_t<decltype(x)>(a[0]), x);
                   }),
                   .bound = {.of_float = 0.50001, .of_double = 2},
                   .nan_goes_through = false},  // 1^NaN is 1
       .error_inputs = {{.what = "both BOOL",
                         .changes = {{"self", ScalarSpec{1, ACL_BOOL}}},
                         .words = {"DT_BOOL"},
                         .dtype = ACL_BOOL}},
       .words = {"self^exponent of a number", "self^exponent，self 为标量", "pow(2.0, x)"}});
}

// ---- Bounds -------------------------------------------------------------------------------------

// The smaller or larger of x and a bound; NaN stays.
constexpr auto kAtLeast = [](const auto& x, Number low) {
  return x < low ? std::decay_t<decltype(x)>(low) : x;
};
constexpr auto kAtMost = [](const auto& x, Number high) {
  return x > high ? std::decay_t<decltype(x)>(high) : x;
};

void add_clamps(std::vector<Operator>& all) {
  const Parameter self = any_dtype(in("self", -6, 6)), result = any_dtype(out("out"));
  Parameter least = number("clipValueMin", 0);
  Parameter most = number("clipValueMax", 2);
  const DTypes dtypes = kFloatsAndDouble + kCounts;
  const Operator low{
      .call = ACLGRAD_CALL(aclnnClampMin, self, least, result),
      .domain = {.everywhere = dtypes, .samples = samples_of("clipValueMin", {-1})},
      .results = {.formula = of_one([](const auto& x, Attributes a) { return kAtLeast(x, a[0]); }),
                  .bound = kExact},
      .words = {"max(x, clipValueMin)", "max(x, clipValueMin)", "clamp(x, {.min = 0})",
                "clamp_min"}};
  const Operator high{
      .call = ACLGRAD_CALL(aclnnClampMax, self, most, result),
      .domain = {.everywhere = dtypes},
      .results = {.formula = of_one([](const auto& x, Attributes a) { return kAtMost(x, a[0]); }),
                  .bound = kExact},
      .words = {"min(x, clipValueMax)", "min(x, clipValueMax)", "clamp(x, {.max = 6})",
                "clamp_max"}};
  for (Parameter* bound : {&least, &most}) std::get<ScalarSpec>(bound->spec).optional = true;
  const Operator both{.call = ACLGRAD_CALL(aclnnClamp, self, least, most, result),
                      .domain = {.everywhere = dtypes,
                                 .samples = {{{{"clipValueMin", -1.0}, {"clipValueMax", 2.0}}},
                                             {{{"clipValueMin", 3.0}, {"clipValueMax", -2.0}}}}},
                      .results = {.formula = of_one([](const auto& x, Attributes a) {
                                    return kAtMost(kAtLeast(x, a[0]), a[1]);
                                  }),
                                  .bound = kExact},
                      .error_inputs = {{.what = "and clipValueMax null",
                                        .nulls = {"clipValueMin", "clipValueMax"},
                                        .status = 161001,
                                        .words = {"null pointer"}}},
                      .words = {"min(max(x, clipValueMin), clipValueMax)",
                                "min(max(x, clipValueMin), clipValueMax)",
                                "clamp(x, {.min = 0, .max = 6})", "clamp"}};
  all.insert(all.end(),
             {both, low, high, as_const(in_place_of(high, ACLGRAD_CALL(aclnnInplaceClampMax)))});
}

// The same of tensors, with NaN where any of them is.
void add_clamps_by_tensors(std::vector<Operator>& all) {
  const Parameter self = any_dtype(in("self", -6, 6)), result = any_dtype(out("out"));
  const auto bound = [](const char* name, double value) {
    return any_dtype(filled(in(name, -4, 4), value));
  };
  const auto raised = [](auto x, auto low) { return low > x || low != low ? low : x; };
  const auto lowered = [](auto x, auto high) { return high < x || high != high ? high : x; };
  const auto arrange = [](Arguments& a) {
    const char* first = a.has("self") ? "self" : "selfRef";
    Shape shape = a.shape(first);
    for (const char* each : {"clipValueMin", "clipValueMax"}) {
      if (!a.has(each) || a.tensor(each).optional) continue;
      if (!a.is_set(each)) a.shape(each) = a.shape(first);
      shape = dense::broadcast_shape(shape, a.shape(each));
    }
    // With the other bound, the first may be null.
    const bool has_both = a.has("clipValueMin") && a.has("clipValueMax");
    if (has_both && !a.tensor("clipValueMax").optional) a.tensor("clipValueMin").if_null = 0;
    if (a.has("out")) a.shape("out") = shape;
  };
  const auto of_tensors = [&](Signature call, Formula formula, const std::string& words) {
    return Operator{.call = std::move(call),
                    .domain = {.everywhere = kFloatsAndDouble + kCounts, .arrange = arrange},
                    .results = {.formula = std::move(formula), .bound = kExact},
                    .words = {words + ", broadcasting", words + "，支持广播"}};
  };
  Operator both = of_tensors(ACLGRAD_CALL(aclnnClampTensor, self, bound("clipValueMin", 0),
                                          optional(bound("clipValueMax", 2)), result),
                             of_all([=](auto x, Attributes) {
                               const auto held = raised(x[0], x[1]);
                               return x.size() == 3 ? lowered(held, x[2]) : held;
                             }),
                             "min(max(x, clipValueMin), clipValueMax) of tensors");
  both.words.in_graph = "clamp(x, min, max)";
  both.domain.samples = {{},
                         {{{"clipValueMax", Shape{kN, 3, 4}}}},
                         {{{"clipValueMin", Shape{4}}, {"clipValueMax", Shape{3, 1}}}}};
  both.error_inputs = {{.what = "and clipValueMax null",
                        .nulls = {"clipValueMin"},
                        .status = 161001,
                        .words = {"null pointer"}}};
  Operator low =
      of_tensors(ACLGRAD_CALL(aclnnClampMinTensor, self, bound("clipValueMin", 0), result),
                 of_all([=](auto x, Attributes) { return raised(x[0], x[1]); }),
                 "max(x, clipValueMin) of tensors");
  low.domain.samples = {{}, {{{"clipValueMin", Shape{3, 1, 1, 4}}}}};
  Operator high =
      of_tensors(ACLGRAD_CALL(aclnnClampMaxTensor, self, bound("clipValueMax", 2), result),
                 of_all([=](auto x, Attributes) { return lowered(x[0], x[1]); }),
                 "min(x, clipValueMax) of tensors");
  high.domain.samples = {{}, {{{"clipValueMax", Shape{3, 1}}}}};
  all.insert(all.end(), {both, low, in_place(low, ACLGRAD_CALL(aclnnInplaceClampMinTensor)), high,
                         in_place(high, ACLGRAD_CALL(aclnnInplaceClampMaxTensor))});
}

// ---- Comparisons --------------------------------------------------------------------------------

// What the operators of one comparison have in common.
struct Relation {
  std::string word;  // "gt"
  std::string sign;  // ">"
  bool is_equality;

  DTypes dtypes() const {
    const DTypes real = kFloatsAndDouble + kCounts + DTypes{ACL_BOOL};
    return real + (is_equality ? DTypes{ACL_COMPLEX64, ACL_COMPLEX128} : kUnsigned);
  }
  Domain::Exception also_accepts() const {
    return [equality = is_equality](const Arguments&, std::string_view product, aclDataType dtype) {
      return equality && product == "Ascend950" && std::ranges::count(kUnsigned, dtype) > 0;
    };
  }
  Words words(const std::string& second, const std::string& check) const {
    return {"1 where self " + sign + " other, 0 elsewhere",
            "self " + sign + " other 时为 1，否则为 0", word + "(a, " + second + ")", check};
  }
};

// Beside a UINT16 tensor, which one product takes.
ErrorInput unlike_numbers(ParameterSpec other) {
  return {.what = "of a dtype without a common one",
          .changes = {{"other", std::move(other)}},
          .words = {"no common type"},
          .product = "Ascend950",
          .dtype = ACL_UINT16};
}

// Unsigned tensors promote with no number of another dtype.
bool is_unsigned(const Arguments&, std::string_view, aclDataType dtype) {
  return std::ranges::count(kUnsigned, dtype) > 0;
}

// The result is compared in the operands' dtype here, in others by tests of their own.
template <class F>
void add_comparison(std::vector<Operator>& all, const Relation& kind, F compare,
                    const std::array<Signature, 4>& calls, const std::array<bool, 2>& is_const) {
  const Parameter result = any_dtype(out("out"));
  const auto add = [&](const Operator& op, const Signature& call, bool as_const_tensor) {
    const Operator form = in_place_of(op, call, op.error_inputs);
    all.insert(all.end(), {op, as_const_tensor ? as_const(form) : form});
  };
  const Formula with_number = of_one([compare](const auto& x, Attributes a) {
    using T = std::decay_t<decltype(x)>;
    return T(compare(x, T(a[0])) ? 1 : 0);
  });
  Operator scalar{.call = calls[0],
                  .domain = {.everywhere = kind.dtypes(),
                             .also_accepts = kind.also_accepts(),
                             .also_refuses = is_unsigned},
                  .results = {.formula = with_number, .bound = kExact, .nan_goes_through = false},
                  .error_inputs = {unlike_numbers(ScalarSpec{1, ACL_INT32})},
                  .words = kind.words("1.0", kind.word + "_scalar")};
  scalar.call.parameters = {any_dtype(in("self", -3, 3)),
                            option({"other", ScalarSpec{1, std::nullopt}}, "value"), result};
  add(scalar, calls[1], is_const[0]);
  const Formula with_tensor = of_all([compare](auto x, Attributes) {
    using T = std::decay_t<decltype(x[0])>;
    return T(compare(x[0], x[1]) ? 1 : 0);
  });
  Operator tensor{.call = calls[2],
                  .domain = {.everywhere = kind.dtypes(), .also_accepts = kind.also_accepts()},
                  .results = {.formula = with_tensor, .bound = kExact, .nan_goes_through = false},
                  .error_inputs = {unlike_numbers(TensorSpec{.dtype = ACL_INT32})},
                  .words = kind.words("b", kind.word)};
  tensor.call.parameters = {promotes(in("self", -3, 3)), promotes(in("other", -3, 3)), result};
  add(tensor, calls[3], is_const[1]);
}

// The calls with a number and with a tensor, each followed by its form in place.
#define ACLGRAD_COMPARISON(name)                                                    \
  {                                                                                 \
    ACLGRAD_CALL(aclnn##name##Scalar), ACLGRAD_CALL(aclnnInplace##name##Scalar),    \
        ACLGRAD_CALL(aclnn##name##Tensor), ACLGRAD_CALL(aclnnInplace##name##Tensor) \
  }

// Some headers declare the tensor of a form in place const: with a number, with a tensor.
void add_comparisons(std::vector<Operator>& all) {
  add_comparison(all, {"gt", ">", false}, std::greater<>(), ACLGRAD_COMPARISON(Gt), {false, true});
  add_comparison(all, {"ge", "≥", false}, std::greater_equal<>(), ACLGRAD_COMPARISON(Ge),
                 {false, false});
  add_comparison(all, {"lt", "<", false}, std::less<>(), ACLGRAD_COMPARISON(Lt), {true, true});
  add_comparison(all, {"le", "≤", false}, std::less_equal<>(), ACLGRAD_COMPARISON(Le),
                 {false, false});
  add_comparison(all, {"eq", "=", true}, std::equal_to<>(), ACLGRAD_COMPARISON(Eq), {true, true});
  add_comparison(all, {"ne", "≠", true}, std::not_equal_to<>(), ACLGRAD_COMPARISON(Ne),
                 {false, false});
}

#undef ACLGRAD_COMPARISON

// ---- Choices ------------------------------------------------------------------------------------

// The mask or condition: whole numbers 0 and 1.
Parameter condition_named(std::string name) { return typed(in(std::move(name), 0, 1), ACL_BOOL); }

void add_choices(std::vector<Operator>& all) {
  all.push_back({
      .call = ACLGRAD_CALL(aclnnSWhere, condition_named("condition"), promotes(in("self")),
                           promotes(in("other")), any_dtype(out("out"))),
      .domain = {.everywhere = kFloatsAndDouble + kCounts + kUnsigned +
                               DTypes{ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128},
                 .base = "self"},
      .results = {.formula = of_all([](auto x, Attributes) { return x[0] == 0 ? x[2] : x[1]; }),
                  .bound = kExact,
                  .nan_goes_through = false},
      .words = {"self where condition, other elsewhere", "condition 处为 self，其余为 other",
                "where(condition, a, b)", "where"},
  });

  Parameter overwritten = any_dtype(in("selfRef"));
  std::get<TensorSpec>(overwritten.spec).role = Role::kInPlace;
  const Formula filled = of_all([](auto x, Attributes a) {
    using T = std::decay_t<decltype(x[0])>;
    return x[1] == 0 ? x[0] : T(a[0]);
  });
  all.push_back({
      .call = ACLGRAD_CALL(aclnnInplaceMaskedFillScalar, overwritten, condition_named("mask"),
                           number("value", 3)),
      .domain = {.everywhere = kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT32, ACL_INT64, ACL_BOOL}},
      .results = {.formula = filled, .bound = kExact, .nan_goes_through = false},
      .words = {"value where mask, selfRef elsewhere", "mask 处为 value，其余不变",
                "masked_fill(x, mask, 3.0)", "masked_fill"},
  });

  Parameter value = shaped(any_dtype(contract::filled(in("value", -300, 300), 3)), {});
  const auto arrange = [](Arguments& a) { a.shape("mask") = a.shape("selfRef"); };
  const auto reference = [](const Arguments& a, const Arrays& in) {
    const aclDataType from = a.dtype_of("value").value_or(a.dtype());
    // Integers wrap, whatever the value's dtype is.
    const bool wraps = is_whole(a.dtype()) && a.dtype() != ACL_BOOL;
    const Number given = in[2].values.at(0);
    const Number held = wraps ? wrapped(given, a.dtype()) : converted(given, from, a.dtype());
    Array out = in[0];
    for (size_t i = 0; i < out.values.size(); ++i) {
      if (in[1].values[i] != 0) out.values[i] = held;
    }
    return Arrays{out};
  };
  all.push_back({
      .call =
          ACLGRAD_CALL(aclnnInplaceMaskedFillTensor, overwritten, condition_named("mask"), value),
      .domain = {.everywhere = kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT32, ACL_INT64, ACL_BOOL},
                 .arrange = arrange,
                 .samples = {{}, {{{"value", ACL_FLOAT}}}, {{{"value", ACL_INT64}}}}},
      .results = {.reference = reference, .bound = {.of_float = 0.5001}, .nan_goes_through = false},
      .error_inputs = {refused("value", "of rank 1", of_shape({1}), "[1]")},
      .words = {"a tensor's value where mask, selfRef elsewhere", "mask 处为张量的值，其余不变", "",
                "masked_fill_tensor"},
  });
}

// ---- Fused sums ---------------------------------------------------------------------------------

template <class F>
Results multiply_added(F formula) {
  const auto magnitude = [formula](const Arguments& a, const Arrays& inputs) {
    Array terms = inputs[0];
    const std::vector<Number>& numbers = a.numbers();
    for (size_t i = 0; i < terms.values.size(); ++i) {
      const Number x[] = {0, inputs[1].values[i], inputs[2].values[i]};
      terms.values[i] = std::abs(inputs[0].values[i]) +
                        std::abs(formula(std::span<const Number>(x), Attributes(numbers)));
    }
    return Arrays{terms};
  };
  return {.formula = of_all(formula), .bound = bounded(1), .magnitude = magnitude};
}

void add_multiplied_sums(std::vector<Operator>& all) {
  const Parameter self = promotes(in("self")), tensor1 = promotes(in("tensor1"));
  const Parameter value = scalar("value", 2), result = any_dtype(out("out"));
  const ErrorInput no_product{.what = "of a dtype that promotes to INT16",
                              .changes = {{"tensor1", TensorSpec{.dtype = ACL_UINT8}}},
                              .words = {"do not promote"},
                              .dtype = ACL_INT8};
  const Operator product{
      .call = ACLGRAD_CALL(aclnnAddcmul, self, tensor1, promotes(in("tensor2")), value, result),
      .domain = {.everywhere = kFloatsAndDouble + DTypes{ACL_INT8, ACL_INT32, ACL_INT64, ACL_UINT8},
                 .samples = samples_of("value", {1, 3})},
      .results = multiply_added([](auto x, Attributes a) { return x[0] + a[0] * x[1] * x[2]; }),
      .error_inputs = {no_product},
      .words = {"self + value·tensor1·tensor2", "self + value·tensor1·tensor2",
                "addcmul(x, a, b, 1.0)", "addcmul"}};
  all.insert(
      all.end(),
      {product, as_const(in_place_of(product, ACLGRAD_CALL(aclnnInplaceAddcmul), {no_product}))});

  const ErrorInput no_quotient{
      .what = "of INT64 beside FLOAT",
      .changes = {{"selfRef", TensorSpec{}}, {"tensor1", TensorSpec{.dtype = ACL_FLOAT}}},
      .words = {"DT_INT64"},
      .dtype = ACL_INT64};
  // Integers are divided in FLOAT, and the quotient truncated.
  const auto also_accepts = [](const Arguments&, std::string_view, aclDataType dtype) {
    return dtype == ACL_INT64;
  };
  const Operator quotient{
      .call = ACLGRAD_CALL(aclnnAddcdiv, self, tensor1, promotes(in("tensor2", 0.25L, 4)), value,
                           as_const(result)),
      .domain = {.everywhere = kFloatsAndDouble,
                 .also_accepts = also_accepts,
                 .samples = samples_of("value", {1, 3})},
      .results = multiply_added([](auto x, Attributes a) { return x[0] + a[0] * x[1] / x[2]; }),
      .words = {"self + value·tensor1/tensor2", "self + value·tensor1/tensor2",
                "addcdiv(x, a, b, 1.0)", "addcdiv"}};
  all.insert(all.end(), {quotient, as_const(in_place_of(quotient, ACLGRAD_CALL(aclnnInplaceAddcdiv),
                                                        {no_quotient}))});
}

}  // namespace

void add_selection(std::vector<Operator>& all) {
  add_powers(all);
  add_clamps(all);
  add_clamps_by_tensors(all);
  add_comparisons(all);
  add_choices(all);
  add_multiplied_sums(all);
}

}  // namespace aclgrad::contract
