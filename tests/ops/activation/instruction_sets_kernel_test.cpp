// SPDX-License-Identifier: Apache-2.0
// The activations through the public interface on every instruction set that was compiled and that
// the machine has: the same bits from each, and really from each.
#include <gtest/gtest.h>

#include "tests/ops/activation/bit_runs.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::testing {
namespace {

class InstructionSets : public AclTest {
 protected:
  void TearDown() override {
    choose_targets(0);
    AclTest::TearDown();
  }
};

// x takes every pattern of a 16-bit dtype, and every 65,521st of FLOAT; the other inputs vary with
// it. The halves of GEGLU's tensor are cut from the same patterns.
std::vector<Bits> wide_inputs(const Activation& activation, aclDataType dtype) {
  const Bits x = all_bits(dtype, dtype == ACL_FLOAT ? 65521 : 1);
  std::vector<Bits> data = sample_inputs(activation, dtype, static_cast<int64_t>(x.size()));
  const size_t begin = activation.x.second_half ? x.size() : 0;
  std::copy(x.begin(), x.end(), data[activation.x.tensor].begin() + static_cast<long>(begin));
  return data;
}

TEST_F(InstructionSets, GiveTheSameBits) {
  for_each_activation([&](const Activation& activation, aclDataType dtype) {
    const std::vector<Bits> data = wide_inputs(activation, dtype);
    const size_t factor = static_cast<size_t>(activation.inputs[0]);
    const Shape shape{static_cast<int64_t>(data[0].size() / factor)};
    Bits expected;
    for_each_target([&](int64_t) {
      const BitRun run(activation, dtype, shape, data);
      ASSERT_EQ(run.run(stream()), 0) << recent_message();
      const Bits actual = run.results();
      if (expected.empty()) expected = actual;
      EXPECT_TRUE(same_bits(actual, expected));
    });
  });
}

// Highway notes when a call goes through its tables; one that bypasses them leaves no trace. The
// instruction set that the next call takes must be the one that was asked for.
TEST_F(InstructionSets, DispatchIsNotBypassed) {
  if (kOneTarget) GTEST_SKIP() << "there is nothing to choose from";
  const std::vector<int64_t> targets = all_targets();
  for_each_activation([&](const Activation& activation, aclDataType dtype) {
    for (const int64_t target : targets) {
      SCOPED_TRACE(hwy::TargetName(target));
      const BitRun run(activation, dtype, {100}, sample_inputs(activation, dtype, 100));
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().DeInit();
      ASSERT_EQ(run.run(stream()), 0) << recent_message();
      EXPECT_TRUE(hwy::GetChosenTarget().IsInitialized()) << "no kernel asked for a target";
      EXPECT_EQ(ops::chosen_instruction_set(), target);
    }
  });
}

#if defined(__x86_64__)
// As the compiler's own look at the processor finds it, among those that were compiled.
TEST_F(InstructionSets, TheBestOfTheMachineIsTaken) {
  int64_t best = HWY_STATIC_TARGET;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      (HWY_TARGETS & HWY_AVX2) != 0) {
    best = HWY_AVX2;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && (HWY_TARGETS & HWY_AVX3) != 0) {
    best = HWY_AVX3;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
  EXPECT_EQ(ops::chosen_instruction_set(), best)
      << hwy::TargetName(ops::chosen_instruction_set()) << " instead of " << hwy::TargetName(best);
}
#endif

}  // namespace
}  // namespace aclgrad::testing
