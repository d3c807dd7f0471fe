// SPDX-License-Identifier: Apache-2.0
// Views: the same data under another shape or order of axes. They cost nothing when the graph runs;
// operators read and write through strides.
#ifndef ACLGRAD_OPS_VIEWS_H_
#define ACLGRAD_OPS_VIEWS_H_

#include <source_location>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

/// Exchanges two axes; negative ones count from the end.
Value transpose(const Value& x, std::int64_t axis0, std::int64_t axis1,
                std::source_location where = std::source_location::current());

/// Axis i of the result is axis order[i] of x; order names every axis once.
Value permute(const Value& x, std::vector<std::int64_t> order,
              std::source_location where = std::source_location::current());

/// The elements in row-major order under another shape; one extent may be -1 and is worked out. A
/// view that is not contiguous is copied first.
Value reshape(const Value& x, std::vector<std::int64_t> dims,
              std::source_location where = std::source_location::current());

/// x repeated along its axes of extent 1, and along new axes in front.
Value expand(const Value& x, const Shape& shape,
             std::source_location where = std::source_location::current());

/// x itself, through which no gradient passes: for backward() it is a constant (`detach` of
/// PyTorch). What leads to it is not differentiated.
Value stop_gradient(const Value& x, std::source_location where = std::source_location::current());

struct PermuteOp final : ViewOp {
  std::vector<std::int64_t> order;

  explicit PermuteOp(std::vector<std::int64_t> order_) : order(std::move(order_)) {}
  std::string_view name() const override { return "permute"; }
  std::string attributes() const override;
};

struct ReshapeOp final : ViewOp {
  std::string_view name() const override { return "reshape"; }
};

struct ExpandOp final : ViewOp {
  std::string_view name() const override { return "expand"; }
};

struct StopGradientOp final : ViewOp {
  std::string_view name() const override { return "stop_gradient"; }
};

}  // namespace aclgrad

#endif  // ACLGRAD_OPS_VIEWS_H_
