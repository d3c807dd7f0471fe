// SPDX-License-Identifier: Apache-2.0
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

  State(aclDataType dtype, const Shape& shape, LayoutKind layout = LayoutKind::kContiguous)
      : var(random_array(dtype, shape, layout, 1)),
        m(random_array(dtype, shape, layout, 2)),
        v(random_array(dtype, shape, layout, 3, 0, 2)),
        max(random_array(dtype, shape, layout, 4, 0, 2)),
        grad(random_array(dtype, shape, layout, 5)) {}
};

class AdamWTest : public AclTest {
 protected:
  aclnnStatus step(State& state, const Array& steps, const Hyper& h) {
    return call(PHASES(aclnnApplyAdamWV2), state.var, state.m, state.v,
                h.amsgrad ? state.max.tensor() : nullptr, state.grad, steps, h.lr, h.beta1, h.beta2,
                h.weight_decay, h.eps, h.amsgrad, h.maximize);
  }
};

// One step for one parameter, straight from the formula.
struct Expected {
  long double var, m, v, max;
};

Expected reference(long double var, long double m, long double v, long double max, long double grad,
                   long double t, const Hyper& h) {
  const long double lr = h.lr, beta1 = h.beta1, beta2 = h.beta2;
  const long double g = h.maximize ? -grad : grad;
  const long double decayed = var * (1 - lr * static_cast<long double>(h.weight_decay));
  const long double next_m = beta1 * m + (1 - beta1) * g;
  const long double next_v = beta2 * v + (1 - beta2) * g * g;
  const long double next_max = std::max(max, next_v);
  const long double corrected_m = next_m / (1 - std::pow(beta1, t));
  const long double corrected_u = (h.amsgrad ? next_max : next_v) / (1 - std::pow(beta2, t));
  const long double moved =
      decayed - lr * corrected_m / (std::sqrt(corrected_u) + static_cast<long double>(h.eps));
  return {moved, next_m, next_v, next_max};
}

// FLOAT's averages are within a unit in the last place, those of 16 bits nearest. Theta is nearest
// but for 2^-21 of its step.
void expect_close(const Array& array, int64_t i, long double expected, long double units,
                  long double slack = 0) {
  ASSERT_TRUE(
      is_near(array.get(i), expected, units * ulp_at(expected, array.dtype()) + slack + 1e-14L))
      << "element " << i;
}
void expect_average(const Array& array, int64_t i, long double expected) {
  expect_close(array, i, expected, array.dtype() == ACL_FLOAT ? 1.0L : 0.501L);
}
void expect_theta(const Array& array, int64_t i, long double expected, long double before,
                  const Hyper& h) {
  const long double decayed = before * (1 - static_cast<long double>(h.lr) * h.weight_decay);
  expect_close(array, i, expected, 0.501L, 0x1p-21L * std::abs(decayed - expected));
}

TEST_F(AdamWTest, HandComputedFirstSteps) {
  // theta 1, gradient 0.5, beta1 = beta2 = 0.5, no decay, eps 0. Step 1: m = 0.25, v = 0.125,
  // m_hat = 0.5, v_hat = 0.25, so theta moves by lr * 0.5 / 0.5. Step 2 with gradient -0.5:
  // m = -0.125, v = 0.1875; m_hat = -1/6, v_hat = 0.25: theta moves by -lr * (-1/6) / 0.5.
  State state(ACL_FLOAT, {1});
  state.var.fill({1});
  state.m.fill({0});
  state.v.fill({0});
  state.grad.fill({0.5L});
  const Hyper h{.lr = 0.25f, .beta1 = 0.5f, .beta2 = 0.5f, .weight_decay = 0, .eps = 0};
  Array steps(ACL_INT64, {1}, {0});
  ASSERT_EQ(step(state, steps, h), 0) << recent_message();
  EXPECT_EQ(state.var.get(0), 0.75L);
  EXPECT_EQ(state.m.get(0), 0.25L);
  EXPECT_EQ(state.v.get(0), 0.125L);
  EXPECT_EQ(steps.get(0), 0) << "step is not advanced";
  state.grad.fill({-0.5L});
  steps.fill({1});
  ASSERT_EQ(step(state, steps, h), 0);
  EXPECT_EQ(state.m.get(0), -0.125L);
  EXPECT_EQ(state.v.get(0), 0.1875L);
  EXPECT_EQ(state.var.get(0), round_to(0.75L + 0.25L / 3, ACL_FLOAT));
}

TEST_F(AdamWTest, MixedDtypes) {
  State state(ACL_FLOAT, {40});
  State half(ACL_FLOAT16, {40});
  const State before(ACL_FLOAT, {40});
  const State half_before(ACL_FLOAT16, {40});
  const Array steps(ACL_INT64, {1, 1}, {4});
  const Hyper h;
  ASSERT_TRUE(runs(PHASES(aclnnApplyAdamWV2), half.var, state.m, state.v, nullptr, half.grad, steps,
                   h.lr, h.beta1, h.beta2, h.weight_decay, h.eps, false, false));
  for (int64_t i = 0; i < 40; ++i) {
    const Expected expected = reference(half_before.var.get(i), before.m.get(i), before.v.get(i), 0,
                                        half_before.grad.get(i), 5, h);
    expect_theta(half.var, i, expected.var, half_before.var.get(i), h);
    expect_average(state.m, i, expected.m);
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

TEST_F(AdamWTest, StepIsReadWhenTheStepRuns) {
  State state(ACL_FLOAT, {1});
  Array steps(ACL_INT64, {1}, {0});
  const Hyper h;
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(aclnnApplyAdamWV2GetWorkspaceSize(
                state.var.tensor(), state.m.tensor(), state.v.tensor(), nullptr,
                state.grad.tensor(), steps.tensor(), h.lr, h.beta1, h.beta2, h.weight_decay, h.eps,
                false, false, &size, &executor),
            0);
  const Expected expected =
      reference(state.var.get(0), state.m.get(0), state.v.get(0), 0, state.grad.get(0), 10, h);
  const long double before = state.var.get(0);
  steps.fill({9});
  Buffer workspace(size);
  ASSERT_EQ(aclnnApplyAdamWV2(workspace.data(), size, executor, stream()), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
  expect_theta(state.var, 0, expected.var, before, h);
}

TEST_F(AdamWTest, NanStaysVisibleInTheRunningMaximum) {
  State state(ACL_FLOAT, {2});
  state.max.set(0, std::numeric_limits<float>::quiet_NaN());
  state.grad.set(1, std::numeric_limits<float>::quiet_NaN());
  Hyper h;
  h.amsgrad = true;
  ASSERT_EQ(step(state, Array(ACL_INT64, {1}, {0}), h), 0);
  EXPECT_TRUE(std::isnan(state.max.get(0)) && std::isnan(state.var.get(0)));
  EXPECT_TRUE(std::isnan(state.max.get(1)) && std::isnan(state.var.get(1)));
}

TEST_F(AdamWTest, EmptyParametersNeedNothing) {
  State state(ACL_FLOAT, {0});
  EXPECT_EQ(step(state, Array(ACL_INT64, {1}, {0}), {}), 0);
}

}  // namespace
}  // namespace aclgrad::testing
