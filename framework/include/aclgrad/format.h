// SPDX-License-Identifier: Apache-2.0
// Lets fmt::print and fmt::format take DType, Shape, Tensor and MemoryReport, with the string
// specifications (width, fill, alignment): fmt::print("{:>12}", shape).
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "aclgrad/dtype.h"
#include "aclgrad/graph.h"
#include "aclgrad/session/memory_report.h"
#include "aclgrad/shape.h"
#include "aclgrad/tensor.h"

namespace aclgrad::detail {

/// A formatter that prints what to_string returns.
template <class T>
struct ToStringFormatter : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(value), context);
  }
};

}  // namespace aclgrad::detail

template <>
struct fmt::formatter<aclgrad::DType> : aclgrad::detail::ToStringFormatter<aclgrad::DType> {};
template <>
struct fmt::formatter<aclgrad::Shape> : aclgrad::detail::ToStringFormatter<aclgrad::Shape> {};
template <>
struct fmt::formatter<aclgrad::Value> : aclgrad::detail::ToStringFormatter<aclgrad::Value> {};
template <>
struct fmt::formatter<aclgrad::Tensor> : aclgrad::detail::ToStringFormatter<aclgrad::Tensor> {};
template <>
struct fmt::formatter<aclgrad::MemoryReport>
    : aclgrad::detail::ToStringFormatter<aclgrad::MemoryReport> {};
