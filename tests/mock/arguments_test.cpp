// SPDX-License-Identifier: Apache-2.0
// What the gradients of ELU and the update by AdamW hand to the C functions: which tensors, and the
// values and order of the numbers.
#include <gmock/gmock.h>

#include <array>

#include "aclgrad/aclgrad.h"
#include "inspect.h"
#include "mock_operators.h"

namespace aclgrad {
namespace {

using mock::address_of;
using mock::Dims;
using mock::executor;
using mock::first_of;
using mock::plans;
using mock::shape_of;
using mock::type_of;
using mock::value_of;
using testing::_;
using testing::DoAll;
using testing::ElementsAre;
using testing::InSequence;
using testing::NotNull;
using testing::Return;
using testing::SaveArg;
using testing::StrictMock;

using Scalars = std::array<const aclScalar*, 3>;

std::vector<double> values_of(const Scalars& scalars) {
  std::vector<double> values;
  for (const aclScalar* scalar : scalars) values.push_back(value_of(scalar));
  return values;
}

class Arguments : public testing::Test {
 protected:
  // Executors in [1, last] are made repeatable and destroyed once each.
  void expect_executors(std::uintptr_t last) {
    for (std::uintptr_t i = 1; i <= last; ++i) {
      EXPECT_CALL(library_, make_repeatable(executor(i))).WillOnce(Return(0));
      EXPECT_CALL(library_, destroy(executor(i))).WillOnce(Return(0));
    }
  }

  StrictMock<mock::Operators> library_;
  Graph graph_;
  Value x_, y_, dx_;
};

// ---- ELU ----------------------------------------------------------------------------------------

class EluArguments : public Arguments {
 protected:
  static constexpr double kAlpha = 0.1, kScale = 3, kInputScale = 0.7;

  Session plan(BackwardFrom from, DType dtype = DType::float32) {
    x_ = graph_.input("x", {1, 1}, dtype);
    y_ = elu(x_, kAlpha, kScale, kInputScale, from);
    dx_ = backward(y_, {x_})[x_];
    expect_executors(2);
    const InSequence order;
    EXPECT_CALL(library_, plan_elu(_, _, _, _, _, NotNull(), NotNull()))
        .WillOnce(DoAll(SaveArg<0>(&seen_.x), SaveArg<1>(&seen_.forward[0]),
                        SaveArg<2>(&seen_.forward[1]), SaveArg<3>(&seen_.forward[2]),
                        SaveArg<4>(&seen_.y), plans<5>(1)));
    const bool is_result = from == BackwardFrom::result;
    EXPECT_CALL(library_, plan_elu_backward(_, _, _, _, is_result, _, _, NotNull(), NotNull()))
        .WillOnce(DoAll(SaveArg<0>(&seen_.grad), SaveArg<1>(&seen_.backward[0]),
                        SaveArg<2>(&seen_.backward[1]), SaveArg<3>(&seen_.backward[2]),
                        SaveArg<5>(&seen_.self_or_result), SaveArg<6>(&seen_.dx), plans<7>(2)));
    return Session(graph_, {y_, dx_}, mock::kLaunched);
  }

  struct Seen {
    const aclTensor *x, *y, *grad, *self_or_result, *dx;
    Scalars forward, backward;
  } seen_{};
};

TEST_F(EluArguments, ScalarsAreAlphaScaleInputScaleAndTheInputIsTaken) {
  const Session session = plan(BackwardFrom::input);
  EXPECT_EQ(seen_.self_or_result, seen_.x);
  const auto as_floats = ElementsAre(0.1F, 3, 0.7F);
  EXPECT_THAT(values_of(seen_.forward), as_floats);
  EXPECT_THAT(values_of(seen_.backward), as_floats);
}

TEST_F(EluArguments, ScalarsBesideDoublesKeepTheirDigitsAndTheResultIsTaken) {
  const Session session = plan(BackwardFrom::result, DType::float64);
  EXPECT_EQ(seen_.self_or_result, seen_.y);
  EXPECT_EQ(type_of(seen_.x), ACL_DOUBLE);
  EXPECT_THAT(values_of(seen_.forward), ElementsAre(0.1, 3, 0.7));
  EXPECT_THAT(values_of(seen_.backward), ElementsAre(0.1, 3, 0.7));
}

// ---- AdamW --------------------------------------------------------------------------------------

// selu(w) is the loss of one parameter.
class AdamWArguments : public Arguments {
 protected:
  static inline const AdamWOptions kOptions{.learning_rate = 0.1,
                                            .beta1 = 0.8,
                                            .beta2 = 0.95,
                                            .weight_decay = 0.03,
                                            .epsilon = 1e-6,
                                            .maximize = true};

  AdamWArguments() {
    x_ = graph_.parameter(w_);
    y_ = selu(x_);
    gradients_ = backward(y_, {x_});
  }

  // Plans of the loss and its gradient.
  void expect_gradient() {
    EXPECT_CALL(library_, plan_selu(_, _, _, _))
        .WillOnce(DoAll(SaveArg<0>(&loss_of_), plans<2>(1)));
    EXPECT_CALL(library_, plan_selu_backward(_, _, _, _, _))
        .WillOnce(DoAll(SaveArg<2>(&gradient_), plans<3>(2)));
  }
  void expect_update(std::uintptr_t number) {
    EXPECT_CALL(library_, plan_adam_w(_, NotNull(), NotNull()))
        .WillOnce(DoAll(SaveArg<0>(&seen_), plans<1>(number)));
  }
  void expect_run(const std::string& name, std::uintptr_t number) {
    EXPECT_CALL(library_, run(name, _, 0, executor(number), NotNull())).WillOnce(Return(0));
  }

  void check_tensors(const Variable& first, const Variable& second, const Variable& step) const {
    EXPECT_EQ(address_of(seen_.var), w_.address());
    EXPECT_EQ(address_of(loss_of_), w_.address()) << "the loss reads what the update writes";
    EXPECT_EQ(address_of(seen_.m), first.address());
    EXPECT_EQ(address_of(seen_.v), second.address());
    EXPECT_EQ(address_of(seen_.step), step.address());
    EXPECT_EQ(seen_.grad, gradient_) << "what selu's backward wrote";
    EXPECT_EQ(seen_.max_grad_norm, nullptr);
    for (const aclTensor* tensor : {seen_.var, seen_.m, seen_.v}) {
      EXPECT_EQ(shape_of(tensor), (Dims{1, 1}));
      EXPECT_EQ(type_of(tensor), ACL_FLOAT);
    }
    EXPECT_EQ(shape_of(seen_.step), (Dims{1}));
    EXPECT_EQ(type_of(seen_.step), ACL_INT64);
  }

  void check_numbers() const {
    EXPECT_EQ(seen_.lr, 0.1F);
    EXPECT_EQ(seen_.beta1, 0.8F);
    EXPECT_EQ(seen_.beta2, 0.95F);
    EXPECT_EQ(seen_.weight_decay, 0.03F);
    EXPECT_EQ(seen_.eps, 1e-6F);
    EXPECT_FALSE(seen_.amsgrad);
    EXPECT_TRUE(seen_.maximize);
  }

  const Variable w_{"w", Tensor::full({1, 1}, 2)};
  Gradients gradients_;
  const aclTensor* loss_of_ = nullptr;
  const aclTensor* gradient_ = nullptr;
  mock::AdamWCall seen_{};
};

TEST_F(AdamWArguments, OptimizerPlansOnceAndCountsAfterTheUpdate) {
  AdamW optimizer(kOptions);
  const Update update = optimizer.step(graph_, gradients_);
  const aclTensor *counter = nullptr, *increment = nullptr;
  const aclScalar* factor = nullptr;
  expect_executors(4);
  {
    const InSequence order;
    expect_gradient();
    expect_update(3);
    EXPECT_CALL(library_, plan_inplace_add(_, _, _, NotNull(), NotNull()))
        .WillOnce(
            DoAll(SaveArg<0>(&counter), SaveArg<1>(&increment), SaveArg<2>(&factor), plans<3>(4)));
    for (int i = 0; i < 3; ++i) {
      expect_run("aclnnSelu", 1);
      expect_run("aclnnSeluBackward", 2);
      expect_run("aclnnApplyAdamWV2", 3);
      expect_run("aclnnInplaceAdd", 4);
    }
  }
  Session session(graph_, {update}, mock::kLaunched);
  for (int i = 0; i < 3; ++i) session.run();

  const std::vector<Variable> state = optimizer.state();
  ASSERT_EQ(state.size(), 3u) << "the count of steps and two moments";
  check_tensors(state[1], state[2], state[0]);
  check_numbers();
  EXPECT_EQ(address_of(counter), state[0].address());
  EXPECT_EQ(first_of<std::int64_t>(increment), 1);
  EXPECT_EQ(value_of(factor), 1);
}

}  // namespace
}  // namespace aclgrad
