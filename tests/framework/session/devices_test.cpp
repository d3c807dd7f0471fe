// SPDX-License-Identifier: Apache-2.0
// Sessions on one of several devices, and threads that use another one or none.
#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <thread>

#include "acl/acl_rt.h"
#include "aclgrad/aclgrad.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

[[maybe_unused]] const int kDevicesAreSet = setenv("ACLGRAD_DEVICE_COUNT", "2", /*replace=*/1);

class Devices : public testing::Test {
 protected:
  Devices() { use_device(0); }
  ~Devices() override { use_device(0); }

  Graph graph_;
  Value x_ = graph_.input("x", {2});
  Tensor one_ = Tensor::full({2}, 1);
};

TEST_F(Devices, ResultsAreReadOnAnyThread) {
  const Value y = x_ * 3;
  Session session(graph_, {y});
  const Results results = session.run({{x_, one_}});
  for (const std::optional<int> device : {std::optional<int>(), std::optional<int>(1)}) {
    Tensor read;
    std::thread([&] {
      if (device) use_device(*device);
      read = results[y];
    }).join();
    EXPECT_EQ(read.get(1), 3);
  }
}

TEST_F(Devices, SessionsRunOnThreadsOfTheirDevice) {
  const Value y = x_ * 3;
  Session session(graph_, {y});
  std::thread([&] {
    use_device(1);
    EXPECT_THAT(message_of<StatusError>([&] {
                  session.run({{x_, one_}});
                }),
                AllOf(StartsWith("the session cannot run on this thread: "),
                      HasSubstr("belongs to another context")));
    use_device(0);
    EXPECT_EQ(session.run({{x_, one_}})[y].get(0), 3);
  }).join();
}

TEST_F(Devices, SessionsTakeVariablesOfTheirDevice) {
  use_device(1);
  const Variable there("w", Tensor::full({2}, 3));
  EXPECT_EQ(there.device(), 1);
  const Value y = x_ * graph_.parameter(there);
  use_device(0);
  EXPECT_EQ(there.value().get(0), 3) << "memory is copied from any device";
  EXPECT_THAT(message_of<ValueError>([&] { Session(graph_, {y}); }),
              AllOf(StartsWith("parameter `w` of node 1 `variable` (session/devices_test.cpp:"),
                    HasSubstr("lies on device 1, the session is made on device 0 (use_device)")));
  use_device(1);
  Session session(graph_, {y});
  EXPECT_EQ(session.run({{x_, one_}})[y].get(0), 3);
}

// What the program chose by the C interface counts as use_device() does.
TEST_F(Devices, AProgramsOwnChoiceStays) {
  std::thread([] {
    ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
    EXPECT_EQ(Variable("w", Tensor::full({2}, 3)).device(), 1);
    int device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
    EXPECT_EQ(device, 1);
  }).join();
  aclrtContext context = nullptr;
  use_device(1);
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  std::thread([&] {
    ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    EXPECT_EQ(Variable("w", Tensor::full({2}, 3)).device(), 1);
  }).join();
  std::thread([] {
    EXPECT_EQ(Variable("w", Tensor::full({2}, 3)).device(), 0) << "without a choice";
    const char* const message = aclGetRecentErrMsg();
    EXPECT_TRUE(message == nullptr || *message == '\0') << message;
  }).join();
}

}  // namespace
}  // namespace aclgrad
