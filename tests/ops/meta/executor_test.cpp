// SPDX-License-Identifier: Apache-2.0
// The two phases, shown with an operator made for the purpose: out = self + 1 over ints. It takes a
// workspace of 64 bytes, into which it writes.
#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclgrad_ext.h"
#include "aclnn/aclnn_base.h"
#include "ops/meta/operator.h"
#include "ops/meta/rules.h"
#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::ops {
namespace {

using ::aclgrad::testing::recent_message;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const OperatorSpec kIncrement{"aclnnIncrement",
                              {input("self"), output("out")},
                              {not_null({0, 1}), dtype_in(0, {ACL_INT32}), same_shape(1, 0)}};

constexpr uint64_t kWorkspace = 64;

Plan plan_increment(const Arguments& arguments) {
  const int64_t count = count_elements(arguments.shape(0));
  if (count == 0) return {};
  if (count == 13) throw PlanError{561002, "13 elements are unlucky."};
  return {[count](const Run& run) -> aclError {
            *static_cast<int*>(run.workspace()) = 1;
            for (int64_t i = 0; i < count; ++i) run.data<int>(1)[i] = run.data<int>(0)[i] + 1;
            return run.data<int>(0)[0] == -99 ? ACL_ERROR_RT_INTERNAL_ERROR : ACL_SUCCESS;
          },
          kWorkspace};
}

class TwoPhases : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    self_ = tensor(a_.data());
    out_ = tensor(b_.data());
    recent_message();
  }
  void TearDown() override {
    aclDestroyTensor(self_);
    aclDestroyTensor(out_);
    aclrtDestroyStream(stream_);
    aclrtResetDevice(0);
  }

  static aclTensor* tensor(void* data, int64_t count = 3, int64_t storage = 3, int64_t stride = 1) {
    return aclCreateTensor(&count, 1, ACL_INT32, &stride, 0, ACL_FORMAT_ND, &storage, 1, data);
  }
  aclnnStatus phase_one() {
    return plan_operator(kIncrement, {self_, out_}, &size_, &executor_, plan_increment);
  }
  aclnnStatus phase_two() {
    return run_operator("aclnnIncrement", workspace_, size_, executor_, stream_);
  }

  aclrtStream stream_ = nullptr;
  std::vector<int> a_ = {1, 2, 3};
  std::vector<int> b_ = {0, 0, 0};
  aclTensor* self_ = nullptr;
  aclTensor* out_ = nullptr;
  alignas(64) char workspace_[kWorkspace] = {};
  uint64_t size_ = 12345;
  aclOpExecutor* executor_ = nullptr;
};

TEST_F(TwoPhases, PlanThenRun) {
  ASSERT_EQ(phase_one(), OK);
  EXPECT_EQ(size_, kWorkspace);
  EXPECT_THAT(b_, ElementsAre(0, 0, 0)) << "phase one runs nothing";
  ASSERT_EQ(phase_two(), OK);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(b_, ElementsAre(2, 3, 4));
}

TEST_F(TwoPhases, TensorsMayGoAfterPhaseTwo) {
  ASSERT_EQ(phase_one(), OK);
  ASSERT_EQ(phase_two(), OK);
  aclDestroyTensor(self_);
  aclDestroyTensor(out_);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(b_, ElementsAre(2, 3, 4));
  self_ = out_ = nullptr;
}

TEST_F(TwoPhases, FailureLeavesOutputsUntouched) {
  aclOpExecutor* const before = executor_ = reinterpret_cast<aclOpExecutor*>(0x10);
  aclTensor* const real = out_;
  out_ = nullptr;
  EXPECT_EQ(phase_one(), 161001);
  EXPECT_EQ(size_, 12345u);
  EXPECT_EQ(executor_, before);
  EXPECT_THAT(recent_message(), AllOf(HasSubstr("EZ1001"), HasSubstr("AclNN_Parameter_Error"),
                                      HasSubstr("aclnnIncrement"), HasSubstr("out")));
  out_ = real;
}

TEST_F(TwoPhases, WorkspaceSizeAndExecutorComeBeforeEverything) {
  EXPECT_EQ(plan_operator(kIncrement, {static_cast<aclTensor*>(nullptr), out_}, nullptr, &executor_,
                          plan_increment),
            161001);
  EXPECT_THAT(recent_message(), HasSubstr("workspaceSize"));
  EXPECT_EQ(plan_operator(kIncrement, {static_cast<aclTensor*>(nullptr), out_}, &size_, nullptr,
                          plan_increment),
            161001);
  EXPECT_THAT(recent_message(), HasSubstr("executor"));
}

TEST_F(TwoPhases, AViewOutsideItsStorageIsRefused) {
  aclTensor* strided = tensor(a_.data(), 3, 4, 2);
  EXPECT_EQ(plan_operator(kIncrement, {strided, out_}, &size_, &executor_, plan_increment), 561103);
  EXPECT_THAT(recent_message(),
              AllOf(HasSubstr("ViewShape overlap."), HasSubstr("input tensor self")));
  aclTensor* contiguous = tensor(a_.data(), 3, 2);
  EXPECT_EQ(plan_operator(kIncrement, {contiguous, out_}, &size_, &executor_, plan_increment),
            161002);
  EXPECT_EQ(plan_operator(kIncrement, {self_, contiguous}, &size_, &executor_, plan_increment),
            161002);
  EXPECT_THAT(recent_message(), HasSubstr("output tensor out"));
  aclDestroyTensor(strided);
  aclDestroyTensor(contiguous);
}

// Whatever its storage says: programs often derive that from the view. Memory that the runtime did
// not give has no known end.
TEST_F(TwoPhases, AViewBeyondItsAllocationIsRefused) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMallocAlign32(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  const auto plan = [&](void* data, int64_t count, int64_t stride = 1) {
    aclTensor* view = tensor(data, count, 4000, stride);
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status =
        plan_operator(kIncrement, {view, view}, &size_, &executor, plan_increment);
    if (executor != nullptr) aclDestroyAclOpExecutor(executor);
    aclDestroyTensor(view);
    return status;
  };
  int* const first = static_cast<int*>(memory);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(plan(first, 16), OK);
    EXPECT_EQ(plan(first, 17), 161002);
    EXPECT_THAT(recent_message(),
                AllOf(HasSubstr("input tensor self"), HasSubstr("[17]"),
                      HasSubstr("reaches 68 bytes"), HasSubstr("at most the 64 that")));
    EXPECT_EQ(plan(first + 5, 11), OK);
    EXPECT_EQ(plan(first + 5, 12), 161002);
    EXPECT_EQ(plan(first, 8, 2), OK);
    EXPECT_EQ(plan(first, 9, 2), 161002) << "strided";
    EXPECT_EQ(plan(first, 0), OK);
  }
  // What is freed, and what comes in its place, is seen at once.
  ASSERT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(plan(first, 17), OK);
  std::vector<int> own(4000);
  EXPECT_EQ(plan(own.data(), 4000), OK);
}

TEST_F(TwoPhases, APlannerMayRefuse) {
  std::vector<int> thirteen(13);
  aclTensor* tensor13 = tensor(thirteen.data(), 13, 13);
  EXPECT_EQ(plan_operator(kIncrement, {tensor13, tensor13}, &size_, &executor_, plan_increment),
            561002);
  EXPECT_THAT(recent_message(), AllOf(HasSubstr("AclNN_Inner_Error"), HasSubstr("unlucky")));
  aclDestroyTensor(tensor13);
}

TEST_F(TwoPhases, EmptyNeedsNothing) {
  aclTensor* empty = tensor(nullptr, 0, 0);
  ASSERT_EQ(plan_operator(kIncrement, {empty, empty}, &size_, &executor_, plan_increment), OK);
  EXPECT_EQ(size_, 0u);
  EXPECT_NE(executor_, nullptr);
  EXPECT_EQ(run_operator("aclnnIncrement", nullptr, 0, executor_, stream_), OK);
  aclDestroyTensor(empty);
}

TEST_F(TwoPhases, DestroyedTensorIsNamed) {
  aclTensor* gone = tensor(a_.data());
  aclDestroyTensor(gone);
  EXPECT_EQ(plan_operator(kIncrement, {gone, out_}, &size_, &executor_, plan_increment), 161002);
  EXPECT_THAT(recent_message(), AllOf(HasSubstr("self"), HasSubstr("destroyed")));
}

TEST_F(TwoPhases, PhaseTwoChecksItsArguments) {
  EXPECT_EQ(run_operator("aclnnIncrement", workspace_, kWorkspace, nullptr, stream_), 161001);
  EXPECT_THAT(recent_message(), HasSubstr("executor"));

  ASSERT_EQ(phase_one(), OK);
  EXPECT_EQ(run_operator("aclnnIncrement", nullptr, kWorkspace, executor_, stream_), 161001);
  EXPECT_THAT(recent_message(), HasSubstr("workspace"));
  EXPECT_EQ(phase_two(), 561103) << "the executor went with the failure";

  ASSERT_EQ(phase_one(), OK);
  EXPECT_EQ(run_operator("aclnnIncrement", workspace_, kWorkspace - 1, executor_, stream_), 161002);
  EXPECT_THAT(recent_message(), AllOf(HasSubstr("63"), HasSubstr("64")));
  EXPECT_EQ(phase_two(), 561103);
  EXPECT_THAT(b_, ElementsAre(0, 0, 0));
}

TEST_F(TwoPhases, AnotherOperatorsExecutorIsRefusedAndStays) {
  ASSERT_EQ(phase_one(), OK);
  EXPECT_EQ(run_operator("aclnnDecrement", workspace_, size_, executor_, stream_), 561103);
  EXPECT_THAT(recent_message(), AllOf(HasSubstr("aclnnDecrement"), HasSubstr("aclnnIncrement")));
  ASSERT_EQ(phase_two(), OK);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(b_, ElementsAre(2, 3, 4));
}

TEST_F(TwoPhases, ASingleUseExecutorRunsOnce) {
  ASSERT_EQ(phase_one(), OK);
  ASSERT_EQ(phase_two(), OK);
  recent_message();
  EXPECT_EQ(phase_two(), 561103);
  EXPECT_THAT(recent_message(), AllOf(HasSubstr("single-use"), HasSubstr("The program used it "
                                                                         "wrongly")));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor_), 561000);
  EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor_), 561000);
}

TEST_F(TwoPhases, AStreamOfAnotherContextIsARuntimeError) {
  ASSERT_EQ(phase_one(), OK);
  aclnnStatus status = OK;
  std::string message;
  std::thread([&] {  // this thread has no context
    status = phase_two();
    message = recent_message();
  })
      .join();
  EXPECT_EQ(status, 361001);
  EXPECT_THAT(message, HasSubstr("AclNN_Runtime_Error"));
}

TEST_F(TwoPhases, ARepeatableExecutorRunsAgainAndMoves) {
  ASSERT_EQ(phase_one(), OK);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor_), OK);
  ASSERT_EQ(phase_two(), OK);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  a_ = {10, 20, 30};
  ASSERT_EQ(phase_two(), OK);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(b_, ElementsAre(11, 21, 31));

  std::vector<int> other_in = {5, 6, 7};
  std::vector<int> other_out(3);
  ASSERT_EQ(aclSetInputTensorAddr(executor_, 17, self_, other_in.data()), OK)
      << "index is not used";
  ASSERT_EQ(AclSetOutputTensorAddr(executor_, 0, out_, other_out.data()), OK);
  ASSERT_EQ(phase_two(), OK);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(other_out, ElementsAre(6, 7, 8));
  EXPECT_THAT(b_, ElementsAre(11, 21, 31));
  void* address = nullptr;
  aclGetRawTensorAddr(self_, &address);
  EXPECT_EQ(address, other_in.data());

  EXPECT_EQ(run_operator("aclnnIncrement", nullptr, kWorkspace, executor_, stream_), 161001);
  EXPECT_EQ(phase_two(), 561103) << "a missing workspace destroys a repeatable executor, too";
}

// Threads remember the executor that they used last.
TEST_F(TwoPhases, AnExecutorThatAnotherThreadDestroysIsGone) {
  ASSERT_EQ(phase_one(), OK);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor_), OK);
  ASSERT_EQ(phase_two(), OK);
  ASSERT_EQ(phase_two(), OK);
  std::thread([&] { ASSERT_EQ(aclDestroyAclOpExecutor(executor_), OK); }).join();
  EXPECT_EQ(phase_two(), 561103);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(TwoPhases, RunsQueuedBeforeAMoveKeepTheirAddresses) {
  ASSERT_EQ(phase_one(), OK);
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor_), OK);
  std::vector<int> other_out(3);
  ASSERT_EQ(phase_two(), OK);
  ASSERT_EQ(aclSetTensorAddr(executor_, 1, out_, other_out.data()), OK);
  ASSERT_EQ(phase_two(), OK);
  ASSERT_EQ(aclDestroyAclOpExecutor(executor_), OK);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_THAT(b_, ElementsAre(2, 3, 4));
  EXPECT_THAT(other_out, ElementsAre(2, 3, 4));
}

TEST_F(TwoPhases, AddressSettersRefuseWhatTheyDoNotKnow) {
  ASSERT_EQ(phase_one(), OK);
  aclTensor* invalid_handle = tensor(nullptr);
  EXPECT_EQ(aclSetTensorAddr(nullptr, 0, invalid_handle, a_.data()), 561103);
  void* address = nullptr;
  aclGetRawTensorAddr(invalid_handle, &address);
  EXPECT_EQ(address, a_.data()) << "the tensor changes before the executor is looked at";
  EXPECT_EQ(aclSetInputTensorAddr(executor_, 0, invalid_handle, a_.data()), 161002);
  EXPECT_THAT(recent_message(), HasSubstr("aclnnIncrement"));

  const aclTensor* elements[] = {invalid_handle};
  aclTensorList* list = aclCreateTensorList(elements, 1);
  EXPECT_EQ(aclSetDynamicOutputTensorAddr(executor_, 0, 1, list, nullptr), 161002);
  EXPECT_THAT(recent_message(), HasSubstr("relativeIndex"));
  EXPECT_EQ(aclSetDynamicTensorAddr(executor_, 0, 0, list, nullptr), 161002);
  aclDestroyTensorList(list);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor_), OK);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor_), 561000);
}

TEST_F(TwoPhases, AFailingTaskShowsAtTheNextSynchronisation) {
  a_[0] = -99;
  ASSERT_EQ(phase_one(), OK);
  ASSERT_EQ(phase_two(), OK);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_INTERNAL_ERROR);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "reported once";
}

TEST(Library, InitAndFinalizeAlwaysSucceed) {
  EXPECT_EQ(aclnnInit(nullptr), 0);
  EXPECT_EQ(aclnnInit(nullptr), 0);
  EXPECT_EQ(aclnnFinalize(), 0);
  EXPECT_EQ(aclnnFinalize(), 0);
}

TEST(Library, DumpingIsNotConfiguredAndSucceeds) {
  aclGetRecentErrMsg();  // forgets what earlier tests left
  EXPECT_EQ(aclDumpOpTensors("Selu", "selu_1", nullptr, 1, 1, nullptr), 0);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

}  // namespace
}  // namespace aclgrad::ops
