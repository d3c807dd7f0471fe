// SPDX-License-Identifier: Apache-2.0
// aclGetRecentErrMsg and the last error of a thread.
#include <thread>

#include "support.h"

namespace aclgrad::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Errors : public testing::Test {
 protected:
  void SetUp() override { clear_errors(); }
};

TEST_F(Errors, NoneAtFirst) { EXPECT_EQ(aclGetRecentErrMsg(), nullptr); }

TEST_F(Errors, AreClearedByReading) {
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(Errors, StayAfterASuccess) {
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  uint32_t count = 0;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
}

TEST_F(Errors, HaveTheDocumentedShape) {
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  EXPECT_EQ(aclrtSetDevice(-3), 107001);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_THAT(text,
              testing::MatchesRegex(
                  "\\[PID: [0-9]+\\] [0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{2}:[0-9]{2}:[0-9]{2}"
                  "\\.[0-9]{3}\\.[0-9]{3} Invalid_Argument\\(EE1003\\): aclrtSetDevice(.|\n)*"
                  "\nTraceBack \\(most recent call last\\):\n"
                  " *\\[PID: [^\n]* Invalid_Argument_Null_Pointer\\(EH0008\\): aclrtFree (.|\n)*"));
}

TEST_F(Errors, BeginWithTheNewest) {
  for (const int device : {-5, -6, -7}) EXPECT_EQ(aclrtSetDevice(device), 107001);
  const std::string text = aclGetRecentErrMsg();
  const std::string first = text.substr(0, text.find("TraceBack"));
  EXPECT_THAT(first, AllOf(HasSubstr("-7"), Not(HasSubstr("-6")), Not(HasSubstr("-5"))));
  EXPECT_LT(text.find("-5,"), text.find("-6,")) << "the most recent call last";
}

TEST_F(Errors, CarryCauseAndSolution) {
  aclgradReportError("EZ1001", "AclNN_Parameter_Error", "aclnnX: self is wrong", "a cause",
                     "a solution");
  const std::string text = aclGetRecentErrMsg();
  EXPECT_THAT(text, HasSubstr("AclNN_Parameter_Error(EZ1001): aclnnX: self is wrong\n"));
  EXPECT_THAT(text, HasSubstr("\n        Possible Cause: a cause\n        Solution: a solution"));
  aclgradReportError("EZ9999", "AclNN_Inner_Error", "alone", nullptr, nullptr);
  EXPECT_THAT(std::string(aclGetRecentErrMsg()),
              AllOf(HasSubstr("alone"), Not(HasSubstr("Cause")), Not(HasSubstr("Solution"))));
  aclgradReportError(nullptr, nullptr, nullptr, nullptr, nullptr);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
}

TEST_F(Errors, BelongToTheirThread) {
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  std::thread([] {
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(nullptr), 100000);
    EXPECT_THAT(std::string(aclGetRecentErrMsg()), HasSubstr("aclrtFreeHost"));
  }).join();
  EXPECT_THAT(std::string(aclGetRecentErrMsg()),
              AllOf(HasSubstr("aclrtFree "), Not(HasSubstr("aclrtFreeHost"))));
}

TEST_F(Errors, TheTextStaysValidUntilTheNextCall) {
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  const char* const text = aclGetRecentErrMsg();
  EXPECT_EQ(aclrtFreeHost(nullptr), 100000);
  EXPECT_THAT(std::string(text), HasSubstr("aclrtFree "));
}

TEST_F(Errors, DoNotPileUpWithoutEnd) {
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(aclrtSetDevice(-i - 1), 107001);
  const std::string text = aclGetRecentErrMsg();
  EXPECT_THAT(text, AllOf(HasSubstr("-1000,"), Not(HasSubstr("-100,"))));
}

TEST_F(Errors, LastErrorIsTheLatestAndClearedByGet) {
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(nullptr), 100000);
  EXPECT_EQ(aclrtSetDevice(-1), 107001);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 107001);
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 107001);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107001);
  EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
}

}  // namespace
}  // namespace aclgrad::test
