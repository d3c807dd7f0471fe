// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "aclgrad/error.h"
#include "tensor/number.h"
#include "tensor/visit.h"

namespace aclgrad {
namespace {

std::size_t checked_bytes(const Shape& shape, DType dtype) {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  if (shape.numel() > std::numeric_limits<std::int64_t>::max() / size) {
    throw ShapeError("a tensor of shape " + to_string(shape) + " and dtype " + to_string(dtype) +
                     " has more bytes than 63 bits can count");
  }
  return static_cast<std::size_t>(shape.numel() * size);
}

std::vector<std::byte> zeroed(const Shape& shape, DType dtype) {
  const std::size_t bytes = checked_bytes(shape, dtype);
  try {
    return std::vector<std::byte>(bytes);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  throw ShapeError("a tensor of shape " + to_string(shape) + " and dtype " + to_string(dtype) +
                   " takes " + std::to_string(bytes) + " bytes, which are not to be had");
}

// One element by the rules of Tensor::full.
template <class To, class From>
To checked(From value, DType dtype, const char* what) {
  constexpr bool kFits = std::is_same_v<To, From> || std::is_same_v<To, bool> ||
                         std::is_same_v<To, double> || std::is_same_v<From, bool> ||
                         (std::is_same_v<To, float> && !std::is_same_v<From, double>);
  if constexpr (!kFits) {
    // Of integers, what a double has no place for is far out of the range of smaller ones.
    if constexpr (!std::is_same_v<To, std::int64_t> || !std::is_integral_v<From>) {
      detail::require_holds(dtype, detail::convert<double>(value), what);
    }
  }
  return detail::convert<To>(value);
}

}  // namespace

Tensor::Tensor() : shape_({0}) {}

Tensor::Tensor(Shape shape, DType dtype)
    : shape_(std::move(shape)), dtype_(dtype), storage_(zeroed(shape_, dtype)) {}

Tensor Tensor::zeros(Shape shape, DType dtype) { return Tensor(std::move(shape), dtype); }

Tensor Tensor::full(Shape shape, double value, DType dtype) {
  Tensor tensor(std::move(shape), dtype);
  detail::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::ranges::fill(tensor.data<T>(), checked<T>(value, dtype, "Tensor::full"));
  });
  return tensor;
}

template <class T>
Tensor Tensor::from_values(Shape shape, std::span<const T> values, DType dtype, bool convert) {
  if (static_cast<std::uint64_t>(shape.numel()) != values.size()) {
    throw ShapeError("shape " + to_string(shape) + " needs " + std::to_string(shape.numel()) +
                     " values, got " + std::to_string(values.size()));
  }
  Tensor tensor(std::move(shape), dtype);
  detail::visit_dtype(dtype, [&](auto tag) {
    using To = typename decltype(tag)::type;
    std::ranges::transform(values, tensor.data<To>().begin(), [&](T value) {
      return convert ? detail::convert<To>(value) : checked<To>(value, dtype, "Tensor::from");
    });
  });
  return tensor;
}

Tensor Tensor::from(Shape shape, std::initializer_list<double> values, DType dtype) {
  return from_values(std::move(shape), std::span<const double>(values.begin(), values.size()),
                     dtype);
}

Tensor Tensor::from(Shape shape, std::span<const double> values, DType dtype) {
  return from_values(std::move(shape), values, dtype);
}

Tensor Tensor::from(Shape shape, std::span<const float> values, DType dtype) {
  return from_values(std::move(shape), values, dtype);
}

Tensor Tensor::from(Shape shape, std::span<const std::int32_t> values, DType dtype) {
  return from_values(std::move(shape), values, dtype);
}

Tensor Tensor::from(Shape shape, std::span<const std::int64_t> values, DType dtype) {
  return from_values(std::move(shape), values, dtype);
}

Tensor Tensor::scalar(double value, DType dtype) { return full(Shape(), value, dtype); }

Tensor Tensor::arange(std::int64_t count, double start, double step, DType dtype) {
  Tensor tensor({count}, dtype);
  detail::visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span<T> values = tensor.data<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = checked<T>(start + static_cast<double>(i) * step, dtype, "Tensor::arange");
    }
  });
  return tensor;
}

double Tensor::get(std::int64_t index) const {
  const std::size_t i = checked_index(index);
  return detail::visit_dtype(dtype_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return detail::convert<double>(data<T>()[i]);
  });
}

void Tensor::set(std::int64_t index, double value) {
  const std::size_t i = checked_index(index);
  detail::visit_dtype(dtype_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    data<T>()[i] = checked<T>(value, dtype_, "Tensor::set");
  });
}

double Tensor::at(std::initializer_list<std::int64_t> indices) const {
  return get(flat_index(indices));
}

void Tensor::set(std::initializer_list<std::int64_t> indices, double value) {
  set(flat_index(indices), value);
}

std::int64_t Tensor::flat_index(std::initializer_list<std::int64_t> indices) const {
  if (indices.size() != rank()) {
    throw ShapeError(std::to_string(indices.size()) + " indices given for a tensor of shape " +
                     to_string(shape_));
  }
  std::int64_t flat = 0;
  std::size_t axis = 0;
  for (const std::int64_t index : indices) {
    const std::int64_t extent = shape_.dims()[axis];
    if (index < -extent || index >= extent) {
      throw ShapeError("index " + std::to_string(index) + " of axis " + std::to_string(axis) +
                       " is out of range for shape " + to_string(shape_));
    }
    flat = flat * extent + (index < 0 ? index + extent : index);
    ++axis;
  }
  return flat;
}

double Tensor::item() const {
  if (numel() != 1) {
    throw ShapeError("item() needs exactly one element, the shape is " + to_string(shape_));
  }
  return get(0);
}

std::size_t Tensor::checked_axis(std::int64_t axis) const {
  const auto rank = static_cast<std::int64_t>(this->rank());
  if (axis < -rank || axis >= rank) {
    throw ShapeError("axis " + std::to_string(axis) + " is out of range for shape " +
                     to_string(shape_));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

Tensor Tensor::slice(std::int64_t axis, std::int64_t begin, std::int64_t end) const {
  const std::size_t at = checked_axis(axis);
  std::vector<std::int64_t> dims = shape_.dims();
  const std::int64_t extent = dims[at];
  if (end == std::numeric_limits<std::int64_t>::max()) end = extent;
  const std::int64_t from = begin < 0 ? begin + extent : begin;
  const std::int64_t to = end < 0 ? end + extent : end;
  if (from < 0 || from > to || to > extent) {
    throw ShapeError("there is no part from " + std::to_string(begin) + " to " +
                     std::to_string(end) + " of axis " + std::to_string(axis) + " of shape " +
                     to_string(shape_));
  }
  dims[at] = to - from;
  Tensor part{Shape(dims), dtype_};
  if (part.nbytes() == 0) return part;
  std::size_t inner = size_of(dtype_);  // bytes of what lies behind the axis
  for (std::size_t i = at + 1; i < dims.size(); ++i) inner *= static_cast<std::size_t>(dims[i]);
  const std::size_t run = static_cast<std::size_t>(to - from) * inner;
  const std::size_t stride = static_cast<std::size_t>(extent) * inner;
  const std::byte* source = bytes() + static_cast<std::size_t>(from) * inner;
  for (std::size_t done = 0; done < part.nbytes(); done += run, source += stride) {
    std::memcpy(part.bytes() + done, source, run);
  }
  return part;
}

Tensor Tensor::transpose(std::int64_t a, std::int64_t b) const {
  const std::size_t first = std::min(checked_axis(a), checked_axis(b));
  const std::size_t second = std::max(checked_axis(a), checked_axis(b));
  if (first == second) return *this;
  std::vector<std::int64_t> dims = shape_.dims();
  // [outer, n, middle, m, inner] to [outer, m, middle, n, inner]
  std::size_t sizes[5] = {1, 1, 1, 1, size_of(dtype_)};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const int passed = (i >= first) + (i > first) + (i >= second) + (i > second);
    sizes[passed] *= static_cast<std::size_t>(dims[i]);
  }
  std::swap(dims[first], dims[second]);
  Tensor result{Shape(dims), dtype_};
  if (result.nbytes() == 0) return result;
  const auto [outer, n, middle, m, inner] = sizes;
  std::byte* target = result.bytes();
  for (std::size_t o = 0; o < outer; ++o) {
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < middle; ++k) {
        for (std::size_t i = 0; i < n; ++i, target += inner) {
          std::memcpy(target, bytes() + (((o * n + i) * middle + k) * m + j) * inner, inner);
        }
      }
    }
  }
  return result;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_) return *this;
  return detail::visit_dtype(dtype_, [&](auto tag) {
    using From = typename decltype(tag)::type;
    return from_values(shape_, data<From>(), dtype, /*convert=*/true);
  });
}

Tensor Tensor::reshape(const Shape& shape) const& { return Tensor(*this).reshape(shape); }
Tensor Tensor::reshape(const Shape& shape) && {
  shape_ = reshaped(shape_, shape.dims());
  return std::move(*this);
}

Tensor Tensor::reshape(std::initializer_list<std::int64_t> dims) const& {
  return Tensor(*this).reshape(dims);
}
Tensor Tensor::reshape(std::initializer_list<std::int64_t> dims) && {
  shape_ = reshaped(shape_, dims);
  return std::move(*this);
}

void Tensor::require_dtype(DType wanted) const {
  if (wanted != dtype_) {
    throw DTypeError("the tensor holds " + to_string(dtype_) + ", it was asked for " +
                     to_string(wanted));
  }
}

std::size_t Tensor::checked_index(std::int64_t index) const {
  if (index < 0 || index >= numel()) {
    throw ShapeError("index " + std::to_string(index) + " is out of range for " +
                     std::to_string(numel()) + " elements of shape " + to_string(shape_));
  }
  return static_cast<std::size_t>(index);
}

bool bitwise_equal(const Tensor& a, const Tensor& b) {
  // memcmp must not see the null pointers of empty tensors.
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.nbytes() == 0 || std::memcmp(a.bytes(), b.bytes(), a.nbytes()) == 0);
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol) {
  if (!(a.shape() == b.shape())) return false;
  const Tensor left = a.to(DType::float64);
  const Tensor right = b.to(DType::float64);
  return std::ranges::equal(left.data<double>(), right.data<double>(), [&](double x, double y) {
    // The second form alone would call infinities different (inf - inf), and everything close
    // to an infinite bound.
    return x == y || (std::isfinite(y) && std::abs(x - y) <= atol + rtol * std::abs(y));
  });
}

}  // namespace aclgrad
