// SPDX-License-Identifier: Apache-2.0
// A checker that did not check says so: whatever call of the backward fails, whatever a function of
// the operator throws, and options that would make everything right.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "aclgrad/aclgrad.h"
#include "aclgrad/gradcheck/graph.h"
#include "tests/support/message_of.h"

namespace aclgrad::gradcheck {
namespace {

using contract::Arguments;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;

const Options kInFloat32 = {.dtypes = {DType::float32}};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// x * x, with a factor to break it.
Candidate square(float factor = 2) {
  Candidate candidate(elementwise("square", [](auto x) { return x * x; }),
                      from_spans<2, 1, float>([factor](auto g, auto x, auto dx) {
                        for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = factor * x[i] * g[i];
                      }));
  candidate.strided = false;
  return candidate;
}

// The exponential in every layout, in place, and with a saved result whose formula is known.
Candidate strided_exponential() {
  const auto backward = [](const BackwardCall& call) -> std::string {
    for (std::int64_t i = 0; i < call.outputs[0].count(); ++i) {
      const auto product =
          static_cast<float>(call.inputs[0].get(i)) * static_cast<float>(call.inputs[1].get(i));
      call.outputs[0].set(i, static_cast<Number>(product));
    }
    return "";
  };
  Candidate candidate(elementwise("exp",
                                  [](auto x) {
                                    using std::exp;
                                    return exp(x);
                                  }),
                      backward);
  candidate.gradient.inputs = [](const Arguments&, const Arrays&, const Arrays& y, const Array& g) {
    return Arrays{g, y[0]};
  };
  candidate.in_place = {0, 1};
  return candidate;
}

// With a contract of the backward, too.
Candidate with_contract(
    Candidate candidate,
    const std::function<void(contract::Operator&)>& change = [](contract::Operator&) {}) {
  contract::Operator slope;
  slope.call.name = "exp_backward";
  slope.call.parameters = {input("g"), input("y"), output("dx")};
  slope.results.formula =
      contract::of_all([](auto x, contract::Attributes) { return x[0] * x[1]; });
  change(slope);
  candidate.backward.emplace(std::make_shared<const contract::Operator>(slope));
  return candidate;
}

// The product of two vectors' sums, with two gradients of which each may be left out.
Candidate product_of_sums(const Dims& x = {3}, const Dims& y = {2},
                          const contract::Reference& reference = nullptr) {
  contract::Operator op;
  op.call.name = "product of sums";
  op.call.parameters = {input("x", x), input("y", y)};
  const auto sum_of = [](const Array& array) {
    Number sum = 0;
    for (const Number value : array.values) sum += value;
    return sum;
  };
  op.results.reference = [sum_of](const Arguments&, const Arrays& in) {
    return Arrays{{{}, {sum_of(in[0]) * sum_of(in[1])}}};
  };
  if (reference) op.results.reference = reference;
  const auto backward = [](const BackwardCall& call) -> std::string {
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
  Candidate candidate(op, backward);
  candidate.masks = true;
  return candidate;
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
void expect_every_failure_found(const Candidate& candidate, const Options& options) {
  int calls = 0;
  Candidate counted = candidate;
  counted.function = [&](const BackwardCall& call) {
    ++calls;
    return candidate.function(call);
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
      Candidate broken = candidate;
      broken.function = [&, &fault = fault](const BackwardCall& call) {
        if (++calls != failing) return candidate.function(call);
        is_harmless = fault(call).empty() && writes_nothing(call);
        return fault(call);
      };
      const Report report = check_operator(broken, options);
      EXPECT_TRUE(is_harmless || report.verdict() == Verdict::wrong)
          << candidate.name() << ": call " << failing << " of " << all << " " << what << "\n"
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
  expect_every_failure_found(with_contract(strided_exponential()), options);
  expect_every_failure_found(product_of_sums(), options);
}

// The verdict on a backward that throws in some of its calls.
Report when(const std::function<bool(const BackwardCall&)>& fails) {
  Candidate candidate = square();
  candidate.function = [good = candidate.function, fails](const BackwardCall& call) {
    if (fails(call)) throw std::runtime_error("not implemented");
    return good(call);
  };
  return check_operator(candidate, kInFloat32);
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
  Candidate texts = square();
  texts.function = [](const BackwardCall&) { return "no such dtype"; };
  EXPECT_THAT(check_operator(texts, kInFloat32).findings,
              Each(Field(&Finding::text, HasSubstr("no such dtype"))));
}

// With another function in one of the contracts or the candidate.
Candidate with_forward(const std::function<void(contract::Operator&)>& change) {
  Candidate candidate = square();
  contract::Operator op = candidate.forward.op();
  change(op);
  candidate.forward = Arguments(std::make_shared<const contract::Operator>(op));
  return candidate;
}

TEST(GradcheckFailures, WhatOtherFunctionsThrowIsAFinding) {
  const auto fail = [](auto&&...) -> Arrays { throw std::runtime_error("no formula"); };
  const auto with_results = [](Arrays results) {
    return with_contract(strided_exponential(), [&](contract::Operator& op) {
      op.results.reference = [results](const Arguments&, const Arrays&) { return results; };
    });
  };
  const auto with_inputs = [](auto inputs) {
    Candidate candidate = with_contract(strided_exponential());
    candidate.gradient.inputs = inputs;
    return candidate;
  };
  Candidate refusing = square();
  refusing.refusal = [](DType) -> std::string { throw std::runtime_error("no idea"); };
  for (const auto& [what, candidate] :
       {std::pair<const char*, Candidate>{"the forward", with_forward([](contract::Operator& op) {
                                            op.results.formula.number = [](auto&&...) -> Number {
                                              throw std::runtime_error("no number");
                                            };
                                          })},
        {"the forward", with_forward([](contract::Operator& op) {
           op.results.formula.number = [](auto&&...) -> Number { throw 3; };
         })},
        {"`gradient.inputs`", with_inputs(fail)},
        {"the backward's contract",
         with_contract(strided_exponential(),
                       [&](contract::Operator& op) { op.results.reference = fail; })},
        {"`magnitude`",
         with_contract(strided_exponential(),
                       [&](contract::Operator& op) { op.results.magnitude = fail; })},
        {"`refusal`", refusing},
        {"`gradient.inputs`", with_inputs([](auto&&...) {
           return Arrays{{{2}, {}}};
         })},
        {"the backward's contract", with_results({})},
        {"the backward's contract", with_results({{{1}, {0}}})},
        {"the backward's contract", with_results({{{2}, {0}}})}}) {
    const Report report = check_operator(candidate, kInFloat32);
    EXPECT_EQ(report.verdict(), Verdict::wrong) << what;
    EXPECT_THAT(report.findings, Contains(Field(&Finding::text, HasSubstr(what))));
  }
  const Candidate empty =
      product_of_sums({3}, {2}, [](const Arguments&, const Arrays&) { return Arrays{}; });
  EXPECT_THAT(check_operator(empty, kInFloat32).findings,
              Each(Field(&Finding::text, "the forward gave no outputs")));
}

TEST(GradcheckFailures, AWrongElementIsToldWhereDualNumbersThrow) {
  Candidate candidate = square(3);
  contract::Operator op = candidate.forward.op();
  op.results.formula.dual = [](auto&&...) -> Dual { throw std::runtime_error("no dual"); };
  candidate.forward = Arguments(std::make_shared<const contract::Operator>(op));
  const Report report = check_operator(candidate, kInFloat32);
  EXPECT_THAT(report.findings, Contains(Field(&Finding::check, "derivative")));
  EXPECT_THAT(report.to_string(), HasSubstr("no dual"));
}

template <class ErrorType = ValueError>
void expect_refused(const Candidate& candidate, const Options& options, const char* text) {
  EXPECT_THAT(message_of<ErrorType>([&] { check_operator(candidate, options); }), HasSubstr(text));
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
  const auto expect = [](const char* text, const std::function<void(Candidate&)>& change) {
    Candidate candidate = square();
    change(candidate);
    expect_refused(candidate, kInFloat32, text);
  };
  const auto expect_of_input = [&](const char* text,
                                   const std::function<void(contract::TensorSpec&)>& change) {
    expect(text, [&](Candidate& candidate) { change(candidate.forward.tensor("x")); });
  };
  const auto expect_of_forward = [](const char* text,
                                    const std::function<void(contract::Operator&)>& change) {
    expect_refused(with_forward(change), kInFloat32, text);
  };
  expect_of_input("negative extent", [](contract::TensorSpec& x) { x.shape = {-3}; });
  expect_of_input("10 dimensions, the most are 8",
                  [](contract::TensorSpec& x) { x.shape = Dims(10, 1); });
  expect_of_input("too large", [](contract::TensorSpec& x) { x.shape = {std::int64_t{1} << 40}; });
  expect_of_input("no input is differentiable",
                  [](contract::TensorSpec& x) { x.dtype = ACL_INT32; });
  expect_of_input("`low` is", [](contract::TensorSpec& x) { x.low = static_cast<Number>(kNan); });
  expect_of_input("`low` is", [](contract::TensorSpec& x) { x.high = -5; });
  expect_of_forward("no inputs",
                    [](contract::Operator& op) { op.call.parameters = {output("y")}; });
  expect_of_forward("no forward", [](contract::Operator& op) { op.results.formula = {}; });
  expect_of_forward("one shape",
                    [](contract::Operator& op) { op.call.parameters.push_back(input("z", {2})); });
  expect("no backward", [](Candidate& candidate) { candidate.function = nullptr; });
  expect("no input is differentiable", [](Candidate& candidate) { candidate.gradient.count = 0; });
  expect("`noise` is nan",
         [](Candidate& candidate) { candidate.noise = static_cast<Number>(kNan); });
  expect("`bound.inner` is nan", [](Candidate& candidate) { candidate.bound.inner = kNan; });
  expect("`bound.stored` is -1", [](Candidate& candidate) { candidate.bound.stored = -1; });
  expect("`in_place` has 7", [](Candidate& candidate) { candidate.in_place = {7}; });
  const Candidate large = product_of_sums({4000}, {2}, [](const Arguments&, const Arrays& in) {
    return Arrays{{{4000}, in[0].values}};
  });
  expect_refused(large, kInFloat32, "too many to be checked");
}

TEST(GradcheckFailures, NothingComparedIsNotRight) {
  EXPECT_FALSE(Report{}.passed());
  EXPECT_EQ(Report{}.exit_status(), 2);
  EXPECT_THAT(Report{}.to_string(), HasSubstr("Nothing was checked"));
  const Report report = check_operator(product_of_sums({0}, {0}), kInFloat32);
  EXPECT_EQ(report.verdict(), Verdict::inconclusive) << report.to_string();
  EXPECT_THAT(report.to_string(), HasSubstr("no element of a gradient was compared"));
  EXPECT_FALSE(ModelReport{}.passed());
}

TEST(GradcheckFailures, AnInfiniteRoundingIsInconclusive) {
  Candidate candidate = square(3);
  candidate.function = [](const BackwardCall& call) -> std::string {
    for (std::int64_t i = 0; i < call.outputs[0].count(); ++i) call.outputs[0].set(i, 1);
    return "";
  };
  candidate.rounding = [](const Arrays& in, const Array&, DType) {
    Arrays all = {in[0]};
    for (Number& value : all[0].values) value = std::numeric_limits<Number>::infinity();
    return all;
  };
  const Options options{.dtypes = {DType::float16}, .behaviour = false, .every_shape = false};
  EXPECT_EQ(check_operator(candidate, options).verdict(), Verdict::inconclusive);
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
