// SPDX-License-Identifier: Apache-2.0
// A checker that did not check says so: whatever call of the backward fails, whatever a function of
// the operator throws, and options that would make everything right.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "aclgrad/aclgrad.h"
#include "aclgrad/gradcheck_graph.h"
#include "tests/support/message_of.h"

namespace aclgrad::gradcheck {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;

const Options kInFloat32 = {.dtypes = {DType::float32}};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// x * x, with a factor to break it.
Operator square(float factor = 2) {
  Operator op = elementwise("square", [](auto x) { return x * x; });
  op.strided = false;
  op.backward = from_spans<2, 1, float>([factor](auto g, auto x, auto dx) {
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = factor * x[i] * g[i];
  });
  return op;
}

// The same in every layout, in place, and with a saved result whose formula is known.
Operator strided_exponential() {
  Operator op = elementwise("exp", [](auto x) {
    using std::exp;
    return exp(x);
  });
  op.saved = [](const Arrays&, const Arrays& y, const Array& g) { return Arrays{g, y[0]}; };
  op.in_place = {0, 1};
  op.backward = [](const BackwardCall& call) -> std::string {
    for (std::int64_t i = 0; i < call.outputs[0].count(); ++i) {
      const auto product =
          static_cast<float>(call.inputs[0].get(i)) * static_cast<float>(call.inputs[1].get(i));
      call.outputs[0].set(i, static_cast<Number>(product));
    }
    return "";
  };
  return op;
}

Operator with_formula(Operator op) {
  op.exact_backward = [](const Arrays& given) {
    Arrays result = {given[0]};
    for (std::size_t i = 0; i < given[0].values.size(); ++i) {
      result[0].values[i] *= given[1].values[i];
    }
    return result;
  };
  return op;
}

// The product of two vectors' sums, with two gradients of which each may be left out.
Operator product_of_sums() {
  Operator op;
  op.name = "product of sums";
  op.inputs = {Input{.name = "x", .shape = {3}}, Input{.name = "y", .shape = {2}}};
  const auto sum_of = [](const Array& array) {
    Number sum = 0;
    for (const Number value : array.values) sum += value;
    return sum;
  };
  op.forward = [sum_of](const Arrays& in) { return Arrays{{{}, {sum_of(in[0]) * sum_of(in[1])}}}; };
  op.masks = true;
  op.backward = [](const BackwardCall& call) -> std::string {
    for (std::size_t k = 0; k < 2; ++k) {
      if (call.outputs[k].data == nullptr) continue;
      const View& other = call.inputs[2 - k];
      Number sum = 0;
      for (std::int64_t i = 0; i < other.count(); ++i) sum += other.get(i);
      for (std::int64_t i = 0; i < call.outputs[k].count(); ++i) {
        call.outputs[k].set(i, call.inputs[0].get(0) * sum);
      }
    }
    return "";
  };
  return op;
}

// What a call may do instead of computing: its result is wrong, or it has none. False where there
// is nothing to be wrong.
using Fault = std::function<std::string(const BackwardCall&)>;

std::string nan_everywhere(const BackwardCall& call) {
  for (const View& view : call.outputs) {
    if (view.data == nullptr) continue;
    for (std::int64_t i = 0; i < view.count(); ++i) view.set(i, static_cast<Number>(kNan));
  }
  return "";
}

bool writes_nothing(const BackwardCall& call) {
  return std::ranges::all_of(
      call.outputs, [](const View& view) { return view.data == nullptr || view.count() == 0; });
}

// Every call of the backward fails in turn.
void expect_every_failure_found(const Operator& op, const Options& options) {
  int calls = 0;
  Operator counted = op;
  counted.backward = [&](const BackwardCall& call) {
    ++calls;
    return op.backward(call);
  };
  const Report clean = check_operator(counted, options);
  ASSERT_TRUE(clean.passed()) << clean.to_string();
  const int all = calls;
  ASSERT_GT(all, 20);
  const std::pair<const char*, Fault> faults[] = {
      {"throws", [](const auto&) -> std::string { throw 3; }}, {"gives NaN", nan_everywhere}};
  for (const auto& [what, fault] : faults) {
    for (int failing = 1; failing <= all; ++failing) {
      bool is_harmless = false;
      calls = 0;
      Operator broken = op;
      broken.backward = [&, &fault = fault](const BackwardCall& call) {
        if (++calls != failing) return op.backward(call);
        is_harmless = fault(call).empty() && writes_nothing(call);
        return fault(call);
      };
      const Report report = check_operator(broken, options);
      EXPECT_TRUE(is_harmless || report.verdict() == Verdict::wrong)
          << op.name << ": call " << failing << " of " << all << " " << what << "\n"
          << report.to_string();
    }
  }
}

TEST(GradcheckFailures, EveryCallThatFailsIsFound) {
  Options options = kInFloat32;
  options.layouts = {Layout::contiguous, Layout::strided, Layout::broadcast};
  options.draws = 1;
  options.stop_at_first = true;
  expect_every_failure_found(square(), options);
  expect_every_failure_found(strided_exponential(), options);
  expect_every_failure_found(with_formula(strided_exponential()), options);
  expect_every_failure_found(product_of_sums(), options);
}

// The verdict on a backward that throws in some of its calls.
Report when(const std::function<bool(const BackwardCall&)>& fails) {
  Operator op = square();
  op.backward = [good = op.backward, fails](const BackwardCall& call) {
    if (fails(call)) throw std::runtime_error("not implemented");
    return good(call);
  };
  return check_operator(op, kInFloat32);
}

TEST(GradcheckFailures, ByPlace) {
  const auto larger_than = [](std::int64_t size) {
    return [size](const BackwardCall& call) { return call.inputs[0].count() > size; };
  };
  EXPECT_TRUE(when(larger_than(30000)).passed()) << "the largest tensor has 20011 elements";
  const Report large = when(larger_than(1000));
  ASSERT_EQ(large.findings.size(), 1u) << large.to_string();
  EXPECT_EQ(large.findings[0].check, "call");
  EXPECT_EQ(large.findings[0].shape, Dims{20011});
  EXPECT_THAT(large.findings[0].text, AllOf(HasSubstr("given [20011], [20011], threads: 1"),
                                            HasSubstr(": not implemented")));
  EXPECT_EQ(when(larger_than(90)).verdict(), Verdict::wrong);
  EXPECT_THAT(when([](const BackwardCall& call) { return call.threads == 2; }).to_string(),
              HasSubstr("threads: 2"));
  EXPECT_EQ(when([](const BackwardCall& call) { return call.poison == 0; }).verdict(),
            Verdict::wrong);
  int calls = 0;
  const Report odd = when([&](const BackwardCall&) { return ++calls % 2 == 1; });
  EXPECT_EQ(odd.verdict(), Verdict::wrong);
  EXPECT_THAT(odd.findings, Contains(Field(&Finding::text, HasSubstr("call 1: not implemented"))));
  Operator texts = square();
  texts.backward = [](const BackwardCall&) { return "no such dtype"; };
  EXPECT_THAT(check_operator(texts, kInFloat32).findings,
              Each(Field(&Finding::text, HasSubstr("no such dtype"))));
}

TEST(GradcheckFailures, WhatOtherFunctionsThrowIsAFinding) {
  const auto check = [](const std::function<void(Operator&)>& change) {
    Operator op = with_formula(strided_exponential());
    change(op);
    return check_operator(op, kInFloat32);
  };
  const auto fail = [](auto&&...) -> Arrays { throw std::runtime_error("no formula"); };
  for (const auto& [what, change] :
       {std::pair<const char*, std::function<void(Operator&)>>{
            "the forward",
            [](Operator& op) {
              op.scalar = [](auto) -> Number { throw std::runtime_error("no formula"); };
            }},
        {"the forward", [](Operator& op) { op.scalar = [](auto) -> Number { throw 3; }; }},
        {"`saved`", [&](Operator& op) { op.saved = fail; }},
        {"`exact_backward`", [&](Operator& op) { op.exact_backward = fail; }},
        {"`backward_magnitude`", [&](Operator& op) { op.backward_magnitude = fail; }},
        {"`refusal`",
         [](Operator& op) {
           op.refusal = [](DType) -> std::string { throw std::runtime_error("no idea"); };
         }},
        {"`saved`", [](Operator& op) { op.saved = [](auto&&...) {
                                         return Arrays{{{2}, {}}};
                                       }; }},
        {"`exact_backward`",
         [](Operator& op) { op.exact_backward = [](auto&&...) { return Arrays{}; }; }},
        {"`exact_backward`",
         [](Operator& op) { op.exact_backward = [](auto&&...) {
                              return Arrays{{{1}, {0}}};
                            }; }},
        {"`exact_backward`", [](Operator& op) {
           op.exact_backward = [](auto&&...) { return Arrays{{{2}, {0}}}; };
         }}}) {
    const Report report = check(change);
    EXPECT_EQ(report.verdict(), Verdict::wrong) << what;
    EXPECT_THAT(report.findings, Contains(Field(&Finding::text, HasSubstr(what))));
  }
  Operator op = product_of_sums();
  op.forward = [](const Arrays&) { return Arrays{}; };
  EXPECT_THAT(check_operator(op, kInFloat32).findings,
              Each(Field(&Finding::text, "the forward gave no outputs")));
}

TEST(GradcheckFailures, AWrongElementIsToldWhereDualNumbersThrow) {
  Operator op = square(3);
  op.dual = [](auto) -> Dual { throw std::runtime_error("no dual"); };
  const Report report = check_operator(op, kInFloat32);
  EXPECT_THAT(report.findings, Contains(Field(&Finding::check, "derivative")));
  EXPECT_THAT(report.to_string(), HasSubstr("no dual"));
}

template <class ErrorType = ValueError>
void expect_refused(Operator op, const Options& options, const char* text) {
  EXPECT_THAT(message_of<ErrorType>([&] { check_operator(op, options); }), HasSubstr(text));
}

TEST(GradcheckFailures, OptionsThatMeanNothing) {
  EXPECT_FALSE(check_operator(square(3), kInFloat32).passed());
  for (const double slack : {kNan, -1.0, std::numeric_limits<double>::infinity()}) {
    expect_refused(square(3), {.dtypes = {DType::float32}, .ulp_slack = slack}, "`ulp_slack` is");
  }
  expect_refused(square(3), {.dtypes = {}}, "`dtypes` is empty");
  expect_refused(square(3), {.dtypes = {DType::float32}, .layouts = {}}, "`layouts` is empty");
  for (const int draws : {0, -1}) {
    expect_refused(square(3), {.dtypes = {DType::float32}, .draws = draws}, "`draws` is");
  }
  expect_refused<DTypeError>(square(3), {.dtypes = {DType::int32}}, "int32");
}

TEST(GradcheckFailures, OperatorsThatMeanNothing) {
  const auto expect = [](const char* text, const std::function<void(Operator&)>& change) {
    Operator op = square();
    change(op);
    expect_refused(op, kInFloat32, text);
  };
  expect("negative extent", [](Operator& op) { op.inputs[0].shape = {-3}; });
  expect("10 dimensions, the most are 8", [](Operator& op) { op.inputs[0].shape = Dims(10, 1); });
  expect("too large", [](Operator& op) { op.inputs[0].shape = {std::int64_t{1} << 40}; });
  expect("no inputs", [](Operator& op) { op.inputs.clear(); });
  expect("no backward", [](Operator& op) { op.backward = nullptr; });
  expect("no forward", [](Operator& op) { op.scalar = nullptr; });
  expect("no input is differentiable", [](Operator& op) { op.inputs[0].differentiable = false; });
  expect("int32, which has no gradient", [](Operator& op) { op.inputs[0].dtype = DType::int32; });
  expect("one shape", [](Operator& op) { op.inputs.push_back({.name = "y", .shape = {2}}); });
  expect("`low` is", [](Operator& op) { op.inputs[0].low = static_cast<Number>(kNan); });
  expect("`low` is", [](Operator& op) { op.inputs[0].high = -5; });
  expect("`noise` is nan", [](Operator& op) { op.noise = static_cast<Number>(kNan); });
  expect("`model.inner` is nan", [](Operator& op) { op.model.inner = kNan; });
  expect("`model.stored` is -1", [](Operator& op) { op.model.stored = -1; });
  expect("`in_place` has 7", [](Operator& op) { op.in_place = {7}; });
  Operator op = product_of_sums();
  op.inputs[0].shape = {4000};
  op.forward = [](const Arrays& in) { return Arrays{{{4000}, in[0].values}}; };
  expect_refused(op, kInFloat32, "too many to be checked");
}

TEST(GradcheckFailures, NothingComparedIsNotRight) {
  EXPECT_FALSE(Report{}.passed());
  EXPECT_EQ(Report{}.exit_status(), 2);
  EXPECT_THAT(Report{}.to_string(), HasSubstr("Nothing was checked"));
  Operator op = product_of_sums();
  op.inputs[0].shape = op.inputs[1].shape = {0};
  const Report report = check_operator(op, kInFloat32);
  EXPECT_EQ(report.verdict(), Verdict::inconclusive) << report.to_string();
  EXPECT_THAT(report.to_string(), HasSubstr("no element of a gradient was compared"));
  EXPECT_FALSE(ModelReport{}.passed());
}

TEST(GradcheckFailures, AnInfiniteRoundingIsInconclusive) {
  Operator op = square(3);
  op.strided = false;
  op.backward = [](const BackwardCall& call) -> std::string {
    for (std::int64_t i = 0; i < call.outputs[0].count(); ++i) call.outputs[0].set(i, 1);
    return "";
  };
  op.rounding = [](const Arrays& in, const Array&, DType) {
    Arrays all = {in[0]};
    for (Number& value : all[0].values) value = std::numeric_limits<Number>::infinity();
    return all;
  };
  const Options options{.dtypes = {DType::float16}, .behaviour = false, .every_shape = false};
  EXPECT_EQ(check_operator(op, options).verdict(), Verdict::inconclusive);
}

// ---- Of graphs ----------------------------------------------------------------------------------

class OfGraphs : public testing::Test {
 protected:
  Graph graph;
  Value x = graph.input("x", {3});
  Tensor one = Tensor::full({3}, 1);

  static InputGradients twice(const TanhOp&, const RuleCall& call) {
    return InputGradients{mul(call.gradient(), 2)};
  }
};

TEST_F(OfGraphs, TolerancesThatMeanNothing) {
  const ScopedRule<TanhOp> wrong(twice);
  const Value loss = reduce_sum(tanh(x));
  EXPECT_FALSE(check_gradients(loss, {}, {{x, one}}).passed());
  for (const double bad : {kNan, -1.0, std::numeric_limits<double>::infinity()}) {
    const auto expect = [&](const GradcheckOptions& options, const char* text) {
      EXPECT_THAT(message_of<ValueError>([&] {
                    check_gradients(loss, {}, {{x, one}}, options);
                  }),
                  HasSubstr(text));
    };
    expect({.rtol = bad}, "`rtol` is");
    expect({.atol = bad}, "`atol` is");
  }
  EXPECT_THROW(check_gradients(loss, {}, {{x, one}}, {.projections = -1}), ValueError);
  EXPECT_THROW(check_gradients(loss, {}, {{x, one}}, {.dense_limit = -1}), ValueError);
  for (const double step : {kNan, 0.0, -1.0}) {
    EXPECT_THROW(check_model(loss, {}, {{x, one}}, {.largest_step = step}), ValueError);
  }
  EXPECT_THROW(check_model(loss, {}, {{x, one}}, {.directions = 0}), ValueError);
}

TEST_F(OfGraphs, NothingToCheck) {
  const Value k = graph.input("k", {3}, DType::int32);
  const Value loss = reduce_sum(cast(k, DType::float32));
  const Tensor ones = Tensor::full({3}, 1, DType::int32);
  const char* const text = "depends on no floating input or parameter";
  EXPECT_THAT(message_of<ValueError>([&] {
                check_gradients(loss, {}, {{k, ones}});
              }),
              HasSubstr(text));
  EXPECT_THAT(message_of<ValueError>([&] { check_model(loss, {}, {{k, ones}}); }), HasSubstr(text));
  EXPECT_THROW(check_gradients(loss, {k}, {{k, ones}}), DTypeError);
  const Value none = graph.input("none", {0});
  const Report empty = check_gradients(reduce_sum(none), {}, {{none, Tensor::zeros({0})}});
  EXPECT_EQ(empty.verdict(), Verdict::inconclusive) << empty.to_string();
}

TEST_F(OfGraphs, AGradientThatIsNoNumberIsWrong) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double factor : {kNan, infinity}) {
    const ScopedRule<TanhOp> wrong([factor](const TanhOp&, const RuleCall& call) {
      const Value& g = call.gradient();
      return InputGradients{add(g, full(g.graph(), g.shape(), factor, g.dtype()))};
    });
    const Value loss = reduce_sum(tanh(x));
    EXPECT_EQ(check_gradients(loss, {}, {{x, one}}).verdict(), Verdict::wrong);
    EXPECT_EQ(check_gradients(loss, {}, {{x, one}}, {.projections = 2}).verdict(), Verdict::wrong);
    const ModelReport report = check_model(loss, {}, {{x, one}}, {.second_order = false});
    EXPECT_EQ(report.verdict(), Verdict::wrong) << report.to_string();
    EXPECT_THAT(report.to_string(), HasSubstr("is no finite number"));
  }
}

TEST_F(OfGraphs, ALossThatIsNoNumberCannotBeChecked) {
  const Value loss = reduce_sum(log(x));
  const Tensor negative = Tensor::full({3}, -1);
  EXPECT_EQ(check_model(loss, {}, {{x, negative}}).verdict(), Verdict::inconclusive);
  EXPECT_EQ(check_gradients(loss, {}, {{x, negative}}).verdict(), Verdict::inconclusive);
  // Large steps leave the domain; the smaller ones decide.
  const Tensor small = Tensor::full({3}, 0.05);
  EXPECT_TRUE(check_model(loss, {}, {{x, small}}, {.largest_step = 16}).passed());
}

}  // namespace
}  // namespace aclgrad::gradcheck
