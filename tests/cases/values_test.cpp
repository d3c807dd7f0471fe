// SPDX-License-Identifier: Apache-2.0
// Every row, in every dtype and layout, against its exact reference.
#include "tests/cases/run_case.h"

namespace aclgrad::cases {
namespace {

class Values : public testing::AclTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(Values, MatchTheReference) {
  const Case& row = all_cases()[GetParam()];
  for (aclDataType dtype : row.dtypes) {
    for (Layout layout : kLayouts) {
      SCOPED_TRACE(row.name() + ", dtype " + std::to_string(dtype) + ", " + layout_name(layout));
      const RunResult run = run_case(row, dtype, layout, stream());
      EXPECT_EQ(judge(row, dtype, run), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Values, ::testing::Range(size_t{0}, all_cases().size()), test_name);

// ---- Properties that hold for every row ---------------------------------------------------------

class Properties : public testing::AclTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(Properties, BitsDependNeitherOnLayoutNorOnThreads) {
  const Case& row = all_cases()[GetParam()];
  for (aclDataType dtype : row.dtypes) {
    ASSERT_EQ(aclgradSetNumThreads(1), 0);
    const RunResult one = run_case(row, dtype, Layout::kContiguous, stream());
    ASSERT_EQ(aclgradSetNumThreads(2), 0);
    for (Layout layout : kLayouts) {
      const RunResult other = run_case(row, dtype, layout, stream());
      for (size_t k = 0; k < one.outputs.size(); ++k) {
        EXPECT_EQ(one.outputs[k].values, other.outputs[k].values)
            << row.name() << ", dtype " << dtype << ", " << layout_name(layout);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Properties, ::testing::Range(size_t{0}, all_cases().size()),
                         test_name);

TEST(Table, NamesAreUnique) {
  std::vector<std::string> names;
  for (const Case& row : all_cases()) names.push_back(row.name());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace aclgrad::cases
