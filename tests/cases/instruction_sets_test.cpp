// SPDX-License-Identifier: Apache-2.0
// Every row on every instruction set that was compiled and that the machine has: the same bits.
// Only matrix products may differ, between instruction sets that fuse multiplication and addition
// and those that do not.
#include <map>

#include "tests/cases/run_case.h"
#include "tests/ops/kernels/targets.h"

namespace aclgrad::cases {
namespace {

#ifndef HWY_SSE2  // Highway before 1.0.4
#define HWY_SSE2 0
#endif
constexpr int64_t kWithoutFusing = HWY_SSE2 | HWY_SSSE3 | HWY_SSE4 | HWY_EMU128 | HWY_SCALAR;

bool is_product(const Case& row) {
  return row.api.ends_with("Mm") || row.api.ends_with("mm") || row.api.ends_with("Matmul") ||
         row.api.starts_with("aclnnConvolution") ||

         row.api.ends_with("MatMul");
}

class InstructionSets : public testing::AclTest, public ::testing::WithParamInterface<size_t> {
 protected:
  void TearDown() override {
    testing::choose_targets(0);
    AclTest::TearDown();
  }
};

TEST_P(InstructionSets, GiveTheSameBits) {
  const Case& row = all_cases()[GetParam()];
  for (aclDataType dtype : row.dtypes) {
    std::map<bool, RunResult> expected;  // of instruction sets that fuse, and of the others
    testing::for_each_target([&](int64_t target) {
      const bool fuses = !is_product(row) || (target & kWithoutFusing) == 0;
      const RunResult run = run_case(row, dtype, Layout::kContiguous, stream());
      const RunResult& first = expected.emplace(fuses, run).first->second;
      for (size_t k = 0; k < run.outputs.size(); ++k) {
        EXPECT_EQ(run.outputs[k].values, first.outputs[k].values)
            << row.name() << ", dtype " << dtype << ", output " << k;
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, InstructionSets, ::testing::Range(size_t{0}, all_cases().size()),
                         test_name);

}  // namespace
}  // namespace aclgrad::cases
