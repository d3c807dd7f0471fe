// SPDX-License-Identifier: Apache-2.0
// What a training step does a thousand times a second: a replay of any operator takes nothing from
// the heap.
#include <algorithm>
#include <limits>

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

  // Puts views in the place of all tensors: columns first, and every other element.
  static void scatter(Call& call) {
    for (size_t i = 0; i < call.values().size(); ++i) {
      const TensorSpec* const spec = call.tensor_spec(i);
      if (spec == nullptr || spec->optional || spec->shape.empty()) continue;
      Shape strides;
      int64_t size = 2;
      for (const int64_t extent : spec->shape) {
        strides.push_back(size);
        size *= extent;
      }
      call.values()[i] = call.view(spec->shape, strides, 0, {size}, call.dtype_of(i));
    }
  }

  // In five replays, once all that is kept from run to run is there.
  int64_t allocations_in_replays(const Operator& row, aclDataType dtype, bool scattered) {
    Call call(library_, row, dtype);
    if (scattered) scatter(call);
    EXPECT_EQ(call.plan(), 0) << library_.message();
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(call.executor()), 0);
    const testing::Buffer workspace(call.workspace_size());
    EXPECT_EQ(aclmdlRICaptureBegin(stream(), ACL_MODEL_RI_CAPTURE_MODE_RELAXED), 0);
    auto* const phase_two = library_.get<PhaseTwo>(row.name);
    EXPECT_EQ(phase_two(workspace.data(), call.workspace_size(), call.executor(), stream()), 0)
        << library_.message();
    aclmdlRI model = nullptr;
    EXPECT_EQ(aclmdlRICaptureEnd(stream(), &model), 0);
    // Either of two threads may run a replay, the stream's and the one that waits, and each makes
    // room for its scratch memory when it first does.
    int64_t least = std::numeric_limits<int64_t>::max();
    for (int round = 0; round < 5 && least > 0; ++round) {
      const int64_t before = allocation_count();
      for (int i = 0; i < 5; ++i) replay(model);
      least = std::min(least, allocation_count() - before);
    }
    EXPECT_EQ(aclmdlRIDestroy(model), 0);
    return least;
  }

  const Library library_;
};

TEST_F(SteadyState, ReplaysOfEveryOperatorAllocateNothing) {
  aclgradSetNumThreads(1);
  for (const Operator& row : operators()) {
    std::vector<aclDataType> dtypes = row.everywhere;
    dtypes.insert(dtypes.end(), row.from_a2_on.begin(), row.from_a2_on.end());
    for (const aclDataType dtype : dtypes) {
      for (const bool scattered : {false, true}) {
        EXPECT_EQ(allocations_in_replays(row, dtype, scattered), 0)
            << row.name << " " << dtype_name(dtype) << (scattered ? ", views" : "");
      }
    }
  }
}

}  // namespace
}  // namespace aclgrad::contract
