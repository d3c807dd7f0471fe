// SPDX-License-Identifier: Apache-2.0
// Normalization of residual sums, and of groups with their swish, beside PyTorch 1.13's numbers:
// layer_norm(), silu(group_norm()) and instance_norm() in double, with what autograd makes of them.
#include <string>

#include "aclgrad_ext.h"
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_layer_norm_grad.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_group_norm_swish.h"
#include "aclnnop/aclnn_group_norm_swish_grad.h"
#include "aclnnop/aclnn_instance_norm.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class FusedNorm : public AclTest {
 protected:
  void SetUp() override {
    AclTest::SetUp();
    aclgradSetAcceptDouble(1);
  }
};

struct Residual {
  Array x1 = doubles({2, 3}, {1, -2, 3, 0.5L, 4, -1});
  Array x2 = doubles({2, 3}, {0.5L, 1, -1, 2, -3, 0.25L});
  Array gamma = doubles({3}, {1.5L, -0.5L, 2}), beta = doubles({3}, {0.25L, 1, -1});
  Array y = doubles({2, 3}), mean = doubles({2, 1}), rstd = doubles({2, 1}), x = doubles({2, 3});
};

TEST_F(FusedNorm, AddLayerNormHasPyTorchsValues) {
  const Residual r;
  const aclTensor* no_bias = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnAddLayerNorm), r.x1, r.x2, r.gamma, r.beta, no_bias, 1e-3, true, r.y,
                   r.mean, r.rstd, r.x));
  expect_near(r.y,
              {1.011779632L, 1.698297996L, 0.777485809L, 2.037742355L, 0.968636099L, -3.509112077L},
              1e-8L, "y");
  expect_near(r.mean, {0.833333333L, 0.916666667L}, 1e-8L, "mean");
  expect_near(r.rstd, {0.761779632L, 0.752733623L}, 1e-8L, "rstd");
  EXPECT_EQ(r.x.values(), (Values{1.5L, -1, 2, 2.5L, 1, -0.75L}));

  const Array dy = doubles({2, 3}, {1, 0.5L, -1, 2, 0, -0.5L});
  const Array dsum = doubles({2, 3}, {0.1L, 0.2L, 0.3L, 0, -0.1L, 0.4L});
  const Array dx = doubles({2, 3}), dgamma = doubles({3}), dbeta = doubles({3});
  ASSERT_TRUE(runs(PHASES(aclnnAddLayerNormGrad), dy, r.x1, r.x2, r.rstd, r.mean, r.gamma, dsum, dx,
                   dgamma, dbeta));
  expect_near(
      dx, {1.519071824L, -0.036383034L, -0.882688789L, 0.311988278L, -0.677842951L, 0.665854673L},
      1e-8L, "dx");
  expect_near(dgamma, {2.891509561L, -0.698297996L, -0.261464885L}, 1e-8L, "dgamma");
  expect_near(dbeta, {3, 0.5L, -1.5L}, 1e-8L, "dbeta");
}

TEST_F(FusedNorm, ABiasIsPartOfTheSum) {
  const Residual r;
  const Array bias = doubles({3}, {1, 0, -1});
  aclTensor* no_sum = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnAddLayerNorm), r.x1, r.x2, r.gamma, r.beta, bias, 1e-3, false, r.y,
                   r.mean, r.rstd, no_sum));
  expect_near(
      r.y, {1.993290589L, 1.639206549L, -0.767561255L, 2.057077293L, 0.980569061L, -3.487160146L},
      1e-8L, "y");
  // With additionalOutput the sum is asked for.
  EXPECT_EQ(call(PHASES(aclnnAddLayerNorm), r.x1, r.x2, r.gamma, r.beta, bias, 1e-3, true, r.y,
                 r.mean, r.rstd, no_sum),
            161001);
}

TEST_F(FusedNorm, AddRmsNormHasPyTorchsValues) {
  const Residual r;
  ASSERT_TRUE(runs(PHASES(aclnnAddRmsNorm), r.x1, r.x2, r.gamma, 1e-3, r.y, r.rstd, r.x));
  expect_near(
      r.y, {1.447052563L, 0.321567236L, 2.572537889L, 2.323343968L, -0.309779196L, -0.929337587L},
      1e-8L, "y");
  expect_near(r.rstd, {0.643134472L, 0.619558392L}, 1e-8L, "rstd");
  EXPECT_EQ(r.x.values(), (Values{1.5L, -1, 2, 2.5L, 1, -0.75L}));
}

struct Image {
  Array x = doubles({1, 4, 3}, {1, 2, -1, 0.5L, 0, 3, -2, 1, 1, 4, -0.5L, 2});
  Array gamma = doubles({4}, {1, -0.5L, 2, 0.25L}), beta = doubles({4}, {0.1L, 0.2L, -0.3L, 0.4L});
  Array y = doubles({1, 4, 3}), mean = doubles({1, 2}), rstd = doubles({1, 2});
};

TEST_F(FusedNorm, GroupNormSwishHasPyTorchsValues) {
  static char format[] = "NCHW";
  const Array dy = doubles({1, 4, 3}, {1, -1, 2, 0.5L, 0.5L, -2, 1, 0, 1, -1, 3, 0.25L});
  struct Case {
    double scale;
    Values y, dx, dgamma, dbeta;
  };
  // silu(z), and z sigmoid(1.702 z).
  const Case cases[] = {
      {1,
       {0.088632716L, 0.667147738L, -0.277608106L, 0.211832944L, 0.34974911L, -0.212249899L,
        -0.109637765L, -0.094554748L, -0.094554748L, 0.560557731L, 0.116981527L, 0.344237195L},
       {0.511022413L, -0.616738039L, 0.012417699L, -0.070357943L, -0.093003103L, 0.256658974L,
        -0.216444654L, -0.080619147L, 0.339620975L, -0.138338793L, 0.132085478L, -0.036303859L},
       {-0.660537687L, -1.071117366L, 0.13210686L, -2.676068775L},
       {-0.361337928L, 0.283645259L, 0.321219924L, 1.140217099L}},
      {1.702,
       {0.093286907L, 0.771847886L, -0.121384744L, 0.233223646L, 0.396232489L, -0.158767408L,
        -0.010365697L, -0.086875314L, -0.086875314L, 0.646942971L, 0.124681227L, 0.389664884L},
       {0.614649964L, -0.660680634L, -0.06829727L, -0.035441059L, -0.068900988L, 0.218669987L,
        -0.193091528L, -0.079478726L, 0.265068293L, -0.116992056L, 0.141195489L, -0.016701473L},
       {-0.541275645L, -0.658298876L, 0.036912561L, -3.071423189L},
       {-0.614982674L, 0.714574559L, 0.30939282L, 1.23464034L}}};
  for (const Case& each : cases) {
    const Image image;
    ASSERT_TRUE(runs(PHASES(aclnnGroupNormSwish), image.x, image.gamma, image.beta, int64_t{2},
                     format, 1e-3, true, each.scale, image.y, image.mean, image.rstd));
    expect_near(image.y, each.y, 1e-8L, "y");
    const Array dx = doubles({1, 4, 3}), dgamma = doubles({4}), dbeta = doubles({4});
    ASSERT_TRUE(runs(PHASES(aclnnGroupNormSwishGrad), dy, image.mean, image.rstd, image.x,
                     image.gamma, image.beta, int64_t{2}, format, each.scale, true, true, dx,
                     dgamma, dbeta));
    expect_near(dx, each.dx, 1e-8L, "dx");
    expect_near(dgamma, each.dgamma, 1e-8L, "dgamma");
    expect_near(dbeta, each.dbeta, 1e-8L, "dbeta");
  }
}

TEST_F(FusedNorm, InstanceNormHasPyTorchsValues) {
  static char first[] = "NCHW", last[] = "NHWC";
  const Image image;
  const Values y = {0.367175378L, 1.168701512L,  -1.23587689L,  0.453926544L,
                    0.644371452L, -0.498297996L, -3.127720283L, 1.113860142L,
                    1.113860142L, 0.694197772L,  0.083171631L,  0.422630598L};
  const Array mean = doubles({1, 4, 1}), variance = doubles({1, 4, 1});
  ASSERT_TRUE(runs(PHASES(aclnnInstanceNorm), image.x, image.gamma, image.beta, first, 1e-3,
                   image.y, mean, variance));
  expect_near(image.y, y, 1e-8L, "y");
  expect_near(mean, {0.666666667L, 1.166666667L, 0, 1.833333333L}, 1e-8L, "mean");
  expect_near(variance, {1.555555556L, 1.722222222L, 2, 3.388888889L}, 1e-8L, "variance");

  // The same image with its channels last.
  Values moved(12), moved_y(12);
  for (size_t c = 0; c < 4; ++c) {
    for (size_t i = 0; i < 3; ++i) {
      moved[i * 4 + c] = image.x.get(static_cast<int64_t>(c * 3 + i));
      moved_y[i * 4 + c] = y[c * 3 + i];
    }
  }
  const Array x = doubles({1, 3, 4}, moved), out = doubles({1, 3, 4});
  const Array means = doubles({1, 1, 4}), variances = doubles({1, 1, 4});
  ASSERT_TRUE(runs(PHASES(aclnnInstanceNorm), x, image.gamma, image.beta, last, 1e-3, out, means,
                   variances));
  expect_near(out, moved_y, 1e-8L, "y, channels last");
}

}  // namespace
}  // namespace aclgrad::testing
