// SPDX-License-Identifier: Apache-2.0
// Every row on every instruction set that was compiled and that the machine has: the same bits.
#include <optional>

#include "tests/cases/run_case.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::cases {
namespace {

// Of the larger tensors two dtypes will do: vectors of 32 bits, and of 16.
const std::vector<Row>& in_few_dtypes() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all = value_cases();
    for (Row& row : all) row.keep_dtypes({ACL_FLOAT, ACL_BF16});
    return all;
  }();
  return rows;
}

class InstructionSets : public testing::AclTest, public ::testing::WithParamInterface<const Row*> {
 protected:
  // Larger products of bfloat16 numbers are those of all processors then.
  void SetUp() override {
    AclTest::SetUp();
    ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0), ACL_SUCCESS);
    testing::choose_targets(0);
    AclTest::TearDown();
  }
};

TEST_P(InstructionSets, GiveTheSameBits) {
  const Row& row = *GetParam();
  for (aclDataType dtype : row.dtypes()) {
    std::optional<RunResult> first;
    const Arrays inputs = draw_inputs(row.of_size(kTestSize), dtype, 1);
    testing::for_each_target([&](int64_t) {
      for (const LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kTransposed}) {
        if (layout != LayoutKind::kContiguous && has_unread_mask(inputs)) continue;
        const Layouts layouts = layouts_of(row, layout, LayoutKind::kContiguous);
        const RunResult run = run_case(row, dtype, layouts, stream(), 1, &inputs);
        if (!first) first = run;
        for (size_t k = 0; k < run.outputs.size(); ++k) {
          EXPECT_EQ(run.outputs[k].values, first->outputs[k].values)
              << row.name() << ", dtype " << dtype << ", " << to_string(layout) << ", output " << k;
        }
        EXPECT_FALSE(run.wrote_outside) << row.name() << ", " << to_string(layout);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, InstructionSets, ::testing::ValuesIn(cases_of(all_cases())),
                         test_name);
INSTANTIATE_TEST_SUITE_P(More, InstructionSets, ::testing::ValuesIn(cases_of(in_few_dtypes())),
                         test_name);

}  // namespace
}  // namespace aclgrad::cases
