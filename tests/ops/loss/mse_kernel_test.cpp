// SPDX-License-Identifier: Apache-2.0
// The backward of squared differences: what 16-bit elements get in float, where that is certain,
// are the bits that they would get in double.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "ops/loss/mse_kernel.h"
#include "tests/ops/engine/native_numbers.h"
#include "tests/ops/engine/targets.h"

namespace aclgrad::ops {
namespace {

constexpr size_t kInputs = 3;
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

Numbers in_double(const RealKernel& kernel, const std::vector<Numbers>& in) {
  Numbers out(in[0].dtype, kCount);
  std::vector<std::vector<double>> wide(kInputs, std::vector<double>(kCount));
  std::vector<double> result(kCount);
  const double* inputs[kInputs];
  for (size_t k = 0; k < kInputs; ++k) {
    for (size_t i = 0; i < kCount; ++i) wide[k][i] = in[k].get(i);
    inputs[k] = wide[k].data();
  }
  double* const output = result.data();
  kernel(inputs, &output, kCount);
  for (size_t i = 0; i < kCount; ++i) out.set(i, result[i]);
  return out;
}

Numbers as_native(const NativeKernel& kernel, const std::vector<Numbers>& in) {
  Numbers out(in[0].dtype, kCount);
  const void* inputs[kInputs];
  for (size_t k = 0; k < kInputs; ++k) inputs[k] = in[k].bytes.data();
  void* const output = out.bytes.data();
  const int64_t strides[kInputs] = {};
  kernel({.dtype = in[0].dtype,
          .in = inputs,
          .out = &output,
          .count = kCount,
          .in_strides = strides,
          .out_strides = strides});
  return out;
}

TEST(ScaledDifference, SixteenBitElementsHaveTheBitsOfDoubleOnEveryInstructionSet) {
  for (const aclDataType dtype : {ACL_FLOAT16, ACL_BF16}) {
    const std::vector<Numbers> in = {any_numbers(dtype, 1), any_numbers(dtype, 2),
                                     any_numbers(dtype, 3)};
    for (const double divisor : {1.0, 3.0, 1e6, 0x1p40}) {
      SCOPED_TRACE(divisor);
      const auto kernel = std::get<FloatKernel>(scaled_difference(divisor));
      const Numbers expected = in_double(kernel.exact, in);
      testing::for_each_target([&](int64_t) {
        const Numbers actual = as_native(kernel.native, in);
        size_t wrong = 0;
        for (size_t i = 0; i < kCount; ++i) {
          if (std::isnan(expected.get(i)) && std::isnan(actual.get(i))) continue;
          const bool same =
              std::memcmp(&expected.bytes[2 * i], &actual.bytes[2 * i], sizeof(uint16_t)) == 0;
          if (!same && ++wrong == 1) {
            ADD_FAILURE() << "element " << i << ": " << actual.get(i) << " for " << expected.get(i);
          }
        }
        EXPECT_EQ(wrong, 0u) << "of " << kCount;
      });
    }
  }
}

}  // namespace
}  // namespace aclgrad::ops
