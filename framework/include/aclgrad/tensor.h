// SPDX-License-Identifier: Apache-2.0
// Tensor: a dense row-major array in host memory, the form in which numbers enter and leave the
// framework. It is a value: a copy is deep, a move is cheap, nothing is shared. Computation does
// not happen here but in the operators behind a Graph.
//
//   Tensor t = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
//   t.at({1, -1});                  // 6
//   t.data<float>()[0] = 7;         // typed view of the storage
//   std::cout << t;                 // [[7, 2, 3], [4, 5, 6]]
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/dtype.h"
#include "aclgrad/shape.h"

namespace aclgrad {

/// How values convert between element types, in to() and in everything that says "converted":
/// to a floating type rounded once to nearest, ties to even; to an integer type truncated towards
/// zero, clamped to its range, NaN to 0; to bool true for everything that is not zero (NaN too).
///
/// A tensor is made of numbers that its dtype can hold, be it rounded: full(), from(), scalar(),
/// arange() and set() throw ValueError, which names the number and the range, for a finite number
/// that a floating type has as an infinity, and for an integer type for a fraction, NaN, or a
/// number out of its range. Tensor::from(shape, values).to(dtype) converts whatever the numbers
/// are.
class Tensor {
 public:
  /// An empty float32 tensor of shape [0].
  Tensor();

  /// What is moved from has no elements; a tensor moved onto itself keeps its own.
  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&& other) noexcept {
    shape_ = std::move(other.shape_);
    dtype_ = other.dtype_;
    storage_ = std::exchange(other.storage_, {});
    return *this;
  }
  ~Tensor() = default;

  /// All elements zero. Throws ShapeError when the bytes do not fit 63 bits, as do
  /// the others.
  static Tensor zeros(Shape shape, DType dtype = DType::float32);
  static Tensor full(Shape shape, double value, DType dtype = DType::float32);

  /// Elements in row-major order. Throws ShapeError when the number of values is not that of the
  /// shape's elements.
  static Tensor from(Shape shape, std::initializer_list<double> values,
                     DType dtype = DType::float32);
  static Tensor from(Shape shape, std::span<const double> values, DType dtype = DType::float32);
  static Tensor from(Shape shape, std::span<const float> values, DType dtype = DType::float32);
  static Tensor from(Shape shape, std::span<const std::int32_t> values, DType dtype = DType::int32);
  static Tensor from(Shape shape, std::span<const std::int64_t> values, DType dtype = DType::int64);

  /// Rank 0, one element.
  static Tensor scalar(double value, DType dtype = DType::float32);

  /// [count] elements start, start + step, start + 2 step, ...
  static Tensor arange(std::int64_t count, double start = 0, double step = 1,
                       DType dtype = DType::float32);

  DType dtype() const noexcept { return dtype_; }
  const Shape& shape() const noexcept { return shape_; }
  std::size_t rank() const noexcept { return shape_.rank(); }
  std::int64_t numel() const noexcept { return shape_.numel(); }
  std::size_t nbytes() const noexcept { return storage_.size(); }

  /// The storage, nbytes() long, aligned for every element type.
  std::byte* bytes() noexcept { return storage_.data(); }
  const std::byte* bytes() const noexcept { return storage_.data(); }

  /// Typed view of all elements. Throws DTypeError when T is not the C++ type of dtype(); float16
  /// and bfloat16 are seen as Half and BFloat16.
  template <class T>
  std::span<T> data() {
    require_dtype(kDTypeOf<T>);
    return {reinterpret_cast<T*>(storage_.data()), static_cast<std::size_t>(numel())};
  }
  template <class T>
  std::span<const T> data() const {
    require_dtype(kDTypeOf<T>);
    return {reinterpret_cast<const T*>(storage_.data()), static_cast<std::size_t>(numel())};
  }

  /// Element by flat row-major index. Throws ShapeError when out of range.
  double get(std::int64_t index) const;
  void set(std::int64_t index, double value);

  /// Element by one index an axis; negative ones count from the end. Throws ShapeError.
  double at(std::initializer_list<std::int64_t> indices) const;
  void set(std::initializer_list<std::int64_t> indices, double value);

  /// The only element of a tensor with one element, whatever its rank. Throws ShapeError.
  double item() const;

  /// A copy of what lies between two places of an axis, [begin, end); negative ones, and a negative
  /// axis, count from the end. Throws ShapeError unless 0 <= begin <= end <= the extent.
  Tensor slice(std::int64_t axis, std::int64_t begin,
               std::int64_t end = std::numeric_limits<std::int64_t>::max()) const;

  /// A copy with two axes exchanged. Throws ShapeError.
  Tensor transpose(std::int64_t a, std::int64_t b) const;

  /// A copy with every element converted.
  Tensor to(DType dtype) const;

  /// These elements under another shape of as many elements; one extent in braces may be -1 and is
  /// worked out. Throws ShapeError. On a temporary the storage moves along.
  Tensor reshape(const Shape& shape) const&;
  Tensor reshape(const Shape& shape) &&;
  Tensor reshape(std::initializer_list<std::int64_t> dims) const&;
  Tensor reshape(std::initializer_list<std::int64_t> dims) &&;

 private:
  Tensor(Shape shape, DType dtype);
  template <class T>
  static Tensor from_values(Shape shape, std::span<const T> values, DType dtype,
                            bool convert = false);
  void require_dtype(DType wanted) const;
  std::size_t checked_index(std::int64_t index) const;
  std::int64_t flat_index(std::initializer_list<std::int64_t> indices) const;
  std::size_t checked_axis(std::int64_t axis) const;

  Shape shape_;
  DType dtype_ = DType::float32;
  std::vector<std::byte> storage_;
};

/// Same dtype, same shape and the same bits: tells -0 from 0 and one NaN from another.
bool bitwise_equal(const Tensor& a, const Tensor& b);

/// Same shape and |a - b| <= atol + rtol |b| for every element, compared in double; dtypes may
/// differ. Infinities are close to themselves; NaN is close to nothing.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8);

/// "[[1, 2], [3, 4]]", a scalar as the bare number. Floating values have up to 6 significant
/// digits. In tensors of more than 64 elements, axes longer than 6 show 3 entries at either end
/// around "...".
std::string to_string(const Tensor& tensor);

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor);

}  // namespace aclgrad
