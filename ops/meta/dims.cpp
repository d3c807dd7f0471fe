// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/dims.h"

#include <limits>

namespace aclgrad::ops {
namespace {

// Sizes come from programs unchecked, and their product may not fit; it then wraps.
int64_t product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace

int64_t count_elements(const Dims& shape) {
  int64_t count = 1;
  for (int64_t size : shape) count = product(count, size);
  return count;
}

bool count_fits(const Dims& shape, int64_t& count) {
  count = std::find(shape.begin(), shape.end(), 0) != shape.end() ? 0 : 1;
  for (int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return false;
  }
  return true;
}

int64_t saturating_product(std::initializer_list<int64_t> factors) {
  int64_t count = std::find(factors.begin(), factors.end(), 0) != factors.end() ? 0 : 1;
  for (const int64_t factor : factors) {
    if (__builtin_mul_overflow(count, factor, &count)) return std::numeric_limits<int64_t>::max();
  }
  return count;
}

Dims contiguous_strides(const Dims& shape) {
  Dims strides = Dims::filled(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = product(strides[i], shape[i]);
  return strides;
}

bool broadcast_shapes(const Dims& a, const Dims& b, Dims& result) {
  const size_t rank = std::max(a.size(), b.size());
  result = Dims::filled(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t size_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t size_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (size_a != size_b && size_a != 1 && size_b != 1) return false;
    result[rank - 1 - i] = size_a == 1 ? size_b : size_a;
  }
  return true;
}

bool broadcasts_to(const Dims& from, const Dims& to) {
  Dims result;
  return broadcast_shapes(from, to, result) && result == to;
}

}  // namespace aclgrad::ops
