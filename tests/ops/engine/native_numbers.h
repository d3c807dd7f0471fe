// SPDX-License-Identifier: Apache-2.0
// Elements of any real dtype for tests of kernels.
#pragma once

#include <random>
#include <vector>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/elementwise.h"

namespace aclgrad::ops {

// Elements of a real dtype, kept as bytes, so that whole results can be compared bit by bit.
struct Numbers {
  aclDataType dtype;
  std::vector<unsigned char> bytes;

  Numbers(aclDataType type, size_t count) : dtype(type), bytes(count * element_size(type)) {}
  static Numbers random(aclDataType type, size_t count, unsigned seed, double low, double high) {
    Numbers result(type, count);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> number(low, high);
    for (size_t i = 0; i < count; ++i) result.set(i, number(generator));
    return result;
  }

  size_t count() const { return bytes.size() / element_size(dtype); }
  double get(size_t i) const {
    double value = 0;
    load(bytes.data() + i * element_size(dtype), dtype, 1, &value, 1);
    return value;
  }
  void set(size_t i, double value) {
    store(&value, bytes.data() + i * element_size(dtype), dtype, 1, 1);
  }
};

inline bool operator==(const Numbers& a, const Numbers& b) { return a.bytes == b.bytes; }

}  // namespace aclgrad::ops
