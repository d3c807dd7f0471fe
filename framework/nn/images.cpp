// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "aclgrad/error.h"
#include "aclgrad/nn_images.h"
#include "nn/seeds.h"

namespace aclgrad {
namespace {

Tensor initial_kernel(const std::string& name, std::int64_t in, std::int64_t out,
                      const PerAxis& kernel, const Conv2dOptions& options) {
  const std::vector<std::int64_t> sizes = kernel.over(2);
  if (in < 1 || out < 1 || options.groups < 1 || in % options.groups != 0) {
    throw ShapeError(
        fmt::format("a convolution needs channels that its groups divide, got {} and {} in {}", in,
                    out, options.groups));
  }
  const Shape shape{out, in / options.groups, sizes.at(0), sizes.at(1)};
  const double fan_in = static_cast<double>(shape.numel() / out);
  return init::normal(shape, options.seed.value_or(detail::seed_of(name)),
                      init::gain(options.activation) / std::sqrt(fan_in));
}

}  // namespace

Conv2d::Conv2d(const std::string& name, std::int64_t in, std::int64_t out, const PerAxis& kernel,
               Conv2dOptions options)
    : name_(name),
      options_(std::move(options)),
      weight_(name + ".weight", initial_kernel(name, in, out, kernel, options_)) {
  if (options_.bias) bias_.emplace(name + ".bias", Tensor::zeros({out}));
}

Value Conv2d::operator()(const Value& x, Here where) const {
  Graph graph = x.graph();
  const Value weight = cast(graph.parameter(weight_, where), x.dtype(), where);
  const Value bias = bias_ ? cast(graph.parameter(*bias_, where), x.dtype(), where) : Value();
  return conv2d(x, weight, bias,
                {.stride = options_.stride,
                 .padding = options_.padding,
                 .dilation = options_.dilation,
                 .groups = options_.groups},
                where)
      .named(name_);
}

std::vector<Variable> Conv2d::variables() const {
  std::vector<Variable> all = {weight_};
  if (bias_) all.push_back(*bias_);
  return all;
}

BatchNorm2d::BatchNorm2d(const std::string& name, std::int64_t channels, BatchNorm2dOptions options)
    : name_(name),
      options_(options),
      weight_(name + ".weight", Tensor::full({channels}, 1)),
      bias_(name + ".bias", Tensor::zeros({channels})),
      running_mean_(name + ".running_mean", Tensor::zeros({channels})),
      running_var_(name + ".running_var", Tensor::full({channels}, 1)) {}

Value BatchNorm2d::operator()(const Value& x, Here where) const {
  Graph graph = x.graph();
  return batch_norm(x, graph.parameter(weight_, where), graph.parameter(bias_, where),
                    graph.parameter(running_mean_, where), graph.parameter(running_var_, where),
                    {.training = graph.mode() == Mode::training,
                     .momentum = options_.momentum,
                     .eps = options_.eps},
                    where)
      .named(name_);
}

Value MaxPool2d::operator()(const Value& x, Here where) const {
  return max_pool2d(x, kernel, options, where);
}
Value AvgPool2d::operator()(const Value& x, Here where) const {
  return avg_pool2d(x, kernel, options, where);
}
Value GlobalAvgPool2d::operator()(const Value& x, Here where) const {
  return mean(x, {-2, -1}, /*keepdim=*/false, where);
}

Value Flatten::operator()(const Value& x, Here where) const {
  if (x.shape().rank() == 0) throw ShapeError("flatten needs at least one axis");
  return reshape(x, {x.shape()[0], -1}, where);
}

}  // namespace aclgrad
