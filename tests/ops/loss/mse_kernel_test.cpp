// SPDX-License-Identifier: Apache-2.0
// The backward of squared differences: what 16-bit elements get in float, where that is certain,
// are the bits that they would get in double.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "ops/loss/mse_kernel.h"
#include "tests/ops/engine/targets.h"
#include "tests/ops/support/native_kernels.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kCount = 1 << 15;

// Any pattern, NaN and infinities among them, in the first half; then numbers of similar size,
// which cancel, and whose results are often halfway between two elements.
Numbers any_numbers(aclDataType dtype, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<unsigned> any(0, 0xffff);
  std::uniform_int_distribution<int> few(-64, 64);
  Numbers numbers(dtype, kCount);
  for (size_t i = 0; i < kCount / 2; ++i) {
    const auto pattern = static_cast<uint16_t>(any(generator));
    std::memcpy(numbers.bytes.data() + 2 * i, &pattern, sizeof pattern);
  }
  for (size_t i = kCount / 2; i < kCount; ++i) numbers.set(i, few(generator) / 32.0);
  return numbers;
}

TEST(ScaledDifference, SixteenBitElementsHaveTheBitsOfDoubleOnEveryInstructionSet) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    const std::vector<Numbers> in = {any_numbers(dtype, 1), any_numbers(dtype, 2),
                                     any_numbers(dtype, 3)};
    for (const double divisor : {1.0, 3.0, 1e6, 0x1p40}) {
      SCOPED_TRACE(divisor);
      testing::for_each_target([&](int64_t) {
        EXPECT_TRUE(agrees_with_double(std::get<FloatKernel>(scaled_difference(divisor)), in));
      });
    }
  }
}

}  // namespace
}  // namespace aclgrad::ops
