// SPDX-License-Identifier: Apache-2.0
// Conversion between native elements and the three compute types: every 16-bit pattern, every
// rounding boundary, saturation, wrapping, strides and unaligned memory, on every instruction set.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/elementwise.h"
#include "tests/ops/engine/targets.h"
#include "tests/ops/support/numbers.h"

namespace aclgrad::ops {
namespace {

using testing::bfloat_value;
using testing::for_each_target;
using testing::half_value;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<uint16_t> every_pattern() {
  std::vector<uint16_t> patterns(65536);
  for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<uint16_t>(i);
  return patterns;
}

template <class Element, class T>
std::vector<Element> stored_as(aclDataType dtype, const std::vector<T>& values) {
  std::vector<Element> result(values.size());
  store(values.data(), result.data(), dtype, 1, values.size());
  return result;
}

template <class T, class Element>
std::vector<T> loaded(aclDataType dtype, const std::vector<Element>& values) {
  std::vector<T> result(values.size());
  load(values.data(), dtype, 1, result.data(), values.size());
  return result;
}

struct Format16 {
  aclDataType dtype;
  long double (*value)(uint16_t bits);
  uint16_t infinity;
};
const Format16 kFormats16[] = {{ACL_FLOAT16, half_value, 0x7c00}, {ACL_BF16, bfloat_value, 0x7f80}};

TEST(Conversion, Every16BitPatternLoadsExactlyAndStoresBack) {
  const std::vector<uint16_t> patterns = every_pattern();
  for_each_target([&](int64_t) {
    for (const Format16& format : kFormats16) {
      const std::vector<double> values = loaded<double>(format.dtype, patterns);
      const std::vector<uint16_t> back = stored_as<uint16_t>(format.dtype, values);
      for (size_t i = 0; i < patterns.size(); ++i) {
        const long double expected = format.value(patterns[i]);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(values[i])) << i;
          ASSERT_GT(back[i] & 0x7fff, format.infinity) << "NaN became a number: " << i;
          ASSERT_EQ(back[i] & 0x8000, patterns[i] & 0x8000);
        } else {
          ASSERT_EQ(values[i], expected) << i;
          ASSERT_EQ(std::signbit(values[i]), (patterns[i] & 0x8000) != 0) << i;
          ASSERT_EQ(back[i], patterns[i]);
        }
      }
    }
  });
}

// Between two neighbours of a 16-bit format lie a tie, which goes to the even one, and numbers next
// to the tie in double, which a detour through float would take for ties.
TEST(Conversion, StoringRoundsToNearestEvenInOneStep) {
  for_each_target([&](int64_t) {
    for (const Format16& format : kFormats16) {
      std::vector<double> values;
      std::vector<uint16_t> expected;
      for (uint16_t low = 0; low < format.infinity; ++low) {
        const auto high = static_cast<uint16_t>(low + 1);
        // Past the largest finite number stands the power of two that would come next.
        const long double above =
            high == format.infinity
                ? 2 * format.value(low) - format.value(static_cast<uint16_t>(low - 1))
                : format.value(high);
        const auto tie = static_cast<double>((format.value(low) + above) / 2);
        values.insert(values.end(),
                      {tie, std::nextafter(tie, -kInfinity), std::nextafter(tie, kInfinity)});
        expected.insert(expected.end(), {(low & 1) == 0 ? low : high, low, high});
      }
      const std::vector<uint16_t> actual = stored_as<uint16_t>(format.dtype, values);
      std::vector<double> negative = values;
      for (double& value : negative) value = -value;
      const std::vector<uint16_t> mirrored = stored_as<uint16_t>(format.dtype, negative);
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(actual[i], expected[i]) << std::hexfloat << values[i];
        ASSERT_EQ(mirrored[i], expected[i] | 0x8000) << std::hexfloat << values[i];
      }
    }
  });
}

TEST(Conversion, SixteenBitFormatsAtTheEndsOfDouble) {
  const std::vector<double> values{kInfinity, -kInfinity, 1e308, -1e308,
                                   5e-324,    -5e-324,    0.0,   -0.0};
  for_each_target([&](int64_t) {
    for (const Format16& format : kFormats16) {
      const uint16_t infinity = format.infinity;
      const auto minus = static_cast<uint16_t>(infinity | 0x8000);
      EXPECT_EQ(stored_as<uint16_t>(format.dtype, values),
                (std::vector<uint16_t>{infinity, minus, infinity, minus, 0, 0x8000, 0, 0x8000}));
    }
  });
}

TEST(Conversion, FloatIsRoundedOnce) {
  for_each_target([](int64_t) {
    const std::vector<double> values{1 + 0x1p-24, 1 + 0x3p-24, 1 + 0x1p-24 + 0x1p-52,
                                     0x1p-149,    0x1p-150,    0x1.8p-149,
                                     3.5e38,      -3.5e38,     kNan,
                                     -0.0};
    const std::vector<float> actual = stored_as<float>(ACL_FLOAT, values);
    const std::vector<float> expected{1.0f,
                                      1 + 0x1p-22f,
                                      1 + 0x1p-23f,
                                      0x1p-149f,
                                      0.0f,
                                      0x1p-148f,
                                      std::numeric_limits<float>::infinity(),
                                      -std::numeric_limits<float>::infinity()};
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(actual[i], expected[i]) << i;
    EXPECT_TRUE(std::isnan(actual[8]));
    EXPECT_TRUE(std::signbit(actual[9]));
  });
}

template <class Integer>
void check_truncation(aclDataType dtype) {
  using Limits = std::numeric_limits<Integer>;
  const std::vector<double> values{0.99,  -0.99,     100.9,      -100.9, 1e30,
                                   -1e30, kInfinity, -kInfinity, kNan};
  const Integer low = Limits::min();
  const Integer high = Limits::max();
  const Integer minus = std::is_signed_v<Integer> ? static_cast<Integer>(-100) : Integer{0};
  EXPECT_EQ(stored_as<Integer>(dtype, values),
            (std::vector<Integer>{0, 0, 100, minus, high, low, high, low, 0}))
      << dtype;
  const double top = static_cast<double>(high);  // rounded up for 64 bits
  EXPECT_EQ(stored_as<Integer>(dtype, std::vector<double>{top, static_cast<double>(low)}),
            (std::vector<Integer>{high, low}))
      << dtype;
}

TEST(Conversion, RealToIntegerTruncatesAndSaturates) {
  for_each_target([](int64_t) {
    check_truncation<int8_t>(ACL_INT8);
    check_truncation<int16_t>(ACL_INT16);
    check_truncation<int32_t>(ACL_INT32);
    check_truncation<int64_t>(ACL_INT64);
    check_truncation<uint8_t>(ACL_UINT8);
    check_truncation<uint16_t>(ACL_UINT16);
    check_truncation<uint32_t>(ACL_UINT32);
    check_truncation<uint64_t>(ACL_UINT64);
  });
}

TEST(Conversion, IntegerToIntegerWraps) {
  for_each_target([](int64_t) {
    const std::vector<int64_t> values{300, -129, int64_t{1} << 40, -1};
    EXPECT_EQ((stored_as<int8_t>(ACL_INT8, values)), (std::vector<int8_t>{44, 127, 0, -1}));
    EXPECT_EQ((stored_as<uint8_t>(ACL_UINT8, values)), (std::vector<uint8_t>{44, 127, 0, 255}));
    EXPECT_EQ((stored_as<int32_t>(ACL_INT32, values)), (std::vector<int32_t>{300, -129, 0, -1}));
    EXPECT_EQ((stored_as<uint64_t>(ACL_UINT64, values)),
              (std::vector<uint64_t>{300, ~uint64_t{128}, uint64_t{1} << 40, ~uint64_t{0}}));
  });
}

TEST(Conversion, IntegersLoadExactly) {
  for_each_target([](int64_t) {
    EXPECT_EQ((loaded<double>(ACL_INT8, std::vector<int8_t>{-128, 127})),
              (std::vector<double>{-128, 127}));
    EXPECT_EQ((loaded<double>(ACL_UINT16, std::vector<uint16_t>{0, 65535})),
              (std::vector<double>{0, 65535}));
    EXPECT_EQ((loaded<double>(ACL_UINT32, std::vector<uint32_t>{4294967295u})),
              (std::vector<double>{4294967295.0}));
    EXPECT_EQ((loaded<double>(ACL_UINT64, std::vector<uint64_t>{~uint64_t{0}})),
              (std::vector<double>{0x1p64}));
    EXPECT_EQ((loaded<int64_t>(ACL_INT32, std::vector<int32_t>{-2147483647 - 1})),
              (std::vector<int64_t>{-2147483648LL}));
    EXPECT_EQ((loaded<int64_t>(ACL_FLOAT, std::vector<float>{-2.9f, 1e20f})),
              (std::vector<int64_t>{-2, std::numeric_limits<int64_t>::max()}));
  });
}

// Integers of more than 53 bits that lie just beside a tie of the 16-bit format.
TEST(Conversion, LargeIntegersAreRoundedOnce) {
  const int64_t tie = (int64_t{1} << 62) + (int64_t{1} << 54);  // between two bfloat16 numbers
  for_each_target([&](int64_t) {
    EXPECT_EQ(stored_as<uint16_t>(ACL_BF16, std::vector<int64_t>{tie, tie - 1, tie + 1, -tie - 1}),
              (std::vector<uint16_t>{0x5e80, 0x5e80, 0x5e81, 0xde81}));
    const int64_t float_tie = (int64_t{1} << 62) + (int64_t{1} << 38);
    EXPECT_EQ((stored_as<float>(ACL_FLOAT, std::vector<int64_t>{float_tie, float_tie + 1})),
              (std::vector<float>{0x1p62f, 0x1p62f + 0x1p39f}));
  });
}

TEST(Conversion, Bool) {
  for_each_target([](int64_t) {
    EXPECT_EQ((stored_as<uint8_t>(ACL_BOOL, std::vector<double>{0.0, -0.0, 0.5, kNan, -3})),
              (std::vector<uint8_t>{0, 0, 1, 1, 1}));
    EXPECT_EQ((stored_as<uint8_t>(ACL_BOOL, std::vector<int64_t>{0, 256})),
              (std::vector<uint8_t>{0, 1}));
    EXPECT_EQ((stored_as<uint8_t>(ACL_BOOL, std::vector<std::complex<double>>{{0, 0}, {0, 2}})),
              (std::vector<uint8_t>{0, 1}));
    EXPECT_EQ((loaded<double>(ACL_BOOL, std::vector<uint8_t>{0, 1, 7})),
              (std::vector<double>{0, 1, 1}));
  });
}

TEST(Conversion, Complex) {
  using Complex128 = std::complex<double>;
  using Complex64 = std::complex<float>;
  for_each_target([](int64_t) {
    const std::vector<Complex64> narrow{{1.5f, -2.0f}, {0.0f, 3.0f}};
    EXPECT_EQ((loaded<Complex128>(ACL_COMPLEX64, narrow)),
              (std::vector<Complex128>{{1.5, -2}, {0, 3}}));
    EXPECT_EQ((loaded<double>(ACL_COMPLEX64, narrow)), (std::vector<double>{1.5, 0}));
    EXPECT_EQ((loaded<Complex128>(ACL_FLOAT, std::vector<float>{2.5f})),
              (std::vector<Complex128>{{2.5, 0}}));
    EXPECT_EQ((stored_as<Complex64>(ACL_COMPLEX64, std::vector<double>{1 + 0x1p-30})),
              (std::vector<Complex64>{{1, 0}}));
    EXPECT_EQ((stored_as<Complex128>(ACL_COMPLEX128, std::vector<Complex128>{{1, 2}})),
              (std::vector<Complex128>{{1, 2}}));
    EXPECT_EQ((stored_as<float>(ACL_FLOAT, std::vector<Complex128>{{7, 2}})),
              (std::vector<float>{7}));
    EXPECT_EQ((stored_as<uint32_t>(ACL_COMPLEX32, std::vector<Complex128>{{1, -2}})),
              (std::vector<uint32_t>{0xc0003c00u}));
    EXPECT_EQ((loaded<Complex128>(ACL_COMPLEX32, std::vector<uint32_t>{0xc0003c00u})),
              (std::vector<Complex128>{{1, -2}}));
  });
}

TEST(Conversion, StridesAndUnalignedMemory) {
  for_each_target([](int64_t) {
    std::vector<unsigned char> bytes(4 * 400 + 8);
    for (size_t shift = 0; shift < 4; ++shift) {
      unsigned char* base = bytes.data() + shift;
      for (size_t i = 0; i < 400; ++i) testing::store_as(base, i, static_cast<float>(i));
      for (const int64_t stride : {1, 2, 3, 0, -1, -3}) {
        const int64_t first = stride < 0 ? 399 : 0;
        std::vector<double> block(100, -1);
        load(base + 4 * first, ACL_FLOAT, stride, block.data(), block.size());
        for (size_t i = 0; i < block.size(); ++i) {
          ASSERT_EQ(block[i], static_cast<double>(first + stride * static_cast<int64_t>(i)));
        }
        if (stride == 0) continue;
        std::memset(base, 0, 4 * 400);
        store(block.data(), base + 4 * first, ACL_FLOAT, stride, block.size());
        size_t written = 0;
        for (int64_t i = 0; i < 400; ++i) {
          const float value = testing::load_as<float>(base, static_cast<size_t>(i));
          const int64_t step = (i - first) / stride;
          const bool hit = (i - first) % stride == 0 && step >= 0 && step < 100;
          ASSERT_EQ(value, hit ? static_cast<float>(i) : 0.0f);
          written += hit ? 1 : 0;
        }
        ASSERT_EQ(written, 100u);
        for (size_t i = 0; i < 400; ++i) testing::store_as(base, i, static_cast<float>(i));
      }
    }
  });
}

TEST(Conversion, ElementSizesAgreeWithTheInterface) {
  for (int dtype = -1; dtype < 50; ++dtype) {
    const auto type = static_cast<aclDataType>(dtype);
    if (const size_t size = element_size(type); size != 0) {
      EXPECT_EQ(size, aclDataTypeSize(type)) << dtype;
    }
  }
  EXPECT_EQ(element_size(ACL_STRING), 0u);
}

}  // namespace
}  // namespace aclgrad::ops
