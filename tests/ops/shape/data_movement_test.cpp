// SPDX-License-Identifier: Apache-2.0
// aclnnCast, aclnnInplaceCopy, aclnnInplaceZero and aclnnInplaceFillScalar.
#include "aclnnop/aclnn_cast.h"
#include "aclnnop/aclnn_copy.h"
#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_zero.h"
#include "tests/ops/support/arithmetic_cases.h"

namespace aclgrad::testing {
namespace {

const std::vector<aclDataType> kReals = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
const std::vector<aclDataType> kIntegers = {ACL_INT8,  ACL_INT16,  ACL_INT32,  ACL_INT64,
                                            ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64};

class DataMovementTest : public AclTest {
 protected:
  aclnnStatus cast(const Array& self, Array& out) {
    return call(PHASES(aclnnCast), self, out.dtype(), out);
  }
  aclnnStatus copy(Array& self, const Array& source) {
    return call(PHASES(aclnnInplaceCopy), self, source);
  }
  aclnnStatus fill(Array& self, const Scalar& value) {
    return call(PHASES(aclnnInplaceFillScalar), self, value);
  }
  long double cast_one(aclDataType from, long double value, aclDataType to) {
    const Array self(from, {1}, {value});
    Array out(to, {1});
    EXPECT_EQ(cast(self, out), 0) << recent_message();
    return out.get(0);
  }
};

TEST_F(DataMovementTest, CastsBetweenFloatingTypesKeepInfinityAndNan) {
  for (aclDataType from : kReals) {
    for (aclDataType to : kReals) {
      EXPECT_EQ(cast_one(from, kInfinity, to), kInfinity);
      EXPECT_TRUE(std::isnan(cast_one(from, kNaN, to)));
    }
  }
  EXPECT_EQ(cast_one(ACL_FLOAT, 1e30L, ACL_FLOAT16), kInfinity);
  EXPECT_EQ(cast_one(ACL_DOUBLE, -1e300L, ACL_FLOAT), -kInfinity);
}

TEST_F(DataMovementTest, CastsOfFloatsToIntegersTruncateAndSaturate) {
  for (aclDataType from : {ACL_FLOAT, ACL_DOUBLE}) {
    EXPECT_EQ(cast_one(from, 2.9L, ACL_INT32), 2);
    EXPECT_EQ(cast_one(from, -2.9L, ACL_INT32), -2);
    EXPECT_EQ(cast_one(from, kNaN, ACL_INT64), 0);
    EXPECT_EQ(cast_one(from, 300, ACL_INT8), 127);
    EXPECT_EQ(cast_one(from, -300, ACL_INT8), -128);
    EXPECT_EQ(cast_one(from, -1.5L, ACL_UINT8), 0);
    EXPECT_EQ(cast_one(from, kInfinity, ACL_INT64),
              static_cast<long double>(std::numeric_limits<int64_t>::max()));
    EXPECT_EQ(cast_one(from, std::ldexp(1.0L, 63), ACL_UINT64), std::ldexp(1.0L, 63));
    EXPECT_EQ(cast_one(from, 0x1p64L, ACL_UINT64), 0x1p64L - 1);
    EXPECT_EQ(cast_one(from, -1, ACL_UINT64), 0);
    EXPECT_EQ(cast_one(from, kNaN, ACL_UINT64), 0);
    EXPECT_EQ(cast_one(from, kNaN, ACL_BOOL), 1);
    EXPECT_EQ(cast_one(from, 0.25L, ACL_BOOL), 1);
    EXPECT_EQ(cast_one(from, 0, ACL_BOOL), 0);
  }
}

TEST_F(DataMovementTest, CastsBetweenIntegersWrap) {
  for (aclDataType from : kIntegers) {
    for (aclDataType to : kIntegers) {
      for (long double value : {0.0L, 5.0L, 127.0L}) EXPECT_EQ(cast_one(from, value, to), value);
    }
    EXPECT_EQ(cast_one(from, 3, ACL_BOOL), 1);
    EXPECT_EQ(cast_one(from, 0, ACL_BOOL), 0);
    EXPECT_EQ(cast_one(ACL_BOOL, 1, from), 1);
  }
  EXPECT_EQ(cast_one(ACL_INT32, 300, ACL_INT8), 44);
  EXPECT_EQ(cast_one(ACL_INT8, -1, ACL_UINT16), 65535);
  EXPECT_EQ(cast_one(ACL_INT64, -1, ACL_UINT64), std::ldexp(1.0L, 64) - 1);
  EXPECT_EQ(cast_one(ACL_UINT64, std::ldexp(1.0L, 64) - 1, ACL_INT64), -1);
  EXPECT_EQ(cast_one(ACL_UINT64, 0x1p63L + 7, ACL_INT32), 7);
  EXPECT_EQ(cast_one(ACL_UINT64, 0x1p63L, ACL_BOOL), 1);
}

TEST_F(DataMovementTest, CastsOfIntegersToFloatsRoundOnce) {
  // Just beside the middle between two FLOATs, by less than a double can tell.
  const long double middle = std::ldexp(1.0L, 62) + std::ldexp(1.0L, 38);
  for (aclDataType from : {ACL_INT64, ACL_UINT64}) {
    for (long double step : {-1.0L, 0.0L, 1.0L}) {
      for (aclDataType to : kReals) {
        EXPECT_EQ(cast_one(from, middle + step, to), round_to(middle + step, to))
            << from << " to " << to << " step " << step;
      }
    }
  }
  // Above what INT64 holds; nearest to the second from above, by its last bit alone.
  for (long double large : {0x1p63L, 0x1p63L + 0x1p39L + 1, 0x1p64L - 1}) {
    for (aclDataType to : kReals) {
      EXPECT_EQ(cast_one(ACL_UINT64, large, to), round_to(large, to)) << to;
    }
    EXPECT_EQ(cast_one(ACL_UINT64, large, ACL_UINT64), large);
  }
  EXPECT_EQ(cast_one(ACL_INT32, 16777217, ACL_FLOAT), 16777216);
}

TEST_F(DataMovementTest, CastsOfComplexNumbers) {
  ComplexArray self(ACL_COMPLEX64, {3});
  self.set({{1.5, 2}, {0, 3}, {0, 0}});
  Array real(ACL_FLOAT, {3});
  ASSERT_EQ(cast(self.array, real), 0);
  EXPECT_EQ(real.values(), (Values{1.5L, 0, 0}));
  Array truth(ACL_BOOL, {3});
  ASSERT_EQ(cast(self.array, truth), 0);
  EXPECT_EQ(truth.values(), (Values{1, 1, 0}));
  ComplexArray wide(ACL_COMPLEX128, {3});
  ASSERT_EQ(cast(self.array, wide.array), 0);
  EXPECT_EQ(wide.get(0), std::complex<double>(1.5, 2));
  ASSERT_EQ(cast(real, wide.array), 0);
  EXPECT_EQ(wide.get(0), std::complex<double>(1.5, 0));
  ComplexArray same(ACL_COMPLEX64, {3});
  ASSERT_EQ(cast(self.array, same.array), 0);
  EXPECT_EQ(bytes_of(same.array), bytes_of(self.array));
}

TEST_F(DataMovementTest, CopiesBroadcastAndConvert) {
  const Array column(ACL_INT16, {2, 1}, {3, -4});
  Array half(ACL_FLOAT16, {3, 2, 2});
  ASSERT_EQ(copy(half, column), 0);
  EXPECT_EQ(half.values(), (Values{3, 3, -4, -4, 3, 3, -4, -4, 3, 3, -4, -4}));
}

// Repeated rows: in matrices side by side, of another dtype, and so many of them that the copy does
// not stay in the caches.
TEST_F(DataMovementTest, CopiesRepeatRows) {
  for (aclDataType to : {ACL_FLOAT, ACL_BF16}) {
    const Array matrices = random_array(ACL_FLOAT, {3, 70}, LayoutKind::kContiguous, 1);
    const Array rows(matrices, {3, 500, 70}, {.strides = {70, 0, 1}});
    Array self(to, {3, 500, 70});
    ASSERT_EQ(copy(self, rows), 0) << recent_message();
    for (int64_t i = 0; i < self.count(); ++i) {
      ASSERT_EQ(self.get(i), round_to(matrices.get(i / 35000 * 70 + i % 70), to)) << i;
    }
  }
  const Array row = random_array(ACL_FLOAT, {1000}, LayoutKind::kContiguous, 1);
  const Array many(row, {2101, 1000}, {.strides = {0, 1}});
  Array self(ACL_FLOAT, {2101, 1000});
  ASSERT_EQ(copy(self, many), 0) << recent_message();
  for (int64_t i = 0; i < self.count(); ++i) ASSERT_EQ(self.get(i), row.get(i % 1000)) << i;
}

TEST_F(DataMovementTest, CopiesKeepEveryBit) {
  for (aclDataType dtype :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_BOOL, ACL_UINT32, ACL_COMPLEX64}) {
    const Array source(dtype, {4, 5});
    auto* bytes = static_cast<unsigned char*>(source.data());
    for (size_t i = 0; i < source.memory().bytes(); ++i) {
      bytes[i] = static_cast<unsigned char>(251 * i + 127);  // signalling NaNs among them
    }
    Array turned(dtype, {4, 5}, make_layout({4, 5}, LayoutKind::kTransposed));
    Array back(dtype, {4, 5});
    ASSERT_EQ(copy(turned, source), 0);
    ASSERT_EQ(copy(back, turned), 0);
    EXPECT_EQ(bytes_of(back), bytes_of(source)) << dtype;
  }
}

TEST_F(DataMovementTest, ZeroClearsTheViewAndNothingElse) {
  for (aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8, ACL_UINT16,
                            ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_BOOL}) {
    Array whole(dtype, {6}, {1, 1, 1, 1, 1, 1});
    Array view(whole, {2}, Array::Layout{{3}, 1});
    ASSERT_TRUE(runs(PHASES(aclnnInplaceZero), view));
    EXPECT_EQ(whole.values(), (Values{1, 0, 1, 1, 0, 1})) << dtype;
  }
  ComplexArray complex(ACL_COMPLEX128, {1});
  complex.set({{1, 2}});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceZero), complex.array));
  EXPECT_EQ(complex.get(0), std::complex<double>(0, 0));
  Array deep(ACL_FLOAT, Shape(12, 1), {5});
  ASSERT_TRUE(runs(PHASES(aclnnInplaceZero), deep)) << "no limit of rank";
  EXPECT_EQ(deep.get(0), 0);
}

TEST_F(DataMovementTest, FillConvertsTheValue) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    Array self(dtype, {3, 3}, make_layout({3, 3}, LayoutKind::kGaps));
    ASSERT_EQ(fill(self, Scalar(0.1)), 0);
    EXPECT_EQ(self.values(), Values(9, round_to(static_cast<long double>(0.1), dtype)));
    ASSERT_EQ(fill(self, Scalar(int32_t{-3})), 0);
    EXPECT_EQ(self.values(), Values(9, -3));
  }
  Array bytes(ACL_INT8, {2});
  ASSERT_EQ(fill(bytes, Scalar(2.9f)), 0);
  EXPECT_EQ(bytes.values(), Values(2, 2));
  ASSERT_EQ(fill(bytes, Scalar(int32_t{300})), 0);
  EXPECT_EQ(bytes.values(), Values(2, 44));
  Array truth(ACL_BOOL, {1});
  ASSERT_EQ(fill(truth, Scalar(0.5f)), 0);
  EXPECT_EQ(truth.get(0), 1);
  ASSERT_EQ(fill(truth, Scalar(1e-9f)), 0);
  EXPECT_EQ(truth.get(0), 0) << "below machine epsilon a scalar is false";
  ComplexArray complex(ACL_COMPLEX64, {1});
  ASSERT_EQ(fill(complex.array, Scalar(1.0f, 2.0f)), 0);
  EXPECT_EQ(complex.get(0), std::complex<double>(1, 2));
}

TEST_F(DataMovementTest, EmptyTensorsNeedNothing) {
  Array none(ACL_FLOAT, {0, 2});
  EXPECT_EQ(cast(none, none), 0);
  EXPECT_EQ(copy(none, none), 0);
  EXPECT_EQ(fill(none, Scalar(1.0f)), 0);
  EXPECT_TRUE(runs(PHASES(aclnnInplaceZero), none));
}

}  // namespace
}  // namespace aclgrad::testing
