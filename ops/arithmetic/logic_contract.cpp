// SPDX-License-Identifier: Apache-2.0
// Truth values, bits and shifts of integers, and tests of numbers.
#include <array>
#include <functional>

#include "aclnnop/aclnn_bitwise_and_scalar.h"
#include "aclnnop/aclnn_bitwise_and_tensor.h"
#include "aclnnop/aclnn_bitwise_not.h"
#include "aclnnop/aclnn_bitwise_or_scalar.h"
#include "aclnnop/aclnn_bitwise_or_tensor.h"
#include "aclnnop/aclnn_bitwise_xor_scalar.h"
#include "aclnnop/aclnn_bitwise_xor_tensor.h"
#include "aclnnop/aclnn_equal.h"
#include "aclnnop/aclnn_is_inf.h"
#include "aclnnop/aclnn_isclose.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_isneginf.h"
#include "aclnnop/aclnn_isposinf.h"
#include "aclnnop/aclnn_left_shift.h"
#include "aclnnop/aclnn_logical_and.h"
#include "aclnnop/aclnn_logical_not.h"
#include "aclnnop/aclnn_logical_or.h"
#include "aclnnop/aclnn_logical_xor.h"
#include "aclnnop/aclnn_right_shift.h"
#include "aclnnop/aclnn_signbit.h"
#include "ops/contract/binary.h"

namespace aclgrad::contract {
namespace {

using Operators = std::vector<Operator>;

const DTypes kTested = kFloatsAndDouble + kCounts + DTypes{ACL_BOOL};

// ---- Truth values -------------------------------------------------------------------------------

// 0 and 1 of numbers that are often 0.
template <class Holds>
Results truth_of(Holds holds) {
  return {.formula = {[holds](std::span<const Number> x, Attributes) -> Number {
                        return holds(x) ? 1 : 0;
                      },
                      nullptr},
          .bound = kExact,
          .nan_goes_through = false};
}

Operator truth_of_two(Signature call, Results results, std::string english, std::string chinese,
                      std::string graph) {
  call.parameters = {any_dtype(in("self", -2, 2)), shaped_by_option(any_dtype(in("other", -2, 2))),
                     any_dtype(out("out"))};
  return {.call = std::move(call),
          .domain = {.everywhere = kNumbers,
                     .arrange = broadcast_operands,
                     .samples = broadcasting({{4}, {3, 1}, {3, 1, 1, 4}, {}})},
          .results = std::move(results),
          .words = {std::move(english), std::move(chinese), std::move(graph)}};
}

void add_truth(Operators& all) {
  const Operator negation{
      .call = ACLGRAD_CALL(aclnnLogicalNot, any_dtype(in("self", -2, 2)), any_dtype(out("out"))),
      .domain = {.everywhere = kNumbers},
      .results = truth_of([](auto x) { return x[0] == 0; }),
      .words = {"1 where self is 0, 0 elsewhere", "self 为 0 时为 1，否则为 0", "logical_not(x)"}};
  const Operator both = truth_of_two(
      ACLGRAD_CALL(aclnnLogicalAnd), truth_of([](auto x) { return x[0] != 0 && x[1] != 0; }),
      "1 where self and other are not 0, 0 elsewhere, broadcasting",
      "self 与 other 均不为 0 时为 1，否则为 0，支持广播", "logical_and(a, b)");
  const Operator either = truth_of_two(
      ACLGRAD_CALL(aclnnLogicalOr), truth_of([](auto x) { return x[0] != 0 || x[1] != 0; }),
      "1 where self or other is not 0, 0 elsewhere, broadcasting",
      "self 或 other 不为 0 时为 1，否则为 0，支持广播", "logical_or(a, b)");
  const Operator one = truth_of_two(
      ACLGRAD_CALL(aclnnLogicalXor), truth_of([](auto x) { return (x[0] != 0) != (x[1] != 0); }),
      "1 where one of self and other is 0, 0 elsewhere, broadcasting",
      "self 与 other 恰有一个为 0 时为 1，否则为 0，支持广播", "logical_xor(a, b)");
  all.insert(all.end(), {negation, in_place_of(negation, ACLGRAD_CALL(aclnnInplaceLogicalNot)),
                         both, in_place(both, ACLGRAD_CALL(aclnnInplaceLogicalAnd)), either,
                         in_place(either, ACLGRAD_CALL(aclnnInplaceLogicalOr)), one});
}

// ---- Bits ---------------------------------------------------------------------------------------

// Of whole numbers alone.
Results of_integers(ByDtype f) {
  return {.reference = by_dtype(std::move(f)), .complex = Complex::kParts, .bound = kExact};
}

template <class Combine>
void add_bits(Operators& all, const char* sign, Combine combine,
              const std::array<Signature, 4>& calls) {
  const Results results = of_integers([combine](auto x, Attributes a, aclDataType) -> Number {
    return static_cast<Number>(
        combine(static_cast<int64_t>(x[0]), static_cast<int64_t>(x.size() > 1 ? x[1] : a[0])));
  });
  const std::string formula = std::string("self ") + sign + " other";
  Operator tensor = truth_of_two(calls[0], results, formula + ", bit by bit, broadcasting",
                                 formula + "，按位，支持广播", std::string("a ") + sign + " b");
  for (size_t i : {0U, 1U}) {
    auto& spec = std::get<TensorSpec>(tensor.call.parameters[i].spec);
    spec.low = -100, spec.high = 100, spec.fill = 5;
  }
  tensor.domain.everywhere = kCounts + DTypes{ACL_BOOL};
  tensor.domain.from_a2_on = {};
  Operator number{.call = calls[2],
                  .domain = {.everywhere = kCounts,
                             .from_a2_on = {},
                             .mixed = {ACL_BOOL},
                             .samples = samples_of("other", {6, -3})},
                  .results = results,
                  .words = {formula + " of a number, bit by bit", formula + "（标量），按位"}};
  number.call.parameters = {any_dtype(filled(in("self", -100, 100), 5)), number_operand("other", 6),
                            any_dtype(out("out"))};
  all.insert(all.end(),
             {tensor, in_place(tensor, calls[1]), number, in_place_of(number, calls[3])});
}

#define ACLGRAD_BITS(name)                                                                        \
  {                                                                                               \
    ACLGRAD_CALL(aclnnBitwise##name##Tensor), ACLGRAD_CALL(aclnnInplaceBitwise##name##Tensor),    \
        ACLGRAD_CALL(aclnnBitwise##name##Scalar), ACLGRAD_CALL(aclnnInplaceBitwise##name##Scalar) \
  }

void add_all_bits(Operators& all) {
  all.push_back({.call = ACLGRAD_CALL(aclnnBitwiseNot, any_dtype(filled(in("self", -100, 100), 5)),
                                      any_dtype(out("out"))),
                 .domain = {.everywhere = kCounts + DTypes{ACL_BOOL}, .from_a2_on = {}},
                 .results = of_integers([](auto x, Attributes, aclDataType dtype) -> Number {
                   return dtype == ACL_BOOL ? 1 - x[0] : -x[0] - 1;
                 }),
                 .words = {"self with every bit turned over", "self 按位取反", "~x"}});
  add_bits(all, "&", std::bit_and<>(), ACLGRAD_BITS(And));
  add_bits(all, "|", std::bit_or<>(), ACLGRAD_BITS(Or));
  add_bits(all, "^", std::bit_xor<>(), ACLGRAD_BITS(Xor));
}

#undef ACLGRAD_BITS

// A quotient, or a product, by a power of two; beyond the bits nothing is left.
Number shifted(Number x, Number by, aclDataType dtype, bool to_left) {
  const bool is_all = by < 0 || by >= static_cast<Number>(8 * bytes_of(dtype));
  if (to_left) return is_all ? 0 : std::ldexp(x, static_cast<int>(by));
  return is_all ? (x < 0 ? -1 : 0) : std::floor(std::ldexp(x, -static_cast<int>(by)));
}

void add_shifts(Operators& all) {
  const auto by_tensor = [&](const Signature& call, bool to_left, const char* english,
                             const char* chinese) {
    Operator op = truth_of_two(
        call, of_integers([to_left](auto x, Attributes, aclDataType dtype) {
          return shifted(x[0], x[1], dtype, to_left);
        }),
        english, chinese,
        std::string("bitwise_") + (to_left ? "left" : "right") + "_shift(bits, places)");
    op.domain.everywhere = kCounts;
    op.domain.from_a2_on = {};
    op.call.parameters = {any_dtype(filled(in("self", -100, 100), 5)),
                          shaped_by_option(any_dtype(in("other", -2, 70))), any_dtype(out("out"))};
    all.push_back(op);
  };
  by_tensor(ACLGRAD_CALL(aclnnLeftShift), true, "self·2^other, broadcasting",
            "self·2^other（左移），支持广播");
  by_tensor(ACLGRAD_CALL(aclnnRightShift), false, "self/2^other rounded down, broadcasting",
            "self/2^other 向下取整（右移），支持广播");
  all.push_back({.call = ACLGRAD_CALL(aclnnLeftShifts, any_dtype(filled(in("self", -100, 100), 5)),
                                      number_operand("other", 3), any_dtype(out("out"))),
                 .domain = {.everywhere = kCounts,
                            .from_a2_on = {},
                            .samples = samples_of("other", {3, 40, -1})},
                 .results = of_integers([](auto x, Attributes a, aclDataType dtype) {
                   return shifted(x[0], a[0], dtype, true);
                 }),
                 .words = {"self·2^other of a number", "self·2^other（标量左移）"}});
}

// ---- Tests --------------------------------------------------------------------------------------

template <class Holds>
void add_test(Operators& all, Signature call, const DTypes& dtypes, Holds holds,
              std::string english, std::string chinese, std::string graph) {
  call.parameters = {any_dtype(in("self")), any_dtype(out("out"))};
  all.push_back({.call = std::move(call),
                 .domain = {.everywhere = dtypes},
                 .results = truth_of([holds](auto x) { return holds(x[0]); }),
                 .words = {std::move(english), std::move(chinese), std::move(graph)}});
}

void add_tests(Operators& all) {
  add_test(
      all, ACLGRAD_CALL(aclnnIsFinite), kNumbers, [](Number x) { return std::isfinite(x); },
      "1 where self is finite, 0 elsewhere", "self 有限时为 1，否则为 0", "isfinite(x)");
  add_test(
      all, ACLGRAD_CALL(aclnnIsInf), kNumbers, [](Number x) { return std::isinf(x); },
      "1 where self is an infinity, 0 elsewhere", "self 为无穷时为 1，否则为 0", "isinf(x)");
  add_test(
      all, ACLGRAD_CALL(aclnnIsPosInf), kTested, [](Number x) { return std::isinf(x) && x > 0; },
      "1 where self is +infinity, 0 elsewhere", "self 为正无穷时为 1，否则为 0", "isposinf(x)");
  add_test(
      all, ACLGRAD_CALL(aclnnIsNegInf), kTested, [](Number x) { return std::isinf(x) && x < 0; },
      "1 where self is −infinity, 0 elsewhere", "self 为负无穷时为 1，否则为 0", "isneginf(x)");
  add_test(
      all, ACLGRAD_CALL(aclnnSignbit), kTested, [](Number x) { return std::signbit(x); },
      "1 where self has a minus, 0 elsewhere", "self 的符号位为 1 时为 1，否则为 0", "signbit(x)");

  const auto is_close = [](std::span<const Number> x, Attributes a) -> Number {
    if (x[0] == x[1]) return 1;
    if (std::isnan(x[0]) && std::isnan(x[1])) return a[2] != 0 ? 1 : 0;
    const Number difference = std::abs(x[0] - x[1]);
    return std::isfinite(difference) && difference <= a[1] + std::abs(a[0] * x[1]) ? 1 : 0;
  };
  Operator close = truth_of_two(
      ACLGRAD_CALL(aclnnIsClose),
      {.formula = {is_close, nullptr}, .bound = kExact, .nan_goes_through = false},
      "1 where |self − other| ≤ atol + rtol·|other|, 0 elsewhere, broadcasting",
      "|self − other| ≤ atol + rtol·|other| 时为 1，否则为 0，支持广播", "isclose(a, b)");
  close.call.parameters.insert(close.call.parameters.end() - 1,
                               {{"rtol", 0.25}, {"atol", 0.5}, flag("equalNan", true)});
  close.domain.everywhere = kTested;
  close.domain.samples.push_back({{{"rtol", 0.0}, {"atol", 0.75}, {"equalNan", 0.0}}});
  all.push_back(close);

  const auto are_equal = [](const Arguments& a, const Arrays& in) {
    return Arrays{dense::full(a.shape("out"), in[0].values == in[1].values ? 1 : 0)};
  };
  const auto arrange = [](Arguments& a) {
    a.shape("other") = a.shape("self");
    a.shape("out") = {1};
  };
  all.push_back(
      {.call = ACLGRAD_CALL(aclnnEqual, any_shape(any_dtype(in("self", 1, 1))),
                            option(any_shape(any_dtype(in("other", 1, 1))), "value", Sets::kNumber),
                            typed(shaped(out("out"), {1}), ACL_BOOL)),
       .domain = {.everywhere = kNumbers + kUnsigned,
                  .grows = false,
                  .arrange = arrange,
                  .samples = {{}, {{{"other", 0.0}}}}},
       .results = {.reference = are_equal, .bound = kExact, .nan_goes_through = false},
       .words = {"1 if self and other have one shape and equal elements, else 0",
                 "self 与 other 形状相同且元素全部相等时为 1，否则为 0"}});
}

}  // namespace

void add_logic(Operators& all) {
  add_truth(all);
  add_all_bits(all);
  add_shifts(all);
  add_tests(all);
}

}  // namespace aclgrad::contract
