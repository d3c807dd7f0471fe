// SPDX-License-Identifier: Apache-2.0
// Pairs of functions with a reference, in every floating dtype: what is right is right whatever the
// seed, and every planted mistake is found in every dtype.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "aclgrad/error.h"
#include "tests/autograd/reference_pairs.h"

namespace aclgrad::gradcheck {
namespace {

using namespace test;
using ::testing::HasSubstr;

// ACLGRAD_SEEDS=1000 takes that many.
std::uint64_t seeds() {
  const char* given = std::getenv("ACLGRAD_SEEDS");
  return given == nullptr ? 10 : std::strtoull(given, nullptr, 10);
}

TEST(ReferencePairs, ThatAreRightAreRightWhateverTheSeed) {
  for (const Kernel& kernel : kernels()) {
    for (const DType dtype : kDTypes) {
      int alarms = 0;
      for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        const Report report = check_functions(pair_of(kernel, dtype), {.seed = seed});
        EXPECT_GT(report.right, 30);
        if (report.verdict() == Verdict::right || ++alarms > 2) continue;
        ADD_FAILURE() << kernel.name << ", " << short_name(dtype) << ", seed " << seed << "\n"
                      << report.to_string();
      }
      EXPECT_EQ(alarms, 0) << kernel.name << ", " << short_name(dtype);
    }
  }
}

TEST(ReferencePairs, WithAMistakeAreWrongInEveryDType) {
  for (const Kernel& kernel : kernels()) {
    for (const DType dtype : kDTypes) {
      for (std::size_t m = 1; m <= kernel.mistakes.size(); ++m) {
        const Report report = check_functions(pair_of(kernel, dtype, static_cast<int>(m)));
        EXPECT_EQ(report.verdict(), Verdict::wrong)
            << kernel.name << ", " << short_name(dtype) << ": " << kernel.mistakes[m - 1] << "\n"
            << report.to_string();
      }
    }
  }
}

}  // namespace
}  // namespace aclgrad::gradcheck
