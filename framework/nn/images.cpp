// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/nn/images.h"
#include "nn/support.h"
#include "tensor/at_least_float.h"
#include "tensor/option.h"

namespace aclgrad {
namespace {

Module::Name checked(const Module::Name& name, std::string_view layer, std::int64_t channels,
                     const BatchNorm2dOptions& options) {
  detail::require_size(layer, "channels", channels);
  detail::require_option(layer, "momentum", options.momentum, detail::kUnit);
  detail::require_option(layer, "eps", options.eps, detail::kNotNegative);
  return name;
}

Module::Name checked(const Module::Name& name, std::int64_t groups, std::int64_t channels,
                     double eps) {
  detail::require_size("GroupNorm", "channels", channels);
  if (groups < 1 || channels % groups != 0) {
    throw ShapeError(
        fmt::format("GroupNorm: {} groups do not divide {} channels", groups, channels));
  }
  detail::require_option("GroupNorm", "eps", eps, detail::kPositive);
  return name;
}

}  // namespace

BatchNorm2d::BatchNorm2d(const Name& name, std::int64_t channels, BatchNorm2dOptions options)
    : BatchNorm2d(name, channels, options, "BatchNorm2d") {}

BatchNorm2d::BatchNorm2d(const Name& name, std::int64_t channels, BatchNorm2dOptions options,
                         std::string_view layer)
    : Module(checked(name, layer, channels, options), fmt::format("{} {}", layer, channels)),
      options_(options),
      weight_(parameter("weight", Tensor::full({channels}, 1, options_.dtype))),
      bias_(parameter("bias", Tensor::zeros({channels}, options_.dtype))),
      running_mean_(buffer("running_mean",
                           Tensor::zeros({channels}, detail::at_least_float(options_.dtype)))),
      running_var_(buffer("running_var",
                          Tensor::full({channels}, 1, detail::at_least_float(options_.dtype)))) {}

Value BatchNorm2d::operator()(Operand x) const {
  detail::check_beside(x, weight_);
  Graph graph = x.graph();
  return batch_norm(
             x, graph.parameter(weight_, x.where), graph.parameter(bias_, x.where),
             graph.parameter(running_mean_, x.where), graph.parameter(running_var_, x.where),
             {.training = is_training(graph), .momentum = options_.momentum, .eps = options_.eps})
      .named(path());
}

GroupNorm::GroupNorm(const Name& name, std::int64_t groups, std::int64_t channels, double eps,
                     DType dtype)
    : Module(checked(name, groups, channels, eps),
             fmt::format("GroupNorm {} in {}", channels, groups)),
      weight_(parameter("weight", Tensor::full({channels}, 1, dtype))),
      bias_(parameter("bias", Tensor::zeros({channels}, dtype))),
      groups_(groups),
      eps_(eps) {}

Value GroupNorm::operator()(Operand x) const {
  const Value weight = detail::value_for(x, weight_);
  return group_norm(x, groups_, weight, detail::value_for(x, bias_), eps_).named(path());
}

namespace {

Module::Name checked(const Module::Name& name, std::int64_t channels,
                     const InstanceNormOptions& options) {
  detail::require_size("InstanceNorm", "channels", channels);
  detail::require_option("InstanceNorm", "eps", options.eps, detail::kPositive);
  return name;
}

}  // namespace

InstanceNorm::InstanceNorm(const Name& name, std::int64_t channels, InstanceNormOptions options)
    : Module(checked(name, channels, options), fmt::format("InstanceNorm {}", channels)),
      channels_(channels),
      eps_(options.eps) {
  if (!options.affine) return;
  weight_ = parameter("weight", Tensor::full({channels}, 1, options.dtype));
  bias_ = parameter("bias", Tensor::zeros({channels}, options.dtype));
}

Value InstanceNorm::operator()(Operand x) const {
  const RecordScope scope(x);
  if (x.shape().rank() < 3) {
    throw ShapeError(
        fmt::format("`{}` normalizes [N, {}, places...], got {}", path(), channels_, x.shape()));
  }
  const auto constant = [&](double value) {
    return x.graph().constant(Tensor::full({channels_}, value, x.dtype()));
  };
  const Value weight = weight_ ? detail::value_for(x, *weight_) : constant(1);
  const Value bias = bias_ ? detail::value_for(x, *bias_) : constant(0);
  return group_norm(x, channels_, weight, bias, eps_).named(path());
}

Value Upsample::operator()(Operand x) const {
  const RecordScope scope(x);
  const Shape shape = x.shape();
  if (shape.rank() < 3 || shape.rank() > 5) {
    throw ShapeError(
        fmt::format("Upsample takes [N, C, ...] with one to three axes, got {}", shape));
  }
  const std::size_t axes = shape.rank() - 2;
  const std::vector<std::int64_t> factors = factor.over(axes);
  if (factors.size() != axes || std::ranges::any_of(factors, [](auto it) { return it < 1; })) {
    throw ShapeError(
        fmt::format("Upsample: factor must be at least 1 for each of {} axes, got [{}]", axes,
                    fmt::join(factors, ", ")));
  }
  std::vector<std::int64_t> sizes(shape.dims().begin() + 2, shape.dims().end());
  for (std::size_t i = 0; i < axes; ++i) sizes[i] *= factors[i];
  return interpolate(x, {.size = std::move(sizes)});
}

Value AdaptiveAvgPool2d::operator()(Operand x) const { return adaptive_avg_pool2d(x, size); }
Value MaxPool2d::operator()(Operand x) const { return max_pool2d(x, kernel, options); }
Value AvgPool2d::operator()(Operand x) const { return avg_pool2d(x, kernel, options); }
Value GlobalAvgPool2d::operator()(Operand x) const { return mean(x, {-2, -1}, /*keepdim=*/false); }

Value Flatten::operator()(Operand x) const {
  if (x.shape().rank() == 0) throw ShapeError("flatten needs at least one axis");
  // Counted here: of an empty batch, -1 could be anything.
  std::int64_t width = 1;
  for (std::size_t axis = 1; axis < x.shape().rank(); ++axis) width *= x.shape().dims()[axis];
  return reshape(x, {x.shape()[0], width});
}

}  // namespace aclgrad
