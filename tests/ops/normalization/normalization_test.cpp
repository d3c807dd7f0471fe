// SPDX-License-Identifier: Apache-2.0
// Softmax and layer normalization: special values, layouts, aliasing, threads, empty tensors.
// Values in every dtype and layout are in tests/cases, every check in tests/contract.
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "tests/ops/support/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

constexpr aclDataType kDtypes[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

class NormalizationTest : public AclTest {
 protected:
  aclnnStatus softmax(const Array& self, int64_t dim, Array& out) {
    return call(PHASES(aclnnSoftmax), self, dim, out);
  }
  aclnnStatus softmax_backward(const Array& gradient, const Array& output, int64_t dim,
                               Array& out) {
    return call(PHASES(aclnnSoftmaxBackward), gradient, output, dim, out);
  }

  // Over the last dimension; null for what is absent.
  aclnnStatus layer_norm(const Array& input, const Array* weight, const Array* bias, Array& out,
                         Array* mean, Array* rstd) {
    const IntArray sizes({input.shape().back()});
    return call(PHASES(aclnnLayerNorm), input, sizes, handle(weight), handle(bias), 1e-5, out,
                handle(mean), handle(rstd));
  }
  aclnnStatus layer_norm_backward(const Array& gradient, const Array& input, const Array& mean,
                                  const Array& rstd, const Array* weight, Array* input_gradient,
                                  Array* weight_gradient, Array* bias_gradient) {
    const IntArray sizes({input.shape().back()});
    const BoolArray mask{input_gradient != nullptr, weight_gradient != nullptr,
                         bias_gradient != nullptr};
    const aclTensor* none = nullptr;
    return call(PHASES(aclnnLayerNormBackward), gradient, input, sizes, mean, rstd, handle(weight),
                none, mask, handle(input_gradient), handle(weight_gradient), handle(bias_gradient));
  }

 private:
  static aclTensor* handle(const Array* array) {
    return array == nullptr ? nullptr : array->tensor();
  }
};

TEST_F(NormalizationTest, SoftmaxAtTheEndsOfItsRange) {
  for (const aclDataType dtype : kDtypes) {
    const Array self(dtype, {5, 2},
                     {-kInfinity, -kInfinity, -kInfinity, 1, kInfinity, 1, kNaN, 1, 60000, -60000});
    Array out(dtype, {5, 2});
    ASSERT_EQ(softmax(self, 1, out), 0);
    expect_same(out, {kNaN, kNaN, 0, 1, kNaN, kNaN, kNaN, kNaN, 1, 0});
    const Array single(dtype, {3, 1}, {-5, 0, 7});
    Array ones(dtype, {3, 1});
    ASSERT_EQ(softmax(single, 1, ones), 0);
    EXPECT_EQ(ones.values(), Values(3, 1)) << "rows of one element";
  }
}

TEST_F(NormalizationTest, SoftmaxConvertsOnceToTheOutput) {
  const Array self(ACL_FLOAT16, {1, 3}, {1, 2, 4});
  Array out(ACL_FLOAT, {1, 3});
  ASSERT_EQ(softmax(self, -1, out), 0);
  const long double sum = std::exp(1.0L) + std::exp(2.0L) + std::exp(4.0L);
  EXPECT_LE(ulp_error(out.get(0), std::exp(1.0L) / sum, ACL_FLOAT), 0.501);
}

TEST_F(NormalizationTest, OutputsMayBeInputs) {
  const Shape shape{40, 7};
  const Array x = random_array(ACL_FLOAT, shape, LayoutKind::kContiguous, 1, -3, 3);
  const Array g = random_array(ACL_FLOAT, shape, LayoutKind::kContiguous, 2, -1, 1);
  const Array weight = random_array(ACL_FLOAT, {7}, LayoutKind::kContiguous, 3, 1, 2);
  Array y(ACL_FLOAT, shape), mean(ACL_FLOAT, {40, 1}), rstd(ACL_FLOAT, {40, 1});
  Array slope(ACL_FLOAT, shape), weights(ACL_FLOAT, {7}), biases(ACL_FLOAT, {7});
  ASSERT_EQ(layer_norm(x, &weight, nullptr, y, &mean, &rstd), 0);
  ASSERT_EQ(layer_norm_backward(g, x, mean, rstd, &weight, &slope, &weights, &biases), 0);
  Array in_place(ACL_FLOAT, shape, {}, g.values());
  Array own_weight(ACL_FLOAT, {7}, {}, weight.values());
  Array other(ACL_FLOAT, {7});
  ASSERT_EQ(
      layer_norm_backward(in_place, x, mean, rstd, &own_weight, &in_place, &own_weight, &other), 0);
  EXPECT_EQ(in_place.values(), slope.values());
  EXPECT_EQ(own_weight.values(), weights.values());
  EXPECT_EQ(other.values(), biases.values());
  Array forward(ACL_FLOAT, shape, {}, x.values());
  ASSERT_EQ(layer_norm(forward, &weight, nullptr, forward, nullptr, nullptr), 0);
  EXPECT_EQ(forward.values(), y.values());
}

// Two chunks of rows by three strips of columns, which threads share.
TEST_F(NormalizationTest, SumsOverRowsAreTheSameOnAnyNumberOfThreads) {
  const Shape shape{4100, 130};
  const Array x = random_array(ACL_FLOAT, shape, LayoutKind::kContiguous, 1, -3, 3);
  const Array g = random_array(ACL_FLOAT, shape, LayoutKind::kContiguous, 2, -1, 1);
  const Array mean = random_array(ACL_FLOAT, {4100}, LayoutKind::kContiguous, 3, -1, 1);
  const Array rstd = random_array(ACL_FLOAT, {4100}, LayoutKind::kContiguous, 4, 0.5, 1);
  const auto sums = [&](int32_t threads) {
    aclgradSetNumThreads(threads);
    Array weights(ACL_FLOAT, {130}), biases(ACL_FLOAT, {130});
    EXPECT_EQ(layer_norm_backward(g, x, mean, rstd, nullptr, nullptr, &weights, &biases), 0);
    aclgradSetNumThreads(0);
    return std::pair(weights.values(), biases.values());
  };
  const auto [weights, biases] = sums(1);
  for (const int64_t column : {0, 63, 64, 129}) {
    long double exact = 0, magnitude = 0;
    for (int64_t row = 0; row < 4100; ++row) {
      exact += g.get(row * 130 + column);
      magnitude += std::abs(g.get(row * 130 + column));
    }
    EXPECT_NEAR(static_cast<double>(biases[static_cast<size_t>(column)]),
                static_cast<double>(exact), static_cast<double>(magnitude) * 0x1p-24)
        << "column " << column;
  }
  for (const int32_t threads : {2, 3, 4, 7}) {
    EXPECT_EQ(sums(threads), std::pair(weights, biases)) << threads << " threads";
  }
}

// A mean far from 0 must not eat the variance.
TEST_F(NormalizationTest, LayerNormKeepsItsAccuracyFarFromZero) {
  const Array x(ACL_FLOAT, {1, 4}, {1000000, 1000001, 1000002, 1000003});
  Array y(ACL_FLOAT, {1, 4}), mean(ACL_FLOAT, {1, 1}), rstd(ACL_FLOAT, {1, 1});
  ASSERT_EQ(layer_norm(x, nullptr, nullptr, y, &mean, &rstd), 0);
  const long double scale = 1 / std::sqrt(1.25L + static_cast<long double>(1e-5));
  EXPECT_EQ(mean.get(0), 1000001.5L);
  EXPECT_LE(ulp_error(rstd.get(0), scale, ACL_FLOAT), 0.501);
  EXPECT_LE(ulp_error(y.get(0), -1.5L * scale, ACL_FLOAT), 0.501);
}

TEST_F(NormalizationTest, EmptyTensors) {
  Array none(ACL_FLOAT, {0, 3}), out(ACL_FLOAT, {0, 3});
  EXPECT_EQ(softmax(none, 7, out), 0) << "dim is not looked at";
  EXPECT_EQ(softmax_backward(none, none, 7, out), 0);
  Array no_numbers(ACL_FLOAT, {0, 1});
  EXPECT_EQ(layer_norm(none, nullptr, nullptr, out, &no_numbers, &no_numbers), 0);
  Array weights(ACL_FLOAT, {3}, {1, 1, 1}), biases(ACL_FLOAT, {3}, {1, 1, 1});
  ASSERT_EQ(
      layer_norm_backward(none, none, no_numbers, no_numbers, nullptr, &out, &weights, &biases), 0);
  EXPECT_EQ(weights.values(), Values(3, 0));
  EXPECT_EQ(biases.values(), Values(3, 0));
  Array no_columns(ACL_FLOAT, {2, 0}), mean(ACL_FLOAT, {2, 1}, {5, 5});
  Array rstd(ACL_FLOAT, {2, 1}, {5, 5});
  ASSERT_EQ(layer_norm(no_columns, nullptr, nullptr, no_columns, &mean, &rstd), 0);
  EXPECT_EQ(mean.values(), Values(2, 0));
  expect_same(rstd, {kNaN, kNaN});
}

TEST_F(NormalizationTest, AdditionalOutputAsksForTheSum) {
  const Array x(ACL_FLOAT, {2, 3}), row(ACL_FLOAT, {3}), number(ACL_FLOAT, {2, 1});
  const aclTensor* const no_bias = nullptr;
  aclTensor* const no_sum = nullptr;
  const auto status = [&](bool additional_output) {
    return plan(aclnnAddLayerNormGetWorkspaceSize, x, x, row, row, no_bias, 1e-3, additional_output,
                x, number, number, no_sum)
        .status;
  };
  EXPECT_EQ(status(false), 0);
  EXPECT_EQ(status(true), 161001);
}

TEST_F(NormalizationTest, GradientsThatAreNotWantedStayAsTheyAre) {
  const Array g(ACL_FLOAT, {2, 2}, {1, 2, 3, 4}), x(ACL_FLOAT, {2, 2}, {5, 6, 7, 8});
  const Array mean(ACL_FLOAT, {2}, {4, 8}), rstd(ACL_FLOAT, {2}, {1, 0.5L});
  Array biases(ACL_FLOAT, {2});
  ASSERT_EQ(layer_norm_backward(g, x, mean, rstd, nullptr, nullptr, nullptr, &biases), 0);
  EXPECT_EQ(biases.values(), (Values{4, 6}));
  ASSERT_EQ(layer_norm_backward(g, x, mean, rstd, nullptr, nullptr, &biases, nullptr), 0);
  EXPECT_EQ(biases.values(), (Values{-0.5L, 4}));
  ASSERT_EQ(layer_norm_backward(g, x, mean, rstd, nullptr, nullptr, nullptr, nullptr), 0);
}

}  // namespace
}  // namespace aclgrad::testing
