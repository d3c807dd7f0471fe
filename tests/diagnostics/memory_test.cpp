// SPDX-License-Identifier: Apache-2.0
// ACLGRAD_CHECK=memory and uninit.
#include <gmock/gmock.h>

#include "run_misuse.h"

namespace aclgrad::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// Every program here asserts the status of its calls itself and ends with 0.
std::string report_of(const std::string& program, const std::string& check) {
  const Outcome outcome = run_misuse(program, "ACLGRAD_CHECK=" + check);
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  return outcome.output;
}

TEST(Memory, NamesOperatorArgumentAndAllocationOfAViewOutside) {
  EXPECT_THAT(report_of("outside", "memory"),
              AllOf(StartsWith("aclgrad: memory: aclnnSelu (argument self) on stream 1 reads "
                               "outside its allocation.\n"),
                    HasSubstr("bytes 0 to 127 of allocation 1 (64 bytes of device memory)"),
                    HasSubstr("the next synchronisation returns 507015")));
}

TEST(Memory, NamesWhoFreedWhatIsStillUsed) {
  EXPECT_THAT(report_of("use_after_free", "memory"),
              AllOf(StartsWith("aclgrad: memory: aclnnSelu (argument out) on stream 1 writes "
                               "memory that is freed.\n"),
                    HasSubstr("and ended by aclrtFree\n    at drop(void*)")));
}

TEST(Memory, KnowsWhatIsMapped) {
  EXPECT_THAT(report_of("unmapped", "memory,uninit,streams"),
              StartsWith("aclgrad: memory: aclnnSelu (argument self) on stream 1 reads reserved "
                         "addresses that have no memory.\n"));
}

TEST(Memory, ChecksTheTasksOfEveryReplay) {
  EXPECT_THAT(report_of("replayed", "memory"),
              AllOf(StartsWith("aclgrad: memory: aclnnSelu (argument out) on stream 1 writes "
                               "memory that is freed.\n"),
                    HasSubstr("and ended by aclrtFree")));
}

TEST(Memory, TellsAnOutputThatLiesPartlyOnAnInput) {
  const std::string report = report_of("overlap", "memory");
  EXPECT_THAT(
      report,
      AllOf(StartsWith("aclgrad: memory: aclnnSelu (argument out) on stream 1 writes memory "
                       "of argument self, and is not exactly the same view.\n"),
            HasSubstr("Both touch bytes 4 to 59 of allocation 1"),
            HasSubstr("what it computes is undefined")));
  EXPECT_EQ(report.rfind("aclgrad: memory"), 0U) << "exactly in place is allowed";
}

// As on a device, whose libraries compare no contiguous view with its storage.
TEST(Memory, HoldsViewsToTheirStorage) {
  EXPECT_EQ(run_misuse("short_storage", "").status, 0);
  EXPECT_EQ(run_misuse("short_storage", "ACLGRAD_CHECK=memory").status, 2);
}

TEST(Memory, HoldsCopiesToWhatWasAskedFor) {
  EXPECT_THAT(report_of("long_copy", "memory"),
              AllOf(StartsWith("aclgrad: memory: aclrtMemcpy (argument dst) writes outside its "
                               "allocation.\n"),
                    HasSubstr("padding of aclrtMalloc, so it is done")));
}

TEST(Memory, FindsWhatAHostFunctionWroteBehindAnAllocation) {
  EXPECT_THAT(report_of("overrun", "memory"),
              AllOf(StartsWith("aclgrad: memory: something wrote to byte 1 behind allocation 1"),
                    HasSubstr("noticed after the host function on stream 1")));
}

TEST(Memory, TellsMemoryThatADeviceCouldNotReach) {
  EXPECT_THAT(report_of("host_memory", "memory"),
              AllOf(HasSubstr("reads memory that no aclrtMalloc gave out"),
                    HasSubstr("The CPU can reach it, so it is run")));
}

TEST(Memory, KeepsAWildAddressFromCrashingTheProgram) {
  EXPECT_THAT(report_of("wild_memory", "memory"), HasSubstr("Nothing is there."));
  EXPECT_LT(run_misuse("wild_memory", "").status, 0);  // a signal
}

TEST(Uninit, NamesTheBytesThatWereNotWritten) {
  EXPECT_THAT(report_of("unwritten", "uninit"),
              AllOf(StartsWith("aclgrad: uninit: aclnnSelu (argument self) on stream 1 reads "
                               "device memory that was never written.\n"),
                    HasSubstr("Never written: bytes 32 to 63 of allocation 1")));
}

TEST(Checks, CanEndTheProgram) {
  const Outcome outcome = run_misuse("unwritten", "ACLGRAD_CHECK=uninit,abort");
  EXPECT_EQ(outcome.status, -6) << outcome.output;  // SIGABRT
  EXPECT_THAT(outcome.output, HasSubstr("was never written"));
}

TEST(Checks, ComplainAboutUnknownWords) {
  const Outcome outcome = run_misuse("unwritten", "ACLGRAD_CHECK=memroy");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, StartsWith("aclgrad: ACLGRAD_CHECK knows no \"memroy\"; its words "
                                         "are handles, memory, uninit, leaks, phases, streams, "
                                         "all and abort.\n"));
}

TEST(Checks, SayNothingWhenNotAskedFor) {
  for (const char* program :
       {"unwritten", "outside", "use_after_free", "long_copy", "leaks", "two_phases", "early_read",
        "two_streams", "overrun", "host_memory", "forked_capture"}) {
    EXPECT_EQ(run_misuse(program, "").output, "") << program;
  }
}

TEST(Checks, SurviveWithoutMemory) {
  const Outcome outcome = run_misuse("out_of_memory", "ACLGRAD_CHECK=all ACLGRAD_LOG=text");
  EXPECT_EQ(outcome.status, 0) << outcome.output.substr(outcome.output.size() / 2);
}

}  // namespace
}  // namespace aclgrad::test
