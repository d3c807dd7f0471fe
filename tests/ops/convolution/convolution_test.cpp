// SPDX-License-Identifier: Apache-2.0
// An empty convolution, and the bits of BF16. Values of every size, dtype and layout are in
// tests/cases, every check in tests/contract.
#include "aclgrad_ext.h"
#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using ConvolutionTest = AclTest;

TEST_F(ConvolutionTest, GradientsOfAnEmptyConvolution) {
  const Array x = image(ACL_FLOAT, {0, 2, 4, 4}), w = image(ACL_FLOAT, {3, 2, 3, 3}, {1});
  const Array gradient = image(ACL_FLOAT, {0, 3, 2, 2});
  Array dx = image(ACL_FLOAT, {0, 2, 4, 4}), dw = image(ACL_FLOAT16, {3, 2, 3, 3}, {7});
  Array db(ACL_FLOAT, {3}, {7});
  const IntArray one({1, 1}), none({0, 0}), sizes({3});
  const BoolArray mask{true, true, true};
  ASSERT_TRUE(runs(PHASES(aclnnConvolutionBackward), gradient, x, w, sizes, one, none, one, false,
                   none, 1, mask, int8_t{0}, dx, dw, db));
  EXPECT_EQ(dw.values(), Values(54));
  EXPECT_EQ(db.values(), Values(3));
}

// Sums are those of FLOAT then, and are rounded once.
TEST_F(ConvolutionTest, DeterministicBf16HasTheBitsOfEveryProcessor) {
  const Shape of_x{3, 6, 9, 9}, of_w{32, 6, 3, 3}, of_y{3, 32, 9, 9};
  const auto numbers = [](const Shape& shape, uint64_t seed) {
    return random_array(ACL_BF16, shape, LayoutKind::kContiguous, seed).values();
  };
  const Values x_numbers = numbers(of_x, 1), w_numbers = numbers(of_w, 2);
  const Values y_numbers = numbers(of_y, 3), bias_numbers = numbers({32}, 4);
  const IntArray one({1, 1}), none({0, 0}), sizes({32});
  const BoolArray mask{true, true, true};
  const auto results = [&](aclDataType dtype) {
    const Array x = image(dtype, of_x, x_numbers), w = image(dtype, of_w, w_numbers);
    const Array gradient = image(dtype, of_y, y_numbers), bias(dtype, {32}, {}, bias_numbers);
    Array y = image(dtype, of_y), dx = image(dtype, of_x), dw = image(dtype, of_w);
    Array db(dtype, {32});
    EXPECT_TRUE(runs(PHASES(aclnnConvolution), x, w, bias, one, one, one, false, none, int64_t{1},
                     y, int8_t{0}));
    EXPECT_TRUE(runs(PHASES(aclnnConvolutionBackward), gradient, x, w, sizes, one, one, one, false,
                     none, 1, mask, int8_t{0}, dx, dw, db));
    Values list;
    for (const Array* array : {&y, &dx, &dw, &db}) {
      const Values rounded = Array(ACL_BF16, array->shape(), {}, array->values()).values();
      list.insert(list.end(), rounded.begin(), rounded.end());
    }
    return list;
  };
  ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  const Values deterministic = results(ACL_BF16);
  ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0), ACL_SUCCESS);
  EXPECT_EQ(deterministic, results(ACL_FLOAT));
}

}  // namespace
}  // namespace aclgrad::testing
