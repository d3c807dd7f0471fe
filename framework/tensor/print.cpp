// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "aclgrad/tensor.h"
#include "tensor/visit.h"

namespace aclgrad {
namespace {

constexpr std::int64_t kPrintedWhole = 64;  // tensors up to this many elements are never shortened
constexpr std::int64_t kEdge = 3;           // entries kept at either end of a shortened axis

template <class T>
void append_element(std::string& text, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    text += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    text += std::to_string(value);
  } else {
    const double wide = detail::convert<double>(value);
    if (std::isnan(wide)) {
      text += "nan";  // without the sign that printf puts before some of them
    } else {
      text += fmt::format("{:.6g}", wide);
    }
  }
}

template <class T>
void append_axis(std::string& text, std::span<const T> values, const Shape& shape, std::size_t axis,
                 bool shorten) {
  if (axis == shape.rank()) {
    append_element(text, values.front());
    return;
  }
  const std::int64_t extent = shape.dims()[axis];
  text += '[';
  for (std::int64_t i = 0; i < extent; ++i) {
    if (i > 0) text += ", ";
    if (shorten && extent > 2 * kEdge && i == kEdge) {
      text += "...";
      i = extent - kEdge - 1;
      continue;
    }
    const std::size_t step = values.size() / static_cast<std::size_t>(extent);
    append_axis(text, values.subspan(static_cast<std::size_t>(i) * step, step), shape, axis + 1,
                shorten);
  }
  text += ']';
}

}  // namespace

std::string to_string(const Tensor& tensor) {
  if (tensor.numel() == 0) return fmt::format("[] (shape {})", to_string(tensor.shape()));
  std::string text;
  detail::visit_dtype(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    append_axis(text, tensor.data<T>(), tensor.shape(), 0, tensor.numel() > kPrintedWhole);
  });
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Tensor& tensor) {
  return stream << to_string(tensor);
}

}  // namespace aclgrad
