// SPDX-License-Identifier: Apache-2.0
// check_operator on operators written by its users, in the three ways there are.
#include "aclgrad/gradcheck/operator.h"

#include <gmock/gmock.h>

#include <cmath>

#include "aclgrad/aclgrad.h"
#include "aclgrad/gradcheck/graph.h"
#include "aclgrad/gradcheck/two_phase.h"
#include "aclnnop/aclnn_selu_backward.h"

namespace aclgrad::gradcheck {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

constexpr auto kSoftplus = [](auto x) {
  using std::exp, std::log1p;
  return log1p(exp(x));
};

// A backward over spans, with a factor to break it.
Candidate softplus(float factor = 1) {
  Candidate candidate(elementwise("softplus", kSoftplus, -6, 6),
                      from_spans<2, 1, float>([factor](auto g, auto x, auto dx) {
                        for (std::size_t i = 0; i < dx.size(); ++i) {
                          dx[i] = factor * g[i] / (1 + std::exp(-x[i]));
                        }
                      }));
  candidate.strided = false;
  return candidate;
}

const Options kFloat = {.dtypes = {DType::float32}};

TEST(CheckOperator, SpansThatAreRight) {
  const Report report = check_operator(softplus(), kFloat);
  EXPECT_TRUE(report.passed()) << report.to_string();
  EXPECT_EQ(report.exit_status(), 0);
  EXPECT_GT(report.right, 100);
}

// The gradient of mish in float32 is many units of its own last place off where it crosses 0, as
// its terms cancel: inexact. One that is wrong there as everywhere is wrong.
TEST(CheckOperator, RoundingWhereADerivativeCrosses0IsNotWrong) {
  for (const float factor : {1.0F, 1.00002F}) {
    Candidate mish(elementwise("mish",
                               [](auto x) {
                                 using std::exp;
                                 const auto square = (1 + exp(x)) * (1 + exp(x));
                                 return x * (square - 1) / (square + 1);
                               }),
                   from_spans<2, 1, float>([factor](auto grad, auto x, auto dx) {
                     for (std::size_t i = 0; i < dx.size(); ++i) {
                       const float t = std::tanh(std::log1p(std::exp(x[i])));
                       const float s = 1 / (1 + std::exp(-x[i]));
                       dx[i] = grad[i] * (t + factor * x[i] * (1 - t * t) * s);
                     }
                   }));
    mish.strided = false;
    const Report report = check_operator(mish, {.dtypes = {DType::float32}});
    EXPECT_EQ(report.verdict(), factor == 1 ? Verdict::inexact : Verdict::wrong)
        << report.to_string();
    EXPECT_NEAR(static_cast<double>(report.ranges.at("x of mish").low), -4, 0.3);
    EXPECT_NEAR(static_cast<double>(report.ranges.at("x of mish").high), 4, 0.3);
  }
}

TEST(CheckOperator, AFailureTellsEverything) {
  Candidate candidate = softplus(1.00001f);
  candidate.reproduce = "./check softplus";
  const Report report = check_operator(candidate, kFloat);
  EXPECT_EQ(report.exit_status(), 1);
  ASSERT_FALSE(report.findings.empty());
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.operator_name, "softplus");
  EXPECT_EQ(finding.dtype, DType::float32);
  ASSERT_TRUE(finding.element.has_value());
  const Element& e = *finding.element;
  EXPECT_NEAR(static_cast<double>(e.analytic / e.low), 1.00001, 1e-6);
  EXPECT_LT(e.error, 1e-9L);
  EXPECT_THAT(finding.diagnosis, HasSubstr("dual numbers confirm the numeric derivative"));
  EXPECT_THAT(finding.diagnosis, HasSubstr("factor 1.00001"));
  EXPECT_THAT(finding.to_string(), HasSubstr("analytic"));
  EXPECT_THAT(finding.to_string(), HasSubstr("+-"));
  EXPECT_EQ(finding.reproduce, "./check softplus --dtype float32 --layout contiguous --shape 4x6");
}

TEST(CheckOperator, SpansRefuseOtherDtypes) {
  const Report report = check_operator(softplus(), {.dtypes = {DType::float16}});
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(report.findings[0].text, HasSubstr("spans of float32 (set Options::dtypes"));
}

TEST(CheckOperator, ExceptionsAreFindings) {
  Candidate candidate = softplus();
  candidate.function = [](const BackwardCall&) -> std::string {
    throw std::runtime_error("no luck");
  };
  const Report report = check_operator(candidate, kFloat);
  EXPECT_THAT(report.findings, Contains(Field(&Finding::text, HasSubstr("no luck"))));
}

// The sum of |x - t|, whose slope jumps where an element meets its target.
Candidate absolute_loss(double at_corner) {
  contract::Operator op;
  op.call.name = "l1";
  op.call.parameters = {input("x", {3, 2}), input("t", {3, 2})};
  op.results.reference = [](const contract::Arguments&, const Arrays& in) {
    Number sum = 0;
    for (std::size_t i = 0; i < in[0].values.size(); ++i) {
      sum += std::abs(in[0].values[i] - in[1].values[i]);
    }
    return Arrays{{{}, {sum}}};
  };
  const auto backward = [at_corner](const BackwardCall& call) -> std::string {
    const Number g = call.inputs[0].get(0);
    for (std::int64_t i = 0; i < call.outputs[0].count(); ++i) {
      const Number off = call.inputs[1].get(i) - call.inputs[2].get(i);
      const Number sign = off > 0 ? 1 : off < 0 ? -1 : at_corner;
      call.outputs[0].set(i, g * sign);
    }
    return "";
  };
  Candidate candidate(op, backward);
  candidate.gradient.count = 1;  // not the target
  return candidate;
}

TEST(CheckOperator, FindsCornersBetweenElements) {
  const Report right = check_operator(absolute_loss(0));
  EXPECT_TRUE(right.passed()) << right.to_string();
  EXPECT_FALSE(right.corners.empty());
  const Report wrong = check_operator(absolute_loss(1.5));
  EXPECT_FALSE(wrong.passed()) << "an element that meets its target was not tried";
}

Candidate rectifier(Backward backward, Number low = -4, Number high = 4) {
  Candidate candidate(elementwise(
                          "relu", [](auto x) { return x > 0 ? x : decltype(x)(0); }, low, high),
                      std::move(backward));
  candidate.strided = false;
  return candidate;
}

TEST(CheckOperator, NamesTheConventionAtACornerAndAcceptsAny) {
  for (const double slope : {0.0, 0.25, 1.0}) {
    Candidate candidate = rectifier(from_spans<2, 1, float>([slope](auto g, auto x, auto dx) {
      for (std::size_t i = 0; i < dx.size(); ++i) {
        const double s = std::isnan(x[i]) ? x[i] : x[i] > 0 ? 1 : x[i] < 0 ? 0 : slope;
        dx[i] = static_cast<float>(g[i] * s);
      }
    }));
    const Report report = check_operator(candidate, kFloat);
    EXPECT_TRUE(report.passed()) << report.to_string();
    ASSERT_FALSE(report.corners.empty());
    const Corner& corner = report.corners[0];
    EXPECT_EQ(corner.at, 0);
    EXPECT_NEAR(static_cast<double>(corner.taken), slope, 1e-6);
    EXPECT_EQ(corner.convention, slope == 0   ? "the left slope"
                                 : slope == 1 ? "the right slope"
                                              : "between the slopes");
    candidate.gradient.side = contract::Side::kLeft;
    EXPECT_EQ(check_operator(candidate, kFloat).passed(), slope == 0);
  }
}

TEST(CheckOperator, InsideIsTowardsTheMiddleOfTheCorners) {
  const auto slope_inside = from_spans<2, 1, double>([](auto g, auto x, auto dx) {
    for (std::size_t i = 0; i < dx.size(); ++i) {
      dx[i] = std::isnan(x[i]) ? x[i] : x[i] >= 1 && x[i] <= 3 ? g[i] : 0;
    }
  });
  const auto clamped = [](auto x) { return x < 1 ? decltype(x)(1) : x > 3 ? decltype(x)(3) : x; };
  Candidate candidate(elementwise("clamped", clamped, -4, 4), slope_inside);
  candidate.strided = false;
  candidate.gradient.corners = {1, 3};
  candidate.gradient.side = contract::Side::kInside;
  const Options in_double{.dtypes = {DType::float64}};  // whose numbers beside 1 are 2^-52 away
  const Report right = check_operator(candidate, in_double);
  EXPECT_TRUE(right.passed()) << right.to_string();
  EXPECT_EQ(right.corners.size(), 2u);
  candidate.gradient.side = contract::Side::kOutside;
  EXPECT_FALSE(check_operator(candidate, in_double).passed());
}

TEST(CheckOperator, BlamesTheBackwardAtACorner) {
  const Candidate candidate = rectifier(from_spans<2, 1, float>([](auto g, auto x, auto dx) {
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = x[i] > 0 ? g[i] : x[i] < 0 ? 0 : 2 * g[i];
  }));
  const Report report = check_operator(candidate, kFloat);
  ASSERT_FALSE(report.passed());
  const Finding& finding = report.findings[0];
  ASSERT_EQ(finding.elements, 1);
  EXPECT_EQ(finding.element->input, 0);
  // The dual numbers' slope is one of the corner's, whichever: they agree with the forward.
  EXPECT_EQ(finding.diagnosis, "the backward: dual numbers confirm the numeric derivative");
}

TEST(CheckOperator, CannotTellIsNotRight) {
  Candidate candidate = softplus();
  candidate.noise = 1e-3L;  // a forward that is only good to three digits
  const Report report = check_operator(candidate, kFloat);
  EXPECT_EQ(report.verdict(), Verdict::inconclusive);
  EXPECT_EQ(report.exit_status(), 2);
  EXPECT_THAT(report.findings[0].element->reason, HasSubstr("too wide"));
}

TEST(CheckOperator, TwoPhaseExecutors) {
  const auto library = Library::linked();
  auto* plan = library->function<decltype(aclnnSeluBackwardGetWorkspaceSize)>(
      "aclnnSeluBackwardGetWorkspaceSize");
  Candidate candidate(
      elementwise(
          "selu",
          [](auto x) {
            using std::expm1;
            return x > 0 ? 1.0507009873554804934L * x : 1.7580993408473768600L * expm1(x);
          },
          -8, 6),
      from_executors(library, "aclnnSeluBackward", [plan](auto t, auto* size, auto** executor) {
        return plan(t[0], t[1], t[2], size, executor);
      }));
  candidate.gradient.inputs = [](const contract::Arguments&, const Arrays&, const Arrays& y,
                                 const Array& g) {
    return Arrays{g, y[0]};
  };
  candidate.in_place = {0, 1};
  const Report report = check_operator(candidate);
  EXPECT_TRUE(report.passed()) << report.to_string();
  EXPECT_EQ(report.backward.size(), 3u) << "three dtypes";
  // A call that is refused shows with its status.
  candidate.function =
      from_executors(library, "aclnnSeluBackward", [plan](auto t, auto* size, auto** executor) {
        return plan(nullptr, t[1], t[2], size, executor);
      });
  EXPECT_THAT(check_operator(candidate).findings[0].text, HasSubstr("161001"));
  EXPECT_THROW(Library::open("there_is_no_such_library.so"), IoError);
  EXPECT_THROW(library->function<void()>("aclnnNothing"), IoError);
}

TEST(CheckOperator, GraphNodes) {
  const Build build = [](const std::vector<Value>& x) { return mul(gelu(x[0]), x[1]); };
  const std::vector<contract::Parameter> inputs = {input("a", {2, 3}), input("b", {3})};
  for (const Build& used : {build, used_twice(build)}) {
    const Report report = check_operator(from_graph("gate", inputs, used));
    EXPECT_TRUE(report.passed()) << report.to_string();
    EXPECT_GT(report.right, 100);
  }
}

TEST(CheckOperator, LeavesOutDtypesThatAGraphRefuses) {
  const Build build = [](const std::vector<Value>& x) {
    Recorder record("choosy", {x[0]}, std::source_location::current());
    if (x[0].dtype() != DType::float32 && x[0].dtype() != DType::float64) {
      record.dtype_error("takes float32 or float64");
    }
    return mul(x[0], x[0]);
  };
  const Candidate candidate = from_graph("choosy", {input("x", {2, 3})}, build);
  const Report report = check_operator(candidate);
  EXPECT_TRUE(report.passed()) << report.to_string();
  EXPECT_EQ(report.backward.size(), 1u) << "float32";
  EXPECT_EQ(report.left_out.size(), 2u) << "float16 and bfloat16";
  EXPECT_THAT(report.to_string(), HasSubstr("float16 was left out: node 1 `choosy`"));
  EXPECT_THROW(check_operator(candidate, {.dtypes = {DType::float16}}), ValueError);
}

// exp, whose backward is given the result beside the input.
Candidate exponential(bool recomputes) {
  const contract::Operator forward = elementwise("exp", [](auto x) {
    using std::exp;
    return exp(x);
  });
  contract::Operator slope;
  slope.call.name = "exp_backward";
  slope.call.parameters = {input("g"), input("x"), input("y"), output("dx")};
  slope.results.formula =
      contract::of_all([](auto x, contract::Attributes) { return x[0] * x[2]; });
  slope.gradient = contract::Gradient{
      .of = "exp",
      .inputs = [](const contract::Arguments&, const Arrays& x, const Arrays& y, const Array& g) {
        return Arrays{g, x[0], y[0]};
      }};
  const auto backward = from_spans<3, 1, float>([recomputes](auto g, auto x, auto y, auto dx) {
    for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = g[i] * (recomputes ? std::exp(x[i]) : y[i]);
  });
  Candidate candidate(forward, slope, backward);
  candidate.strided = false;
  return candidate;
}

TEST(CheckOperator, SavedTensorsAreUsedAsGiven) {
  const Report right = check_operator(exponential(false), kFloat);
  EXPECT_TRUE(right.passed()) << right.to_string();
  EXPECT_THAT(right.to_string(), HasSubstr("other than the forward's (y): exp_backward"));
  const Report wrong = check_operator(exponential(true), kFloat);
  EXPECT_EQ(wrong.verdict(), Verdict::wrong);
  EXPECT_THAT(wrong.findings, Contains(Field(&Finding::check, "saved")));
  EXPECT_THAT(wrong.to_string(), HasSubstr("it does not use y as given"));
  // Without its formula nothing can be said of other saved tensors.
  Candidate unknown = exponential(true);
  unknown.backward.reset();
  EXPECT_TRUE(check_operator(unknown, kFloat).passed());
}

TEST(CheckOperator, AGradientThatIsMostlyZeroIsVacuous) {
  const auto up_to = [](Number high) {
    Candidate candidate = rectifier(from_spans<2, 1, float>([](auto g, auto x, auto dx) {
                                      for (std::size_t i = 0; i < dx.size(); ++i) {
                                        dx[i] = x[i] > 0 ? g[i] : 0;
                                      }
                                    }),
                                    -4, high);
    candidate.nan_goes_through = false;
    return candidate;
  };
  EXPECT_EQ(check_operator(up_to(4), kFloat).verdict(), Verdict::right);
  const Report dead = check_operator(up_to(0.25), kFloat);
  EXPECT_TRUE(dead.passed()) << dead.to_string();
  EXPECT_EQ(dead.verdict(), Verdict::vacuous);
  EXPECT_EQ(dead.vacuous, 1);
  EXPECT_EQ(dead.exit_status(), 5);
  EXPECT_THAT(dead.to_string(), HasSubstr("VACUOUS"));
  EXPECT_THAT(dead.to_string(), HasSubstr("of the gradient of x are 0"));
}

// One-sided slopes where elements are equal, and at bounds.
TEST(CheckOperator, TiesAndBoundsOfGraphNodes) {
  const auto best = [](const std::vector<Value>& x) { return topk(x[0], 2, 1).values; };
  const auto largest = [](const std::vector<Value>& x) { return amax(x[0], {1}); };
  const auto held = [](const std::vector<Value>& x) { return clamp(x[0], {.min = -1, .max = 2}); };
  const std::vector<contract::Parameter> one = {input("x", {2, 4})};
  for (const Candidate& candidate :
       {from_graph("topk", one, best), from_graph("amax", one, largest),
        from_graph("clamp", one, held)}) {
    const Report report = check_operator(candidate, {.draws = 4, .behaviour = false});
    EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
    EXPECT_FALSE(report.corners.empty()) << candidate.name();
  }
}

TEST(CheckOperator, NumbersOfRowsHaveNoGradient) {
  const Report report = check_operator(
      from_graph("embedding", {input("weight", {4, 3}), input("rows", {5}, 0, 3, DType::int64)},
                 [](const std::vector<Value>& x) { return embedding(x[0], x[1]); }));
  EXPECT_TRUE(report.passed()) << report.to_string();
  EXPECT_THAT(report.to_string(), HasSubstr("no gradient for rows (int64): embedding"));
}

TEST(Projection, IsFastAndSaysWhatItMisses) {
  Graph graph;
  const Value x = graph.input("x", {8, 16});
  const Value w = graph.parameter("w", init::normal({16, 32}, 1, 0.3));
  const Value loss = mean(gelu(matmul(x, w), Approximate::tanh));
  const Tensor at = init::normal({8, 16}, 2);
  const gradcheck::Report right = check_gradients(loss, {}, {{x, at}}, {.projections = 3});
  EXPECT_TRUE(right.passed()) << right.to_string();
  EXPECT_EQ(right.gradients[1].compared, 3);
  EXPECT_THAT(right.to_string(), HasSubstr("can hide"));
  const ScopedRule<GeluTanhOp> wrong([](const GeluTanhOp&, const RuleCall& call) {
    return InputGradients{gelu_backward(call.gradient(), call.input(), Approximate::none)};
  });
  EXPECT_FALSE(check_gradients(loss, {}, {{x, at}}, {.projections = 3}).passed());
}

}  // namespace
}  // namespace aclgrad::gradcheck
