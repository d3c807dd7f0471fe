// SPDX-License-Identifier: Apache-2.0
// Pooling: special values, formats, an index outside the plane, an empty batch.
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_max_pool.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_mask.h"
#include "aclnnop/aclnn_max_pool2d_with_mask_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool2d.h"
#include "aclnnop/aclnn_max_unpool3d.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

class PoolingTest : public AclTest {
 protected:
  aclnnStatus max_pool(const Array& self, int64_t kernel, int64_t padding, Array& out,
                       Array& indices) {
    const IntArray size({kernel}), pad({padding}), one({1}), none({});
    return call(PHASES(aclnnMaxPool2dWithIndices), self, size, none, pad, one, false, out, indices);
  }
};

TEST_F(PoolingTest, MaximaOfSpecialValues) {
  const Array self = image(ACL_FLOAT, {1, 4, 2, 2},
                           {1, kNaN, 5, kNaN, -kInfinity, -kInfinity, -kInfinity, -kInfinity,  //
                            2, 3, 3, -1, kInfinity, 0, 0, kNaN});
  Array out = image(ACL_FLOAT, {1, 4, 1, 1}), indices = image(ACL_INT32, {1, 4, 1, 1});
  ASSERT_EQ(max_pool(self, 2, 0, out, indices), 0) << recent_message();
  expect_same(out, {kNaN, -kInfinity, 3, kNaN});
  EXPECT_EQ(indices.values(), (Values{1, 0, 1, 3}));
}

// Padding is smaller than any number.
TEST_F(PoolingTest, PaddingNeverIsTheMaximum) {
  const Array self = image(ACL_FLOAT16, {1, 1, 2, 2}, {-5, -6, -7, -8});
  Array out = image(ACL_FLOAT16, {1, 1, 2, 2}), indices = image(ACL_INT64, {1, 1, 2, 2});
  ASSERT_EQ(max_pool(self, 2, 1, out, indices), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{-5, -6, -7, -8}));
  EXPECT_EQ(indices.values(), (Values{0, 1, 2, 3}));
}

TEST_F(PoolingTest, MaximaWithTheChannelsLast) {
  const Array self = image(ACL_FLOAT, {1, 2, 2, 2}, {1, 8, 2, 7, 3, 6, 4, 5}, ACL_FORMAT_NHWC);
  Array out = image(ACL_FLOAT, {1, 1, 1, 2}, {}, ACL_FORMAT_NHWC);
  Array indices = image(ACL_INT64, {1, 1, 1, 2}, {}, ACL_FORMAT_NHWC);
  ASSERT_EQ(max_pool(self, 2, 0, out, indices), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{4, 8}));
  EXPECT_EQ(indices.values(), (Values{3, 0}));
}

TEST_F(PoolingTest, AnIndexOutsideThePlaneFailsTheTask) {
  const Array gradient = image(ACL_FLOAT, {1, 1, 1, 1}, {1}), self = image(ACL_FLOAT, {1, 1, 2, 2});
  const IntArray size({2}), pad({0}), one({1}), none({});
  for (const long double index : {4.0L, -2.0L}) {
    const Array indices = image(ACL_INT64, {1, 1, 1, 1}, {index});
    Array out = image(ACL_FLOAT, {1, 1, 2, 2});
    expect_failure(call(PHASES(aclnnMaxPool2dWithIndicesBackward), gradient, self, indices, size,
                        none, pad, one, false, out),
                   "within [0, 3]");
  }
}

TEST_F(PoolingTest, AveragesOfAnEmptyBatch) {
  const Array self = image(ACL_FLOAT, {0, 1, 2, 2});
  Array out = image(ACL_FLOAT, {0, 1, 1, 1});
  const IntArray size({2}), pad({0}), none({});
  EXPECT_TRUE(
      runs(PHASES(aclnnAvgPool2d), self, size, none, pad, false, true, int64_t{0}, int8_t{0}, out));
}

Values counted(int64_t count) {
  Values numbers;
  for (int64_t i = 1; i <= count; ++i) numbers.push_back(static_cast<long double>(i));
  return numbers;
}

// In windows that overlap.
TEST_F(PoolingTest, AdaptiveMaximaOfSpecialValues) {
  const Array special = image(ACL_FLOAT, {2, 1, 3}, {-kInfinity, -kInfinity, kNaN, 3, kNaN, kNaN});
  Array of_special = image(ACL_FLOAT, {2, 1, 2}), places = image(ACL_INT32, {2, 1, 2});
  const IntArray two({1, 2});
  ASSERT_TRUE(runs(PHASES(aclnnAdaptiveMaxPool2d), special, two, of_special, places));
  expect_same(of_special, {-kInfinity, kNaN, kNaN, kNaN});
  EXPECT_EQ(places.values(), (Values{0, 2, 1, 1}));
}

TEST_F(PoolingTest, AnIndexOutsideTheVolumeFailsTheTask) {
  const Array gradient = image(ACL_FLOAT, {1, 1, 1, 1}, {1}), self = image(ACL_FLOAT, {1, 2, 2, 2});
  const IntArray size({2, 2, 2}), one({1});
  for (const long double index : {8.0L, -2.0L}) {
    const Array indices = image(ACL_INT32, {1, 1, 1, 1}, {index});
    Array out = image(ACL_FLOAT, {1, 2, 2, 2});
    expect_failure(call(PHASES(aclnnAdaptiveMaxPool3dBackward), gradient, self, indices, out),
                   "within [0, 7]");
    expect_failure(call(PHASES(aclnnMaxUnpool3d), gradient, indices, size, one, one, out),
                   "within [0, 7]");
  }
}

// The first window steps over the only row: its maximum has no place, and its gradient goes
// nowhere, be it a NaN. Unpooling knows no such place.
TEST_F(PoolingTest, AWindowWithoutElementsHasNoPlace) {
  const Array self = image(ACL_FLOAT, {1, 1, 1, 3}, {5, 6, 7});
  const IntArray size({1, 2, 1}), stride({1, 1, 2}), pad({0, 1, 0}), dilation({1, 2, 1});
  Array out = image(ACL_FLOAT, {1, 1, 1, 2}), indices = image(ACL_INT32, {1, 1, 1, 2});
  ASSERT_TRUE(runs(PHASES(aclnnMaxPool3dWithArgmax), self, size, stride, pad, dilation, false, out,
                   indices));
  EXPECT_EQ(out.values(), (Values{-kInfinity, -kInfinity}));
  EXPECT_EQ(indices.values(), (Values{-1, -1}));
  const Array gradient = image(ACL_FLOAT, {1, 1, 1, 2}, {3, kNaN});
  Array back = image(ACL_FLOAT, {1, 1, 1, 3});
  ASSERT_TRUE(runs(PHASES(aclnnMaxPool3dWithArgmaxBackward), gradient, self, indices, size, stride,
                   pad, dilation, false, back));
  EXPECT_EQ(back.values(), (Values{0, 0, 0}));
  const IntArray whole({1, 1, 3});
  EXPECT_NE(call(PHASES(aclnnMaxUnpool3d), gradient, indices, whole, stride, pad, back), 0);
}

// Bits that no forward writes are not followed out of the plane.
TEST_F(PoolingTest, ABitOutsideThePlaneFailsTheTask) {
  const Array gradient = image(ACL_FLOAT, {1, 2, 2}, {1, 2, 3, 4}),
              self = image(ACL_FLOAT, {1, 2, 2});
  const IntArray size({2}), pad({1}), one({1});
  const auto backward = [&](const Array& mask) {
    Array out = image(ACL_FLOAT, {1, 2, 2});
    return call(PHASES(aclnnMaxPool2dWithMaskBackward), gradient, self, mask, size, size, pad, one,
                false, out);
  };
  for (const auto& [byte, held] :
       std::vector<std::pair<size_t, long double>>{{0, 1},    // the padding before the first window
                                                   {64, 16},  // no window has the number
                                                   {4 * 64 - 1, -128}}) {
    Values bytes(4 * 64);
    bytes[byte] = held;
    expect_failure(backward(image(ACL_INT8, {1, 4, 64}, bytes)), "mask must have bits");
  }
}

// What the mask says is what the indices say.
TEST_F(PoolingTest, MasksAreForTheirGradient) {
  const Array self = image(ACL_FLOAT, {1, 1, 3, 3}, {1, 5, 2, 5, 3, kNaN, 7, 7, 0});
  const IntArray size({2, 3}), stride({2, 1}), pad({1, 1}), one({1});
  Array result = image(ACL_FLOAT, {1, 1, 2, 3}), bits = image(ACL_INT8, {1, 1, 6, 64});
  ASSERT_TRUE(
      runs(PHASES(aclnnMaxPool2dWithMask), self, size, stride, pad, one, false, result, bits));
  EXPECT_EQ(result.get(0), 5);
  EXPECT_TRUE(is_near(result.get(4), kNaN, 0));
  const Array gradient = image(ACL_FLOAT, {1, 1, 2, 3}, {1, 2, 4, 8, 16, 32});
  Array back = image(ACL_FLOAT, {1, 1, 3, 3});
  ASSERT_TRUE(runs(PHASES(aclnnMaxPool2dWithMaskBackward), gradient, self, bits, size, stride, pad,
                   one, false, back));
  EXPECT_EQ(back.values(), (Values{0, 7, 0, 0, 0, 48, 8, 0, 0}));
}

// Rows of windows that end within a byte, a word and a vector, and more than a word of them.
TEST_F(PoolingTest, MasksOfWideRowsSayWhatIndicesSay) {
  for (const int64_t width : {7, 64, 65, 130, 203}) {
    for (const int64_t step : {1, 2, 3}) {
      const IntArray size({3}), stride({step}), pad({1}), one({1});
      const int64_t height = 5;
      const int64_t down = (height - 1) / step + 1, across = (width - 1) / step + 1;
      Values x, slopes;
      for (int64_t i = 0; i < height * width; ++i) x.push_back(i * 7919 % 101);
      for (int64_t i = 0; i < down * across; ++i) slopes.push_back(i % 17 + 1);
      const Array self = image(ACL_FLOAT, {1, height, width}, x);
      const Array gradient = image(ACL_FLOAT, {1, down, across}, slopes);
      Array result = image(ACL_FLOAT, {1, down, across});
      Array bits = image(ACL_INT8, {1, 9, ((down * across + 15) / 16 + 1) * 32});
      Array indices = image(ACL_INT32, {1, down, across});
      ASSERT_TRUE(
          runs(PHASES(aclnnMaxPool2dWithMask), self, size, stride, pad, one, false, result, bits));
      ASSERT_TRUE(runs(PHASES(aclnnMaxPool2dWithIndices), self, size, stride, pad, one, false,
                       result, indices));
      Array by_mask = image(ACL_FLOAT, {1, height, width});
      Array by_indices = image(ACL_FLOAT, {1, height, width});
      ASSERT_TRUE(runs(PHASES(aclnnMaxPool2dWithMaskBackward), gradient, self, bits, size, stride,
                       pad, one, false, by_mask));
      ASSERT_TRUE(runs(PHASES(aclnnMaxPool2dWithIndicesBackward), gradient, self, indices, size,
                       stride, pad, one, false, by_indices));
      EXPECT_EQ(by_mask.values(), by_indices.values()) << width << ", " << step;
    }
  }
}

// Pads for each end, and a bool in the place of an int64_t.
TEST_F(PoolingTest, MaximaAlone) {
  const Array self = image(ACL_FLOAT, {1, 2, 3}, {-1, -2, -3, -4, -5, -6});
  const IntArray size({2}), one({1}), ends({0, 0, 1, 2});
  Array out = image(ACL_FLOAT, {1, 2, 4});
  const auto pool = [&](int64_t auto_pad, const IntArray& stride, const IntArray& pads,
                        int64_t ceil_mode, Array& to) {
    return call(PHASES(aclnnMaxPool), self, size, stride, auto_pad, pads, one, ceil_mode, to);
  };
  ASSERT_EQ(pool(0, one, ends, 0, out), 0) << recent_message();
  EXPECT_EQ(out.values(), (Values{-1, -2, -3, -kInfinity, -4, -5, -6, -kInfinity}));
  const IntArray two({2, 2}), none({0});
  Array narrow = image(ACL_FLOAT, {1, 1, 2});
  constexpr int64_t kAbove = int64_t{1} << 32;  // what the other half of a register may hold
  ASSERT_EQ(pool(kAbove, two, none, kAbove + 1, narrow), 0) << recent_message();
  EXPECT_EQ(narrow.values(), (Values{-1, -3}));
  EXPECT_EQ(pool(1, two, none, 1, narrow), 161002);
  EXPECT_EQ(pool(0, two, none, 2, narrow), 161002);  // rounded down, there is one window
}

TEST_F(PoolingTest, UnpoolingTakesTheLastOfEqualPlaces) {
  const Array self = image(ACL_FLOAT, {1, 2, 2}, {1, 2, 3, 4});
  const Array indices = image(ACL_INT64, {1, 2, 2}, {5, 0, 5, 3});
  const IntArray size({2, 3});
  Array out = image(ACL_FLOAT, {1, 2, 3}, counted(6));
  ASSERT_TRUE(runs(PHASES(aclnnMaxUnpool2d), self, indices, size, out));
  EXPECT_EQ(out.values(), (Values{2, 0, 0, 4, 0, 3}));
}

}  // namespace
}  // namespace aclgrad::testing
