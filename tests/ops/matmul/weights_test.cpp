// SPDX-License-Identifier: Apache-2.0
// Weights as programs prepare them for products: in the format FRACTAL_NZ, and quantized.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "aclnnop/aclnn_batch_matmul.h"
#include "aclnnop/aclnn_dot.h"
#include "aclnnop/aclnn_gemm.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing::weights {
namespace {

class Weights : public AclTest {};

// A transposed view of rows.
Array columns_of(const Array& rows, aclFormat format) {
  const int64_t n = rows.shape()[0], k = rows.shape()[1];
  return {rows, {k, n}, {.strides = {1, k}, .format = format}};
}

TEST_F(Weights, InFractalNzAreReadByTheirStrides) {
  const Array x(ACL_FLOAT, {2, 3}, {1, 2, 3, -4, 5, 6});
  const Array rows(ACL_FLOAT, {2, 3}, {1, 0, 2, 7, -1, 3});
  Array weight = columns_of(rows, ACL_FORMAT_FRACTAL_NZ), out(ACL_FLOAT, {2, 2});
  const Values expected = {7, 14, 8, -15};
  ASSERT_TRUE(runs(PHASES(aclnnTransMatmulWeight), weight));
  ASSERT_TRUE(runs(PHASES(aclnnMm), x, weight, out, int8_t{2}));
  EXPECT_EQ(out.values(), expected);
  out.fill({0});
  ASSERT_TRUE(runs(PHASES(aclnnMatmul), x, weight, out, int8_t{1}));
  EXPECT_EQ(out.values(), expected);
  const Array batch(x, {1, 2, 3}, {}),
      batched(rows, {1, 3, 2}, {.strides = {6, 1, 3}, .format = ACL_FORMAT_FRACTAL_NZ});
  Array batched_out(ACL_FLOAT, {1, 2, 2});
  ASSERT_TRUE(runs(PHASES(aclnnBatchMatMul), batch, batched, batched_out, int8_t{2}));
  EXPECT_EQ(batched_out.values(), expected);
}

TEST_F(Weights, HaveTheSizeOfTheirElements) {
  uint64_t bytes = 0;
  const IntArray shape({3, 5}), negative({3, -1}), huge({int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(shape.get(), ACL_FLOAT16, &bytes), 0);
  EXPECT_EQ(bytes, 30U);
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(shape.get(), ACL_INT4, &bytes), 0);
  EXPECT_EQ(bytes, 8U);
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(nullptr, ACL_FLOAT16, &bytes), 161001);
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(shape.get(), ACL_FLOAT16, nullptr), 161001);
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(negative.get(), ACL_FLOAT16, &bytes), 161002);
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(huge.get(), ACL_FLOAT16, &bytes), 161002);
  EXPECT_EQ(aclnnCalculateMatmulWeightSizeV2(shape.get(), ACL_DT_UNDEFINED, &bytes), 161002);
  EXPECT_EQ(bytes, 8U);
}

// Rows of K elements, two of which share a byte, with a scale for each 32 of them; the memory ends
// with the last byte.
TEST_F(Weights, InInt4GiveWhatTheyGiveInInt8) {
  constexpr int64_t kRows = 96, kColumns = 300, kGroup = 32;
  Array x(ACL_FLOAT16, {2, kRows}), wide(ACL_INT8, {kColumns, kRows}),
      scales(ACL_FLOAT16, {kColumns, kRows / kGroup});
  const Buffer packed(kRows * kColumns / 2);
  auto* const bytes = static_cast<unsigned char*>(packed.data());
  for (int64_t i = 0; i < x.count(); ++i) x.set(i, static_cast<long double>(i * 7 % 19) / 8 - 1);
  for (int64_t i = 0; i < scales.count(); ++i) scales.set(i, static_cast<long double>(i % 5) / 4);
  for (int64_t i = 0; i < wide.count(); ++i) {
    const int64_t value = (i * 5 + i / 7) % 16 - 8;
    wide.set(i, static_cast<long double>(value));
    bytes[i / 2] = static_cast<unsigned char>(bytes[i / 2] | (value & 0xF) << (i % 2 * 4));
  }
  const Shape shape = {kRows, kColumns}, strides = {1, kRows};
  const int64_t storage = kRows * kColumns;
  const TensorHandle narrow(aclCreateTensor(shape.data(), 2, ACL_INT4, strides.data(), 0,
                                            ACL_FORMAT_ND, &storage, 1, packed.data()));
  const Array in_int8 = columns_of(wide, ACL_FORMAT_ND), scale = columns_of(scales, ACL_FORMAT_ND);
  Array from_int8(ACL_FLOAT16, {2, kColumns}), from_int4(ACL_FLOAT16, {2, kColumns});
  const auto multiply = [&](aclTensor* weight, Array& y) {
    return runs(PHASES(aclnnWeightQuantBatchMatmulV2), x, weight, scale, nullptr, nullptr, nullptr,
                nullptr, static_cast<int>(kGroup), y);
  };
  ASSERT_TRUE(multiply(in_int8.tensor(), from_int8));
  ASSERT_TRUE(multiply(narrow.get(), from_int4));
  const Values found = from_int4.values();
  EXPECT_EQ(found, from_int8.values());
  EXPECT_GT(*std::ranges::max_element(found), 1);
}

TEST_F(Weights, InInt4BeginAtWholeBytes) {
  const Array x(ACL_FLOAT16, {2, 4}), scale(ACL_FLOAT16, {1});
  Array y(ACL_FLOAT16, {2, 2});
  const Buffer packed(8);
  const Shape shape = {4, 2}, strides = {1, 4};
  const int64_t storage = 16;
  const TensorHandle odd(aclCreateTensor(shape.data(), 2, ACL_INT4, strides.data(), 3,
                                         ACL_FORMAT_ND, &storage, 1, packed.data()));
  EXPECT_TRUE(fails_with(161002, {"even offset"},
                         plan(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize, x, odd, scale, nullptr,
                              nullptr, nullptr, nullptr, 0, y)));
}

// As ggml views the experts of a layer: the storage's size leaves out where the view begins.
TEST_F(Weights, TransposedMayLeaveTheirStorageWithinTheirMemory) {
  constexpr int64_t kRows = 4, kColumns = 2, kExperts = 3;
  const Array x(ACL_FLOAT16, {1, kRows}, {1, 2, 3, 4}), scale(ACL_FLOAT16, {1}, {1});
  Array y(ACL_FLOAT16, {1, kColumns});
  const Buffer experts(kExperts * kRows * kColumns / 2);
  std::memset(experts.data(), 0x11, kExperts * kRows * kColumns / 2);
  const Shape shape = {kRows, kColumns}, strides = {1, kRows};
  const int64_t storage = kRows * kColumns;
  const auto multiply = [&](int64_t expert) {
    const TensorHandle weight(aclCreateTensor(shape.data(), 2, ACL_INT4, strides.data(),
                                              expert * storage, ACL_FORMAT_ND, &storage, 1,
                                              experts.data()));
    return runs(PHASES(aclnnWeightQuantBatchMatmulV2), x, weight, scale, nullptr, nullptr, nullptr,
                nullptr, 0, y);
  };
  EXPECT_TRUE(multiply(0));
  y.set(0, -1);
  EXPECT_TRUE(multiply(kExperts - 1));
  EXPECT_EQ(y.values(), (Values{10, 10}));
  const TensorHandle beyond(aclCreateTensor(shape.data(), 2, ACL_INT4, strides.data(),
                                            1000 * storage, ACL_FORMAT_ND, &storage, 1,
                                            experts.data()));
  EXPECT_TRUE(fails_with(161002, {"leaves its storage"},
                         plan(aclnnWeightQuantBatchMatmulV2GetWorkspaceSize, x, beyond, scale,
                              nullptr, nullptr, nullptr, nullptr, 0, y)));
}

TEST_F(Weights, OfAGemmNeedNoAddendWithoutBeta) {
  const Array a(ACL_FLOAT, {2, 1}, {1, 2}), b(ACL_FLOAT, {2, 2}, {3, 4, 5, 6});
  const Array dummy(ACL_FLOAT, {1}, {kNaN}), other(ACL_FLOAT, {7}, {kNaN});
  Array out(ACL_FLOAT, {1, 2}, {kNaN, kNaN});
  const auto gemm = [&](const Array& c, float alpha, float beta) {
    return runs(PHASES(aclnnGemm), a, b, c, alpha, beta, int64_t{1}, int64_t{0}, out, int8_t{0});
  };
  for (const Array* c : {&dummy, &other, &std::as_const(out)}) {
    ASSERT_TRUE(gemm(*c, 1, 0));
    EXPECT_EQ(out.values(), (Values{13, 16}));
  }
  ASSERT_TRUE(gemm(out, 2, -1));
  EXPECT_EQ(out.values(), (Values{13, 16}));
}

TEST_F(Weights, WithoutElementsHaveADotProductOfZero) {
  const Array none(ACL_FLOAT, {0});
  Array out(ACL_FLOAT, {1}, {9});
  ASSERT_TRUE(runs(PHASES(aclnnDot), none, none, out));
  EXPECT_EQ(out.get(0), 0);
  EXPECT_FALSE(std::signbit(out.get(0)));
}

}  // namespace
}  // namespace aclgrad::testing::weights
