// SPDX-License-Identifier: Apache-2.0
// A gradient that is mostly 0 is no proof.
#include <gtest/gtest.h>

#include <algorithm>

#include "gradcheck/core/evidence.h"
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using namespace gradcheck;
using gradcheck::detail::Evidence;
using gradcheck::detail::Problem;

Subject batch_norm() {
  return make_subject(Library::linked(), "batch_norm", variants("batch_norm")[0]);
}

Report judged(const Operator& op, const Problem& problem) {
  Evidence evidence;
  evidence.see(op, problem);
  Report report;
  evidence.report(op, DType::float32, report);
  return report;
}

// The gradients of the input and the weight cancel then, whatever is wrong with the backward.
TEST(Evidence, UpstreamOnesAreMistrustedBehindANormalization) {
  const Operator op = batch_norm().checked;
  Problem problem = gradcheck::detail::make_problem(op, DType::float32, 1, {});
  EXPECT_EQ(judged(op, problem).mistrusted, 0);
  Array ones = problem.cotangent;
  std::ranges::fill(ones.values, 1);
  gradcheck::detail::set_cotangent(op, problem, ones);
  EXPECT_EQ(judged(op, problem).mistrusted, 2);
}

TEST(Evidence, UpstreamGradientsAreNeverOneNumber) {
  for (const DType dtype : kFloats) {
    for (const std::uint64_t seed : {1u, 1000u, 1001u, 5u}) {
      const Array drawn = gradcheck::detail::draw_cotangent({4, 6}, dtype, seed);
      const auto ones = std::ranges::count_if(
          drawn.values, [&](Number value) { return value == drawn.values.front(); });
      EXPECT_LT(ones, 4);
    }
  }
}

TEST(Evidence, SparseGradientsOfMaximaAndClassesAreTrusted) {
  for (const char* name : {"max_pool2d", "nll_loss", "embedding"}) {
    for (const Attributes& attributes : variants(name)) {
      const Operator op = make_subject(Library::linked(), name, attributes).checked;
      const Report report = check_operator(op, {.dtypes = {DType::float32}, .behaviour = false});
      EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
    }
  }
}

}  // namespace
}  // namespace aclgrad::mutants
