// SPDX-License-Identifier: Apache-2.0
#include "aclnnop/aclnn_mse_loss.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_mse_loss_out.h"
#include "tests/ops/operators/training/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

constexpr int64_t kNone = 0;
constexpr int64_t kMean = 1;
constexpr int64_t kSum = 2;

class MseTest : public AclTest {
 protected:
  aclnnStatus mse(const Array& self, const Array& target, int64_t reduction, Array& out) {
    return call(aclnnMseLossGetWorkspaceSize, aclnnMseLoss, self.tensor(), target.tensor(),
                reduction, out.tensor());
  }
  aclnnStatus backward(const Array& gradient, const Array& self, const Array& target,
                       int64_t reduction, Array& out) {
    return call(aclnnMseLossBackwardGetWorkspaceSize, aclnnMseLossBackward, gradient.tensor(),
                self.tensor(), target.tensor(), reduction, out.tensor());
  }
};

TEST_F(MseTest, EveryReductionDtypeAndLayout) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Shapes& shapes : kBroadcasts) {
      for (LayoutKind layout : kInputLayouts) {
        SCOPED_TRACE(::testing::Message()
                     << dtype << ::testing::PrintToString(shapes.out) << to_string(layout));
        const Array self = random_array(dtype, shapes.self, layout, 1);
        const Array target = random_array(dtype, shapes.other, layout, 2);
        Array each(dtype, shapes.out, make_layout(shapes.out, output_layout(layout)));
        Array sum(ACL_FLOAT, {}), mean(ACL_FLOAT, {});
        ASSERT_EQ(mse(self, target, kNone, each), 0) << recent_message();
        ASSERT_EQ(mse(self, target, kSum, sum), 0);
        ASSERT_EQ(mse(self, target, kMean, mean), 0);
        long double total = 0;
        for (int64_t i = 0; i < each.count(); ++i) {
          const long double difference = self.get(broadcast_index(shapes.self, shapes.out, i)) -
                                         target.get(broadcast_index(shapes.other, shapes.out, i));
          const long double square = difference * difference;
          total += square;
          ASSERT_LE(ulp_error(each.get(i), square, dtype), 0.5001) << i;
        }
        // Rounded to the inputs' dtype, then to FLOAT.
        EXPECT_LE(ulp_error(sum.get(0), total, dtype), 0.5001);
        EXPECT_LE(ulp_error(mean.get(0), total / static_cast<long double>(each.count()), dtype),
                  0.5001);
      }
    }
  }
}

TEST_F(MseTest, OutReducesTheFirstDimensionAlone) {
  const auto mse_out = [&](const Array& self, const Array& target, int64_t reduction, Array& out) {
    return call(aclnnMseLossOutGetWorkspaceSize, aclnnMseLossOut, self.tensor(), target.tensor(),
                reduction, out.tensor());
  };
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Shape& shape : {Shape{7}, Shape{2, 2}, Shape{5, 3, 4}, Shape{70, 1100}}) {
      for (LayoutKind layout : kInputLayouts) {
        SCOPED_TRACE(::testing::Message()
                     << dtype << ::testing::PrintToString(shape) << to_string(layout));
        const Array self = random_array(dtype, shape, layout, 1);
        const Array target = random_array(dtype, {shape.back()}, LayoutKind::kContiguous, 2);
        const Shape rest(shape.begin() + 1, shape.end());
        Array sum(ACL_FLOAT, rest, make_layout(rest, output_layout(layout)));
        Array mean(ACL_FLOAT, rest);
        ASSERT_EQ(mse_out(self, target, kSum, sum), 0) << recent_message();
        ASSERT_EQ(mse_out(self, target, kMean, mean), 0) << recent_message();
        Values totals(static_cast<size_t>(sum.count()));
        for (int64_t i = 0; i < self.count(); ++i) {
          const long double difference =
              self.get(i) - target.get(broadcast_index(target.shape(), shape, i));
          totals[static_cast<size_t>(i % sum.count())] += difference * difference;
        }
        for (int64_t j = 0; j < sum.count(); ++j) {
          const long double total = totals[static_cast<size_t>(j)];
          ASSERT_LE(ulp_error(sum.get(j), total, dtype), 0.5001) << j;
          ASSERT_LE(ulp_error(mean.get(j), total / static_cast<long double>(shape[0]), dtype),
                    0.5001)
              << j;
        }
      }
    }
  }
  const Array square(ACL_FLOAT, {2, 2}, {1, 2, 3, 4});
  Array scalar(ACL_FLOAT, {});
  EXPECT_TRUE(fails_with(161002, {"aclnnMseLossOut", "out", "[2]", "[]"},
                         plan(aclnnMseLossOutGetWorkspaceSize, square.tensor(), square.tensor(),
                              kSum, scalar.tensor())));
  const Array number(ACL_FLOAT, {}, {3}), two(ACL_FLOAT, {}, {1});
  ASSERT_EQ(mse_out(number, two, kSum, scalar), 0);
  EXPECT_EQ(scalar.get(0), 4);
  const Array nothing(ACL_FLOAT, {0, 3});
  Array three(ACL_FLOAT, {3});
  ASSERT_EQ(mse_out(nothing, nothing, kMean, three), 0);
  EXPECT_TRUE(std::isnan(three.get(2)));
  ASSERT_EQ(mse_out(nothing, nothing, kSum, three), 0);
  EXPECT_EQ(three.values(), (Values{0, 0, 0}));
}

TEST_F(MseTest, MixedDtypesPromote) {
  const Array half(ACL_FLOAT16, {2}, {1, 2});
  const Array bfloat(ACL_BF16, {2}, {1.5L, 4});
  Array out(ACL_FLOAT, {2});
  ASSERT_EQ(mse(half, bfloat, kNone, out), 0);
  EXPECT_EQ(out.values(), (Values{0.25L, 4}));
}

TEST_F(MseTest, DoubleWhereAccepted) {
  aclgradSetAcceptDouble(1);
  const Array self = random_array(ACL_DOUBLE, {30}, LayoutKind::kContiguous, 1);
  const Array target = random_array(ACL_DOUBLE, {30}, LayoutKind::kContiguous, 2);
  Array out(ACL_DOUBLE, {});
  ASSERT_EQ(mse(self, target, kMean, out), 0);
  long double total = 0;
  for (int64_t i = 0; i < 30; ++i) {
    total += (self.get(i) - target.get(i)) * (self.get(i) - target.get(i));
  }
  EXPECT_TRUE(is_near(out.get(0), total / 30, 1e-14L));
}

TEST_F(MseTest, BitsDependOnTheShapeAlone) {
  const Values numbers = Sequence(3).take(30000, -1, 1);
  std::vector<long double> results;
  for (int32_t threads : {1, 2, 3}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), 0);
    aclgradSetAcceptDouble(1);
    for (LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kTransposed}) {
      const Array self(ACL_DOUBLE, {300, 100}, make_layout({300, 100}, layout), numbers);
      const Array target(ACL_DOUBLE, {100}, make_layout({100}, LayoutKind::kGaps), numbers);
      Array out(ACL_DOUBLE, {});
      ASSERT_EQ(mse(self, target, kSum, out), 0);
      results.push_back(out.get(0));
      EXPECT_EQ(results.front(), results.back());
    }
  }
}

TEST_F(MseTest, EmptyTensors) {
  const Array none(ACL_FLOAT, {0, 3});
  Array each(ACL_FLOAT, {0, 3}), out(ACL_FLOAT, {}, {5});
  EXPECT_EQ(mse(none, none, kNone, each), 0);
  EXPECT_EQ(mse(none, none, kSum, out), 0);
  EXPECT_EQ(out.get(0), 0);
  EXPECT_EQ(mse(none, none, kMean, out), 0);
  EXPECT_TRUE(std::isnan(out.get(0)));
  EXPECT_EQ(backward(none, none, none, kMean, each), 0);
}

TEST_F(MseTest, BackwardOfEveryReductionAndLayout) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const Shapes& shapes : kBroadcasts) {
      for (LayoutKind layout : kInputLayouts) {
        for (int64_t reduction : {kNone, kMean, kSum}) {
          const Shape single{};
          const Shape& gradient_shape = reduction == kNone ? shapes.out : single;
          const Array gradient = random_array(dtype, gradient_shape, layout, 3);
          const Array self = random_array(dtype, shapes.self, layout, 1);
          const Array target = random_array(dtype, shapes.other, layout, 2);
          Array out(dtype, shapes.out, make_layout(shapes.out, output_layout(layout)));
          ASSERT_EQ(backward(gradient, self, target, reduction, out), 0) << recent_message();
          for (int64_t i = 0; i < out.count(); ++i) {
            const long double difference = self.get(broadcast_index(shapes.self, shapes.out, i)) -
                                           target.get(broadcast_index(shapes.other, shapes.out, i));
            long double expected =
                2 * difference * gradient.get(broadcast_index(gradient_shape, shapes.out, i));
            if (reduction == kMean) expected /= static_cast<long double>(out.count());
            ASSERT_LE(ulp_error(out.get(i), expected, dtype), 0.5001) << i;
          }
        }
      }
    }
  }
}

TEST_F(MseTest, TheMeanCountsSelfAndTargetOnly) {
  const Array gradient(ACL_FLOAT, {3, 2}, {1, 1, 1, 1, 1, 1});
  const Array self(ACL_FLOAT, {2}, {3, 4});
  const Array target(ACL_FLOAT, {1}, {1});
  Array out(ACL_FLOAT, {3, 2});
  ASSERT_EQ(backward(gradient, self, target, kMean, out), 0);
  EXPECT_EQ(out.values(), (Values{2, 3, 2, 3, 2, 3}));
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(MseTest, ReducedLossesAreZeroDimensional) {
  Array self(ACL_FLOAT, {2});
  Array one(ACL_FLOAT, {1});
  for (int64_t reduction : {kMean, kSum}) {
    EXPECT_TRUE(fails_with(
        161002, {"aclnnMseLoss", "out", "[]", "[1]"},
        plan(aclnnMseLossGetWorkspaceSize, self.tensor(), self.tensor(), reduction, one.tensor())));
  }
  EXPECT_TRUE(fails_with(
      161002, {"reduction", "-1"},
      plan(aclnnMseLossGetWorkspaceSize, self.tensor(), self.tensor(), int64_t{-1}, one.tensor())));
}

}  // namespace
}  // namespace aclgrad::testing
