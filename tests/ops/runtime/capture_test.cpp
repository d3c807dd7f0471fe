// SPDX-License-Identifier: Apache-2.0
// Capture and replay: the arguments are checked, and recording is refused with a clear message.
#include <thread>

#include "support.h"

namespace aclgrad::test {
namespace {

using Capture = StreamTest;

TEST_F(Capture, BeginChecksThenSaysThatItCannot) {
  constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  EXPECT_TRUE(fails(aclmdlRICaptureBegin(nullptr, kGlobal), 100000, {"aclmdlRICaptureBegin"}));
  aclrtStream by_default = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&by_default), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclmdlRICaptureBegin(by_default, kGlobal), 207000, {"default stream"}));
  for (const int mode : {-1, 3}) {
    EXPECT_TRUE(fails(aclmdlRICaptureBegin(stream_, no_member<aclmdlRICaptureMode>(mode)), 107000,
                      {"mode", (" is " + std::to_string(mode)).c_str()}));
  }
  int nonsense = 0;
  EXPECT_TRUE(fails(aclmdlRICaptureBegin(&nonsense, kGlobal), 107017, {"stream"}));
  EXPECT_TRUE(fails(aclmdlRICaptureBegin(stream_, kGlobal), 207000, {"not record"}));
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS) << "the stream is not capturing";
}

TEST_F(Capture, GetInfoReportsNone) {
  auto status = ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;
  aclmdlRI model = &status;
  EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, &status, &model), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, &status, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclmdlRICaptureGetInfo(stream_, nullptr, &model), ACL_SUCCESS);
  EXPECT_TRUE(fails(aclmdlRICaptureGetInfo(nullptr, &status, &model), 100000, {"stream"}));
  EXPECT_TRUE(fails(aclmdlRICaptureGetInfo(stream_, nullptr, nullptr), 100000, {"modelRI"}));
}

TEST_F(Capture, EndNeedsABegin) {
  aclmdlRI model = nullptr;
  EXPECT_TRUE(fails(aclmdlRICaptureEnd(nullptr, &model), 100000, {"stream"}));
  EXPECT_TRUE(fails(aclmdlRICaptureEnd(stream_, nullptr), 107000, {"modelRI"}));
  EXPECT_TRUE(fails(aclmdlRICaptureEnd(stream_, &model), 107029, {"aclmdlRICaptureEnd"}));
}

TEST_F(Capture, TheModeOfAThreadCanBeSwapped) {
  auto mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
  std::thread([] {
    auto other = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
    EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&other), ACL_SUCCESS);
    EXPECT_EQ(other, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
  }).join();
  EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  EXPECT_TRUE(fails(aclmdlRICaptureThreadExchangeMode(nullptr), 100000, {"mode"}));
  mode = no_member<aclmdlRICaptureMode>(3);
  EXPECT_TRUE(fails(aclmdlRICaptureThreadExchangeMode(&mode), 107000, {"mode", "3"}));
}

TEST_F(Capture, NothingIsARecordedModel) {
  EXPECT_TRUE(fails(aclmdlRIExecuteAsync(nullptr, stream_), 100000, {"aclmdlRIExecuteAsync"}));
  EXPECT_TRUE(fails(aclmdlRIExecute(nullptr, -1), 100000, {"aclmdlRIExecute", "modelRI"}));
  EXPECT_TRUE(fails(aclmdlRIDestroy(nullptr), 100000, {"aclmdlRIDestroy", "modelRI"}));
  EXPECT_TRUE(fails(aclmdlRIExecuteAsync(stream_, stream_), 107000, {"modelRI"}));
  EXPECT_TRUE(fails(aclmdlRIExecute(stream_, -1), 107000, {"modelRI"}));
  EXPECT_TRUE(fails(aclmdlRIDestroy(stream_), 107000, {"modelRI"}));
}

}  // namespace
}  // namespace aclgrad::test
