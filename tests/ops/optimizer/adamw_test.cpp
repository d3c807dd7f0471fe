// SPDX-License-Identifier: Apache-2.0
// What no contract has of AdamW: mixed dtypes, a step that changes, NaN, nothing. Its bounds are in
// adamw_kernel_test.cpp.
#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

struct Hyper {
  float lr = 0.1f, beta1 = 0.9f, beta2 = 0.99f, weight_decay = 0.01f, eps = 1e-8f;
  bool amsgrad = false, maximize = false;
};

struct State {
  Array var, m, v, max, grad;

  State(aclDataType dtype, const Shape& shape)
      : var(random_array(dtype, shape, LayoutKind::kContiguous, 1)),
        m(random_array(dtype, shape, LayoutKind::kContiguous, 2)),
        v(random_array(dtype, shape, LayoutKind::kContiguous, 3, 0, 2)),
        max(random_array(dtype, shape, LayoutKind::kContiguous, 4, 0, 2)),
        grad(random_array(dtype, shape, LayoutKind::kContiguous, 5)) {}
};

class AdamWTest : public AclTest {
 protected:
  aclnnStatus step(State& state, const Array& steps, const Hyper& h) {
    return call(PHASES(aclnnApplyAdamWV2), state.var, state.m, state.v,
                h.amsgrad ? state.max.tensor() : nullptr, state.grad, steps, h.lr, h.beta1, h.beta2,
                h.weight_decay, h.eps, h.amsgrad, h.maximize);
  }
};

// FLOAT holds every FLOAT16, so that only theta is rounded once more.
TEST_F(AdamWTest, MixedDtypes) {
  State half(ACL_FLOAT16, {40}), single(ACL_FLOAT, {40}), whole(ACL_FLOAT, {40});
  whole.var.fill(half.var.values());
  whole.grad.fill(half.grad.values());
  const Array steps(ACL_INT64, {1, 1}, {4});
  const Hyper h;
  ASSERT_TRUE(runs(PHASES(aclnnApplyAdamWV2), half.var, single.m, single.v, nullptr, half.grad,
                   steps, h.lr, h.beta1, h.beta2, h.weight_decay, h.eps, false, false));
  ASSERT_EQ(step(whole, steps, h), 0) << recent_message();
  for (int64_t i = 0; i < 40; ++i) {
    EXPECT_LE(ulp_error(single.m.get(i), whole.m.get(i), ACL_FLOAT), 1) << i;
    EXPECT_LE(ulp_error(single.v.get(i), whole.v.get(i), ACL_FLOAT), 1) << i;
    EXPECT_LE(ulp_error(half.var.get(i), whole.var.get(i), ACL_FLOAT16), 0.501) << i;
  }
}

TEST_F(AdamWTest, MaxGradNormWithoutAmsgradIsCheckedAndKept) {
  State state(ACL_FLOAT, {3});
  const Values before = state.max.values();
  const Array steps(ACL_INT64, {1}, {0});
  const Hyper h;
  ASSERT_TRUE(runs(PHASES(aclnnApplyAdamWV2), state.var, state.m, state.v, state.max, state.grad,
                   steps, h.lr, h.beta1, h.beta2, h.weight_decay, h.eps, false, false));
  EXPECT_EQ(state.max.values(), before);
}

TEST_F(AdamWTest, StepIsReadWhenTheStepRunsAndKept) {
  State state(ACL_FLOAT, {3}), expected(ACL_FLOAT, {3});
  Array steps(ACL_INT64, {1}, {0});
  const Hyper h;
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnApplyAdamWV2GetWorkspaceSize(
                state.var.tensor(), state.m.tensor(), state.v.tensor(), nullptr,
                state.grad.tensor(), steps.tensor(), h.lr, h.beta1, h.beta2, h.weight_decay, h.eps,
                false, false, &size, &executor),
            0);
  steps.fill({9});
  Buffer workspace(size);
  ASSERT_EQ(aclnnApplyAdamWV2(workspace.data(), size, executor, stream()), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
  ASSERT_EQ(step(expected, steps, h), 0) << recent_message();
  EXPECT_EQ(state.var.values(), expected.var.values());
  EXPECT_EQ(steps.get(0), 9);
}

TEST_F(AdamWTest, NanStaysVisibleInTheRunningMaximum) {
  State state(ACL_FLOAT, {2});
  state.max.set(0, kNaN);
  state.grad.set(1, kNaN);
  Hyper h;
  h.amsgrad = true;
  ASSERT_EQ(step(state, Array(ACL_INT64, {1}, {0}), h), 0);
  expect_same(state.max, {kNaN, kNaN});
  expect_same(state.var, {kNaN, kNaN});
}

TEST_F(AdamWTest, EmptyParametersNeedNothing) {
  State state(ACL_FLOAT, {0});
  EXPECT_EQ(step(state, Array(ACL_INT64, {1}, {0}), {}), 0);
}

}  // namespace
}  // namespace aclgrad::testing
