// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/nn_images.h"
#include "nn/support.h"
#include "tensor/at_least_float.h"
#include "tensor/option.h"

namespace aclgrad {
namespace {

void require_per_axis(std::string_view option, const PerAxis& given, std::int64_t least) {
  const std::vector<std::int64_t> sizes = given.over(2);
  bool fits = sizes.size() == 2;
  for (const std::int64_t size : sizes) fits = fits && size >= least;
  if (fits) return;
  throw ShapeError(fmt::format("Conv2d: {} must be one or two numbers of at least {}, got [{}]",
                               option, least, fmt::join(sizes, ", ")));
}

// The name, once everything else is found to be right.
Module::Name checked(const Module::Name& name, std::int64_t in, std::int64_t out,
                     const PerAxis& kernel, const Conv2dOptions& options) {
  if (in < 1 || out < 1 || options.groups < 1 || in % options.groups != 0 ||
      out % options.groups != 0) {
    throw ShapeError(
        fmt::format("a convolution needs channels that its groups divide, got {} and {} in {}", in,
                    out, options.groups));
  }
  require_per_axis("kernel", kernel, 1);
  require_per_axis("stride", options.stride, 1);
  require_per_axis("padding", options.padding, 0);
  require_per_axis("dilation", options.dilation, 1);
  return name;
}

Tensor initial_kernel(std::int64_t in, std::int64_t out, const PerAxis& kernel,
                      const Conv2dOptions& options, std::uint64_t seed) {
  const std::vector<std::int64_t> sizes = kernel.over(2);
  const Shape shape{out, in / options.groups, sizes.at(0), sizes.at(1)};
  const double fan_in = static_cast<double>(shape.numel() / out);
  return init::normal(shape, seed, init::gain(options.init_for) / std::sqrt(fan_in), options.dtype);
}

Module::Name checked(const Module::Name& name, std::int64_t channels,
                     const BatchNorm2dOptions& options) {
  detail::require_size("BatchNorm2d", "channels", channels);
  detail::require_option("BatchNorm2d", "momentum", options.momentum, detail::kUnit);
  detail::require_option("BatchNorm2d", "eps", options.eps, detail::kNotNegative);
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

Conv2d::Conv2d(const Name& name, std::int64_t in, std::int64_t out, const PerAxis& kernel,
               Conv2dOptions options)
    : Module(checked(name, in, out, kernel, options),
             fmt::format("Conv2d {} to {}, {}", in, out, fmt::join(kernel.over(2), "x"))),
      options_(std::move(options)),
      weight_(parameter(
          "weight",
          [=, given = options_](std::uint64_t seed) {
            return initial_kernel(in, out, kernel, given, seed);
          },
          options_.seed)) {
  if (options_.bias) bias_ = parameter("bias", Tensor::zeros({out}, options_.dtype));
}

Value Conv2d::operator()(Operand x) const {
  const Value weight = detail::value_for(x, weight_);
  const Value bias = bias_ ? detail::value_for(x, *bias_) : Value();
  return conv2d(x, weight, bias,
                {.stride = options_.stride,
                 .padding = options_.padding,
                 .dilation = options_.dilation,
                 .groups = options_.groups})
      .named(path());
}

BatchNorm2d::BatchNorm2d(const Name& name, std::int64_t channels, BatchNorm2dOptions options)
    : Module(checked(name, channels, options), fmt::format("BatchNorm2d {}", channels)),
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
  return batch_norm(x, graph.parameter(weight_, x.where), graph.parameter(bias_, x.where),
                    graph.parameter(running_mean_, x.where), graph.parameter(running_var_, x.where),
                    {.training = graph.mode() == Mode::training && !is_frozen(),
                     .momentum = options_.momentum,
                     .eps = options_.eps})
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
