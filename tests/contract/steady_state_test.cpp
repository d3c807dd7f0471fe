// SPDX-License-Identifier: Apache-2.0
// What a training step does a thousand times a second: a replay of any operator takes nothing from
// the heap.
#include "aclgrad_ext.h"
#include "tests/contract/call.h"
#include "tests/ops/support/acl_fixture.h"
#include "tests/support/allocations.h"

namespace aclgrad::contract {
namespace {

class SteadyState : public testing::AclTest {
 protected:
  void replay(aclmdlRI model) {
    ASSERT_EQ(aclmdlRIExecuteAsync(model, stream()), 0) << library_.message();
    ASSERT_EQ(aclrtSynchronizeStream(stream()), 0) << library_.message();
  }

  // replay() on the stream's own thread: one that waits with a deadline leaves tasks to it.
  void replay_on_worker(aclmdlRI model) {
    constexpr int32_t kLong = 600'000;  // ms
    ASSERT_EQ(aclmdlRIExecuteAsync(model, stream()), 0) << library_.message();
    ASSERT_EQ(aclrtSynchronizeStreamWithTimeout(stream(), kLong), 0) << library_.message();
  }

  // In replays on either of the threads that may run them, after the first.
  int64_t allocations_in_replays(Call& call) {
    const Operator& row = call.row();
    EXPECT_EQ(call.plan(), 0) << library_.message();
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(call.executor()), is_repeatable(row) ? 0 : 561000);
    const testing::Buffer workspace(call.workspace_size());
    EXPECT_EQ(aclmdlRICaptureBegin(stream(), ACL_MODEL_RI_CAPTURE_MODE_RELAXED), 0);
    auto* const phase_two = library_.get<PhaseTwo>(row.name());
    EXPECT_EQ(phase_two(workspace.data(), call.workspace_size(), call.executor(), stream()), 0)
        << library_.message();
    aclmdlRI model = nullptr;
    EXPECT_EQ(aclmdlRICaptureEnd(stream(), &model), 0);
    replay(model);
    const int64_t before = allocation_count();
    for (int i = 0; i < 3; ++i) {
      replay(model);
      replay_on_worker(model);
    }
    const int64_t allocations = allocation_count() - before;
    EXPECT_EQ(aclmdlRIDestroy(model), 0);
    return allocations;
  }

  const Library library_;
};

TEST_F(SteadyState, ReplaysOfEveryOperatorAllocateNothing) {
  aclgradSetNumThreads(1);
  for (const Operator& row : all_contracts()) {
    if (plans_when_it_runs(row)) continue;
    std::vector<aclDataType> dtypes = row.domain.everywhere;
    dtypes.insert(dtypes.end(), row.domain.from_a2_on.begin(), row.domain.from_a2_on.end());
    for (const aclDataType dtype : dtypes) {
      for (const bool scattered : {false, true}) {
        Call call(library_, row, dtype);
        if (scattered) call.scatter();
        EXPECT_EQ(allocations_in_replays(call), 0)
            << row.name() << " " << dtype_name(dtype) << (scattered ? ", views" : "");
      }
    }
  }
}

// They are walked through without the lists of sizes that so many dimensions take.
TEST_F(SteadyState, SoDoReplaysOverViewsOfTenDimensions) {
  aclgradSetNumThreads(1);
  const Shape shape(10, 2);
  for (const Operator& row : all_contracts()) {
    if (row.name() != "aclnnSelu" && row.name() != "aclnnApplyAdamW") continue;
    for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16}) {
      Call call(library_, row, dtype);
      for (size_t i = 0; i < call.values().size(); ++i) {
        const TensorSpec* const spec = call.tensor_spec(i);
        if (spec == nullptr || spec->optional || spec->shape == Shape{1}) continue;
        call.values()[i] = call.scattered(shape, call.dtype_of(i));
      }
      EXPECT_EQ(allocations_in_replays(call), 0) << row.name() << " " << dtype_name(dtype);
    }
  }
}

TEST_F(SteadyState, WouldShowAllocationsOfTheLibraries) {
  const float one = 1;
  const int64_t before = allocation_count();
  const aclScalar* const scalar = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
  EXPECT_GT(allocation_count(), before);
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
}

}  // namespace
}  // namespace aclgrad::contract
