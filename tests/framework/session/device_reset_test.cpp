// SPDX-License-Identifier: Apache-2.0
// Sessions, results and variables that outlive a reset of their device.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl_rt.h"
#include "aclgrad/aclgrad.h"
#include "aclgrad_ext.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

void reset_device() {
  ASSERT_EQ(aclrtResetDeviceForce(0), 0);
  ASSERT_EQ(aclrtSetDevice(0), 0);
}

class DeviceReset : public testing::Test {
 protected:
  // x * w, for a w of threes, and a run of it for an x of ones.
  Graph graph_;
  std::optional<Variable> w_{Variable("w", Tensor::full({2}, 3))};
  Value x_ = graph_.input("x", {2});
  Value y_ = x_ * graph_.parameter(*w_);
  Tensor one_ = Tensor::full({2}, 1);
};

TEST_F(DeviceReset, IsNoticedBeforeAnythingRuns) {
  Session session(graph_, {y_});
  EXPECT_EQ(session.run({{x_, one_}})[y_].get(0), 3);
  reset_device();
  EXPECT_THAT(message_of<ValueError>([&] {
                session.run({{x_, one_}});
              }),
              StartsWith("the session is dead: the device was reset"));
  EXPECT_THAT(message_of<ValueError>([&] { Session(graph_, {y_}); }),
              StartsWith("parameter `w` of node 1 `variable` (session/device_reset_test.cpp:"));
}

TEST_F(DeviceReset, LeavesRoomForWhatIsMadeAfterwards) {
  reset_device();
  Graph fresh;
  const Value z = fresh.input("z", {2});
  const Value tripled = z * fresh.parameter(Variable("v", Tensor::full({2}, 3)));
  Session session(fresh, {tripled});
  EXPECT_EQ(session.run({{z, one_}})[tripled].get(0), 3);
}

TEST_F(DeviceReset, EndsTheResultsThatWereNotRead) {
  for (const bool eager : {false, true}) {
    const Variable v("v", Tensor::full({2}, 3));
    const Value product = x_ * graph_.parameter(v);
    Session session(graph_, {product}, {.eager = eager});
    const Results results = session.run({{x_, one_}});
    reset_device();
    EXPECT_THAT(message_of<ValueError>([&] { results[product]; }),
                StartsWith("the session is dead: the device was reset"));
  }
}

TEST_F(DeviceReset, EndsVariables) {
  constexpr const char* kDead =
      "variable `w` is dead: its device memory was freed (aclrtResetDevice, aclFinalize)";
  EXPECT_TRUE(w_->is_alive());
  reset_device();
  EXPECT_FALSE(w_->is_alive());
  EXPECT_EQ(message_of<ValueError>([&] { w_->value(); }), kDead);
  EXPECT_EQ(message_of<ValueError>([&] { w_->assign(Tensor::full({2}, 4)); }), kDead);
  EXPECT_EQ(w_->version(), 0U) << "nothing was assigned";

  const Variable alive("v", Tensor::full({2}, 5));
  EXPECT_EQ(message_of<ValueError>([&] { values_of({alive, *w_}); }), kDead);
  const Checkpoint checkpoint{.tensors = {{"v", Tensor::zeros({2})}, {"w", Tensor::zeros({2})}}};
  EXPECT_EQ(message_of<ValueError>([&] { restore({alive, *w_}, checkpoint); }), kDead);
  EXPECT_EQ(alive.value().get(0), 5) << "all or nothing";
}

TEST_F(DeviceReset, LetsWhatIsLeftDieWithoutAWord) {
  for (const bool replay : {false, true}) {
    std::optional<Session> session(std::in_place, graph_, std::vector<Fetch>{y_},
                                   SessionOptions{.replay = replay});
    session->run({{x_, one_}});
    DeviceBuffer buffer(4);
    const Event event(ACL_EVENT_SYNC);
    reset_device();
    session.reset();
    w_.emplace("w", Tensor::full({2}, 3));
    y_ = x_ * graph_.parameter(*w_);
  }
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "it would be taken for a part of the next message";
}

TEST_F(DeviceReset, EndsBuffers) {
  DeviceBuffer buffer(4);
  EXPECT_TRUE(DeviceBuffer().is_alive()) << "there is nothing to lose";
  DeviceBuffer moved = std::move(buffer);
  EXPECT_TRUE(buffer.is_alive()) << "there is nothing to lose";  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(buffer.device(), -1);
  EXPECT_EQ(moved.device(), 0);
  buffer = std::move(moved);
  reset_device();
  EXPECT_FALSE(buffer.is_alive());
  int number = 0;
  EXPECT_THAT(message_of<ValueError>([&] { buffer.upload(&number, sizeof number); }),
              HasSubstr("the device was reset since it was allocated"));
  EXPECT_THAT(message_of<ValueError>([&] { buffer.download(&number, sizeof number); }),
              HasSubstr("the device was reset since it was allocated"));
}

TEST(DeviceResets, LeaveNoDeviceToMakeASessionOn) {
  Graph graph;
  const Value x = graph.input("x", {1000});
  use_device(0);
  ASSERT_EQ(aclrtResetDeviceForce(0), 0);
  EXPECT_THAT(message_of<StatusError>([&] { const Session session(graph, {x * 2}); }),
              HasSubstr("107002: the calling thread has no context"));
  EXPECT_EQ(aclrtSetDevice(0), 0);
}

TEST(DestroyedContexts, EndTheirSessions) {
  Graph graph;
  const Value x = graph.input("x", {2});
  use_device(0);
  aclrtContext before = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&before), 0);
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), 0);
  Session session(graph, {x * 2});
  ASSERT_EQ(aclrtDestroyContext(context), 0);
  ASSERT_EQ(aclrtSetCurrentContext(before), 0);
  EXPECT_EQ(message_of<ValueError>([&] {
              session.run({{x, Tensor::full({2}, 1)}});
            }),
            "the session is dead: the context of its stream was destroyed");
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

// What has the address of something that is gone must not be taken for it.
TEST(DeviceResets, TellVariablesAtTheSameAddressApart) {
  const auto make = [](double number) {
    std::vector<Variable> made;
    for (int i = 0; i < 200; ++i) made.emplace_back("v", Tensor::full({64}, number));
    return made;
  };
  std::vector<Variable> dead = make(3);
  reset_device();
  const std::vector<Variable> later = make(5);
  std::size_t at_old_addresses = 0;
  for (const Variable& old : dead) {
    EXPECT_FALSE(old.is_alive());
    at_old_addresses += static_cast<std::size_t>(
        std::count_if(later.begin(), later.end(),
                      [&](const Variable& each) { return each.address() == old.address(); }));
    EXPECT_THROW(old.value(), ValueError);
    EXPECT_THROW(old.assign(Tensor::full({64}, 4)), ValueError);
    Graph graph;
    EXPECT_THROW(Session(graph, {graph.parameter(old) * 2}), ValueError);
  }
  dead.clear();
  for (const Variable& each : later) {
    EXPECT_TRUE(each.is_alive()) << "dead variables free nothing";
    EXPECT_EQ(each.value().get(0), 5);
  }
  if (at_old_addresses == 0) GTEST_SKIP() << "this allocator does not reuse memory so soon";
}

}  // namespace
}  // namespace aclgrad
