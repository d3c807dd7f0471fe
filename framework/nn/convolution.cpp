// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/nn/convolution.h"
#include "aclgrad/ops/convolution.h"
#include "nn/support.h"

namespace aclgrad {
namespace {

std::string kind_of(std::size_t axes, bool transposed) {
  return fmt::format("{}{}d", transposed ? "ConvTranspose" : "Conv", axes);
}

void require_per_axis(std::string_view layer, std::size_t axes, std::string_view option,
                      const PerAxis& given, std::int64_t least) {
  const std::vector<std::int64_t> sizes = given.over(axes);
  bool fits = sizes.size() == axes;
  for (const std::int64_t size : sizes) fits = fits && size >= least;
  if (fits) return;
  throw ShapeError(fmt::format("{}: {} must be {} of at least {}, got [{}]", layer, option,
                               axes == 1   ? "one number"
                               : axes == 2 ? "one or two numbers"
                                           : "one or three numbers",
                               least, fmt::join(sizes, ", ")));
}

// The name, once everything else is found to be right.
Module::Name checked(const Module::Name& name, std::size_t axes, bool transposed, std::int64_t in,
                     std::int64_t out, const PerAxis& kernel, const ConvLayerOptions& options) {
  if (in < 1 || out < 1 || options.groups < 1 || in % options.groups != 0 ||
      out % options.groups != 0) {
    throw ShapeError(
        fmt::format("a convolution needs channels that its groups divide, got {} and {} in {}", in,
                    out, options.groups));
  }
  const std::string layer = kind_of(axes, transposed);
  require_per_axis(layer, axes, "kernel", kernel, 1);
  require_per_axis(layer, axes, "stride", options.stride, 1);
  require_per_axis(layer, axes, "padding", options.padding, 0);
  require_per_axis(layer, axes, "dilation", options.dilation, 1);
  require_per_axis(layer, axes, "output_padding", options.output_padding, 0);
  const std::vector<std::int64_t> extra = options.output_padding.over(axes);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t below =
        transposed ? std::max(options.stride.over(axes)[i], options.dilation.over(axes)[i]) : 1;
    if (extra[i] < below) continue;
    throw ShapeError(fmt::format(
        "{}: output_padding must be {}, got {}", layer,
        transposed ? "less than the stride or the dilation" : "0 but for transposed convolutions",
        extra[i]));
  }
  return name;
}

Tensor initial_kernel(Shape shape, std::int64_t in, const ConvLayerOptions& options,
                      std::uint64_t seed) {
  std::int64_t places = 1;
  for (std::size_t axis = 2; axis < shape.rank(); ++axis) places *= shape.dims()[axis];
  const auto fan_in = static_cast<double>(in / options.groups * places);
  return init::normal(shape, seed, init::gain(options.init_for) / std::sqrt(fan_in), options.dtype);
}

}  // namespace

Convolution::Convolution(const Name& name, std::size_t axes, Direction direction, std::int64_t in,
                         std::int64_t out, const PerAxis& kernel, ConvLayerOptions options)
    : Module(checked(name, axes, direction == Direction::transposed, in, out, kernel, options),
             fmt::format("{} {} to {}, {}", kind_of(axes, direction == Direction::transposed), in,
                         out, fmt::join(kernel.over(axes), "x"))),
      axes_(axes),
      direction_(direction),
      options_(std::move(options)),
      weight_(parameter(
          "weight",
          [=, given = options_](std::uint64_t seed) {
            const bool transposed = direction == Direction::transposed;
            std::vector<std::int64_t> dims{transposed ? in : out,
                                           (transposed ? out : in) / given.groups};
            const std::vector<std::int64_t> sizes = kernel.over(axes);
            dims.insert(dims.end(), sizes.begin(), sizes.end());
            return initial_kernel(Shape(std::move(dims)), in, given, seed);
          },
          options_.seed)) {
  if (options_.bias) bias_ = parameter("bias", Tensor::zeros({out}, options_.dtype));
}

Value Convolution::operator()(Operand x) const {
  const Value weight = detail::value_for(x, weight_);
  const Value bias = bias_ ? detail::value_for(x, *bias_) : Value();
  using Function = Value (*)(Operand, const Value&, const Value&, const ConvOptions&);
  constexpr Function kForward[] = {conv1d, conv2d, conv3d};
  constexpr Function kTransposed[] = {conv_transpose1d, conv_transpose2d, conv_transpose3d};
  const auto& functions = direction_ == Direction::forward ? kForward : kTransposed;
  return functions[axes_ - 1](x, weight, bias,
                              {.stride = options_.stride,
                               .padding = options_.padding,
                               .dilation = options_.dilation,
                               .groups = options_.groups,
                               .output_padding = options_.output_padding})
      .named(path());
}

}  // namespace aclgrad
