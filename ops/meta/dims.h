// SPDX-License-Identifier: Apache-2.0
// A short list of sizes or strides: no operator has more than 25 dimensions.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>

namespace aclgrad::ops {

inline constexpr size_t kMaxRank = 25;

// Planning makes and copies many of them, and operators of more than 8 dimensions are rare: with
// room for all 25 in each, a tensor took 650 bytes.
class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> values) : Dims(values.begin(), values.size()) {}
  // `count` must not exceed kMaxRank.
  Dims(const int64_t* values, size_t count) {
    reserve(count);
    size_ = count;
    std::copy_n(values, count, data());
  }
  Dims(const Dims& other) : Dims(other.data(), other.size_) {}
  Dims(Dims&& other) noexcept
      : size_(std::exchange(other.size_, 0)), few_(other.few_), many_(std::move(other.many_)) {}
  Dims& operator=(Dims other) noexcept {
    size_ = other.size_;
    few_ = other.few_;
    many_ = std::move(other.many_);
    return *this;
  }
  ~Dims() = default;

  static Dims filled(size_t count, int64_t value) {
    Dims dims;
    dims.reserve(count);
    dims.size_ = count;
    std::fill_n(dims.data(), count, value);
    return dims;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t* data() { return many_ ? many_->data() : few_.data(); }
  const int64_t* data() const { return many_ ? many_->data() : few_.data(); }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  void push_back(int64_t value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void clear() { size_ = 0; }

  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr size_t kFew = 8;

  // Room for so many, with what there is in its place.
  void reserve(size_t count) {
    if (count <= kFew || many_) return;
    many_ = std::make_unique<std::array<int64_t, kMaxRank>>();
    std::copy_n(few_.data(), size_, many_->data());
  }

  size_t size_ = 0;
  std::array<int64_t, kFew> few_{};
  std::unique_ptr<std::array<int64_t, kMaxRank>> many_;  // instead of the few
};

// Product of the sizes; 1 for rank 0, 0 when a size is 0.
int64_t count_elements(const Dims& shape);

// As count_elements, into `count`; false when a size is negative or 64 bits cannot hold the
// product.
bool count_fits(const Dims& shape, int64_t& count);

// Product of numbers that are not negative; the largest number where 64 bits cannot hold it. For
// what only decides how to compute: views with strides of 0 can be of any size.
int64_t saturating_product(std::initializer_list<int64_t> factors);

// Row-major strides in elements.
Dims contiguous_strides(const Dims& shape);

// NumPy's rule. False when two sizes differ and neither is 1.
bool broadcast_shapes(const Dims& a, const Dims& b, Dims& result);

// True when `from` can be broadcast to exactly `to`.
bool broadcasts_to(const Dims& from, const Dims& to);

}  // namespace aclgrad::ops
