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
#include "tests/ops/operators/training/support.h"

namespace aclgrad::testing {
namespace {

constexpr long double kInf = std::numeric_limits<long double>::infinity();
constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();

class RowsTest : public AclTest {
 protected:
  aclnnStatus amax(const Array& self, const Shape& dims, Array& out, bool keep = false) {
    return call(aclnnAmaxGetWorkspaceSize, aclnnAmax, self.tensor(), IntArray(dims).get(), keep,
                out.tensor());
  }
  aclnnStatus max_dim(const Array& self, int64_t dim, Array& out, Array& indices) {
    return call(aclnnMaxDimGetWorkspaceSize, aclnnMaxDim, self.tensor(), dim, false, out.tensor(),
                indices.tensor());
  }
  aclnnStatus argmax(const Array& self, int64_t dim, Array& out) {
    return call(aclnnArgMaxGetWorkspaceSize, aclnnArgMax, self.tensor(), dim, false, out.tensor());
  }
  aclnnStatus norm(const Array& self, float p, const Shape& dims, Array& out) {
    const Scalar exponent(p);
    return call(aclnnNormGetWorkspaceSize, aclnnNorm, self.tensor(), exponent.get(),
                IntArray(dims).get(), false, out.tensor());
  }
  aclnnStatus var_mean(const Array& self, const Shape& dims, int64_t correction, Array& var,
                       Array& mean) {
    return call(aclnnVarMeanGetWorkspaceSize, aclnnVarMean, self.tensor(), IntArray(dims).get(),
                correction, false, var.tensor(), mean.tensor());
  }
  aclnnStatus topk(const Array& self, int64_t k, bool largest, Array& values, Array& indices) {
    return call(aclnnTopkGetWorkspaceSize, aclnnTopk, self.tensor(), k, int64_t{-1}, largest, true,
                values.tensor(), indices.tensor());
  }
};

// ---- The largest --------------------------------------------------------------------------------

TEST_F(RowsTest, OfEqualElementsTheFirstIsTheLargestAndOfNaNsTheFirst) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Array self(dtype, {4, 4},
                     {1, 3, 3, 2, 5, kNan, 9, kNan, -kInf, -kInf, -kInf, -kInf, -0.0L, 0, -1, 0});
    Array out(dtype, {4}), indices(ACL_INT64, {4}), places(ACL_INT32, {4});
    ASSERT_EQ(max_dim(self, 1, out, indices), 0) << recent_message();
    EXPECT_EQ(indices.values(), (Values{1, 1, 0, 0}));
    EXPECT_EQ(out.get(0), 3);
    EXPECT_TRUE(std::isnan(out.get(1)));
    EXPECT_EQ(out.get(2), -kInf);
    EXPECT_TRUE(std::signbit(out.get(3)));
    ASSERT_EQ(argmax(self, -1, places), 0) << recent_message();
    EXPECT_EQ(places.values(), indices.values());
    Array largest(dtype, {4});
    ASSERT_EQ(amax(self, {1}, largest), 0) << recent_message();
    EXPECT_EQ(largest.get(0), 3);
    EXPECT_TRUE(std::isnan(largest.get(1)));
  }
}

TEST_F(RowsTest, IntegersAndTruthsKeepEveryBit) {
  const long double most = static_cast<long double>(INT64_MAX);
  const Array self(ACL_INT64, {2, 3}, {most - 1, most, -most - 1, -2, -3, -most});
  Array out(ACL_INT64, {2});
  ASSERT_EQ(amax(self, {1}, out), 0);
  EXPECT_EQ(out.values(), (Values{most, -2}));
  Array least(ACL_INT64, {}, {0});
  ASSERT_EQ(call(aclnnAminGetWorkspaceSize, aclnnAmin, self.tensor(), IntArray({}).get(), false,
                 least.tensor()),
            0);
  EXPECT_EQ(least.values(), (Values{-most - 1}));
  const Array truths(ACL_BOOL, {2, 2}, {0, 1, 0, 0});
  Array any(ACL_BOOL, {2}), first(ACL_INT64, {2});
  ASSERT_EQ(amax(truths, {1}, any), 0);
  EXPECT_EQ(any.values(), (Values{1, 0}));
  ASSERT_EQ(max_dim(truths, 1, any, first), 0);
  EXPECT_EQ(first.values(), (Values{1, 0}));
}

// Outputs of more elements than a chunk, few and many of them, and along an outer dimension.
TEST_F(RowsTest, LargeTensorsAreSharedByThreads) {
  const struct {
    Shape shape;
    Shape dims;
    Shape out;
  } cases[] = {{{300000}, {}, {}},
               {{3, 100001}, {1}, {3}},
               {{70000, 5}, {0}, {5}},
               {{40, 50, 60}, {0, 2}, {50}}};
  for (const auto& [shape, dims, out_shape] : cases) {
    SCOPED_TRACE(::testing::PrintToString(shape));
    const Array self = random_array(ACL_FLOAT, shape, LayoutKind::kContiguous, 5);
    std::vector<Values> by_element(static_cast<size_t>(element_count(out_shape)));
    const Shape kept = dims.empty()          ? Shape{1}
                       : dims == Shape{0, 2} ? Shape{1, 50, 1}
                       : dims == Shape{1}    ? Shape{3, 1}
                                             : Shape{1, 5};
    for (int64_t i = 0; i < self.count(); ++i) {
      by_element[static_cast<size_t>(broadcast_index(kept, shape, i))].push_back(self.get(i));
    }
    std::vector<std::vector<unsigned char>> bits;
    for (const uint32_t threads : {1u, 3u}) {
      ASSERT_EQ(aclgradSetNumThreads(threads), 0);
      Array largest(ACL_FLOAT, out_shape), variance(ACL_FLOAT, out_shape);
      Array mean(ACL_FLOAT, out_shape), length(ACL_FLOAT, out_shape);
      ASSERT_EQ(amax(self, dims, largest), 0) << recent_message();
      ASSERT_EQ(var_mean(self, dims, 1, variance, mean), 0) << recent_message();
      ASSERT_EQ(norm(self, 2, dims, length), 0) << recent_message();
      for (size_t i = 0; i < by_element.size(); ++i) {
        const Values& x = by_element[i];
        const auto place = static_cast<int64_t>(i);
        EXPECT_EQ(largest.get(place), *std::max_element(x.begin(), x.end()));
        long double sum = 0, squares = 0, distances = 0;
        for (const long double each : x) sum += each;
        const long double center = sum / static_cast<long double>(x.size());
        for (const long double each : x) squares += each * each;
        for (const long double each : x) distances += (each - center) * (each - center);
        distances /= static_cast<long double>(x.size() - 1);
        EXPECT_TRUE(is_near(mean.get(place), center, 0x1p-24L * std::abs(center) + 1e-15L));
        EXPECT_TRUE(is_near(variance.get(place), distances, 0x1p-24L * distances));
        EXPECT_TRUE(is_near(length.get(place), std::sqrt(squares), 0x1p-24L * std::sqrt(squares)));
      }
      for (const Array* each : {&largest, &variance, &mean, &length}) {
        bits.push_back(bytes_of(*each));
      }
    }
    for (size_t k = 0; k < 4; ++k) EXPECT_EQ(bits[k], bits[4 + k]);
  }
}

TEST_F(RowsTest, TheFirstOfEqualElementsOfAllChunks) {
  Array self(ACL_FLOAT, {200000});
  self.set(70000, 8);
  self.set(150000, 8);
  Array out(ACL_FLOAT, {}), index(ACL_INT64, {});
  ASSERT_EQ(max_dim(self, 0, out, index), 0) << recent_message();
  EXPECT_EQ(out.get(0), 8);
  EXPECT_EQ(index.get(0), 70000);
}

TEST_F(RowsTest, EmptyTensorsAreLeftAlone) {
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

TEST_F(RowsTest, VariancesOfFewElements) {
  const Array self(ACL_FLOAT, {2, 3}, {1, 2, 6, 4, 4, 4});
  Array var(ACL_FLOAT, {2}), mean(ACL_FLOAT16, {2});
  ASSERT_EQ(var_mean(self, {1}, 1, var, mean), 0) << recent_message();
  EXPECT_EQ(var.values(), (Values{7, 0}));
  EXPECT_EQ(mean.values(), (Values{3, 4}));
  ASSERT_EQ(var_mean(self, {1}, -1, var, mean), 0);
  EXPECT_EQ(var.values(), (Values{3.5L, 0}));
  for (const int64_t correction : {3, 4}) {
    ASSERT_EQ(var_mean(self, {1}, correction, var, mean), 0);
    EXPECT_EQ(var.values(), (Values{kInf, kInf})) << correction;
  }
  const Array one(ACL_FLOAT, {1, 2}, {5, 6});
  ASSERT_EQ(var_mean(one, {0}, 1, var, mean), 0);
  EXPECT_TRUE(std::isnan(var.get(0)) && std::isnan(var.get(1)));
  ASSERT_EQ(call(aclnnVarGetWorkspaceSize, aclnnVar, one.tensor(), IntArray({0}).get(), true, false,
                 var.tensor()),
            0);
  EXPECT_TRUE(std::isnan(var.get(0)));
  ASSERT_EQ(var_mean(Array(ACL_FLOAT, {0, 2}), {0}, 0, var, mean), 0);
  EXPECT_TRUE(std::isnan(var.get(1)) && std::isnan(mean.get(1)));
  // Null stands for all dimensions, too.
  Array all(ACL_FLOAT, {});
  const aclIntArray* null = nullptr;
  ASSERT_EQ(call(aclnnVarCorrectionGetWorkspaceSize, aclnnVarCorrection, one.tensor(), null,
                 int64_t{0}, false, all.tensor()),
            0);
  EXPECT_EQ(all.values(), Values{0.25L});
}

TEST_F(RowsTest, VariancesBesideALargeMeanDoNotCancel) {
  Array self(ACL_FLOAT, {1000});
  for (int64_t i = 0; i < 1000; ++i) self.set(i, 8388608.0L + static_cast<long double>(i % 2));
  Array var(ACL_FLOAT, {}), mean(ACL_FLOAT, {});
  ASSERT_EQ(var_mean(self, {}, 0, var, mean), 0);
  EXPECT_EQ(var.values(), Values{0.25L});
}

TEST_F(RowsTest, NormsOfEveryKind) {
  const Array self(ACL_FLOAT, {2, 3}, {3, 0, -4, kInf, 1, 0});
  Array out(ACL_FLOAT, {2});
  const float infinity = std::numeric_limits<float>::infinity();
  const struct {
    float p;
    Values norms;
  } cases[] = {{2, {5, kInf}},        {1, {7, kInf}},      {0, {2, 2}},
               {infinity, {4, kInf}}, {-infinity, {0, 0}}, {-1, {0, 0}}};
  for (const auto& [p, norms] : cases) {
    ASSERT_EQ(norm(self, p, {1}, out), 0) << recent_message();
    EXPECT_EQ(out.values(), norms) << p;
  }
  for (const float p : {2.0f, 1.0f, 3.0f, infinity, -infinity}) {
    Array all(ACL_FLOAT, {});
    ASSERT_EQ(norm(Array(ACL_FLOAT, {4}, {1, kNan, 9, 0}), p, {}, all), 0);
    EXPECT_TRUE(std::isnan(all.get(0))) << p;
    ASSERT_EQ(norm(Array(ACL_FLOAT, {0}), p, {}, all), 0);
    EXPECT_EQ(all.get(0), 0);
  }
}

// ---- Running sums, the first k ------------------------------------------------------------------

TEST_F(RowsTest, RunningSumsGoOnOverBlocksAndWrap) {
  for (const Shape& shape : {Shape{3000, 3}, Shape{2, 3000}}) {
    const Array self(ACL_INT8, shape, {1});
    const int64_t dim = shape[0] == 3000 ? 0 : 1;
    Array out(ACL_INT32, shape), reversed(ACL_INT8, shape);
    ASSERT_EQ(
        call(aclnnCumsumGetWorkspaceSize, aclnnCumsum, self.tensor(), dim, ACL_INT32, out.tensor()),
        0);
    ASSERT_EQ(call(aclnnCumsumV2GetWorkspaceSize, aclnnCumsumV2, self.tensor(), dim, true, true,
                   reversed.tensor()),
              0);
    for (int64_t i = 0; i < out.count(); ++i) {
      const int64_t place = dim == 0 ? i / shape[1] : i % shape[1];
      ASSERT_EQ(out.get(i), place + 1);
      ASSERT_EQ(reversed.get(i), static_cast<int8_t>(3000 - place - 1));
    }
  }
}

TEST_F(RowsTest, RunningSumsMayBeInPlaceAndHoldNaNs) {
  const Array self(ACL_FLOAT16, {5}, {1, 2, kNan, 4, 5});
  ASSERT_EQ(call(aclnnCumsumGetWorkspaceSize, aclnnCumsum, self.tensor(), int64_t{0}, ACL_FLOAT16,
                 self.tensor()),
            0);
  EXPECT_EQ(self.get(1), 3);
  EXPECT_TRUE(std::isnan(self.get(2)) && std::isnan(self.get(4)));
}

TEST_F(RowsTest, TopkOrdersTiesAndNaNs) {
  for (const aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    const Array self(dtype, {7}, {2, kNan, 5, -kInf, 5, kNan, 2});
    Array values(dtype, {7}), indices(ACL_INT64, {7});
    ASSERT_EQ(topk(self, 7, true, values, indices), 0) << recent_message();
    EXPECT_EQ(indices.values(), (Values{1, 5, 2, 4, 0, 6, 3}));
    EXPECT_TRUE(std::isnan(values.get(0)));
    EXPECT_EQ(values.get(2), 5);
    ASSERT_EQ(topk(self, 7, false, values, indices), 0);
    EXPECT_EQ(indices.values(), (Values{3, 0, 6, 2, 4, 1, 5}));
  }
}

TEST_F(RowsTest, TopkOfManyLines) {
  const Array self = random_array(ACL_FLOAT, {400, 300}, LayoutKind::kTransposed, 9);
  Array values(ACL_FLOAT, {400, 5}), indices(ACL_INT64, {400, 5});
  ASSERT_EQ(topk(self, 5, true, values, indices), 0);
  for (int64_t line = 0; line < 400; ++line) {
    Values sorted;
    for (int64_t i = 0; i < 300; ++i) sorted.push_back(self.get(line * 300 + i));
    std::sort(sorted.rbegin(), sorted.rend());
    for (int64_t k = 0; k < 5; ++k) {
      ASSERT_EQ(values.get(line * 5 + k), sorted[static_cast<size_t>(k)]);
      ASSERT_EQ(self.get(line * 300 + static_cast<int64_t>(indices.get(line * 5 + k))),
                values.get(line * 5 + k));
    }
  }
}

// ---- RMS normalization --------------------------------------------------------------------------

TEST_F(RowsTest, RmsNormOfSpecialRows) {
  const Array x(ACL_FLOAT16, {3, 2}, {0, 0, 3, 4, kNan, 1});
  const Array gamma(ACL_FLOAT, {2}, {2, -1});
  Array y(ACL_FLOAT16, {3, 2}), rstd(ACL_FLOAT, {3, 1});
  ASSERT_EQ(call(aclnnRmsNormGetWorkspaceSize, aclnnRmsNorm, x.tensor(), gamma.tensor(), 0.25,
                 y.tensor(), rstd.tensor()),
            0)
      << recent_message();
  EXPECT_EQ(rstd.get(0), 2);
  EXPECT_EQ(y.get(0), 0);
  EXPECT_TRUE(is_near(y.get(2), 6 / std::sqrt(12.75L), 1e-3L));
  EXPECT_TRUE(is_near(y.get(3), -4 / std::sqrt(12.75L), 1e-3L));
  EXPECT_TRUE(std::isnan(rstd.get(2)) && std::isnan(y.get(5)));
  // Without rows the gradient of gamma is 0.
  const Array none(ACL_FLOAT, {0, 2}), no_rstd(ACL_FLOAT, {0, 1});
  Array dx(ACL_FLOAT, {0, 2}), dgamma(ACL_FLOAT, {2}, {7, 7});
  ASSERT_EQ(call(aclnnRmsNormGradGetWorkspaceSize, aclnnRmsNormGrad, none.tensor(), none.tensor(),
                 no_rstd.tensor(), gamma.tensor(), dx.tensor(), dgamma.tensor()),
            0)
      << recent_message();
  EXPECT_EQ(dgamma.values(), (Values{0, 0}));
}

}  // namespace
}  // namespace aclgrad::testing
