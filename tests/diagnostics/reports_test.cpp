// SPDX-License-Identifier: Apache-2.0
// ACLGRAD_CHECK: what each check says about a program that misuses the interface in one way.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "run_misuse.h"

namespace aclgrad::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Report {
  const char* fact;
  const char* program;  // which looks at the statuses of its calls itself, and ends with 0
  const char* checks;
  std::vector<const char*> pieces;  // the first one begins the report; "" without any
};

const std::vector<Report> kReports = {
    {"a dead handle, and what it was",
     "destroyed_stream",
     "handles",
     {"aclgrad: handles: aclrtSynchronizeStream was given a handle that is not a live stream",
      "It is stream 2, made by aclrtCreateStream", "and ended by aclrtDestroyStream",
      "at close_up(void*) (destroyed_stream+0x"}},
    {"a view outside its allocation",
     "outside",
     "memory",
     {"aclgrad: memory: aclnnSelu (argument self) on stream 1 reads outside its allocation.\n",
      "bytes 0 to 127 of allocation 1 (64 bytes of device memory)",
      "the next synchronisation returns 507015"}},
    {"who freed what is still used",
     "use_after_free",
     "memory",
     {"aclgrad: memory: aclnnSelu (argument out) on stream 1 writes memory that is freed.\n",
      "and ended by aclrtFree\n    at drop(void*)"}},
    {"addresses that are not mapped",
     "unmapped",
     "memory,uninit,streams",
     {"aclgrad: memory: aclnnSelu (argument self) on stream 1 reads reserved addresses that have "
      "no memory.\n"}},
    {"tasks of every replay",
     "replayed",
     "memory",
     {"aclgrad: memory: aclnnSelu (argument out) on stream 1 writes memory that is freed.\n",
      "and ended by aclrtFree"}},
    {"an output that lies partly on an input",
     "overlap",
     "memory",
     {"aclgrad: memory: aclnnSelu (argument out) on stream 1 writes memory of argument self, and "
      "is not exactly the same view.\n",
      "Both touch bytes 4 to 59 of allocation 1", "what it computes is undefined"}},
    {"a copy beyond what was asked for",
     "long_copy",
     "memory",
     {"aclgrad: memory: aclrtMemcpy (argument dst) writes outside its allocation.\n",
      "padding of aclrtMalloc, so it is done"}},
    {"what a host function wrote behind an allocation",
     "overrun",
     "memory",
     {"aclgrad: memory: something wrote to byte 1 behind allocation 1",
      "noticed after the host function on stream 1"}},
    {"memory that a device could not reach",
     "host_memory",
     "memory",
     {"aclgrad: memory: ", "reads memory that no aclrtMalloc gave out",
      "The CPU can reach it, so it is run"}},
    {"a wild address, which does not crash",
     "wild_memory",
     "memory",
     {"aclgrad: memory: ", "Nothing is there."}},
    {"bytes that were not written",
     "unwritten",
     "uninit",
     {"aclgrad: uninit: aclnnSelu (argument self) on stream 1 reads device memory that was never "
      "written.\n",
      "Never written: bytes 32 to 63 of allocation 1"}},
    {"what is left, with its places",
     "leaks",
     "leaks",
     {"aclgrad: leaks: ", "6 things were not given back before aclFinalize",
      "aclTensor 1 and 2 more of its kind, made by aclCreateTensor",
      "at make_tensor(void*) (leaks+0x", "aclScalar 1, made by aclCreateScalar",
      "allocation 1 (64 bytes of device memory), made by aclrtMalloc",
      "event 2, made by aclrtCreateEvent"}},
    {"every misuse of the two phases",
     "two_phases",
     "phases",
     {"aclgrad: phases: aclnnSelu was given a handle that is not a live aclOpExecutor.\n",
      "It is aclOpExecutor 1, made by aclnnSeluGetWorkspaceSize",
      "and ended by aclnnSelu\n    at run_twice(", "its tensor self was changed between the phases",
      "changed by aclSetRawTensorAddr\n    at change_between(",
      "its tensor self was destroyed between the phases",
      "and ended by aclDestroyTensor\n    at destroy_between(",
      "1 executor did not reach phase two before aclFinalize.\n  aclOpExecutor 4"}},
    {"a used-up executor, not a later one at its place",
     "late_run",
     "phases",
     {"aclgrad: phases: ", "It is aclOpExecutor 1, made by aclnnSeluGetWorkspaceSize"}},
    {"a read before the stream is synchronised",
     "early_read",
     "streams",
     {"aclgrad: streams: aclrtMemcpy (argument src) reads memory that aclnnSelu (argument out) on "
      "stream 1 writes, and nothing orders the two.\n",
      "Both touch bytes 0 to 63 of allocation 2"}},
    {"a stream that is woken, as collectives do, which synchronises nothing",
     "early_read wake",
     "streams",
     {"aclgrad: streams: aclrtMemcpy (argument src) reads"}},
    {"two streams that no event orders",
     "two_streams",
     "streams",
     {"aclgrad: streams: aclnnSelu (argument self) on stream 2 reads memory that aclnnSelu "
      "(argument out) on stream 1 writes",
      "Both touch bytes 64 to 127 of allocation 1"}},
    {"a free that a task may still need",
     "early_free",
     "streams,memory",
     {"aclgrad: streams: aclrtFree (argument devPtr) writes memory that the memory fill (argument "
      "devPtr) on stream 1 writes"}},
    {"an order that a recording lacks",
     "forked_capture",
     "streams",
     {"aclgrad: streams: aclnnSelu (argument self) on stream 2 reads memory that aclnnSelu "
      "(argument out) on stream 1 writes"}},
    {"nothing where an event orders them", "two_streams event", "streams", {}},
    {"nothing after a wait that is over", "polled_event", "streams", {}},
};

TEST(Reports, SayWhatIsWrongAndWhere) {
  for (const Report& each : kReports) {
    SCOPED_TRACE(each.fact);
    const Outcome outcome = run_misuse(each.program, std::string("ACLGRAD_CHECK=") + each.checks);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    if (each.pieces.empty()) {
      EXPECT_EQ(outcome.output, "");
      continue;
    }
    EXPECT_THAT(outcome.output, StartsWith(each.pieces.front()));
    for (const char* piece : each.pieces) EXPECT_THAT(outcome.output, HasSubstr(piece));
  }
}

TEST(Reports, SayNothingWhenNotAskedFor) {
  for (const char* program :
       {"unwritten", "outside", "use_after_free", "long_copy", "leaks", "two_phases", "early_read",
        "two_streams", "overrun", "host_memory", "forked_capture", "destroyed_stream"}) {
    EXPECT_EQ(run_misuse(program, "").output, "") << program;
  }
  EXPECT_LT(run_misuse("wild_memory", "").status, 0);  // a signal
}

TEST(Reports, LeaveOutWhatIsRight) {
  const std::string overlap = run_misuse("overlap", "ACLGRAD_CHECK=memory").output;
  EXPECT_EQ(overlap.rfind("aclgrad: memory"), 0U) << "exactly in place is allowed";
  const std::string leaks = run_misuse("leaks", "ACLGRAD_CHECK=leaks").output;
  EXPECT_THAT(leaks, Not(HasSubstr("event 1")));
  EXPECT_THAT(leaks, Not(HasSubstr("stream")));
}

// As on a device, whose libraries compare no contiguous view with its storage.
TEST(Memory, HoldsViewsToTheirStorage) {
  EXPECT_EQ(run_misuse("short_storage", "").status, 0);
  EXPECT_EQ(run_misuse("short_storage", "ACLGRAD_CHECK=memory").status, 2);
}

TEST(Streams, ForgetThoseThatAreDestroyed) {
  EXPECT_EQ(run_misuse("many_streams", "ACLGRAD_CHECK=streams").status, 0);
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
                                         "device, all and abort.\n"));
}

TEST(Checks, SurviveWithoutMemory) {
  const Outcome outcome = run_misuse("out_of_memory", "ACLGRAD_CHECK=all ACLGRAD_LOG=text");
  EXPECT_EQ(outcome.status, 0) << outcome.output.substr(outcome.output.size() / 2);
}

}  // namespace
}  // namespace aclgrad::test
