// SPDX-License-Identifier: Apache-2.0
// Reductions and operators along a dimension: special values, ties, sizes that threads share, empty
// tensors. Values in every dtype and layout are in tests/cases.
#include <algorithm>
#include <limits>

#include "aclnnop/aclnn_amax.h"
#include "aclnnop/aclnn_amin.h"
#include "aclnnop/aclnn_argmax.h"
#include "aclnnop/aclnn_cumsum.h"
#include "aclnnop/aclnn_max_dim.h"
#include "aclnnop/aclnn_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "aclnnop/aclnn_topk.h"
#include "aclnnop/aclnn_var.h"
#include "aclnnop/aclnn_var_mean.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class ReductionValuesTest : public AclTest {
 protected:
  aclnnStatus amax(const Array& self, const Shape& dims, Array& out, bool keep = false) {
    return call(PHASES(aclnnAmax), self, IntArray(dims), keep, out);
  }
  aclnnStatus max_dim(const Array& self, int64_t dim, Array& out, Array& indices) {
    return call(PHASES(aclnnMaxDim), self, dim, false, out, indices);
  }
  aclnnStatus argmax(const Array& self, int64_t dim, Array& out) {
    return call(PHASES(aclnnArgMax), self, dim, false, out);
  }
  aclnnStatus norm(const Array& self, float p, const Shape& dims, Array& out) {
    const Scalar exponent(p);
    return call(PHASES(aclnnNorm), self, exponent, IntArray(dims), false, out);
  }
  aclnnStatus var_mean(const Array& self, const Shape& dims, int64_t correction, Array& var,
                       Array& mean) {
    return call(PHASES(aclnnVarMean), self, IntArray(dims), correction, false, var, mean);
  }
  aclnnStatus topk(const Array& self, int64_t k, bool largest, Array& values, Array& indices) {
    return call(PHASES(aclnnTopk), self, k, int64_t{-1}, largest, true, values, indices);
  }
};

// ---- The largest --------------------------------------------------------------------------------

TEST_F(ReductionValuesTest, OfEqualElementsTheFirstIsTheLargestAndOfNaNsTheFirst) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Array self(dtype, {4, 4},
                     {1, 3, 3, 2, 5, kNaN, 9, kNaN, -kInfinity, -kInfinity, -kInfinity, -kInfinity,
                      -0.0L, 0, -1, 0});
    Array out(dtype, {4}), indices(ACL_INT64, {4}), places(ACL_INT32, {4});
    ASSERT_EQ(max_dim(self, 1, out, indices), 0) << recent_message();
    EXPECT_EQ(indices.values(), (Values{1, 1, 0, 0}));
    expect_same(out, {3, kNaN, -kInfinity, -0.0L});
    ASSERT_EQ(argmax(self, -1, places), 0) << recent_message();
    EXPECT_EQ(places.values(), indices.values());
    Array largest(dtype, {4});
    ASSERT_EQ(amax(self, {1}, largest), 0) << recent_message();
    EXPECT_EQ(largest.get(0), 3);
    EXPECT_TRUE(std::isnan(largest.get(1)));
  }
}

TEST_F(ReductionValuesTest, IntegersAndTruthsKeepEveryBit) {
  const long double most = static_cast<long double>(INT64_MAX);
  const Array self(ACL_INT64, {2, 3}, {most - 1, most, -most - 1, -2, -3, -most});
  Array out(ACL_INT64, {2});
  ASSERT_EQ(amax(self, {1}, out), 0);
  EXPECT_EQ(out.values(), (Values{most, -2}));
  Array least(ACL_INT64, {}, {0});
  ASSERT_TRUE(runs(PHASES(aclnnAmin), self, IntArray({}), false, least));
  EXPECT_EQ(least.values(), (Values{-most - 1}));
  const Array truths(ACL_BOOL, {2, 2}, {0, 1, 0, 0});
  Array any(ACL_BOOL, {2}), first(ACL_INT64, {2});
  ASSERT_EQ(amax(truths, {1}, any), 0);
  EXPECT_EQ(any.values(), (Values{1, 0}));
  ASSERT_EQ(max_dim(truths, 1, any, first), 0);
  EXPECT_EQ(first.values(), (Values{1, 0}));
}

TEST_F(ReductionValuesTest, TheFirstOfEqualElementsOfAllChunks) {
  Array self(ACL_FLOAT, {200000});
  self.set(70000, 8);
  self.set(150000, 8);
  Array out(ACL_FLOAT, {}), index(ACL_INT64, {});
  ASSERT_EQ(max_dim(self, 0, out, index), 0) << recent_message();
  EXPECT_EQ(out.get(0), 8);
  EXPECT_EQ(index.get(0), 70000);
}

TEST_F(ReductionValuesTest, EmptyTensorsAreLeftAlone) {
  const Array none(ACL_FLOAT, {0, 3});
  Array out(ACL_FLOAT, {}, {7}), index(ACL_INT64, {3}, {7});
  EXPECT_EQ(amax(none, {}, out), 0) << recent_message();
  EXPECT_EQ(argmax(none, 0, index), 0) << recent_message();
  EXPECT_EQ(out.get(0), 7);
  EXPECT_EQ(index.get(0), 7);
  Array three(ACL_FLOAT, {3}), no_indices(ACL_INT64, {0, 2}), no_values(ACL_FLOAT, {0, 2});
  EXPECT_EQ(topk(none, 2, true, no_values, no_indices), 0) << recent_message();
  const Array full(ACL_FLOAT, {2, 3});
  Array no_width(ACL_FLOAT, {2, 0}), no_places(ACL_INT64, {2, 0});
  EXPECT_EQ(topk(full, 0, true, no_width, no_places), 0) << recent_message();
}

// ---- Variances and norms ------------------------------------------------------------------------

TEST_F(ReductionValuesTest, VariancesOfFewElements) {
  const Array self(ACL_FLOAT, {2, 3}, {1, 2, 6, 4, 4, 4});
  Array var(ACL_FLOAT, {2}), mean(ACL_FLOAT16, {2});
  ASSERT_EQ(var_mean(self, {1}, 1, var, mean), 0) << recent_message();
  EXPECT_EQ(var.values(), (Values{7, 0}));
  EXPECT_EQ(mean.values(), (Values{3, 4}));
  ASSERT_EQ(var_mean(self, {1}, -1, var, mean), 0);
  EXPECT_EQ(var.values(), (Values{3.5L, 0}));
  for (const int64_t correction : {3, 4}) {
    ASSERT_EQ(var_mean(self, {1}, correction, var, mean), 0);
    EXPECT_EQ(var.values(), (Values{kInfinity, kInfinity})) << correction;
  }
  const Array one(ACL_FLOAT, {1, 2}, {5, 6});
  ASSERT_EQ(var_mean(one, {0}, 1, var, mean), 0);
  expect_same(var, {kNaN, kNaN});
  ASSERT_TRUE(runs(PHASES(aclnnVar), one, IntArray({0}), true, false, var));
  EXPECT_TRUE(std::isnan(var.get(0)));
  ASSERT_EQ(var_mean(Array(ACL_FLOAT, {0, 2}), {0}, 0, var, mean), 0);
  EXPECT_TRUE(std::isnan(var.get(1)) && std::isnan(mean.get(1)));
  // Null stands for all dimensions, too.
  Array all(ACL_FLOAT, {});
  const aclIntArray* null = nullptr;
  ASSERT_TRUE(runs(PHASES(aclnnVarCorrection), one, null, int64_t{0}, false, all));
  EXPECT_EQ(all.values(), Values{0.25L});
}

TEST_F(ReductionValuesTest, VariancesBesideALargeMeanDoNotCancel) {
  Array self(ACL_FLOAT, {1000});
  for (int64_t i = 0; i < 1000; ++i) self.set(i, 8388608.0L + static_cast<long double>(i % 2));
  Array var(ACL_FLOAT, {}), mean(ACL_FLOAT, {});
  ASSERT_EQ(var_mean(self, {}, 0, var, mean), 0);
  EXPECT_EQ(var.values(), Values{0.25L});
}

TEST_F(ReductionValuesTest, NormsOfEveryKind) {
  const Array self(ACL_FLOAT, {2, 3}, {3, 0, -4, kInfinity, 1, 0});
  Array out(ACL_FLOAT, {2});
  const float infinity = std::numeric_limits<float>::infinity();
  const struct {
    float p;
    Values norms;
  } cases[] = {{2, {5, kInfinity}},        {1, {7, kInfinity}}, {0, {2, 2}},
               {infinity, {4, kInfinity}}, {-infinity, {0, 0}}, {-1, {0, 0}}};
  for (const auto& [p, norms] : cases) {
    ASSERT_EQ(norm(self, p, {1}, out), 0) << recent_message();
    EXPECT_EQ(out.values(), norms) << p;
  }
  for (const float p : {2.0f, 1.0f, 3.0f, infinity, -infinity}) {
    Array all(ACL_FLOAT, {});
    ASSERT_EQ(norm(Array(ACL_FLOAT, {4}, {1, kNaN, 9, 0}), p, {}, all), 0);
    EXPECT_TRUE(std::isnan(all.get(0))) << p;
    ASSERT_EQ(norm(Array(ACL_FLOAT, {0}), p, {}, all), 0);
    EXPECT_EQ(all.get(0), 0);
  }
}

// ---- Running sums, the first k ------------------------------------------------------------------

TEST_F(ReductionValuesTest, RunningSumsGoOnOverBlocksAndWrap) {
  for (const Shape& shape : {Shape{3000, 3}, Shape{2, 3000}}) {
    const Array self(ACL_INT8, shape, {1});
    const int64_t dim = shape[0] == 3000 ? 0 : 1;
    Array out(ACL_INT32, shape), reversed(ACL_INT8, shape);
    ASSERT_TRUE(runs(PHASES(aclnnCumsum), self, dim, ACL_INT32, out));
    ASSERT_TRUE(runs(PHASES(aclnnCumsumV2), self, dim, true, true, reversed));
    for (int64_t i = 0; i < out.count(); ++i) {
      const int64_t place = dim == 0 ? i / shape[1] : i % shape[1];
      ASSERT_EQ(out.get(i), place + 1);
      ASSERT_EQ(reversed.get(i), static_cast<int8_t>(3000 - place - 1));
    }
  }
}

TEST_F(ReductionValuesTest, RunningSumsMayBeInPlaceAndHoldNaNs) {
  const Array self(ACL_FLOAT16, {5}, {1, 2, kNaN, 4, 5});
  ASSERT_TRUE(runs(PHASES(aclnnCumsum), self, int64_t{0}, ACL_FLOAT16, self));
  expect_same(self, {1, 3, kNaN, kNaN, kNaN});
}

TEST_F(ReductionValuesTest, TopkOrdersTiesAndNaNs) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Array self(dtype, {7}, {2, kNaN, 5, -kInfinity, 5, kNaN, 2});
    Array values(dtype, {7}), indices(ACL_INT64, {7});
    ASSERT_EQ(topk(self, 7, true, values, indices), 0) << recent_message();
    EXPECT_EQ(indices.values(), (Values{1, 5, 2, 4, 0, 6, 3}));
    EXPECT_TRUE(std::isnan(values.get(0)));
    EXPECT_EQ(values.get(2), 5);
    ASSERT_EQ(topk(self, 7, false, values, indices), 0);
    EXPECT_EQ(indices.values(), (Values{3, 0, 6, 2, 4, 1, 5}));
  }
}

// ---- RMS normalization --------------------------------------------------------------------------

TEST_F(ReductionValuesTest, RmsNormOfSpecialRows) {
  const Array x(ACL_FLOAT16, {3, 2}, {0, 0, 3, 4, kNaN, 1});
  const Array gamma(ACL_FLOAT, {2}, {2, -1});
  Array y(ACL_FLOAT16, {3, 2}), rstd(ACL_FLOAT, {3, 1});
  ASSERT_TRUE(runs(PHASES(aclnnRmsNorm), x, gamma, 0.25, y, rstd));
  EXPECT_EQ(rstd.get(0), 2);
  EXPECT_EQ(y.get(0), 0);
  EXPECT_TRUE(is_near(y.get(2), 6 / std::sqrt(12.75L), 1e-3L));
  EXPECT_TRUE(is_near(y.get(3), -4 / std::sqrt(12.75L), 1e-3L));
  EXPECT_TRUE(std::isnan(rstd.get(2)) && std::isnan(y.get(5)));
  // Without rows the gradient of gamma is 0.
  const Array none(ACL_FLOAT, {0, 2}), no_rstd(ACL_FLOAT, {0, 1});
  Array dx(ACL_FLOAT, {0, 2}), dgamma(ACL_FLOAT, {2}, {7, 7});
  ASSERT_TRUE(runs(PHASES(aclnnRmsNormGrad), none, none, no_rstd, gamma, dx, dgamma));
  EXPECT_EQ(dgamma.values(), (Values{0, 0}));
}

}  // namespace
}  // namespace aclgrad::testing
