// SPDX-License-Identifier: Apache-2.0
// The checkers that gradcheck is compared with find what they can see.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/checkers/checkers.h"
#include "bench/checkers/projections.h"

namespace aclgrad::bench {
namespace {

using namespace gradcheck;

const mutants::Mutant& find(const std::string& family, const std::string& edit) {
  for (const mutants::Mutant& mutant : contestants().all) {
    if (mutant.family == family && mutant.edit == edit) return mutant;
  }
  throw std::logic_error(family + ": " + edit);
}

TEST(Checkers, FindWhatShowsAtRandomInputs) {
  for (const Checker& checker : checkers()) {
    EXPECT_TRUE(checker.blames(find("selu", "sign reversed"))) << checker.name;
    EXPECT_TRUE(checker.blames(find("graph rules", "exp: the input for the result")))
        << checker.name;
    EXPECT_FALSE(checker.blames(find("hardswish v2", "NaN swallowed"))) << checker.name;
    EXPECT_FALSE(checker.blames(find("behaviour", "output strides ignored"))) << checker.name;
    EXPECT_FALSE(checker.blames(find("hardswish v2", "unchanged"))) << checker.name;
  }
}

TEST(Checkers, KnowByWhatAMistakeShows) {
  const auto class_named = [](const std::string& family, const std::string& edit) {
    const mutants::Mutant& mutant = find(family, edit);
    return class_of(mutant, mutants::first_finding(mutant).value());
  };
  EXPECT_EQ(class_named("selu", "sign reversed"), Class::plain);
  EXPECT_EQ(class_named("selu", "alpha off in the 6th digit"), Class::slight);
  EXPECT_EQ(class_named("behaviour", "gradient ignored"), Class::upstream);
  EXPECT_EQ(class_named("elu", "tail cut off at -5"), Class::slight);
  EXPECT_EQ(class_named("relu", "threshold 0.001"), Class::special);
  EXPECT_EQ(class_named("selu", "<= for < at 0"), Class::corner);
  EXPECT_EQ(class_named("selu", "NaN swallowed"), Class::nan);
  EXPECT_EQ(class_named("geglu right, erf", "gelu recomputed"), Class::saved);
  EXPECT_EQ(class_named("behaviour", "rounded toward zero"), Class::rounding);
  EXPECT_EQ(class_named("behaviour", "output strides ignored"), Class::layout);
  EXPECT_EQ(class_named("behaviour", "one element past the end"), Class::layout);
  EXPECT_EQ(class_named("behaviour", "a tensor of rank 0 not written"), Class::shape);
  EXPECT_EQ(class_named("behaviour", "other bits with more threads"), Class::repeating);
  EXPECT_EQ(class_named("behaviour", "blocks of 4096 start again"), Class::shape);
}

TEST(Checkers, ABackwardThatWritesToItsInputsWritesToTheCallers) {
  Callee callee(find("behaviour", "gradOutput overwritten"), DType::float64);
  Arrays inputs = callee.draw(1);
  const Arrays before = inputs;
  Array upstream = callee.forward(inputs);
  for (Number& value : upstream.values) value = 3;
  callee.backward(inputs, upstream);
  EXPECT_EQ(upstream.values[0], 0);
  EXPECT_EQ(upstream.values[1], 3);
  EXPECT_EQ(inputs[0].values, before[0].values);
}

TEST(Projections, AreMeasuredAsTheFormulaSays) {
  constexpr int kSeeds = 200;
  for (const Spread spread : {Spread::one_element, Spread::all_elements}) {
    for (const int directions : {1, 4}) {
      for (const double ratio : {1.0, 1.5, 4.0}) {
        const Measured measured = measure_detection(spread, directions, ratio, kSeeds);
        const auto expect_near = [&](double found, double formula, const char* what) {
          const double error = std::sqrt(formula * (1 - formula) / kSeeds);
          EXPECT_NEAR(found, formula, 4 * error + 0.01)
              << what << ", " << directions << ", " << ratio;
        };
        expect_near(measured.by_signs, detection_by_signs(spread, directions, ratio), "signs");
        expect_near(measured.by_normals, detection_by_normals(directions, ratio), "normal");
      }
    }
  }
}

}  // namespace
}  // namespace aclgrad::bench
