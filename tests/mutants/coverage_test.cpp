// SPDX-License-Identifier: Apache-2.0
// A gradient that is mostly 0 is no proof.
#include <gtest/gtest.h>

#include <algorithm>

#include "gradcheck/core/coverage.h"
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using namespace gradcheck;
using gradcheck::detail::GradientCoverage;
using gradcheck::detail::Problem;

Report compared(const Candidate& candidate, const Problem& problem) {
  GradientCoverage coverage;
  coverage.see(candidate, problem);
  Report report;
  coverage.report(candidate, DType::float32, report);
  return report;
}

// The gradients of the input and the weight cancel then, whatever is wrong with the backward.
TEST(GradientCoverage, UpstreamOnesAreVacuousBehindANormalization) {
  const Candidate candidate =
      make_target(Library::linked(), "batch_norm", variants("batch_norm")[0]).candidate;
  Problem problem = gradcheck::detail::make_problem(candidate, DType::float32, 1, {});
  EXPECT_EQ(compared(candidate, problem).vacuous, 0);
  Array ones = problem.cotangent;
  std::ranges::fill(ones.values, 1);
  gradcheck::detail::set_cotangent(candidate, problem, ones);
  EXPECT_EQ(compared(candidate, problem).vacuous, 2);
}

TEST(GradientCoverage, UpstreamGradientsAreNeverOneNumber) {
  for (const DType dtype : kFloats) {
    for (const std::uint64_t seed : {1u, 1000u, 1001u, 5u}) {
      const Array drawn = gradcheck::detail::draw_cotangent({4, 6}, dtype, seed);
      const auto ones = std::ranges::count_if(
          drawn.values, [&](Number value) { return value == drawn.values.front(); });
      EXPECT_LT(ones, 4);
    }
  }
}

TEST(GradientCoverage, SparseGradientsOfMaximaAndClassesAreTrusted) {
  for (const char* name : {"max_pool2d", "nll_loss", "embedding"}) {
    for (const Attributes& attributes : variants(name)) {
      const Candidate candidate = make_target(Library::linked(), name, attributes).candidate;
      const Report report =
          check_operator(candidate, {.dtypes = {DType::float32}, .behaviour = false});
      EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
    }
  }
}

}  // namespace
}  // namespace aclgrad::mutants
