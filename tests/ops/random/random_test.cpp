// SPDX-License-Identifier: Apache-2.0
// aclnnInplaceNormal and aclnnInplaceUniform, and the generator under them.
#include <algorithm>
#include <numbers>

#include "aclnnop/aclnn_normal.h"
#include "aclnnop/aclnn_uniform.h"
#include "ops/random/philox.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using ops::philox4x32_10;

class RandomTest : public AclTest {
 protected:
  aclnnStatus normal(Array& out, float mean, float stddev, int64_t seed, int64_t offset) {
    return call(PHASES(aclnnInplaceNormal), out, mean, stddev, seed, offset);
  }
  aclnnStatus uniform(Array& out, double from, double to, uint64_t seed, uint64_t offset) {
    return call(PHASES(aclnnInplaceUniform), out, from, to, seed, offset);
  }
};

TEST(PhiloxTest, KnownAnswers) {
  // The vectors that the authors publish with Random123.
  EXPECT_EQ(philox4x32_10({0, 0, 0, 0}, {0, 0}),
            (ops::PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32_10({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (ops::PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (ops::PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The words of an element, as the public headers describe them.
std::pair<uint32_t, uint32_t> words(uint64_t seed, uint64_t offset, uint64_t i) {
  const auto low = [](uint64_t value) { return static_cast<uint32_t>(value); };
  const auto high = [](uint64_t value) { return static_cast<uint32_t>(value >> 32); };
  const ops::PhiloxCounter block =
      philox4x32_10({low(i / 2), high(i / 2), low(offset), high(offset)}, {low(seed), high(seed)});
  return {block[2 * (i % 2)], block[2 * (i % 2) + 1]};
}

TEST_F(RandomTest, ValuesFollowTheDocumentedFormulas) {
  for (uint64_t seed : {uint64_t{0}, uint64_t{0x123456789abcdef0}}) {
    for (uint64_t offset : {uint64_t{0}, uint64_t{0xfedcba9876543210}}) {
      Array gauss(ACL_DOUBLE, {1001}), flat(ACL_DOUBLE, {1001});
      ASSERT_EQ(normal(gauss, 0.5f, 2, static_cast<int64_t>(seed), static_cast<int64_t>(offset)),
                0);
      ASSERT_EQ(uniform(flat, -1, 3, seed, offset), 0);
      for (int64_t i = 0; i < 1001; ++i) {
        const auto [a, b] = words(seed, offset, static_cast<uint64_t>(i));
        const long double u = std::ldexp(static_cast<long double>(a) + 1, -32);
        const long double v = std::ldexp(static_cast<long double>(b), -32);
        const long double expected = 0.5L + 2 * std::sqrt(-2 * std::log(u)) *
                                                std::cos(2 * std::numbers::pi_v<long double> * v);
        ASSERT_TRUE(is_near(gauss.get(i), expected, 1e-13L)) << i;
        const long double bits =
            std::ldexp(static_cast<long double>(b), 21) + static_cast<long double>(a >> 11);
        ASSERT_TRUE(is_near(flat.get(i), -1 + 4 * std::ldexp(bits, -53), 1e-15L)) << i;
      }
    }
  }
}

TEST_F(RandomTest, AValueDependsOnSeedOffsetAndPositionAlone) {
  const Shape shape{50, 300};
  std::vector<Values> normals, uniforms;
  for (int32_t threads : {1, 2}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), 0);
    for (LayoutKind layout : kOutputLayouts) {
      Array out(ACL_FLOAT, shape, make_layout(shape, layout));
      ASSERT_EQ(normal(out, 0, 1, 7, 3), 0);
      normals.push_back(out.values());
      ASSERT_EQ(uniform(out, 0, 1, 7, 3), 0);
      uniforms.push_back(out.values());
      EXPECT_EQ(normals.front(), normals.back()) << to_string(layout);
      EXPECT_EQ(uniforms.front(), uniforms.back()) << to_string(layout);
    }
  }
  Array flat(ACL_FLOAT, {100});
  ASSERT_EQ(normal(flat, 0, 1, 7, 3), 0);
  EXPECT_EQ(flat.values(), Values(normals[0].begin(), normals[0].begin() + 100));
  ASSERT_EQ(normal(flat, 0, 1, 8, 3), 0);
  EXPECT_NE(flat.get(0), normals[0][0]) << "another seed";
  ASSERT_EQ(normal(flat, 0, 1, 7, 4), 0);
  EXPECT_NE(flat.get(0), normals[0][0]) << "another offset";
}

struct Moments {
  long double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};

Moments moments(const Values& values) {
  Moments result;
  const auto n = static_cast<long double>(values.size());
  for (long double value : values) result.mean += value / n;
  long double third = 0, fourth = 0;
  for (long double value : values) {
    const long double d = value - result.mean;
    result.variance += d * d / n;
    third += d * d * d / n;
    fourth += d * d * d * d / n;
  }
  result.skewness = third / std::pow(result.variance, 1.5L);
  result.kurtosis = fourth / (result.variance * result.variance);
  return result;
}

TEST_F(RandomTest, DistributionsHaveTheRightMoments) {
  Array out(ACL_FLOAT, {200000});
  ASSERT_EQ(normal(out, 3, 2, 42, 0), 0);
  const Moments gauss = moments(out.values());
  EXPECT_TRUE(is_near(gauss.mean, 3, 0.02L));
  EXPECT_TRUE(is_near(gauss.variance, 4, 0.06L));
  EXPECT_TRUE(is_near(gauss.skewness, 0, 0.025L));
  EXPECT_TRUE(is_near(gauss.kurtosis, 3, 0.05L));
  ASSERT_EQ(uniform(out, -2, 6, 42, 0), 0);
  const Moments flat = moments(out.values());
  EXPECT_TRUE(is_near(flat.mean, 2, 0.025L));
  EXPECT_TRUE(is_near(flat.variance, 64.0L / 12, 0.05L));
  EXPECT_TRUE(is_near(flat.kurtosis, 1.8L, 0.02L));
}

TEST_F(RandomTest, EveryDtype) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE}) {
    Array exact(ACL_DOUBLE, {500}), out(dtype, {500});
    ASSERT_EQ(normal(exact, 1, 5, 9, 9), 0);
    ASSERT_EQ(normal(out, 1, 5, 9, 9), 0) << recent_message();
    for (int64_t i = 0; i < 500; ++i) EXPECT_EQ(out.get(i), round_to(exact.get(i), dtype));
  }
  for (aclDataType dtype : {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8}) {
    Array exact(ACL_FLOAT, {500}), out(dtype, {500});
    ASSERT_EQ(normal(exact, 20, 5, 9, 9), 0);
    ASSERT_EQ(normal(out, 20, 5, 9, 9), 0);
    for (int64_t i = 0; i < 500; ++i) EXPECT_EQ(out.get(i), std::trunc(exact.get(i)));
    ASSERT_EQ(uniform(out, 0, 10, 9, 9), 0);
    std::vector<int> counts(10, 0);
    for (long double value : out.values()) ++counts.at(static_cast<size_t>(value));
    for (int count : counts) EXPECT_GT(count, 20);
  }
  Array truth(ACL_BOOL, {50});
  ASSERT_EQ(normal(truth, 0, 1, 9, 9), 0);
  EXPECT_EQ(truth.values(), Values(50, 1)) << "no value is exactly 0";
}

TEST_F(RandomTest, TheUpperEndIsNeverReached) {
  for (aclDataType dtype : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    Array out(dtype, {100000});
    for (long double to : {1.0L, 0.1L, -3.0L}) {
      ASSERT_EQ(uniform(out, static_cast<double>(to) - 1, static_cast<double>(to), 5, 0), 0);
      const auto end = static_cast<long double>(static_cast<double>(to));
      for (long double value : out.values()) ASSERT_LT(value, end);
    }
  }
  Array out(ACL_FLOAT, {4});
  ASSERT_EQ(uniform(out, 2.5, 2.5, 5, 0), 0);
  EXPECT_EQ(out.values(), Values(4, 2.5L));
  Array wide(ACL_DOUBLE, {1000});
  ASSERT_EQ(uniform(wide, -1.7e308, 1.7e308, 5, 0), 0);
  for (long double value : wide.values()) ASSERT_TRUE(std::isfinite(value));
}

TEST_F(RandomTest, AStddevOfNanGivesNan) {
  Array out(ACL_FLOAT, {2});
  ASSERT_EQ(normal(out, 0, std::numeric_limits<float>::quiet_NaN(), 1, 0), 0);
  EXPECT_TRUE(std::isnan(out.get(0)));
}

TEST_F(RandomTest, EmptyTensorsNeedNothing) {
  Array none(ACL_FLOAT, {0});
  EXPECT_EQ(normal(none, 0, 1, 0, 0), 0);
  EXPECT_EQ(uniform(none, 0, 1, 0, 0), 0);
}

// ---- Checks -------------------------------------------------------------------------------------

TEST_F(RandomTest, UniformBeyondTheDtypesRangeStopsAtItsLargestNumber) {
  Array half(ACL_FLOAT16, {4096});
  ASSERT_EQ(uniform(half, 0, 70000, 1, 0), 0);
  const std::vector<long double> values = half.values();
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 65504);
  EXPECT_EQ(uniform(half, 0, 1e300, 1, 0), 0);
  EXPECT_EQ(half.get(0), 65504);
  for (int64_t i = 0; i < half.count(); ++i) ASSERT_TRUE(std::isfinite(half.get(i)));
}

// Whatever the processor: the system's logarithm and cosine differ from one to the next.
TEST_F(RandomTest, NormalNumbersHaveTheseBits) {
  Array out(ACL_DOUBLE, {50000});
  ASSERT_EQ(normal(out, 0, 1, 7, 0), 0);
  uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char byte : bytes_of(out)) hash = (hash ^ byte) * 0x100000001b3;
  EXPECT_EQ(hash, 0x9f6610d0769311b5);
}

}  // namespace
}  // namespace aclgrad::testing
