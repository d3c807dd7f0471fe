// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/tensor/math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclgrad/error.h"

namespace aclgrad {
namespace {

// Where an element of a broadcast result lies in a tensor of that shape.
class Places {
 public:
  Places(const Shape& from, const Shape& to) : dims_(to.dims()), strides_(to.rank(), 0) {
    std::int64_t stride = 1;
    for (std::size_t i = 0; i < from.rank(); ++i) {
      const std::int64_t extent = from.dims()[from.rank() - 1 - i];
      if (extent != 1) strides_[to.rank() - 1 - i] = stride;
      stride *= extent;
    }
  }
  std::size_t of(std::int64_t index) const {
    std::int64_t place = 0;
    for (std::size_t i = dims_.size(); i-- > 0; index /= dims_[i]) {
      place += index % dims_[i] * strides_[i];
    }
    return static_cast<std::size_t>(place);
  }

 private:
  const std::vector<std::int64_t>& dims_;
  std::vector<std::int64_t> strides_;
};

// Elements computed as T, double or int64.
template <class T, class Function>
Tensor combined(const Tensor& a, const Tensor& b, const Function& function) {
  constexpr DType kDType = std::is_same_v<T, double> ? DType::float64 : DType::int64;
  const Shape shape = broadcast(a.shape(), b.shape());
  Tensor result = Tensor::zeros(shape, kDType);
  const Tensor left = a.to(kDType), right = b.to(kDType);
  const Places from_left(a.shape(), shape), from_right(b.shape(), shape);
  const bool same = a.shape() == b.shape();
  const auto x = left.data<T>(), y = right.data<T>();
  const auto to = result.data<T>();
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    to[at] = same ? function(x[at], y[at]) : function(x[from_left.of(i)], y[from_right.of(i)]);
  }
  return result;
}

template <class Function>
Tensor arithmetic(const Tensor& a, const Tensor& b, const Function& function) {
  const DType dtype = promote(a.dtype(), b.dtype());
  if (is_floating(dtype)) return combined<double>(a, b, function).to(dtype);
  // Unsigned numbers wrap around.
  const auto whole = [&](std::int64_t x, std::int64_t y) {
    return static_cast<std::int64_t>(
        function(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y)));
  };
  const Tensor wide = combined<std::int64_t>(a, b, whole);
  Tensor result = Tensor::zeros(wide.shape(), dtype);
  // The lowest bytes are the number modulo the dtype's range; what is not 0 is true.
  const std::size_t size = size_of(dtype);
  for (std::size_t i = 0; i < wide.nbytes() / sizeof(std::int64_t); ++i) {
    if (dtype == DType::boolean) {
      result.bytes()[i] = std::byte{wide.data<std::int64_t>()[i] != 0};
    } else {
      std::copy_n(wide.bytes() + i * sizeof(std::int64_t), size, result.bytes() + i * size);
    }
  }
  return result;
}

// A number beside a tensor does not widen it.
Tensor beside(const Tensor& tensor, double number) {
  const bool whole = std::floor(number) == number && std::abs(number) < 0x1p63;
  if (is_floating(tensor.dtype())) return Tensor::scalar(number, DType::float64);
  if (!whole) return Tensor::scalar(number);
  return Tensor::scalar(number, DType::int64);
}

template <class Function>
Tensor with_number(const Tensor& a, double b, const Function& function) {
  const Tensor number = beside(a, b);
  if (is_floating(a.dtype())) return combined<double>(a, number, function).to(a.dtype());
  const Tensor result = arithmetic(a, number, function);
  const bool narrow = !is_floating(result.dtype()) && a.dtype() != DType::boolean;
  return narrow ? result.to(a.dtype()) : result;
}

Tensor quotient(const Tensor& a, const Tensor& b) {
  const DType dtype = promote(a.dtype(), b.dtype());
  return combined<double>(a, b, std::divides<>()).to(is_floating(dtype) ? dtype : DType::float32);
}

DType quotient_dtype(const Tensor& a) {
  return is_floating(a.dtype()) ? a.dtype() : DType::float32;
}

// The number as the tensor would hold it: 0.1 is equal to the 0.1 of float32.
Tensor as_in(const Tensor& tensor, double number) {
  return is_floating(tensor.dtype()) ? beside(tensor, number).to(tensor.dtype())
                                     : beside(tensor, number);
}

template <class Function>
Tensor comparison(const Tensor& a, const Tensor& b, const Function& function) {
  const bool whole = !is_floating(promote(a.dtype(), b.dtype()));
  return (whole ? combined<std::int64_t>(a, b, function) : combined<double>(a, b, function))
      .to(DType::boolean);
}

}  // namespace

Tensor operator+(const Tensor& a, const Tensor& b) { return arithmetic(a, b, std::plus<>()); }
Tensor operator-(const Tensor& a, const Tensor& b) { return arithmetic(a, b, std::minus<>()); }
Tensor operator*(const Tensor& a, const Tensor& b) { return arithmetic(a, b, std::multiplies<>()); }
Tensor operator/(const Tensor& a, const Tensor& b) { return quotient(a, b); }
Tensor operator+(const Tensor& a, double b) { return with_number(a, b, std::plus<>()); }
Tensor operator-(const Tensor& a, double b) { return with_number(a, b, std::minus<>()); }
Tensor operator*(const Tensor& a, double b) { return with_number(a, b, std::multiplies<>()); }
Tensor operator/(const Tensor& a, double b) {
  return combined<double>(a, Tensor::scalar(b, DType::float64), std::divides<>())
      .to(quotient_dtype(a));
}
Tensor operator+(double a, const Tensor& b) { return b + a; }
Tensor operator-(double a, const Tensor& b) {
  return with_number(b, a, [](auto x, auto y) { return y - x; });
}
Tensor operator*(double a, const Tensor& b) { return b * a; }
Tensor operator/(double a, const Tensor& b) {
  return combined<double>(Tensor::scalar(a, DType::float64), b, std::divides<>())
      .to(quotient_dtype(b));
}
Tensor operator-(const Tensor& a) { return a * -1.0; }

Tensor eq(const Tensor& a, const Tensor& b) { return comparison(a, b, std::equal_to<>()); }
Tensor ne(const Tensor& a, const Tensor& b) { return comparison(a, b, std::not_equal_to<>()); }
Tensor lt(const Tensor& a, const Tensor& b) { return comparison(a, b, std::less<>()); }
Tensor le(const Tensor& a, const Tensor& b) { return comparison(a, b, std::less_equal<>()); }
Tensor gt(const Tensor& a, const Tensor& b) { return comparison(a, b, std::greater<>()); }
Tensor ge(const Tensor& a, const Tensor& b) { return comparison(a, b, std::greater_equal<>()); }
Tensor eq(const Tensor& a, double b) { return eq(a, as_in(a, b)); }
Tensor ne(const Tensor& a, double b) { return ne(a, as_in(a, b)); }
Tensor lt(const Tensor& a, double b) { return lt(a, as_in(a, b)); }
Tensor le(const Tensor& a, double b) { return le(a, as_in(a, b)); }
Tensor gt(const Tensor& a, double b) { return gt(a, as_in(a, b)); }
Tensor ge(const Tensor& a, double b) { return ge(a, as_in(a, b)); }

Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim) {
  if (tensors.empty()) throw ShapeError("cat() of no tensors");
  const Shape& first = tensors.front().shape();
  const std::size_t axis = first.normalize_axis(dim);
  Dims dims = first.dims();
  dims[axis] = 0;
  DType dtype = tensors.front().dtype();
  for (const Tensor& tensor : tensors) {
    Dims other = tensor.shape().dims();
    if (other.size() == dims.size()) dims[axis] += std::exchange(other[axis], first.dims()[axis]);
    if (other != first.dims()) {
      throw ShapeError("cat() along axis " + std::to_string(axis) + ": " +
                       to_string(tensor.shape()) + " does not fit " + to_string(first));
    }
    dtype = promote(dtype, tensor.dtype());
  }
  Tensor result = Tensor::zeros(Shape(dims), dtype);
  const auto rest = [&](const Shape& shape) {  // bytes of one place of the axes before
    std::size_t bytes = size_of(dtype);
    for (std::size_t i = axis; i < dims.size(); ++i)
      bytes *= static_cast<std::size_t>(shape.dims()[i]);
    return bytes;
  };
  const std::size_t stride = rest(result.shape());
  std::size_t begin = 0;
  for (const Tensor& tensor : tensors) {
    const std::size_t width = rest(tensor.shape());
    const Tensor part = tensor.to(dtype);
    for (std::size_t from = 0, to = begin; from < part.nbytes(); from += width, to += stride) {
      std::copy_n(part.bytes() + from, width, result.bytes() + to);
    }
    begin += width;
  }
  return result;
}

namespace {

// The numbers of the elements that are not 0.
std::vector<std::int64_t> places_of(const Tensor& x) {
  std::vector<std::int64_t> places;
  const Tensor truth = ne(x, 0);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    if (truth.get(i) != 0) places.push_back(i);
  }
  return places;
}

Tensor taken(const Tensor& x, const std::vector<std::int64_t>& places) {
  Tensor result = Tensor::zeros({static_cast<std::int64_t>(places.size())}, x.dtype());
  const std::size_t size = size_of(x.dtype());
  for (std::size_t k = 0; k < places.size(); ++k) {
    std::copy_n(x.bytes() + static_cast<std::size_t>(places[k]) * size, size,
                result.bytes() + k * size);
  }
  return result;
}

// Whole numbers are compared in 64 bits, others in double.
template <class T>
Unique different_elements(const Tensor& x, std::span<const T> numbers) {
  std::vector<std::int64_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto number = [&](std::int64_t place) { return numbers[static_cast<std::size_t>(place)]; };
  const auto is_nan = [](T value) { return value != value; };
  std::ranges::stable_sort(order, [&](std::int64_t a, std::int64_t b) {
    return number(a) < number(b) || (is_nan(number(b)) && !is_nan(number(a)));
  });
  std::vector<std::int64_t> first, counts, inverse(numbers.size());
  for (const std::int64_t place : order) {
    if (first.empty() || number(first.back()) != number(place)) {
      first.push_back(place);
      counts.push_back(0);
    }
    ++counts.back();
    inverse[static_cast<std::size_t>(place)] = static_cast<std::int64_t>(first.size()) - 1;
  }
  const auto whole = [](const Shape& shape, const std::vector<std::int64_t>& values) {
    return Tensor::from(shape, std::span<const std::int64_t>(values));
  };
  return {taken(x, first), whole(x.shape(), inverse),
          whole({static_cast<std::int64_t>(counts.size())}, counts)};
}

}  // namespace

Tensor nonzero(const Tensor& x) {
  const std::vector<std::int64_t> places = places_of(x);
  const std::size_t rank = x.rank();
  Tensor rows = Tensor::zeros(
      {static_cast<std::int64_t>(places.size()), static_cast<std::int64_t>(rank)}, DType::int64);
  const auto numbers = rows.data<std::int64_t>();
  for (std::size_t k = 0; k < places.size(); ++k) {
    std::int64_t rest = places[k];
    for (std::size_t axis = rank; axis-- > 0; rest /= x.shape().dims()[axis]) {
      numbers[k * rank + axis] = rest % x.shape().dims()[axis];
    }
  }
  return rows;
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  if (mask.shape() != x.shape()) {
    throw ShapeError("masked_select(): the mask must have the shape of x, " + to_string(x.shape()) +
                     ", got " + to_string(mask.shape()));
  }
  return taken(x, places_of(mask));
}

Unique unique(const Tensor& x) {
  const bool is_whole = !is_floating(x.dtype());
  const Tensor wide = x.to(is_whole ? DType::int64 : DType::float64);
  return is_whole ? different_elements(x, wide.data<std::int64_t>())
                  : different_elements(x, wide.data<double>());
}

Tensor map(const Tensor& x, const std::function<double(double)>& function) {
  if (!function) throw ValueError("there is nothing to map elements by, this function is empty");
  Tensor wide = x.to(DType::float64);
  for (double& value : wide.data<double>()) value = function(value);
  return wide.to(x.dtype());
}

double sum(const Tensor& x) {
  const Tensor wide = x.to(DType::float64);
  double sum = 0;
  for (const double value : wide.data<double>()) sum += value;
  return sum;
}

double mean(const Tensor& x) {
  return x.numel() == 0 ? std::numeric_limits<double>::quiet_NaN()
                        : sum(x) / static_cast<double>(x.numel());
}

namespace {

template <class Better>
double extreme(const Tensor& x, const char* name, const Better& better) {
  if (x.numel() == 0) throw ShapeError(std::string(name) + "() of a tensor without elements");
  const Tensor wide = x.to(DType::float64);
  double found = wide.get(0);
  for (const double value : wide.data<double>()) {
    if (std::isnan(value)) return value;
    if (better(value, found)) found = value;
  }
  return found;
}

}  // namespace

double min(const Tensor& x) { return extreme(x, "min", std::less<>()); }
double max(const Tensor& x) { return extreme(x, "max", std::greater<>()); }

}  // namespace aclgrad
