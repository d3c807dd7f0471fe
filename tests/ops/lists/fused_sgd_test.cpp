// SPDX-License-Identifier: Apache-2.0
// Steps of aclnnFusedSgd beside torch.optim.SGD of PyTorch 1.13, and what its contract does not
// have.
#include "aclnnop/aclnn_fused_sgd.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

struct Options {
  float weight_decay = 0;
  float momentum = 0;
  float dampening = 0;
  bool nesterov = false;
  bool maximize = false;
};

class FusedSgdTest : public AclTest {
 protected:
  aclnnStatus step(const List& params, const List& grads, const aclTensorList* buffers,
                   const aclTensor* scale, const Options& options, bool is_first) {
    return call(PHASES(aclnnFusedSgd), params, grads, const_cast<aclTensorList*>(buffers), scale,
                options.weight_decay, options.momentum, 0.1F, options.dampening, options.nesterov,
                options.maximize, is_first);
  }
};

TEST_F(FusedSgdTest, ThreeStepsAreThoseOfPyTorch) {
  const Values gradients[] = {{0.5L, -1, 2}, {0.25L, 3, -1}, {-2, 0.5L, 0.125L}};
  const std::vector<std::pair<Options, Values>> steps = {
      {{}, {1.125L, -2.25L, 0.3875L}},
      {{.momentum = 0.9F}, {1.017L, -2.349L, 0.1355L}},
      {{.weight_decay = 0.1F, .momentum = 0.9F, .dampening = 0.25F},
       {0.9319285L, -2.09813825L, 0.07199659375L}},
      {{.weight_decay = 0.1F, .momentum = 0.9F, .nesterov = true, .maximize = true},
       {0.774576736L, -1.278288472L, 0.8841481505L}},
      {{.weight_decay = 0.1F, .maximize = true}, {0.844054L, -1.691608L, 0.5946695L}}};
  for (const auto& [options, wanted] : steps) {
    Array p(ACL_FLOAT, {3}, {1, -2, 0.5L}), g(ACL_FLOAT, {3}), b(ACL_FLOAT, {3}, {7, 7, 7});
    const Array none(ACL_FLOAT, {0});
    const List params{none.tensor(), p.tensor()}, grads{none.tensor(), g.tensor()};
    const List buffers{none.tensor(), b.tensor()};
    for (size_t k = 0; k < std::size(gradients); ++k) {
      g.fill(gradients[k]);
      const aclTensorList* given = options.momentum == 0 ? nullptr : buffers.get();
      ASSERT_EQ(step(params, grads, given, nullptr, options, k == 0), 0) << recent_message();
      EXPECT_EQ(g.values(), gradients[k]);
    }
    expect_near(p, wanted);
    // Without buffers they are not looked at.
    EXPECT_EQ(b.values() == (Values{7, 7, 7}), options.momentum == 0);
  }
}

TEST_F(FusedSgdTest, DividesTheGradientsByTheScale) {
  const Array p(ACL_FLOAT16, {2}, {1, 2}), g(ACL_FLOAT16, {2}, {8, -4});
  const Array scale(ACL_FLOAT, {}, {4});
  const List params{p.tensor()}, grads{g.tensor()}, none{};
  ASSERT_EQ(step(params, grads, none.get(), scale.tensor(), {}, false), 0) << recent_message();
  EXPECT_EQ(g.values(), (Values{2, -1}));
  expect_near(p, {0.8L, 2.1L}, 1e-3L);
}

TEST_F(FusedSgdTest, RefusesListsThatDoNotFit) {
  const Array two(ACL_FLOAT, {2}), three(ACL_FLOAT, {3}), half(ACL_FLOAT16, {2});
  const List params{two.tensor()}, both{two.tensor(), two.tensor()};
  const auto plan_with = [&](const List& grads, const List& buffers, const aclTensor* scale) {
    return plan(aclnnFusedSgdGetWorkspaceSize, params, grads, buffers, scale, 0.0F, 0.0F, 0.1F,
                0.0F, false, false, false);
  };
  EXPECT_TRUE(fails_with(161002, {"grads[0]", "DT_FLOAT16"},
                         plan_with(List{half.tensor()}, params, nullptr)));
  EXPECT_TRUE(fails_with(561002, {"grads must have 1", "has 2"}, plan_with(both, params, nullptr)));
  EXPECT_TRUE(fails_with(561002, {"momentumBufferList[0]", "[3]"},
                         plan_with(params, List{three.tensor()}, nullptr)));
  EXPECT_TRUE(
      fails_with(561002, {"gradScale", "one element"}, plan_with(params, params, two.tensor())));
}

}  // namespace
}  // namespace aclgrad::testing
