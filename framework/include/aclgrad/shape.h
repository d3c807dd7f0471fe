// SPDX-License-Identifier: Apache-2.0
// Shape: the extents of a tensor, outermost axis first. A shape of rank 0 is that of a scalar and
// has one element; an extent of 0 is allowed and makes an empty tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace aclgrad {

/// Extents, strides, axes or paddings, a number for each dimension.
using Dims = std::vector<std::int64_t>;

class Shape {
 public:
  /// The shape of a scalar.
  Shape() = default;

  /// Throws ShapeError for a negative extent, or when the product of the extents that are not 0
  /// does not fit 63 bits.
  Shape(std::initializer_list<std::int64_t> dims);
  explicit Shape(std::vector<std::int64_t> dims);

  /// What is moved from has no elements, and is equal to no other shape.
  Shape(const Shape&) = default;
  Shape& operator=(const Shape&) = default;
  Shape(Shape&& other) noexcept
      : dims_(std::exchange(other.dims_, {})), numel_(std::exchange(other.numel_, 0)) {}
  Shape& operator=(Shape&& other) noexcept {
    dims_ = std::exchange(other.dims_, {});
    numel_ = std::exchange(other.numel_, 0);
    return *this;
  }
  ~Shape() = default;

  std::size_t rank() const noexcept { return dims_.size(); }

  /// Extent of an axis; a negative axis counts from the end. Throws ShapeError when out of range.
  std::int64_t operator[](std::int64_t axis) const { return dims_[normalize_axis(axis)]; }

  /// Number of elements: the product of the extents, 1 for a scalar.
  std::int64_t numel() const noexcept { return numel_; }

  /// Turns an axis in [-rank, rank) into one in [0, rank). Throws ShapeError otherwise.
  std::size_t normalize_axis(std::int64_t axis) const;

  /// Strides, in elements, of the dense row-major layout: [2, 3, 4] gives {12, 4, 1}.
  std::vector<std::int64_t> strides() const;

  const std::vector<std::int64_t>& dims() const noexcept { return dims_; }
  const std::int64_t* data() const noexcept { return dims_.data(); }
  auto begin() const noexcept { return dims_.begin(); }
  auto end() const noexcept { return dims_.end(); }

  friend bool operator==(const Shape& a, const Shape& b) = default;

 private:
  std::vector<std::int64_t> dims_;
  std::int64_t numel_ = 1;
};

/// The shape of these extents for the elements of `from`; one may be -1 and is worked out. Throws
/// ShapeError.
Shape reshaped(const Shape& from, Dims dims);

/// The shape that both broadcast to: aligned at the last axis, equal extents or one of them 1,
/// missing leading axes count as 1. Throws ShapeError that names both shapes.
Shape broadcast(const Shape& a, const Shape& b);

/// Whether `from` broadcasts to exactly `to`.
bool expands_to(const Shape& from, const Shape& to) noexcept;

/// "[2, 3]", and "[]" for a scalar.
std::string to_string(const Shape& shape);

std::ostream& operator<<(std::ostream& stream, const Shape& shape);

}  // namespace aclgrad
