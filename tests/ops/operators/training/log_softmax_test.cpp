// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "tests/ops/operators/training/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

class LogSoftmaxTest : public AclTest {
 protected:
  aclnnStatus forward(const Array& self, int64_t dim, Array& out) {
    return call(aclnnLogSoftmaxGetWorkspaceSize, aclnnLogSoftmax, self.tensor(), dim, out.tensor());
  }
  aclnnStatus backward(const Array& gradient, const Array& output, int64_t dim, Array& out) {
    return call(aclnnLogSoftmaxBackwardGetWorkspaceSize, aclnnLogSoftmaxBackward, gradient.tensor(),
                output.tensor(), dim, out.tensor());
  }
};

// Elements of the row along `dim` that element i belongs to.
std::vector<int64_t> row_of(const Shape& shape, int64_t dim, int64_t i) {
  if (shape.empty()) return {0};
  const auto axis = static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim);
  int64_t inner = 1;
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  const int64_t start = i - i / inner % shape[axis] * inner;
  std::vector<int64_t> row;
  for (int64_t k = 0; k < shape[axis]; ++k) row.push_back(start + k * inner);
  return row;
}

struct SoftmaxCase {
  Shape shape;
  int64_t dim;
};

const std::vector<SoftmaxCase> kCases = {{{}, 0},        {{}, -1},       {{10}, 0},
                                         {{7, 10}, 1},   {{7, 10}, 0},   {{7, 10}, -2},
                                         {{3, 5, 4}, 1}, {{2, 700}, -1}, {{5000, 2}, 0}};

TEST_F(LogSoftmaxTest, EveryCaseDtypeAndLayout) {
  for (const SoftmaxCase& each : kCases) {
    for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
      for (LayoutKind layout : kInputLayouts) {
        SCOPED_TRACE(::testing::Message() << dtype << ::testing::PrintToString(each.shape)
                                          << each.dim << to_string(layout));
        const Array self = random_array(dtype, each.shape, layout, 1, -9, 9);
        Array out(dtype, each.shape, make_layout(each.shape, output_layout(layout)));
        ASSERT_EQ(forward(self, each.dim, out), 0) << recent_message();
        const Values x = self.values();
        for (int64_t i = 0; i < out.count(); i += 1 + out.count() / 200) {
          const std::vector<int64_t> row = row_of(each.shape, each.dim, i);
          long double largest = -kInfinity, sum = 0;
          for (int64_t k : row) largest = std::max(largest, x[static_cast<size_t>(k)]);
          for (int64_t k : row) sum += std::exp(x[static_cast<size_t>(k)] - largest);
          const long double expected = x[static_cast<size_t>(i)] - largest - std::log(sum);
          ASSERT_TRUE(is_near(out.get(i), expected, 0.501L * ulp_at(expected, dtype) + 1e-14L))
              << i;
        }
      }
    }
  }
}

TEST_F(LogSoftmaxTest, InputsAreConvertedToTheOutputFirst) {
  const Array self(ACL_FLOAT, {2}, {1 + std::ldexp(1.0L, -12), 1});
  Array out(ACL_FLOAT16, {2});
  ASSERT_EQ(forward(self, 0, out), 0);
  EXPECT_EQ(out.get(0), out.get(1)) << "both are 1 in FLOAT16";
}

TEST_F(LogSoftmaxTest, LargeNumbersDoNotOverflow) {
  const Array self(ACL_FLOAT, {1, 3}, {1e38L, 1e38L, -1e38L});
  Array out(ACL_FLOAT, {1, 3});
  ASSERT_EQ(forward(self, 1, out), 0);
  EXPECT_LE(ulp_error(out.get(0), -std::log(2.0L), ACL_FLOAT), 0.5001);
  EXPECT_EQ(out.get(2), round_to(-2e38L, ACL_FLOAT));
}

TEST_F(LogSoftmaxTest, NonFiniteRows) {
  const Array self(ACL_FLOAT, {4, 2},
                   {-kInfinity, -kInfinity, -kInfinity, 1, kInfinity, 1,
                    std::numeric_limits<float>::quiet_NaN(), 1});
  Array out(ACL_FLOAT, {4, 2});
  ASSERT_EQ(forward(self, 1, out), 0);
  EXPECT_TRUE(std::isnan(out.get(0)) && std::isnan(out.get(1))) << "all -inf";
  EXPECT_EQ(out.get(2), -kInfinity);
  EXPECT_EQ(out.get(3), 0);
  EXPECT_TRUE(std::isnan(out.get(4))) << "+inf";
  EXPECT_TRUE(std::isnan(out.get(6)) && std::isnan(out.get(7))) << "NaN";
}

TEST_F(LogSoftmaxTest, BackwardOfEveryCaseDtypeAndLayout) {
  for (const SoftmaxCase& each : kCases) {
    for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
      for (LayoutKind layout : kInputLayouts) {
        SCOPED_TRACE(::testing::Message() << dtype << ::testing::PrintToString(each.shape)
                                          << each.dim << to_string(layout));
        const Array gradient = random_array(dtype, each.shape, layout, 1, -2, 2);
        const Array output = random_array(dtype, each.shape, layout, 2, -9, 0);
        Array out(dtype, each.shape, make_layout(each.shape, output_layout(layout)));
        ASSERT_EQ(backward(gradient, output, each.dim, out), 0) << recent_message();
        const Values g = gradient.values(), y = output.values();
        for (int64_t i = 0; i < out.count(); i += 1 + out.count() / 200) {
          long double sum = 0, magnitude = 0;
          for (int64_t k : row_of(each.shape, each.dim, i)) {
            sum += g[static_cast<size_t>(k)];
            magnitude += std::abs(g[static_cast<size_t>(k)]);
          }
          const auto at = static_cast<size_t>(i);
          const long double expected = g[at] - std::exp(y[at]) * sum;
          ASSERT_TRUE(
              is_near(out.get(i), expected, 0.501L * ulp_at(expected, dtype) + 1e-14L * magnitude))
              << i;
        }
      }
    }
  }
}

TEST_F(LogSoftmaxTest, ResultsDoNotDependOnThreadsOrLayout) {
  const Shape shape{50, 3000};
  const Values numbers = Sequence(4).take(150000, -5, 5);
  std::vector<Values> results;
  for (int32_t threads : {1, 2, 3}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), 0);
    for (LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kTransposed}) {
      const Array self(ACL_DOUBLE, shape, make_layout(shape, layout), numbers);
      Array out(ACL_DOUBLE, shape);
      ASSERT_EQ(forward(self, 1, out), 0);
      results.push_back(out.values());
      EXPECT_EQ(results.front(), results.back());
    }
  }
}

TEST_F(LogSoftmaxTest, OutputMayBeAnInput) {
  Array self(ACL_FLOAT, {2, 2}, {0, 0, 1, 1});
  ASSERT_EQ(forward(self, 1, self), 0);
  EXPECT_EQ(self.values(), Values(4, round_to(-std::log(2.0L), ACL_FLOAT)));
}

TEST_F(LogSoftmaxTest, EmptyTensorsNeedNothing) {
  Array none(ACL_FLOAT, {0, 3});
  EXPECT_EQ(forward(none, 1, none), 0);
  EXPECT_EQ(backward(none, none, 1, none), 0);
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(LogSoftmaxTest, DimOfAZeroDimensionalTensor) {
  Array scalar(ACL_FLOAT, {});
  for (int64_t dim : {int64_t{1}, int64_t{-2}}) {
    EXPECT_TRUE(
        fails_with(161002, {"dim", "[-1, 0]"},
                   plan(aclnnLogSoftmaxGetWorkspaceSize, scalar.tensor(), dim, scalar.tensor())));
  }
}

TEST_F(LogSoftmaxTest, Bf16NeedsANewProduct) {
  Array b(ACL_BF16, {2});
  ASSERT_EQ(aclgradSetSocName("Ascend910A"), 0);
  EXPECT_TRUE(
      fails_with(161002, {"self", "DT_BF16"},
                 plan(aclnnLogSoftmaxGetWorkspaceSize, b.tensor(), int64_t{0}, b.tensor())));
  EXPECT_TRUE(fails_with(161002, {"gradOutput", "DT_BF16"},
                         plan(aclnnLogSoftmaxBackwardGetWorkspaceSize, b.tensor(), b.tensor(),
                              int64_t{0}, b.tensor())));
}

TEST_F(LogSoftmaxTest, AnEmptyBackwardChecksNothingMoreButOnThe950) {
  Array none(ACL_INT32, {0, 3});
  Array out(ACL_INT32, {4});
  EXPECT_EQ(plan(aclnnLogSoftmaxBackwardGetWorkspaceSize, none.tensor(), none.tensor(), int64_t{7},
                 out.tensor())
                .status,
            0);
  Array some(ACL_INT32, {2});  // one that is empty is enough
  EXPECT_EQ(plan(aclnnLogSoftmaxBackwardGetWorkspaceSize, some.tensor(), none.tensor(), int64_t{7},
                 out.tensor())
                .status,
            0);
  ASSERT_EQ(aclgradSetSocName("Ascend950"), 0);
  EXPECT_TRUE(fails_with(161002, {"gradOutput", "DT_INT32"},
                         plan(aclnnLogSoftmaxBackwardGetWorkspaceSize, none.tensor(), none.tensor(),
                              int64_t{7}, out.tensor())));
}

}  // namespace
}  // namespace aclgrad::testing
