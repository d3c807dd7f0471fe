// SPDX-License-Identifier: Apache-2.0
// The short form of the score: every mutant is caught, nothing right is blamed.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

TEST(Mutants, ThereAreManyAndEachHasAName) {
  std::set<std::string> names;
  for (const Mutant& mutant : all_mutants()) names.insert(mutant.family + ": " + mutant.edit);
  EXPECT_EQ(names.size(), all_mutants().size());
  EXPECT_GE(names.size(), 460u);
}

TEST(Mutants, EveryOneIsCaught) {
  for (const Mutant& mutant : all_mutants()) {
    EXPECT_TRUE(first_finding(mutant)) << mutant.family << ": " << mutant.edit;
  }
}

TEST(Mutants, ComputedRoundingsShowWhatCountedOnesHide) {
  int found = 0;
  for (const Mutant& mutant : rule_mutants()) {
    if (mutant.edit.find("a thousandth") == std::string::npos) continue;
    mutant.with([&] {
      Candidate candidate = mutant.make();
      candidate.rounding = {};
      const gradcheck::Report report =
          gradcheck::check_operator(candidate, {.dtypes = {DType::float16}, .behaviour = false});
      EXPECT_TRUE(report.passed()) << report.to_string();
    });
    EXPECT_TRUE(first_finding(mutant));
    ++found;
  }
  EXPECT_EQ(found, 1);
}

TEST(Mutants, WhatIsRightIsNotBlamed) {
  for (const Mutant& right : right_kernels()) {
    const auto finding = first_finding(right);
    EXPECT_FALSE(finding) << right.family << "\n" << finding->to_string();
  }
}

TEST(Mutants, TheGraphsOperatorsAreNotBlamed) {
  for (const Mutant& right : graph_operators()) {
    const auto finding = first_finding(right);
    EXPECT_FALSE(finding) << right.family << "\n" << finding->to_string();
  }
}

TEST(Mutants, NoAlarmOnCorrectOperators) {
  const Sweep sweep = sweep_correct_operators(600, 7);
  EXPECT_EQ(sweep.configurations, 600);
  EXPECT_EQ(sweep.alarms, 0) << sweep.first_alarm;
  EXPECT_EQ(sweep.inconclusive, 0) << sweep.first_alarm;
}

}  // namespace
}  // namespace aclgrad::mutants
