// SPDX-License-Identifier: Apache-2.0
// ACLGRAD_CHECK=handles and leaks.
#include <gmock/gmock.h>

#include "run_misuse.h"

namespace aclgrad::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Handles, TellsWhatADeadHandleWas) {
  const Outcome outcome = run_misuse("destroyed_stream", "ACLGRAD_CHECK=handles");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("aclgrad: handles: aclrtSynchronizeStream was given a "
                              "handle that is not a live stream"),
                    HasSubstr("It is stream 2, made by aclrtCreateStream"),
                    HasSubstr("and ended by aclrtDestroyStream"),
                    HasSubstr("at close_up(void*) (destroyed_stream+0x")));
}

TEST(Handles, AreSilentWhenNotAskedFor) {
  const Outcome outcome = run_misuse("destroyed_stream", "");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.output, "");
}

TEST(Leaks, AreListedWithTheirPlaces) {
  const Outcome outcome = run_misuse("leaks", "ACLGRAD_CHECK=leaks");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("6 things were not given back before aclFinalize"),
                    HasSubstr("aclTensor 1 and 2 more of its kind, made by aclCreateTensor"),
                    HasSubstr("at make_tensor(void*) (leaks+0x"),
                    HasSubstr("aclScalar 1, made by aclCreateScalar"),
                    HasSubstr("allocation 1 (64 bytes of device memory), made by aclrtMalloc"),
                    HasSubstr("event 2, made by aclrtCreateEvent"), Not(HasSubstr("event 1")),
                    Not(HasSubstr("stream"))));
}

}  // namespace
}  // namespace aclgrad::test
