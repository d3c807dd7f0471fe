// SPDX-License-Identifier: Apache-2.0
// ACLGRAD_CHECK=phases and streams.
#include <gmock/gmock.h>

#include "run_misuse.h"

namespace aclgrad::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Phases, ReportsEveryMisuse) {
  const Outcome outcome = run_misuse("two_phases", "ACLGRAD_CHECK=phases");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(StartsWith("aclgrad: phases: aclnnSelu was given a handle that is not a live "
                               "aclOpExecutor.\n"),
                    HasSubstr("It is aclOpExecutor 1, made by aclnnSeluGetWorkspaceSize"),
                    HasSubstr("and ended by aclnnSelu\n    at run_twice("),
                    HasSubstr("its tensor self was changed between the phases"),
                    HasSubstr("changed by aclSetRawTensorAddr\n    at change_between("),
                    HasSubstr("its tensor self was destroyed between the phases"),
                    HasSubstr("and ended by aclDestroyTensor\n    at destroy_between("),
                    HasSubstr("1 executor did not reach phase two before aclFinalize.\n"
                              "  aclOpExecutor 4")));
}

TEST(Streams, ReportsAReadBeforeTheStreamIsSynchronised) {
  const Outcome outcome = run_misuse("early_read", "ACLGRAD_CHECK=streams");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(StartsWith("aclgrad: streams: aclrtMemcpy (argument src) reads memory that "
                               "aclnnSelu (argument out) on stream 1 writes, and nothing orders "
                               "the two.\n"),
                    HasSubstr("Both touch bytes 0 to 63 of allocation 2")));
}

// As collectives do.
TEST(Streams, DoNotTakeAWokenStreamForASynchronisedOne) {
  const Outcome outcome = run_misuse("early_read wake", "ACLGRAD_CHECK=streams");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, StartsWith("aclgrad: streams: aclrtMemcpy (argument src) reads"));
}

TEST(Streams, ReportsTwoStreamsThatNoEventOrders) {
  const Outcome outcome = run_misuse("two_streams", "ACLGRAD_CHECK=streams");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("aclnnSelu (argument self) on stream 2 reads memory that aclnnSelu "
                              "(argument out) on stream 1 writes"),
                    HasSubstr("Both touch bytes 64 to 127 of allocation 1")));
}

TEST(Streams, ReportsAFreeThatATaskMayStillNeed) {
  const Outcome outcome = run_misuse("early_free", "ACLGRAD_CHECK=streams,memory");
  EXPECT_THAT(outcome.output,
              StartsWith("aclgrad: streams: aclrtFree (argument devPtr) writes memory that the "
                         "memory fill (argument devPtr) on stream 1 writes"));
}

TEST(Streams, ReportsAMissingOrderInsideARecording) {
  const Outcome outcome = run_misuse("forked_capture", "ACLGRAD_CHECK=streams");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              StartsWith("aclgrad: streams: aclnnSelu (argument self) on stream 2 reads memory "
                         "that aclnnSelu (argument out) on stream 1 writes"));
}

TEST(Streams, IsContentWithAnEvent) {
  const Outcome outcome = run_misuse("two_streams event", "ACLGRAD_CHECK=streams");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "");
}

TEST(Phases, KnowsAUsedUpExecutorFromALaterOne) {
  const Outcome outcome = run_misuse("late_run", "ACLGRAD_CHECK=phases");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              HasSubstr("It is aclOpExecutor 1, made by aclnnSeluGetWorkspaceSize"));
}

TEST(Streams, LearnFromAWaitThatIsOver) {
  const Outcome outcome = run_misuse("polled_event", "ACLGRAD_CHECK=streams");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "");
}

TEST(Streams, ForgetThoseThatAreDestroyed) {
  EXPECT_EQ(run_misuse("many_streams", "ACLGRAD_CHECK=streams").status, 0);
}

}  // namespace
}  // namespace aclgrad::test
