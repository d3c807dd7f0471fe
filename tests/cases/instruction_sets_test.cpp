// SPDX-License-Identifier: Apache-2.0
// Every row on every instruction set that was compiled and that the machine has: the same bits.
// Only matrix products may differ, between instruction sets that fuse multiplication and addition
// and those that do not.
#include <map>

#include "tests/cases/run_case.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::cases {
namespace {

#ifndef HWY_SSE2  // Highway before 1.0.4
#define HWY_SSE2 0
#endif
constexpr int64_t kWithoutFusing = HWY_SSE2 | HWY_SSSE3 | HWY_SSE4 | HWY_EMU128 | HWY_SCALAR;

bool is_product(const Row& row) {
  return row.api().ends_with("Mm") || row.api().ends_with("mm") || row.api().ends_with("Matmul") ||
         row.api().starts_with("aclnnConvolution") ||
         row.api().starts_with("aclnnFlashAttention") ||
         row.api().starts_with("aclnnFusedInferAttention") || row.api().starts_with("aclnnLSTM") ||
         row.api().starts_with("aclnnLstm") || row.api().starts_with("aclnnGRU") ||
         row.api().ends_with("MatMul") || row.api().ends_with("MatmulV2") ||
         row.api() == "aclnnMv" || row.api() == "aclnnAddmv" || row.api() == "aclnnEinsum";
}

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
    std::map<bool, RunResult> expected;  // of instruction sets that fuse, and of the others
    const Arrays inputs = draw_inputs(row.of_size(kTestSize), dtype, 1);
    testing::for_each_target([&](int64_t target) {
      const bool fuses = !is_product(row) || (target & kWithoutFusing) == 0;
      for (const LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kTransposed}) {
        if (layout != LayoutKind::kContiguous && has_unread_mask(inputs)) continue;
        const Layouts layouts = layouts_of(row, layout, LayoutKind::kContiguous);
        const RunResult run = run_case(row, dtype, layouts, stream(), 1, &inputs);
        const RunResult& first = expected.emplace(fuses, run).first->second;
        for (size_t k = 0; k < run.outputs.size(); ++k) {
          EXPECT_EQ(run.outputs[k].values, first.outputs[k].values)
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
