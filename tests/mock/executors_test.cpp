// SPDX-License-Identifier: Apache-2.0
// Which C calls backward() and a Session make: operators, arguments, order, counts, and what
// happens to the executors when a call fails.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "aclgrad/aclgrad.h"
#include "inspect.h"
#include "mock_operators.h"

namespace aclgrad {
namespace {

using mock::address_of;
using mock::Dims;
using mock::executor;
using mock::shape_of;
using testing::_;
using testing::DoAll;
using testing::HasSubstr;
using testing::InSequence;
using testing::NotNull;
using testing::Return;
using testing::SaveArg;
using testing::SetArgPointee;
using testing::StrictMock;

constexpr int kInvalid = 161002;
constexpr int kInner = 561103;

// y = geglu(selu(x)) with x [1, 2], so that y is a loss, and the gradient of x.
class Executors : public testing::Test {
 protected:
  Executors() {
    x_ = graph_.input("x", {1, 2});
    selu_line_ = __LINE__ + 1;
    const Value h = selu(x_);
    geglu_line_ = __LINE__ + 1;
    y_ = geglu(h, -1, Approximate::tanh, true);
    dx_ = backward(y_, {x_})[x_];
  }

  // The four calls of phase one, in order, each followed by making its executor repeatable. The
  // workspaces asked for are 0, 512, 64 and 0 bytes.
  void expect_planning(bool repeatable) {
    auto then_repeatable = [&](std::uintptr_t number) {
      if (repeatable) EXPECT_CALL(library_, make_repeatable(executor(number))).WillOnce(Return(0));
    };
    EXPECT_CALL(library_, plan_selu(_, _, NotNull(), NotNull()))
        .WillOnce(DoAll(SaveArg<0>(&seen_.x), SaveArg<1>(&seen_.h), SetArgPointee<2>(0),
                        SetArgPointee<3>(executor(1)), Return(0)));
    then_repeatable(1);
    EXPECT_CALL(library_, plan_geglu(_, -1, 1, true, _, _, NotNull(), NotNull()))
        .WillOnce(DoAll(SaveArg<0>(&seen_.geglu_self), SaveArg<4>(&seen_.y),
                        SaveArg<5>(&seen_.gelu), SetArgPointee<6>(512),
                        SetArgPointee<7>(executor(2)), Return(0)));
    then_repeatable(2);
    EXPECT_CALL(library_, plan_geglu_backward(_, _, _, -1, 1, true, _, NotNull(), NotNull()))
        .WillOnce(DoAll(SaveArg<0>(&seen_.seed), SaveArg<1>(&seen_.back_self),
                        SaveArg<2>(&seen_.back_gelu), SaveArg<6>(&seen_.dh), SetArgPointee<7>(64),
                        SetArgPointee<8>(executor(3)), Return(0)));
    then_repeatable(3);
    EXPECT_CALL(library_, plan_selu_backward(_, _, _, NotNull(), NotNull()))
        .WillOnce(DoAll(SaveArg<0>(&seen_.back_grad), SaveArg<1>(&seen_.back_result),
                        SaveArg<2>(&seen_.dx), SetArgPointee<3>(0), SetArgPointee<4>(executor(4)),
                        Return(0)));
    then_repeatable(4);
  }

  void expect_one_run() {
    EXPECT_CALL(library_, run("aclnnSelu", _, 0, executor(1), NotNull()));
    EXPECT_CALL(library_, run("aclnnGeGluV3", NotNull(), 512, executor(2), NotNull()));
    EXPECT_CALL(library_, run("aclnnGeGluV3Backward", NotNull(), 64, executor(3), NotNull()));
    EXPECT_CALL(library_, run("aclnnSeluBackward", _, 0, executor(4), NotNull()));
  }

  // Executors in [1, last] are destroyed once each, in any order.
  void expect_destruction(std::uintptr_t last) {
    for (std::uintptr_t i = 1; i <= last; ++i) {
      EXPECT_CALL(library_, destroy(executor(i))).WillOnce(Return(0));
    }
  }

  // The action fails with the status, and a message that begins with the node and says the rest.
  template <class Action>
  static void expect_status(int status, const std::string& node, const std::string& rest,
                            const Action& action) {
    try {
      action();
      FAIL() << "nothing was thrown";
    } catch (const StatusError& error) {
      EXPECT_EQ(error.status(), status);
      EXPECT_THAT(error.what(), testing::AllOf(testing::StartsWith(node), HasSubstr(rest)));
    }
  }
  std::string selu_node() const {
    return fmt::format("node 1 `selu` (mock/executors_test.cpp:{}): ", selu_line_);
  }
  std::string geglu_node() const {
    return fmt::format("node 2 `geglu` (mock/executors_test.cpp:{}): ", geglu_line_);
  }

  std::vector<Fetch> fetches() const { return {y_, dx_}; }
  static Tensor batch() { return Tensor::from({1, 2}, {1, 2}); }

  struct Seen {
    const aclTensor *x, *geglu_self, *seed, *back_self, *back_gelu, *back_grad, *back_result;
    aclTensor *h, *y, *gelu, *dh, *dx;
  } seen_{};
  StrictMock<mock::Operators> library_;
  Graph graph_;
  Value x_, y_, dx_;
  int selu_line_ = 0;
  int geglu_line_ = 0;
};

TEST_F(Executors, PlannedOnceRunOften) {
  {
    const InSequence order;
    expect_planning(true);
    for (int i = 0; i < 3; ++i) expect_one_run();
  }
  expect_destruction(4);

  Session session(graph_, fetches(), mock::kLaunched);
  for (int i = 0; i < 3; ++i) session.run({{x_, batch()}});
}

TEST_F(Executors, RecordedOnceReplayedOften) {
  {
    const InSequence order;
    expect_planning(true);
    expect_one_run();  // while the stream is captured; no call in any run
  }
  expect_destruction(4);

  Session session(graph_, fetches());
  ASSERT_TRUE(session.replays());
  for (int i = 0; i < 3; ++i) session.run({{x_, batch()}});
}

TEST_F(Executors, PhaseTwoFailsWhileRecording) {
  {
    const InSequence order;
    expect_planning(true);
    EXPECT_CALL(library_, run("aclnnSelu", _, _, executor(1), _)).WillOnce(Return(0));
    EXPECT_CALL(library_, run("aclnnGeGluV3", _, _, executor(2), _)).WillOnce(Return(kInner));
  }
  expect_destruction(4);
  expect_status(kInner, geglu_node(), "", [&] { Session(graph_, fetches()); });
}

TEST_F(Executors, ArgumentsAreTheRightTensors) {
  {
    const InSequence order;
    expect_planning(true);
  }
  expect_destruction(4);
  const Session session(graph_, fetches(), mock::kLaunched);

  EXPECT_EQ(shape_of(seen_.x), (Dims{1, 2}));
  EXPECT_EQ(shape_of(seen_.h), (Dims{1, 2}));
  EXPECT_EQ(shape_of(seen_.y), (Dims{1, 1}));
  EXPECT_EQ(shape_of(seen_.gelu), (Dims{1, 1}));
  EXPECT_EQ(shape_of(seen_.seed), (Dims{1, 1}));
  EXPECT_EQ(shape_of(seen_.dx), (Dims{1, 2}));
  EXPECT_EQ(seen_.geglu_self, seen_.h) << "geglu reads what selu wrote";
  EXPECT_EQ(seen_.back_self, seen_.h) << "geglu's backward takes its forward input";
  EXPECT_EQ(seen_.back_gelu, seen_.gelu) << "and the gelu that the forward kept";
  EXPECT_EQ(seen_.back_grad, seen_.dh) << "selu's backward takes geglu's gradient";
  EXPECT_EQ(seen_.back_result, seen_.h) << "and its forward output, not its input";
  std::set<void*> addresses;
  for (const aclTensor* tensor :
       {seen_.x, static_cast<const aclTensor*>(seen_.h), static_cast<const aclTensor*>(seen_.y),
        static_cast<const aclTensor*>(seen_.gelu), seen_.seed,
        static_cast<const aclTensor*>(seen_.dh), static_cast<const aclTensor*>(seen_.dx)}) {
    addresses.insert(address_of(tensor));
  }
  EXPECT_EQ(address_of(seen_.h), address_of(seen_.x)) << "selu's result takes its input's place";
  EXPECT_EQ(address_of(seen_.dx), address_of(seen_.dh)) << "and so does its gradient";
  EXPECT_EQ(addresses.size(), 5u) << "all others live together";
}

TEST_F(Executors, FeedsGoInAndFetchesComeOut) {
  {
    const InSequence order;
    expect_planning(true);
  }
  expect_destruction(4);
  EXPECT_CALL(library_, run(_, _, _, _, _)).Times(3).WillRepeatedly(Return(0));
  EXPECT_CALL(library_, run("aclnnSelu", _, _, _, _)).WillOnce([&](auto&&...) {
    // Device memory is host memory here, so the mock can compute.
    const auto* in = static_cast<const float*>(address_of(seen_.x));
    static_cast<float*>(address_of(seen_.y))[0] = 10 * in[0] + in[1];
    return 0;
  });
  Session session(graph_, fetches(), mock::kLaunched);
  EXPECT_EQ(session.run({{x_, batch()}})[y_].item(), 12);
}

TEST_F(Executors, EagerPlansAfreshAndKeepsNoExecutor) {
  {
    const InSequence order;
    for (int i = 0; i < 2; ++i) {
      EXPECT_CALL(library_, plan_selu(_, _, NotNull(), NotNull())).WillOnce(mock::plans<2>(1));
      EXPECT_CALL(library_, run("aclnnSelu", _, 0, executor(1), NotNull()));
      EXPECT_CALL(library_, plan_geglu(_, -1, 1, true, _, _, NotNull(), NotNull()))
          .WillOnce(DoAll(SetArgPointee<6>(512), SetArgPointee<7>(executor(2)), Return(0)));
      EXPECT_CALL(library_, run("aclnnGeGluV3", NotNull(), 512, executor(2), NotNull()));
    }
  }
  Session session(graph_, {y_}, {.eager = true});
  session.run({{x_, batch()}});
  session.run({{x_, batch()}});
}

TEST_F(Executors, WhatIsNotFetchedIsNotPlanned) {
  EXPECT_CALL(library_, plan_selu(_, _, _, _)).WillOnce(mock::plans<2>(1));
  EXPECT_CALL(library_, plan_geglu(_, _, _, _, _, _, _, _)).WillOnce(mock::plans<6>(2));
  EXPECT_CALL(library_, make_repeatable(_)).Times(2).WillRepeatedly(Return(0));
  expect_destruction(2);
  const Session session(graph_, {y_}, mock::kLaunched);
}

TEST_F(Executors, PhaseOneFails) {
  EXPECT_CALL(library_, plan_selu(_, _, _, _)).WillOnce(mock::plans<2>(1));
  EXPECT_CALL(library_, make_repeatable(executor(1))).WillOnce(Return(0));
  EXPECT_CALL(library_, plan_geglu(_, _, _, _, _, _, _, _)).WillOnce(Return(kInvalid));
  expect_destruction(1);
  expect_status(kInvalid, geglu_node(), "aclnnGeGluV3GetWorkspaceSize returned 161002",
                [&] { Session(graph_, fetches(), mock::kLaunched); });
}

TEST_F(Executors, MakingRepeatableFails) {
  EXPECT_CALL(library_, plan_selu(_, _, _, _)).WillOnce(mock::plans<2>(1));
  EXPECT_CALL(library_, make_repeatable(executor(1))).WillOnce(Return(kInner));
  expect_destruction(1);
  expect_status(kInner, selu_node(), "aclSetAclOpExecutorRepeatable returned 561103",
                [&] { Session(graph_, fetches(), mock::kLaunched); });
}

TEST_F(Executors, PhaseTwoFails) {
  {
    const InSequence order;
    expect_planning(true);
    EXPECT_CALL(library_, run("aclnnSelu", _, _, executor(1), _)).WillOnce(Return(0));
    EXPECT_CALL(library_, run("aclnnGeGluV3", _, _, executor(2), _)).WillOnce(Return(kInner));
    expect_one_run();  // the session survives: the next run starts from the beginning
  }
  expect_destruction(4);
  Session session(graph_, fetches(), mock::kLaunched);
  expect_status(kInner, geglu_node(), "aclnnGeGluV3 returned 561103", [&] {
    session.run({{x_, batch()}});
  });
  session.run({{x_, batch()}});
}

TEST_F(Executors, EagerFailuresNameTheNodeAndLeakNothing) {
  EXPECT_CALL(library_, plan_selu(_, _, _, _)).Times(2).WillRepeatedly(mock::plans<2>(1));
  EXPECT_CALL(library_, run("aclnnSelu", _, _, executor(1), _))
      .WillOnce(Return(kInner))  // a single-use executor is consumed by a failure too
      .WillOnce(Return(0));
  EXPECT_CALL(library_, plan_geglu(_, _, _, _, _, _, _, _)).WillOnce(Return(kInvalid));
  Session session(graph_, {y_}, {.eager = true});
  expect_status(kInner, selu_node(), "aclnnSelu returned 561103", [&] {
    session.run({{x_, batch()}});
  });
  EXPECT_THROW(session.run({{x_, batch()}}), StatusError);
}

TEST_F(Executors, FeedErrorsComeBeforeAnyCall) {
  {
    const InSequence order;
    expect_planning(true);
  }
  expect_destruction(4);
  Session session(graph_, fetches(), mock::kLaunched);
  EXPECT_THROW(session.run(), ValueError);
  EXPECT_THROW(session.run({{x_, Tensor::zeros({2, 2})}}), ShapeError);
}

}  // namespace
}  // namespace aclgrad
