// SPDX-License-Identifier: Apache-2.0
// Results do not depend on the floating-point environment of the program: operators compute in the
// default one on every thread, and leave the caller's as it was.
#include "tests/environment/sample.h"
#include "tests/ops/runtime/support.h"

namespace aclgrad::test {
namespace {

// Enough for several threads in every elementwise operator.
constexpr int64_t kSize = 2048;

class InFloatModes : public testing::AclTest, public ::testing::WithParamInterface<size_t> {
 protected:
  const FloatMode* mode() const { return &float_modes()[GetParam()]; }
};

// The threads of the library are made in the mode, as in a program that begins with it. Every mode
// has another dtype of an operator; that each is right in each mode, the test below shows.
class OnThreadsInFloatModes : public InFloatModes {};

TEST_P(OnThreadsInFloatModes, OperatorsComputeTheSame) {
  ASSERT_EQ(aclgradSetNumThreads(2), 0);
  for (const cases::Row* row : a_row_of_each_operator()) {
    const std::vector<aclDataType> dtypes = floating_dtypes(*row);
    if (dtypes.empty()) continue;
    const aclDataType dtype = dtypes[GetParam() % dtypes.size()];
    SCOPED_TRACE(row->name() + ", dtype " + std::to_string(dtype));
    const std::vector<Bytes> inside = PreparedRow(*row, dtype, kSize).run(stream(), mode());
    EXPECT_TRUE(inside == PreparedRow(*row, dtype, kSize).run(stream(), nullptr));
  }
}

TEST_P(InFloatModes, OneThreadComputesTheSame) {
  ASSERT_EQ(aclgradSetNumThreads(1), 0);
  for (const cases::Row& row : cases::all_cases()) {
    for (const aclDataType dtype : floating_dtypes(row)) {
      SCOPED_TRACE(row.name() + ", dtype " + std::to_string(dtype));
      const auto run = [&](const FloatMode* in_mode) {
        return PreparedRow(row, dtype, cases::kTestSize).run(stream(), in_mode);
      };
      const std::vector<Bytes> inside = run(mode());
      EXPECT_TRUE(inside == run(nullptr));
    }
  }
}

// On the waiting thread, on the worker, on helpers: programs' own tasks find the default, too.
TEST_P(InFloatModes, TasksRunInTheDefaultEnvironment) {
  constexpr uint64_t kFlags = 0x3f;
  const uint64_t usual = float_state() & ~kFlags;
  const auto measure = [&](std::atomic<int>& others) {
    if ((float_state() & ~kFlags) != usual) ++others;
  };
  std::atomic<int> others = 0;
  {
    const InFloatMode in_mode(mode());
    for (int i = 0; i < 100; ++i) {
      // What a host function leaves behind is not the next task's.
      aclrtLaunchHostFunc(
          stream(), [](void* enter) { reinterpret_cast<void (*)()>(enter)(); },
          reinterpret_cast<void*>(mode()->enter));
      for (int k = 0; k < 3; ++k) {
        launch(stream(), [&, k] {
          measure(others);
          if (k == 1) mode()->enter();  // nor what a task does
          return ACL_SUCCESS;
        });
      }
      if (i % 2 == 0) {
        aclrtSynchronizeStream(stream());
      } else {
        aclrtSynchronizeStreamWithTimeout(stream(), 60000);
      }
    }
    aclgradSetNumThreads(2);
    using Measure = std::pair<decltype(measure)*, std::atomic<int>*>;
    Measure both{&measure, &others};
    aclgradParallelFor(
        1000,
        [](void* context, int64_t) {
          const auto& [run, count] = *static_cast<Measure*>(context);
          (*run)(*count);
        },
        &both);
  }
  EXPECT_EQ(others, 0);
}

TEST_P(InFloatModes, HalvesRoundTheSame) {
  for (uint32_t i = 0; i < 100000; ++i) {
    const auto value = std::bit_cast<float>(0x32000000U + i * 2750U);  // from 2^-27 to 2^5
    const aclFloat16 usual = aclFloatToFloat16(value);
    aclFloat16 inside = 0;
    {
      const InFloatMode in_mode(mode());
      inside = aclFloatToFloat16(value);
    }
    ASSERT_EQ(usual, inside) << value;
  }
}

const auto name_of_mode = [](const auto& row) { return float_modes()[row.param].name; };
INSTANTIATE_TEST_SUITE_P(Modes, InFloatModes, ::testing::Range(size_t{0}, float_modes().size()),
                         name_of_mode);
// One of each kind: what is flushed, how is rounded, what traps.
INSTANTIATE_TEST_SUITE_P(Modes, OnThreadsInFloatModes,
                         ::testing::Values(size_t{0}, size_t{1}, float_modes().size() - 1),
                         name_of_mode);

}  // namespace
}  // namespace aclgrad::test
