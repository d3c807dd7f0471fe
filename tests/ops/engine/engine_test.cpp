// SPDX-License-Identifier: Apache-2.0
// The elementwise engine: strides of every kind, broadcasting, several outputs, work in place,
// rounding through another dtype, and the same bits whatever the number of threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "aclgrad_ext.h"
#include "ops/activation/gelu_kernel.h"
#include "ops/engine/elementwise.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::ops {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

const RealKernel kDifference = [](const double* const* in, double* const* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[0][i] = in[0][i] - in[1][i];
};
const RealKernel kTwice = [](const double* const* in, double* const* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[0][i] = 2 * in[0][i];
};

Operand floats(size_t parameter, Dims strides, int64_t offset = 0) {
  return {parameter, ACL_FLOAT, strides, offset, ACL_FLOAT};
}

void run(const Elementwise& body, std::vector<void*> addresses) {
  EXPECT_EQ(body(Run(addresses, nullptr)), ACL_SUCCESS);
}

std::vector<float> counting(size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

TEST(Engine, BroadcastsAlongStrideZero) {
  std::vector<float> a = counting(6);
  std::vector<float> row{10, 20, 30};
  std::vector<float> out(6);
  run(Elementwise({2, 3}, {floats(2, {3, 1})}, {floats(0, {3, 1}), floats(1, {0, 1})}, kDifference),
      {a.data(), row.data(), out.data()});
  EXPECT_THAT(out, ElementsAre(-9, -18, -27, -6, -15, -24));
  std::vector<float> column{10, 20};
  run(Elementwise({2, 3}, {floats(2, {3, 1})}, {floats(0, {3, 1}), floats(1, {1, 0})}, kDifference),
      {a.data(), column.data(), out.data()});
  EXPECT_THAT(out, ElementsAre(-9, -8, -7, -16, -15, -14));
}

TEST(Engine, NegativeStridesOffsetsAndTransposedViews) {
  std::vector<float> a = counting(6);
  std::vector<float> out(6);
  run(Elementwise({6}, {floats(1, {1})}, {floats(0, {-1}, 5)}, kTwice), {a.data(), out.data()});
  EXPECT_THAT(out, ElementsAre(12, 10, 8, 6, 4, 2));
  run(Elementwise({3, 2}, {floats(1, {2, 1})}, {floats(0, {1, 3})}, kTwice),
      {a.data(), out.data()});
  EXPECT_THAT(out, ElementsAre(2, 8, 4, 10, 6, 12));
  run(Elementwise({3, 2}, {floats(1, {-2, -1}, 5)}, {floats(0, {2, 1})}, kTwice),
      {a.data(), out.data()});
  EXPECT_THAT(out, ElementsAre(12, 10, 8, 6, 4, 2));
}

TEST(Engine, WritesNothingBetweenTheElementsOfAStridedOutput) {
  std::vector<float> a = counting(4);
  std::vector<float> out(10, -1.0f);
  run(Elementwise({2, 2}, {floats(1, {5, 2}, 1)}, {floats(0, {2, 1})}, kTwice),
      {a.data(), out.data()});
  EXPECT_THAT(out, ElementsAre(-1, 2, -1, 4, -1, -1, 6, -1, 8, -1));
}

TEST(Engine, SingleElementAndManyDimensions) {
  float value = 3;
  float out = 0;
  run(Elementwise({}, {floats(1, {})}, {floats(0, {})}, kTwice), {&value, &out});
  EXPECT_EQ(out, 6);
  run(Elementwise({1, 1, 1}, {floats(1, {7, 9, 0})}, {floats(0, {0, 5, -2})}, kTwice),
      {&value, &out});
  EXPECT_EQ(out, 6);

  // 2^12 elements over 25 dimensions, every other one of size 1, the order of strides reversed.
  Dims shape;
  Dims forwards;
  Dims backwards;
  for (size_t d = 0; d < kMaxRank; ++d) {
    shape.push_back(d % 2 == 0 ? 1 : 2);
    forwards.push_back(d % 2 == 0 ? 99 : int64_t{1} << (11 - d / 2));
    backwards.push_back(d % 2 == 0 ? -5 : int64_t{1} << (d / 2));
  }
  std::vector<float> a = counting(4096);
  std::vector<float> result(4096);
  run(Elementwise(shape, {floats(1, forwards)}, {floats(0, backwards)}, kTwice),
      {a.data(), result.data()});
  for (size_t i = 0; i < 4096; ++i) {
    size_t reversed = 0;
    for (size_t bit = 0; bit < 12; ++bit) reversed |= (i >> bit & 1) << (11 - bit);
    ASSERT_EQ(result[i], 2 * a[reversed]);
  }
}

TEST(Engine, EmptyShapeTouchesNothing) {
  run(Elementwise({3, 0}, {floats(1, {0, 1})}, {floats(0, {0, 1})}, kTwice), {nullptr, nullptr});
}

TEST(Engine, SeveralOutputsInPlace) {
  std::vector<float> a = counting(3000);
  std::vector<float> b(3000, 7.0f);
  const std::vector<float> original = a;
  const RealKernel exchange = [](const double* const* in, double* const* out, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      out[0][i] = in[1][i];
      out[1][i] = in[0][i];
    }
  };
  run(Elementwise({3000}, {floats(0, {1}), floats(1, {1})}, {floats(0, {1}), floats(1, {1})},
                  exchange),
      {a.data(), b.data()});
  EXPECT_THAT(a, Each(7.0f));
  EXPECT_EQ(b, original);
}

TEST(Engine, RoundsThroughAnotherDtype) {
  double value = 1 + 0x1p-12;
  double out = 0;
  const RealKernel copy = [](const double* const* in, double* const* o, size_t) {
    o[0][0] = in[0][0];
  };
  const Operand source{0, ACL_DOUBLE, {}, 0, ACL_DOUBLE};
  const Operand rounded_source{0, ACL_DOUBLE, {}, 0, ACL_FLOAT16};
  const Operand target{1, ACL_DOUBLE, {}, 0, ACL_DOUBLE};
  const Operand rounded_target{1, ACL_DOUBLE, {}, 0, ACL_BF16};
  run(Elementwise({}, {target}, {source}, copy), {&value, &out});
  EXPECT_EQ(out, value);
  run(Elementwise({}, {target}, {rounded_source}, copy), {&value, &out});
  EXPECT_EQ(out, 1);
  value = 1 + 0x1p-7 + 0x1p-9;
  run(Elementwise({}, {rounded_target}, {source}, copy), {&value, &out});
  EXPECT_EQ(out, 1 + 0x1p-7);
}

TEST(Engine, IntegersAndComplexNumbersHaveTheirOwnComputeTypes) {
  std::vector<int64_t> a{(int64_t{1} << 60) + 1, -5};
  std::vector<int64_t> out(2);
  const IntegerKernel increment = [](const int64_t* const* in, int64_t* const* o, size_t count) {
    for (size_t i = 0; i < count; ++i) o[0][i] = in[0][i] + 1;
  };
  run(Elementwise({2}, {{1, ACL_INT64, {1}, 0, ACL_INT64}}, {{0, ACL_INT64, {1}, 0, ACL_INT64}},
                  increment),
      {a.data(), out.data()});
  EXPECT_THAT(out, ElementsAre((int64_t{1} << 60) + 2, -4));

  std::vector<std::complex<float>> z{{0, 1}};
  std::vector<std::complex<double>> square(1);
  const ComplexKernel multiply = [](const std::complex<double>* const* in,
                                    std::complex<double>* const* o, size_t count) {
    for (size_t i = 0; i < count; ++i) o[0][i] = in[0][i] * in[0][i];
  };
  run(Elementwise({1}, {{1, ACL_COMPLEX128, {1}, 0, ACL_COMPLEX128}},
                  {{0, ACL_COMPLEX64, {1}, 0, ACL_COMPLEX64}}, multiply),
      {z.data(), square.data()});
  EXPECT_EQ(square[0], std::complex<double>(-1, 0));
}

TEST(Engine, RefusesDtypesWithoutValues) {
  const auto make = [](aclDataType dtype, aclDataType first) {
    Elementwise({1}, {{1, dtype, {1}, 0, first}}, {floats(0, {1})}, kTwice);
  };
  EXPECT_THROW(make(ACL_STRING, ACL_STRING), PlanError);
  EXPECT_THROW(make(ACL_FLOAT, ACL_INT4), PlanError);
  EXPECT_NO_THROW(make(ACL_COMPLEX32, ACL_FLOAT));
}

class Threads : public ::testing::Test {
 protected:
  void TearDown() override { aclgradSetNumThreads(0); }
};

TEST_F(Threads, SameBitsForAnyNumberOfThreadsPositionAndStride) {
  constexpr size_t kCount = 100'003;
  std::vector<float> x(kCount);
  for (size_t i = 0; i < kCount; ++i) x[i] = -12 + 20 * static_cast<float>(i) / kCount;
  std::vector<float> g(kCount, 1.25f);
  const auto gradient = [&](int threads, int64_t stride, size_t position) {
    EXPECT_EQ(aclgradSetNumThreads(threads), 0);
    std::vector<float> in(position + kCount * static_cast<size_t>(stride));
    for (size_t i = 0; i < kCount; ++i) in[position + i * static_cast<size_t>(stride)] = x[i];
    std::vector<float> out(kCount);
    run(Elementwise({static_cast<int64_t>(kCount)}, {floats(2, {1})},
                    {floats(0, {1}), floats(1, {stride}, static_cast<int64_t>(position))},
                    gelu_backward_kernel(GeluForm::kErf)),
        {g.data(), in.data(), out.data()});
    return out;
  };
  testing::for_each_target([&](int64_t) {
    const std::vector<float> expected = gradient(1, 1, 0);
    for (const int threads : {1, 2, 3, 7}) {
      for (const int64_t stride : {1, 3}) {
        for (const size_t position : {size_t{0}, size_t{5}}) {
          const std::vector<float> actual = gradient(threads, stride, position);
          ASSERT_EQ(std::memcmp(actual.data(), expected.data(), kCount * sizeof(float)), 0)
              << threads << " threads, stride " << stride << ", position " << position;
        }
      }
    }
  });
}

TEST_F(Threads, PiecesCoverTheRangeOnceAndIndependentlyOfTheThreads) {
  for (const int threads : {1, 4}) {
    aclgradSetNumThreads(threads);
    std::vector<std::atomic<int>> hits(1000);
    parallel_pieces(1000, 64, [&](int64_t begin, int64_t end) {
      EXPECT_EQ(begin % 64, 0);
      EXPECT_EQ(end, std::min<int64_t>(begin + 64, 1000));
      for (int64_t i = begin; i < end; ++i) ++hits[static_cast<size_t>(i)];
    });
    EXPECT_TRUE(std::all_of(hits.begin(), hits.end(), [](const auto& n) { return n == 1; }));
    parallel_pieces(0, 64, [](int64_t, int64_t) { ADD_FAILURE() << "nothing to do"; });
  }
}

TEST_F(Threads, AFailureInAPieceReachesTheCaller) {
  for (const int threads : {1, 2}) {
    aclgradSetNumThreads(threads);
    EXPECT_THROW(parallel_pieces(1000, 10,
                                 [](int64_t begin, int64_t) {
                                   if (begin == 500) throw std::runtime_error("piece");
                                 }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace aclgrad::ops
