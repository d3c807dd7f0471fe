// SPDX-License-Identifier: Apache-2.0
// Convolution, pooling and normalization of channels: sizes that are cut into blocks and tasks,
// special values, formats, products, empty tensors. Values in every dtype and layout are in
// tests/cases, every check in tests/contract.
#include <memory>

#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "tests/ops/operators/training/support.h"

namespace aclgrad::testing {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
constexpr long double kNaN = std::numeric_limits<long double>::quiet_NaN();

using Numbers = std::vector<long double>;

Array image(aclDataType dtype, const Shape& shape, const Numbers& values = {},
            aclFormat format = ACL_FORMAT_NCHW) {
  return {dtype, shape, Array::Layout{{}, 0, -1, format}, values};
}

// Whole numbers from -2 to 2, of which float sums are exact.
Array whole_numbers(const Shape& shape, int64_t seed) {
  Array array = image(ACL_FLOAT, shape);
  for (int64_t i = 0; i < array.count(); ++i) {
    array.set(i, static_cast<long double>((i * 7 + i / 11 * 3 + seed) % 5 - 2));
  }
  return array;
}

struct Geometry {
  Shape x, w;
  int64_t stride, padding, groups;
  bool transposed;
  Shape y;
};

// Of a convolution with a kernel of 2-D: calls visit(place in y, place in x, place in w).
template <class Visit>
void for_each_product(const Shape& x, const Shape& w, const Shape& y, const Geometry& g,
                      const Visit& visit) {
  const int64_t outputs = w[0] / g.groups;
  for (int64_t n = 0; n < y[0]; ++n) {
    for (int64_t o = 0; o < y[1]; ++o) {
      for (int64_t c = 0; c < w[1]; ++c) {
        const int64_t from = n * x[1] + o / outputs * w[1] + c;
        for (int64_t p = 0; p < y[2] * y[3]; ++p) {
          for (int64_t k = 0; k < w[2] * w[3]; ++k) {
            const int64_t h = p / y[3] * g.stride - g.padding + k / w[3];
            const int64_t v = p % y[3] * g.stride - g.padding + k % w[3];
            if (h < 0 || h >= x[2] || v < 0 || v >= x[3]) continue;
            visit((n * y[1] + o) * y[2] * y[3] + p, (from * x[2] + h) * x[3] + v,
                  (o * w[1] + c) * w[2] * w[3] + k);
          }
        }
      }
    }
  }
}

// The same of a transposed one, which is one from its output to its input.
template <class Visit>
void for_each_product(const Geometry& g, const Visit& visit) {
  if (!g.transposed) return for_each_product(g.x, g.w, g.y, g, visit);
  for_each_product(g.y, g.w, g.x, g, [&](int64_t x, int64_t y, int64_t w) { visit(y, x, w); });
}

class Convolutions : public AclTest, public ::testing::WithParamInterface<Geometry> {
 protected:
  void convolve(const Array& x, const Array& w, const Array& bias, Array& y) {
    const Geometry& g = GetParam();
    const IntArray stride({g.stride, g.stride}), padding({g.padding, g.padding});
    const IntArray one({1, 1}), none({0, 0});
    ASSERT_EQ(call(aclnnConvolutionGetWorkspaceSize, aclnnConvolution, x.tensor(), w.tensor(),
                   bias.tensor(), stride.get(), padding.get(), one.get(), g.transposed, none.get(),
                   g.groups, y.tensor(), int8_t{0}),
              0)
        << recent_message();
  }
  void backward(const Array& gradient, const Array& x, const Array& w, Array& dx, Array& dw,
                Array& db) {
    const Geometry& g = GetParam();
    const IntArray stride({g.stride, g.stride}), padding({g.padding, g.padding});
    const IntArray one({1, 1}), none({0, 0});
    const bool all[] = {true, true, true};
    const std::unique_ptr<const aclBoolArray, decltype(&aclDestroyBoolArray)> mask(
        aclCreateBoolArray(all, 3), aclDestroyBoolArray);
    const aclIntArray* no_sizes = nullptr;
    ASSERT_EQ(call(aclnnConvolutionBackwardGetWorkspaceSize, aclnnConvolutionBackward,
                   gradient.tensor(), x.tensor(), w.tensor(), no_sizes, stride.get(), padding.get(),
                   one.get(), g.transposed, none.get(), static_cast<int>(g.groups), mask.get(),
                   int8_t{0}, dx.tensor(), dw.tensor(), db.tensor()),
              0)
        << recent_message();
  }
};

TEST_P(Convolutions, AreExactOnWholeNumbersWithAnyNumberOfThreads) {
  const Geometry& g = GetParam();
  const Array x = whole_numbers(g.x, 1), w = whole_numbers(g.w, 2), dy = whole_numbers(g.y, 3);
  const Array bias(ACL_FLOAT, {g.y[1]}, {3});
  const Numbers xs = x.values(), ws = w.values(), gs = dy.values();
  Numbers y_exact(gs.size(), 3), dx_exact(xs.size()), dw_exact(ws.size());
  Numbers db_exact(static_cast<size_t>(g.y[1]));
  for_each_product(g, [&](int64_t to, int64_t from, int64_t weight) {
    const auto i = static_cast<size_t>(to), j = static_cast<size_t>(from);
    const auto k = static_cast<size_t>(weight);
    y_exact[i] += xs[j] * ws[k];
    dx_exact[j] += gs[i] * ws[k];
    dw_exact[k] += gs[i] * xs[j];
  });
  for (size_t i = 0; i < gs.size(); ++i) {
    db_exact[i / static_cast<size_t>(g.y[2] * g.y[3]) % db_exact.size()] += gs[i];
  }
  for (const int threads : {1, 3}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), 0);
    Array y = image(ACL_FLOAT, g.y), dx = image(ACL_FLOAT, g.x), dw = image(ACL_FLOAT, g.w);
    Array db(ACL_FLOAT, {g.y[1]});
    convolve(x, w, bias, y);
    EXPECT_EQ(y.values(), y_exact) << threads;
    backward(dy, x, w, dx, dw, db);
    EXPECT_EQ(dx.values(), dx_exact) << threads;
    EXPECT_EQ(dw.values(), dw_exact) << threads;
    EXPECT_EQ(db.values(), db_exact) << threads;
  }
}

// Of the fractions of real numbers, order counts.
TEST_P(Convolutions, BitsDoNotDependOnThreads) {
  const Geometry& g = GetParam();
  const auto fractions = [](const Shape& shape, long double by) {
    Array array = whole_numbers(shape, 4);
    for (int64_t i = 0; i < array.count(); ++i) {
      array.set(i, array.get(i) * by + static_cast<long double>(i % 13) / 17);
    }
    return array;
  };
  const Array x = fractions(g.x, 0.3L), w = fractions(g.w, 0.7L), dy = fractions(g.y, 1.1L);
  const Array bias(ACL_FLOAT, {g.y[1]}, {0.1L});
  std::vector<Numbers> first;
  for (const int threads : {1, 2, 4}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), 0);
    Array y = image(ACL_FLOAT, g.y), dx = image(ACL_FLOAT, g.x), dw = image(ACL_FLOAT, g.w);
    Array db(ACL_FLOAT, {g.y[1]});
    convolve(x, w, bias, y);
    backward(dy, x, w, dx, dw, db);
    const std::vector<Numbers> results = {y.values(), dx.values(), dw.values(), db.values()};
    if (first.empty()) first = results;
    EXPECT_EQ(results, first) << threads;
  }
}

// An infinite element, or one that is no number, counts in its windows and nowhere else; so does
// such a weight in the adjoint.
TEST_P(Convolutions, InfinitiesStayInTheirWindows) {
  const Geometry& g = GetParam();
  if (g.transposed) GTEST_SKIP() << "its backward pass is a convolution, padded with zeros";
  Array x = whole_numbers(g.x, 1), w = whole_numbers(g.w, 2);
  const Array dy = whole_numbers(g.y, 3);
  x.set(x.count() / 3, kInfinity);
  x.set(x.count() / 2, kNaN);
  Array dx = image(ACL_FLOAT, g.x), dw = image(ACL_FLOAT, g.w), db(ACL_FLOAT, {g.y[1]});
  backward(dy, x, w, dx, dw, db);
  w.set(w.count() / 2, kInfinity);
  Array unused = image(ACL_FLOAT, g.w);
  backward(dy, x, w, dx, unused, db);
  const Numbers xs = x.values(), ws = w.values(), gs = dy.values();
  Numbers dx_exact(xs.size()), dw_exact(ws.size());
  for_each_product(g, [&](int64_t to, int64_t from, int64_t weight) {
    const auto i = static_cast<size_t>(to), j = static_cast<size_t>(from);
    const auto k = static_cast<size_t>(weight);
    dx_exact[j] += gs[i] * ws[k];
    dw_exact[k] += gs[i] * xs[j];
  });
  const auto same = [](const Numbers& a, const Numbers& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](long double p, long double q) {
      return p == q || (std::isnan(p) && std::isnan(q));
    });
  };
  EXPECT_TRUE(same(dx.values(), dx_exact));
  EXPECT_TRUE(same(dw.values(), dw_exact));
}

INSTANTIATE_TEST_SUITE_P(
    Large, Convolutions,
    ::testing::Values(Geometry{{2, 8, 40, 36}, {12, 8, 3, 3}, 1, 1, 1, false, {2, 12, 40, 36}},
                      Geometry{{1, 80, 9, 9}, {140, 40, 3, 3}, 2, 0, 2, false, {1, 140, 4, 4}},
                      Geometry{{1, 70, 30, 33}, {130, 70, 1, 1}, 1, 0, 1, false, {1, 130, 30, 33}},
                      Geometry{{1, 3, 3, 1100}, {5, 3, 3, 3}, 1, 1, 1, false, {1, 5, 3, 1100}},
                      Geometry{{1, 300, 5, 5}, {40, 300, 3, 3}, 1, 1, 1, false, {1, 40, 5, 5}},
                      Geometry{{2, 3, 25, 33}, {3, 1, 3, 3}, 1, 1, 3, false, {2, 3, 25, 33}},
                      Geometry{{2, 6, 33, 31}, {6, 1, 5, 5}, 2, 2, 6, false, {2, 6, 17, 16}},
                      Geometry{{2, 12, 20, 18}, {12, 8, 4, 4}, 2, 1, 1, true, {2, 8, 40, 36}}));

// ---- Empty convolutions -------------------------------------------------------------------------

class Images : public AclTest {
 protected:
  aclnnStatus max_pool(const Array& self, int64_t kernel, int64_t padding, Array& out,
                       Array& indices) {
    const IntArray size({kernel}), pad({padding}), one({1}), none({});
    return call(aclnnMaxPool2dWithIndicesGetWorkspaceSize, aclnnMaxPool2dWithIndices, self.tensor(),
                size.get(), none.get(), pad.get(), one.get(), false, out.tensor(),
                indices.tensor());
  }
  aclnnStatus batch_norm(const Array& input, bool training, Array& output, Array& mean,
                         Array& invstd) {
    const aclTensor* none = nullptr;
    aclTensor* no_running = nullptr;
    return call(aclnnBatchNormGetWorkspaceSize, aclnnBatchNorm, input.tensor(), none, none,
                no_running, no_running, training, 0.1, 0.25, output.tensor(), mean.tensor(),
                invstd.tensor());
  }
};

TEST_F(Images, GradientsOfAnEmptyConvolution) {
  const Array x = image(ACL_FLOAT, {0, 2, 4, 4}), w = image(ACL_FLOAT, {3, 2, 3, 3}, {1});
  const Array gradient = image(ACL_FLOAT, {0, 3, 2, 2});
  Array dx = image(ACL_FLOAT, {0, 2, 4, 4}), dw = image(ACL_FLOAT16, {3, 2, 3, 3}, {7});
  Array db(ACL_FLOAT, {3}, {7});
  const IntArray one({1, 1}), none({0, 0}), sizes({3});
  const bool all[] = {true, true, true};
  const std::unique_ptr<const aclBoolArray, decltype(&aclDestroyBoolArray)> mask(
      aclCreateBoolArray(all, 3), aclDestroyBoolArray);
  ASSERT_EQ(
      call(aclnnConvolutionBackwardGetWorkspaceSize, aclnnConvolutionBackward, gradient.tensor(),
           x.tensor(), w.tensor(), sizes.get(), one.get(), none.get(), one.get(), false, none.get(),
           1, mask.get(), int8_t{0}, dx.tensor(), dw.tensor(), db.tensor()),
      0)
      << recent_message();
  EXPECT_EQ(dw.values(), Numbers(54));
  EXPECT_EQ(db.values(), Numbers(3));
}

// ---- Pooling ------------------------------------------------------------------------------------

TEST_F(Images, MaximaOfSpecialValues) {
  const Array self = image(ACL_FLOAT, {1, 4, 2, 2},
                           {1, kNaN, 5, kNaN, -kInfinity, -kInfinity, -kInfinity, -kInfinity,  //
                            2, 3, 3, -1, kInfinity, 0, 0, kNaN});
  Array out = image(ACL_FLOAT, {1, 4, 1, 1}), indices = image(ACL_INT32, {1, 4, 1, 1});
  ASSERT_EQ(max_pool(self, 2, 0, out, indices), 0) << recent_message();
  EXPECT_TRUE(is_near(out.get(0), kNaN, 0));
  EXPECT_EQ(out.get(1), -kInfinity);
  EXPECT_EQ(out.get(2), 3);
  EXPECT_TRUE(is_near(out.get(3), kNaN, 0));
  EXPECT_EQ(indices.values(), (Numbers{1, 0, 1, 3}));
}

// Padding is smaller than any number.
TEST_F(Images, PaddingNeverIsTheMaximum) {
  const Array self = image(ACL_FLOAT16, {1, 1, 2, 2}, {-5, -6, -7, -8});
  Array out = image(ACL_FLOAT16, {1, 1, 2, 2}), indices = image(ACL_INT64, {1, 1, 2, 2});
  ASSERT_EQ(max_pool(self, 2, 1, out, indices), 0) << recent_message();
  EXPECT_EQ(out.values(), (Numbers{-5, -6, -7, -8}));
  EXPECT_EQ(indices.values(), (Numbers{0, 1, 2, 3}));
}

TEST_F(Images, MaximaWithTheChannelsLast) {
  const Array self = image(ACL_FLOAT, {1, 2, 2, 2}, {1, 8, 2, 7, 3, 6, 4, 5}, ACL_FORMAT_NHWC);
  Array out = image(ACL_FLOAT, {1, 1, 1, 2}, {}, ACL_FORMAT_NHWC);
  Array indices = image(ACL_INT64, {1, 1, 1, 2}, {}, ACL_FORMAT_NHWC);
  ASSERT_EQ(max_pool(self, 2, 0, out, indices), 0) << recent_message();
  EXPECT_EQ(out.values(), (Numbers{4, 8}));
  EXPECT_EQ(indices.values(), (Numbers{3, 0}));
}

TEST_F(Images, AnIndexOutsideThePlaneFailsTheTask) {
  const Array gradient = image(ACL_FLOAT, {1, 1, 1, 1}, {1}), self = image(ACL_FLOAT, {1, 1, 2, 2});
  const IntArray size({2}), pad({0}), one({1}), none({});
  for (const long double index : {4.0L, -1.0L}) {
    const Array indices = image(ACL_INT64, {1, 1, 1, 1}, {index});
    Array out = image(ACL_FLOAT, {1, 1, 2, 2});
    EXPECT_NE(
        call(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize, aclnnMaxPool2dWithIndicesBackward,
             gradient.tensor(), self.tensor(), indices.tensor(), size.get(), none.get(), pad.get(),
             one.get(), false, out.tensor()),
        0);
    EXPECT_NE(recent_message().find("within [0, 3]"), std::string::npos);
  }
}

TEST_F(Images, AveragesOfAnEmptyBatch) {
  const Array self = image(ACL_FLOAT, {0, 1, 2, 2});
  Array out = image(ACL_FLOAT, {0, 1, 1, 1});
  const IntArray size({2}), pad({0}), none({});
  EXPECT_EQ(call(aclnnAvgPool2dGetWorkspaceSize, aclnnAvgPool2d, self.tensor(), size.get(),
                 none.get(), pad.get(), false, true, int64_t{0}, int8_t{0}, out.tensor()),
            0)
      << recent_message();
}

// ---- Normalization ------------------------------------------------------------------------------

TEST_F(Images, WhatABatchSavesDependsOnTheProduct) {
  const Array input(ACL_FLOAT, {2, 1}, {1, 5});
  Array output(ACL_FLOAT, {2, 1}), mean(ACL_FLOAT, {1}), invstd(ACL_FLOAT, {1});
  ASSERT_EQ(batch_norm(input, true, output, mean, invstd), 0) << recent_message();
  EXPECT_EQ(mean.get(0), 3);
  EXPECT_EQ(invstd.get(0), 4);  // the variance
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  ASSERT_EQ(batch_norm(input, true, output, mean, invstd), 0) << recent_message();
  EXPECT_TRUE(is_near(invstd.get(0), 1 / std::sqrt(4.25L), 1e-7L));

  // The backward reads the same.
  const Array gradient(ACL_FLOAT, {2, 1}, {1, 0});
  Array dx(ACL_FLOAT, {2, 1}), dw(ACL_FLOAT, {1}), db(ACL_FLOAT, {1});
  const bool all[] = {true, true, true};
  const std::unique_ptr<const aclBoolArray, decltype(&aclDestroyBoolArray)> mask(
      aclCreateBoolArray(all, 3), aclDestroyBoolArray);
  const aclTensor* none = nullptr;
  ASSERT_EQ(call(aclnnBatchNormBackwardGetWorkspaceSize, aclnnBatchNormBackward, gradient.tensor(),
                 input.tensor(), none, none, none, mean.tensor(), invstd.tensor(), true, 0.25,
                 mask.get(), dx.tensor(), dw.tensor(), db.tensor()),
            0)
      << recent_message();
  EXPECT_TRUE(is_near(dw.get(0), -2 / std::sqrt(4.25L), 1e-7L));
  EXPECT_EQ(db.get(0), 1);
}

TEST_F(Images, MomentumIsTakenAsFloat) {
  const Array input(ACL_FLOAT, {2, 1}, {9, 9}), mean(ACL_FLOAT, {1}, {0}), var(ACL_FLOAT, {1}, {1});
  const Array output(ACL_FLOAT, {2, 1}), saved(ACL_FLOAT, {1}), invstd(ACL_FLOAT, {1});
  const aclTensor* none = nullptr;
  ASSERT_EQ(call(aclnnBatchNormGetWorkspaceSize, aclnnBatchNorm, input.tensor(), none, none,
                 mean.tensor(), var.tensor(), true, 0.1, 0.25, output.tensor(), saved.tensor(),
                 invstd.tensor()),
            0)
      << recent_message();
  EXPECT_EQ(mean.get(0), static_cast<float>(9 * static_cast<double>(0.1F)));  // 0.9 would be less
}

TEST_F(Images, AnEmptyBatchSavesNoVariance) {
  const Array input(ACL_FLOAT, {0, 2});
  Array output(ACL_FLOAT, {0, 2}), mean(ACL_FLOAT, {2}, {7}), invstd(ACL_FLOAT, {2}, {7});
  ASSERT_EQ(batch_norm(input, true, output, mean, invstd), 0) << recent_message();
  EXPECT_EQ(mean.values(), Numbers(2));
  EXPECT_TRUE(is_near(invstd.get(0), kNaN, 0));
}

// Of a single element a channel the variance is 0, and so is what is normalized.
TEST_F(Images, ABatchOfOneElementForEachChannel) {
  const Array input(ACL_FLOAT, {1, 2}, {4, -2});
  Array output(ACL_FLOAT, {1, 2}), mean(ACL_FLOAT, {2}), invstd(ACL_FLOAT, {2});
  Array running_mean(ACL_FLOAT, {2}, {0}), running_var(ACL_FLOAT, {2}, {1});
  const aclTensor* none = nullptr;
  ASSERT_EQ(call(aclnnBatchNormGetWorkspaceSize, aclnnBatchNorm, input.tensor(), none, none,
                 running_mean.tensor(), running_var.tensor(), true, 0.5, 0.25, output.tensor(),
                 mean.tensor(), invstd.tensor()),
            0)
      << recent_message();
  EXPECT_EQ(output.values(), (Numbers{0, 0}));
  EXPECT_EQ(running_mean.values(), (Numbers{2, -1}));
  EXPECT_EQ(running_var.values(), (Numbers{0.5L, 0.5L}));
}

TEST_F(Images, AnEmptyGroupHasNoSpread) {
  const Array self(ACL_FLOAT, {2, 2, 0});
  Array out(ACL_FLOAT, {2, 2, 0}), mean(ACL_FLOAT, {2, 1}, {7}), rstd(ACL_FLOAT, {2, 1}, {7});
  const aclTensor* none = nullptr;
  ASSERT_EQ(
      call(aclnnGroupNormGetWorkspaceSize, aclnnGroupNorm, self.tensor(), none, none, int64_t{2},
           int64_t{2}, int64_t{0}, int64_t{1}, 1e-5, out.tensor(), mean.tensor(), rstd.tensor()),
      0)
      << recent_message();
  EXPECT_EQ(mean.values(), Numbers(2));
  EXPECT_TRUE(is_near(rstd.get(0), kNaN, 0));
}

}  // namespace
}  // namespace aclgrad::testing
