// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {

const char* to_string(Layout layout) {
  constexpr const char* kNames[] = {"contiguous", "transposed", "strided", "offset", "broadcast"};
  return kNames[static_cast<std::size_t>(layout)];
}

Layout layout_from_text(const std::string& text) {
  for (const Layout layout : kLayouts) {
    if (text == to_string(layout)) return layout;
  }
  throw ValueError("no layout is called '" + text +
                   "'; known are contiguous, transposed, strided, offset, broadcast");
}

std::int64_t View::place(std::int64_t i) const {
  std::int64_t at = offset;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::int64_t extent = std::max<std::int64_t>(shape[d], 1);
    at += i % extent * strides[d];
    i /= extent;
  }
  return at;
}

namespace {

// Whether all numbers are the same along each dimension.
std::vector<bool> repeats_of(const Array& array) {
  std::vector<bool> repeats(array.shape.size());
  std::size_t inner = 1;
  for (std::size_t d = array.shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(array.shape[d]);
    bool same = extent > 1;
    for (std::size_t i = 0; i < array.values.size() && same; ++i) {
      const std::size_t first = i - i / inner % extent * inner;
      same = array.values[i] == array.values[first] &&
             std::signbit(array.values[i]) == std::signbit(array.values[first]);
    }
    repeats[d] = same;
    inner *= std::max<std::size_t>(extent, 1);
  }
  return repeats;
}

}  // namespace

Guarded::Guarded(DType dtype, const Dims& shape, Layout layout, unsigned char poison)
    : Guarded(dtype, shape, layout, poison, std::vector<bool>(shape.size())) {}

Guarded::Guarded(DType dtype, const Array& array, Layout layout, unsigned char poison)
    : Guarded(
          dtype, array.shape, layout, poison,
          layout == Layout::broadcast ? repeats_of(array) : std::vector<bool>(array.shape.size())) {
  fill(array.values);
}

Guarded::Guarded(DType dtype, const Dims& shape, Layout layout, unsigned char poison,
                 const std::vector<bool>& repeats)
    : poison_(poison) {
  view_.dtype = dtype;
  view_.shape = shape;
  view_.strides.assign(shape.size(), 1);
  std::vector<std::size_t> order(shape.size());  // dimensions from the fastest to the slowest
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (layout != Layout::transposed) std::reverse(order.begin(), order.end());
  std::int64_t stride = layout == Layout::strided ? 2 : 1;
  for (const std::size_t dimension : order) {
    if (repeats[dimension]) {
      view_.strides[dimension] = 0;
      continue;
    }
    view_.strides[dimension] = stride;
    stride *= std::max<std::int64_t>(shape[dimension], 1);
  }
  view_.offset = layout == Layout::offset ? 5 : 0;
  view_.storage = view_.offset + (count_of(shape) == 0 ? 0 : stride);
  view_.guard = kGuardBytes;
  const std::size_t size = static_cast<std::size_t>(view_.storage) * bytes_of(dtype);
  bytes_.assign(size + 2 * kGuardBytes, std::byte{poison});
}

View Guarded::view() const {
  View view = view_;
  view.block = bytes_.data();
  view.block_bytes = bytes_.size();
  view.data = bytes_.data() + kGuardBytes;
  return view;
}

// Whether element i lies in place i.
bool Guarded::is_dense() const {
  std::int64_t stride = 1;
  for (std::size_t d = view_.shape.size(); d-- > 0;) {
    if (view_.strides[d] != stride) return false;
    stride *= std::max<std::int64_t>(view_.shape[d], 1);
  }
  return view_.offset == 0;
}

void Guarded::fill(const std::vector<Number>& values) const {
  const View view = this->view();
  if (is_dense()) {
    for (std::size_t i = 0, n = static_cast<std::size_t>(view.count()); i < n; ++i) {
      store(view.data, view.dtype, static_cast<std::int64_t>(i), values[i]);
    }
    return;
  }
  for (std::int64_t i = 0; i < view.count(); ++i) {
    view.set(i, values[static_cast<std::size_t>(i)]);
  }
}

Array Guarded::read() const {
  const View view = this->view();
  Array array{view.shape, {}};
  const std::int64_t count = view.count();
  array.values.reserve(static_cast<std::size_t>(count));
  const bool dense = is_dense();
  for (std::int64_t i = 0; i < count; ++i) {
    array.values.push_back(dense ? load(view.data, view.dtype, i) : view.get(i));
  }
  return array;
}

std::vector<std::byte> Guarded::element_bytes() const {
  const View view = this->view();
  const std::size_t size = bytes_of(view.dtype);
  std::vector<std::byte> result;
  result.reserve(static_cast<std::size_t>(view.count()) * size);
  for (std::int64_t i = 0; i < view.count(); ++i) {
    const std::byte* at = view.data + static_cast<std::size_t>(view.place(i)) * size;
    result.insert(result.end(), at, at + size);
  }
  return result;
}

std::size_t Guarded::changed_outside(std::string* where) const {
  const View view = this->view();
  const std::size_t size = bytes_of(view.dtype);
  std::vector<bool> covered;  // in between; dense elements cover all of it
  if (!is_dense()) {
    covered.resize(bytes_.size());
    for (std::int64_t i = 0; i < view.count(); ++i) {
      const std::size_t at = kGuardBytes + static_cast<std::size_t>(view.place(i)) * size;
      std::fill_n(covered.begin() + static_cast<std::ptrdiff_t>(at), size, true);
    }
  }
  std::size_t changed = 0;
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (covered.empty() && i == kGuardBytes) i = bytes_.size() - kGuardBytes;
    if ((!covered.empty() && covered[i]) || bytes_[i] == std::byte{poison_}) continue;
    if (changed++ > 0 || where == nullptr) continue;
    const std::size_t end = bytes_.size() - kGuardBytes;
    *where = i < kGuardBytes
                 ? fmt::format("{} bytes in front of the tensor's memory", kGuardBytes - i)
             : i >= end ? fmt::format("{} bytes after its end", i - end + 1)
                        : "in memory between its elements";
  }
  return changed;
}

}  // namespace aclgrad::gradcheck
