// SPDX-License-Identifier: Apache-2.0
// aclnnReduceSum and aclnnMean.
#include <algorithm>

#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "tests/ops/operators/training/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

using Dimensions = std::vector<int64_t>;

class ReduceTest : public AclTest {
 protected:
  aclnnStatus sum(const Array& self, const Dimensions& dims, bool keep, Array& out) {
    return call(aclnnReduceSumGetWorkspaceSize, aclnnReduceSum, self.tensor(), IntArray(dims).get(),
                keep, out.dtype(), out.tensor());
  }
  aclnnStatus mean(const Array& self, const Dimensions& dims, bool keep, aclDataType dtype,
                   Array& out) {
    return call(aclnnMeanGetWorkspaceSize, aclnnMean, self.tensor(), IntArray(dims).get(), keep,
                dtype, out.tensor());
  }
};

// The reduced shape with sizes of 1 left in.
Shape kept_shape(const Shape& shape, const Dimensions& dims) {
  Shape kept = shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto names = [&](int64_t dim) {
      return (dim < 0 ? dim + static_cast<int64_t>(shape.size()) : dim) == static_cast<int64_t>(d);
    };
    if (dims.empty() || std::any_of(dims.begin(), dims.end(), names)) kept[d] = 1;
  }
  return kept;
}

Shape dropped_shape(const Shape& shape, const Dimensions& dims) {
  const Shape kept = kept_shape(shape, dims);
  Shape result;
  const auto rank = static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < rank; ++d) {
    const bool named = dims.empty() || std::count(dims.begin(), dims.end(), d) > 0 ||
                       std::count(dims.begin(), dims.end(), d - rank) > 0;
    if (!named) result.push_back(kept[static_cast<size_t>(d)]);
  }
  return result;
}

// Sums by index arithmetic: each element belongs to the output that broadcasting leads to.
Values reference_sums(const Array& self, const Shape& kept) {
  Values sums(static_cast<size_t>(element_count(kept)), 0);
  for (int64_t i = 0; i < self.count(); ++i) {
    sums[static_cast<size_t>(broadcast_index(kept, self.shape(), i))] += self.get(i);
  }
  return sums;
}

struct ReduceCase {
  Shape shape;
  Dimensions dims;
};

const std::vector<ReduceCase> kCases = {
    {{7}, {0}},
    {{33, 65}, {0}},
    {{33, 65}, {1}},
    {{33, 65}, {}},
    {{33, 65}, {-1, 0}},
    {{3, 5, 7}, {1}},
    {{3, 5, 7}, {0, 2}},
    {{3, 5, 7}, {-3, 1}},
    {{1, 1}, {1}},
    {{9000}, {0}},
    {{5000, 3}, {0}},
    {{2, 70, 70}, {1, 2}},
    {{70, 2, 70}, {0, 2}},
    {{2, 3, 2, 3, 2}, {1, 3}},
    {{600, 100}, {0}},
    {{100, 600}, {1}},
};

TEST_F(ReduceTest, SumsAndMeansOfEveryCaseLayoutAndDtype) {
  for (const ReduceCase& each : kCases) {
    for (LayoutKind layout : kInputLayouts) {
      for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
        SCOPED_TRACE(::testing::Message()
                     << dtype << ::testing::PrintToString(each.shape) << " over "
                     << ::testing::PrintToString(each.dims) << " " << to_string(layout));
        const Array self = random_array(dtype, each.shape, layout, 1);
        const Shape kept = kept_shape(each.shape, each.dims);
        const Values sums = reference_sums(self, kept);
        const auto terms =
            static_cast<long double>(self.count()) / static_cast<long double>(sums.size());
        Array out(dtype, kept, make_layout(kept, output_layout(layout)));
        ASSERT_EQ(sum(self, each.dims, true, out), 0) << recent_message();
        Array average(dtype, dropped_shape(each.shape, each.dims));
        ASSERT_EQ(mean(self, each.dims, false, dtype, average), 0) << recent_message();
        for (size_t i = 0; i < sums.size(); ++i) {
          const auto at = static_cast<int64_t>(i);
          // One rounding, and sums in double of at most 9800 numbers below 4.
          ASSERT_TRUE(is_near(out.get(at), sums[i], 0.501L * ulp_at(sums[i], dtype) + 1e-11L)) << i;
          const long double expected = sums[i] / terms;
          ASSERT_TRUE(is_near(average.get(at), expected, 0.501L * ulp_at(expected, dtype) + 1e-12L))
              << i;
        }
      }
    }
  }
}

TEST_F(ReduceTest, BitsDependOnTheShapeAlone) {
  // Long sums, where any change of order would show in a DOUBLE result.
  for (const ReduceCase& each : {ReduceCase{{20000}, {0}}, ReduceCase{{9000, 70}, {0}},
                                 ReduceCase{{70, 9000}, {1}}, ReduceCase{{300, 50, 40}, {0, 2}}}) {
    const Shape kept = kept_shape(each.shape, each.dims);
    const Values numbers = Sequence(5).take(element_count(each.shape), -1, 1);
    std::vector<std::vector<unsigned char>> results;
    for (int32_t threads : {1, 2, 3}) {
      ASSERT_EQ(aclgradSetNumThreads(threads), 0);
      for (LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kTransposed, LayoutKind::kGaps,
                                LayoutKind::kReversed}) {
        const Array self(ACL_DOUBLE, each.shape, make_layout(each.shape, layout), numbers);
        Array out(ACL_DOUBLE, kept);
        ASSERT_EQ(sum(self, each.dims, true, out), 0);
        results.push_back(bytes_of(out));
        EXPECT_EQ(results.front(), results.back()) << to_string(layout) << threads;
      }
    }
  }
}

TEST_F(ReduceTest, ZeroDimensionalTensorsAreConverted) {
  const Array self(ACL_FLOAT16, {}, {-0.0L});
  Array out(ACL_FLOAT, {});
  for (const Dimensions& dims : {Dimensions{}, Dimensions{0}, Dimensions{-1}}) {
    out.fill({5});
    ASSERT_EQ(sum(self, dims, false, out), 0);
    EXPECT_EQ(out.get(0), 0);
    EXPECT_TRUE(std::signbit(out.get(0))) << "the sign of zero stays";
    ASSERT_EQ(mean(self, dims, true, ACL_FLOAT, out), 0);
    EXPECT_EQ(out.get(0), 0);
  }
}

TEST_F(ReduceTest, ElementsAreConvertedBeforeTheyAreAdded) {
  const Array self(ACL_FLOAT, {3}, {1.75L, 1.75L, -0.75L});
  Array integer(ACL_INT32, {});
  ASSERT_EQ(sum(self, {}, false, integer), 0);
  EXPECT_EQ(integer.get(0), 2) << "1 + 1 + 0";
  const Array fine(ACL_FLOAT, {2}, {1 + std::ldexp(1.0L, -11), 1 + std::ldexp(1.0L, -11)});
  Array half(ACL_FLOAT16, {});
  ASSERT_EQ(sum(fine, {}, false, half), 0);
  EXPECT_EQ(half.get(0), 2) << "each rounds to 1 in FLOAT16";
  const Array bytes(ACL_UINT8, {3}, {200, 100, 1});
  Array small(ACL_INT8, {});
  ASSERT_EQ(sum(bytes, {}, false, small), 0);
  EXPECT_EQ(small.get(0), 45) << "-56 + 100 + 1";
}

TEST_F(ReduceTest, IntegersWrapAndBoolsAreAny) {
  const Array self(ACL_INT8, {2, 3}, {100, 100, 0, -100, -100, 1});
  Array out(ACL_INT8, {2});
  ASSERT_EQ(sum(self, {1}, false, out), 0);
  EXPECT_EQ(out.values(), (Values{-56, 57}));
  const Array real(ACL_FLOAT, {3, 2}, {0, 0, 0, 0.25L, -0.25L, 0});
  Array any(ACL_BOOL, {3});
  ASSERT_EQ(sum(real, {-1}, false, any), 0);
  EXPECT_EQ(any.values(), (Values{0, 1, 1}));
  const Array truth(ACL_BOOL, {3, 2}, {0, 0, 0, 1, 1, 1});
  Array counts(ACL_INT64, {3});
  ASSERT_EQ(sum(truth, {1}, false, counts), 0);
  EXPECT_EQ(counts.values(), (Values{0, 1, 2}));
}

TEST_F(ReduceTest, IntegerMeansTruncate) {
  const Array self(ACL_INT32, {2, 2}, {3, 4, -3, -4});
  Array out(ACL_INT32, {2});
  ASSERT_EQ(mean(self, {1}, false, ACL_INT32, out), 0);
  EXPECT_EQ(out.values(), (Values{3, -3}));
  Array real(ACL_FLOAT, {2});
  ASSERT_EQ(mean(self, {1}, false, ACL_FLOAT, real), 0);
  EXPECT_EQ(real.values(), (Values{3.5L, -3.5L}));
  ASSERT_EQ(mean(self, {1}, false, ACL_INT32, real), 0);
  EXPECT_EQ(real.values(), (Values{3, -3}));
}

TEST_F(ReduceTest, MeansAreRoundedToDtypeBeforeTheOutput) {
  const Array self(ACL_FLOAT, {2}, {1, 1 + std::ldexp(1.0L, -9)});
  Array out(ACL_FLOAT, {});
  ASSERT_EQ(mean(self, {}, false, ACL_FLOAT16, out), 0);
  EXPECT_EQ(out.get(0), round_to(1 + std::ldexp(1.0L, -10), ACL_FLOAT16));
}

TEST_F(ReduceTest, ComplexNumbers) {
  ComplexArray self(ACL_COMPLEX64, {2, 2}), out(ACL_COMPLEX64, {2});
  self.set({{1, 2}, {3, 4}, {5, -6}, {7, 8}});
  ASSERT_EQ(sum(self.array, {0}, false, out.array), 0);
  EXPECT_EQ(out.get(0), std::complex<double>(6, -4));
  ASSERT_EQ(mean(self.array, {1}, false, ACL_COMPLEX64, out.array), 0);
  EXPECT_EQ(out.get(1), std::complex<double>(6, 1));
  Array real(ACL_FLOAT, {2});
  ASSERT_EQ(sum(self.array, {0}, false, real), 0) << "only the real part can be converted";
  EXPECT_EQ(real.values(), (Values{6, 10}));
}

TEST_F(ReduceTest, EmptyTensorsGiveZeroOrNan) {
  const Array self(ACL_FLOAT, {0, 3});
  Array out(ACL_FLOAT, {3}, {1, 2, 3});
  ASSERT_EQ(sum(self, {0}, false, out), 0);
  EXPECT_EQ(out.values(), Values(3, 0));
  ASSERT_EQ(mean(self, {0}, false, ACL_FLOAT, out), 0);
  for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(out.get(i)));
  Array none(ACL_FLOAT, {0});
  EXPECT_EQ(sum(self, {1}, false, none), 0);
}

TEST_F(ReduceTest, NanAndInfinityComeThrough) {
  const Array self(ACL_FLOAT, {3, 2},
                   {1, std::numeric_limits<float>::quiet_NaN(),
                    std::numeric_limits<float>::infinity(), 1, 2, 3});
  Array out(ACL_FLOAT, {3});
  ASSERT_EQ(sum(self, {1}, false, out), 0);
  EXPECT_TRUE(std::isnan(out.get(0)));
  EXPECT_TRUE(std::isinf(out.get(1)));
  EXPECT_EQ(out.get(2), 5);
}

TEST_F(ReduceTest, OneElementFitsAnyShapeOfOneElement) {
  const Array self(ACL_FLOAT, {2, 2}, {1, 2, 3, 4});
  Array out(ACL_FLOAT, {1, 1, 1});
  ASSERT_EQ(sum(self, {}, false, out), 0);
  EXPECT_EQ(out.get(0), 10);
  ASSERT_EQ(mean(self, {0, 1}, false, ACL_FLOAT, out), 0);
  EXPECT_EQ(out.get(0), 2.5L);
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(ReduceTest, RangeOfAZeroDimensionalTensor) {
  const Array self(ACL_FLOAT, {});
  Array out(ACL_FLOAT, {});
  EXPECT_TRUE(fails_with(161002, {"aclnnReduceSum", "dims", "[-1, 0]"},
                         plan(aclnnReduceSumGetWorkspaceSize, self.tensor(), IntArray({1}).get(),
                              false, ACL_FLOAT, out.tensor())));
  EXPECT_TRUE(fails_with(161002, {"aclnnReduceSum", "dims", "twice"},
                         plan(aclnnReduceSumGetWorkspaceSize, self.tensor(),
                              IntArray({0, -1}).get(), false, ACL_FLOAT, out.tensor())));
}

}  // namespace
}  // namespace aclgrad::testing
