// SPDX-License-Identifier: Apache-2.0
// Kernels that compute elements of 16 bits in float, beside the same kernels in double.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/ops/engine/native_numbers.h"

namespace aclgrad::ops {

inline constexpr size_t kPatterns = 65536;

// Every pattern of a dtype of 16 bits.
inline Numbers all_patterns(aclDataType dtype) {
  Numbers numbers(dtype, kPatterns);
  for (size_t i = 0; i < kPatterns; ++i) {
    const auto pattern = static_cast<uint16_t>(i);
    std::memcpy(numbers.bytes.data() + 2 * i, &pattern, sizeof pattern);
  }
  return numbers;
}

inline Numbers in_float(const NativeKernel& kernel, const std::vector<Numbers>& in) {
  Numbers out(in[0].dtype, in[0].count());
  std::vector<const void*> inputs;
  for (const Numbers& each : in) inputs.push_back(each.bytes.data());
  void* const output = out.bytes.data();
  const std::vector<int64_t> strides(in.size());
  kernel({.dtype = out.dtype,
          .in = inputs.data(),
          .out = &output,
          .count = out.count(),
          .in_strides = strides.data(),
          .out_strides = strides.data()});
  return out;
}

inline Numbers in_double(const RealKernel& kernel, const std::vector<Numbers>& in) {
  Numbers out(in[0].dtype, in[0].count());
  constexpr size_t kMostInputs = 4;
  alignas(64) double from[kMostInputs][kBlock];
  alignas(64) double to[kBlock];
  const double* const inputs[] = {from[0], from[1], from[2], from[3]};
  double* const output = to;
  for (size_t begin = 0; begin < out.count(); begin += kBlock) {
    const size_t count = std::min(kBlock, out.count() - begin);
    for (size_t k = 0; k < in.size(); ++k) {
      load(in[k].bytes.data() + 2 * begin, in[k].dtype, 1, from[k], count);
    }
    kernel(inputs, &output, count);
    store(to, out.bytes.data() + 2 * begin, out.dtype, 1, count);
  }
  return out;
}

// That a kernel gives elements of 16 bits the bits in float that it gives them in double. One NaN
// is as good as another.
inline ::testing::AssertionResult agrees_with_double(const FloatKernel& kernel,
                                                     const std::vector<Numbers>& in) {
  const Numbers actual = in_float(kernel.native, in), expected = in_double(kernel.exact, in);
  for (size_t i = 0; i < expected.count(); ++i) {
    if (std::memcmp(&actual.bytes[2 * i], &expected.bytes[2 * i], sizeof(uint16_t)) == 0) continue;
    if (std::isnan(expected.get(i)) && std::isnan(actual.get(i))) continue;
    return ::testing::AssertionFailure()
           << "element " << i << " is " << actual.get(i) << ", not " << expected.get(i);
  }
  return ::testing::AssertionSuccess();
}

}  // namespace aclgrad::ops
