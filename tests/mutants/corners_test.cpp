// SPDX-License-Identifier: Apache-2.0
// The library's operators that mix elements have no corners: searched for along many lines.
#include <gtest/gtest.h>

#include "gradcheck/core/problem.h"
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using namespace gradcheck;

TEST(Corners, ThereAreNoneWhereElementsAreMixed) {
  constexpr int kLines = 12;
  const LibraryPointer library = Library::linked();
  int searched = 0;
  for (const std::string& name : differentiable_names()) {
    for (const Attributes& attributes : variants(name)) {
      const Target target = make_target(library, name, attributes);
      const Candidate& candidate = target.candidate;
      if (!target.has_gradient() || candidate.is_elementwise()) continue;
      if (name == "l1_loss") continue;                   // where a prediction meets its target
      if (name.find("max_pool") != name.npos) continue;  // where two elements of a window are equal
      if (name.starts_with("grid_sampler")) continue;    // where a coordinate meets an element
      if (name == "prelu") continue;                     // where x is 0
      Arrays inputs = gradcheck::detail::draw_inputs(candidate, DType::float32, 3, {});
      EXPECT_EQ(gradcheck::detail::put_on_corners(candidate, DType::float32, 3, kLines, inputs), 0u)
          << candidate.title();
      ++searched;
    }
  }
  EXPECT_GT(searched, 40);
}

}  // namespace
}  // namespace aclgrad::mutants
