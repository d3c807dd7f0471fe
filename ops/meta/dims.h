// SPDX-License-Identifier: Apache-2.0
// A short list of sizes or strides, kept inline: no operator has more than 25 dimensions.
#ifndef ACLGRAD_OPS_META_DIMS_H_
#define ACLGRAD_OPS_META_DIMS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace aclgrad::ops {

inline constexpr size_t kMaxRank = 25;

class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> values) : Dims(values.begin(), values.size()) {}
  // `count` must not exceed kMaxRank.
  Dims(const int64_t* values, size_t count) : size_(count) {
    std::copy_n(values, count, values_.begin());
  }
  static Dims filled(size_t count, int64_t value) {
    Dims dims;
    dims.size_ = count;
    std::fill_n(dims.values_.begin(), count, value);
    return dims;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](size_t i) const { return values_[i]; }
  int64_t& operator[](size_t i) { return values_[i]; }
  const int64_t* data() const { return values_.data(); }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + size_; }
  void push_back(int64_t value) { values_[size_++] = value; }
  void clear() { size_ = 0; }

  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<int64_t, kMaxRank> values_{};
  size_t size_ = 0;
};

// Product of the sizes; 1 for rank 0, 0 when a size is 0.
int64_t count_elements(const Dims& shape);

// The same in `count`; false when a size is negative or 64 bits cannot hold the product.
bool count_fits(const Dims& shape, int64_t& count);

// Row-major strides in elements.
Dims contiguous_strides(const Dims& shape);

// NumPy's rule. False when two sizes differ and neither is 1.
bool broadcast_shapes(const Dims& a, const Dims& b, Dims& result);

// True when `from` can be broadcast to exactly `to`.
bool broadcasts_to(const Dims& from, const Dims& to);

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_META_DIMS_H_
