// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/shape.h"

#include <algorithm>
#include <limits>
#include <ostream>
#include <utility>

#include "aclgrad/error.h"

namespace aclgrad {
namespace {

std::string joined(const std::vector<std::int64_t>& dims) {
  std::string text = "[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(dims[i]);
  }
  return text + "]";
}

/// Zero extents are left out of the overflow check's product, so that strides cannot overflow
/// either, and that a damaged extent is not hidden by a zero beside it.
std::int64_t checked_numel(const std::vector<std::int64_t>& dims) {
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t dim : dims) {
    if (dim < 0) throw ShapeError("shape " + joined(dims) + " has a negative extent");
    if (dim == 0) {
      empty = true;
      continue;
    }
    if (product > std::numeric_limits<std::int64_t>::max() / dim) {
      throw ShapeError("shape " + joined(dims) + " has more elements than 63 bits can count");
    }
    product *= dim;
  }
  return empty ? 0 : product;
}

}  // namespace

Shape::Shape(std::initializer_list<std::int64_t> dims) : Shape(std::vector<std::int64_t>(dims)) {}

Shape::Shape(std::vector<std::int64_t> dims)
    : dims_(std::move(dims)), numel_(checked_numel(dims_)) {}

std::size_t Shape::normalize_axis(std::int64_t axis) const {
  const auto rank = static_cast<std::int64_t>(dims_.size());
  if (axis < -rank || axis >= rank) {
    throw ShapeError("axis " + std::to_string(axis) + " is out of range for shape " +
                     joined(dims_) + " of rank " + std::to_string(rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::vector<std::int64_t> Shape::strides() const {
  std::vector<std::int64_t> strides(dims_.size(), 1);
  for (std::size_t i = dims_.size(); i-- > 1;) strides[i - 1] = strides[i] * dims_[i];
  return strides;
}

Shape reshaped(const Shape& from, Dims dims) {
  const auto missing = std::find(dims.begin(), dims.end(), -1);
  std::int64_t known = 1;
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    if (dim == missing) continue;
    if (*dim == -1) throw ShapeError("only one extent can be -1");
    if (*dim < 0) throw ShapeError("extent " + std::to_string(*dim) + " is negative");
    if (__builtin_mul_overflow(known, *dim, &known)) known = -1;  // no number of elements
    if (known < 0) break;
  }
  if (missing != dims.end() && known > 0 && from.numel() % known == 0) {
    *missing = from.numel() / known;
    known = from.numel();
  }
  if (known != from.numel() || std::find(dims.begin(), dims.end(), -1) != dims.end()) {
    const bool open = from.numel() == 0 && known == 0;
    throw ShapeError("cannot give the " + std::to_string(from.numel()) + " elements of " +
                     to_string(from) + " the shape " + joined(dims) +
                     (open ? ": beside a 0, -1 could be anything" : ""));
  }
  return Shape(std::move(dims));
}

Shape broadcast(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.rank(), b.rank());
  std::vector<std::int64_t> dims(rank, 1);
  for (std::size_t back = 1; back <= rank; ++back) {
    const std::int64_t from_a = back <= a.rank() ? a.dims()[a.rank() - back] : 1;
    const std::int64_t from_b = back <= b.rank() ? b.dims()[b.rank() - back] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      throw ShapeError("shapes " + to_string(a) + " and " + to_string(b) +
                       " do not broadcast: extents " + std::to_string(from_a) + " and " +
                       std::to_string(from_b) + " meet at axis -" + std::to_string(back));
    }
    dims[rank - back] = from_a == 1 ? from_b : from_a;
  }
  return Shape(std::move(dims));
}

bool expands_to(const Shape& from, const Shape& to) noexcept {
  return from.rank() <= to.rank() &&
         std::equal(from.dims().rbegin(), from.dims().rend(), to.dims().rbegin(),
                    [](std::int64_t extent, std::int64_t wanted) {
                      return extent == wanted || extent == 1;
                    });
}

std::string to_string(const Shape& shape) { return joined(shape.dims()); }

std::ostream& operator<<(std::ostream& stream, const Shape& shape) {
  return stream << to_string(shape);
}

}  // namespace aclgrad
