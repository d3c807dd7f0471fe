// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/convolution.h"

#include <limits>

#include "aclnnop/aclnn_convolution.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

__extension__ using Wide = __int128;  // options come from programs unchecked

constexpr std::int8_t kConvolveInDtype = 0;  // cubeMathType: compute in the inputs' dtype

void check_channels(const Recorder& record, const ConvolutionAttributes& a) {
  const Shape& x = record.input(0).shape();
  const Shape& weight = record.input(1).shape();
  const Value &input = record.input(0), &filters = record.input(1);
  record.require_shape(a.groups >= 1 && weight[0] % a.groups == 0,
                       "the {} channels of {} {} do not make {} groups", weight[0], filters, weight,
                       a.groups);
  const Wide wanted = a.transposed ? Wide{weight[0]} : Wide{weight[1]} * a.groups;
  record.require_shape(x[1] == wanted, "{} {} has {} channels, {} {} is for {}{}", input, x, x[1],
                       filters, weight, static_cast<std::int64_t>(wanted),
                       a.groups == 1 ? "" : fmt::format(" in {} groups", a.groups));
}

void check_attributes(const Recorder& record, const ConvolutionAttributes& a) {
  const std::size_t axes = record.input(0).shape().rank() - 2;
  const auto check = [&](const char* name, const std::vector<std::int64_t>& values,
                         std::int64_t least) {
    bool fits = values.size() == axes;
    for (const std::int64_t value : values) fits = fits && value >= least;
    record.require_value(fits, "{} must be {} numbers of at least {}, got {}", name, axes, least,
                         values);
  };
  check("stride", a.stride, 1);
  check("padding", a.padding, 0);
  check("dilation", a.dilation, 1);
  check("output_padding", a.output_padding, 0);
}

Shape result_shape(const Recorder& record, const ConvolutionAttributes& a) {
  const Shape& x = record.input(0).shape();
  const Shape& weight = record.input(1).shape();
  std::vector<std::int64_t> shape = {x[0], a.transposed ? weight[1] * a.groups : weight[0]};
  for (std::size_t axis = 0; axis + 2 < x.rank(); ++axis) {
    const Wide in = x.dims()[axis + 2];
    const Wide reach = Wide{a.dilation[axis]} * (weight.dims()[axis + 2] - 1);
    const Wide room = in + 2 * Wide{a.padding[axis]} - reach - 1;
    const Wide size = a.transposed ? (in - 1) * a.stride[axis] - 2 * a.padding[axis] + reach +
                                         a.output_padding[axis] + 1
                                   : (room < 0 ? 0 : room / a.stride[axis] + 1);
    record.require_shape(size >= 1 && size <= std::numeric_limits<std::int64_t>::max(),
                         "the window of the weight {} does not fit {}", weight, x);
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return Shape(std::move(shape));
}

Value record_convolution(Operand x, const Value& weight, const Value& bias,
                         const ConvolutionAttributes& attributes, std::string_view name,
                         std::optional<std::size_t> axes) {
  std::vector<Value> inputs = {x, weight};
  const bool has_bias = bias.id() >= 0;
  if (has_bias) inputs.push_back(bias);
  Recorder record(name, std::move(inputs), x.where);
  record.require_floating(0);
  record.require_same_dtype(1, 0);
  if (has_bias) record.require_same_dtype(2, 0);
  const std::size_t rank = x.shape().rank();
  record.require_shape(
      rank >= 3 && rank <= 5 && (!axes || rank == *axes + 2) && weight.shape().rank() == rank,
      "needs x and weight of rank {}, got {} and {}",
      axes ? fmt::format("{}", *axes + 2) : "3 to 5", x.shape(), weight.shape());
  check_attributes(record, attributes);
  check_channels(record, attributes);
  const Shape shape = result_shape(record, attributes);
  if (has_bias) {
    record.require_shape(bias.shape() == Shape{shape[1]}, "the bias must have shape {}, got {}",
                         Shape{shape[1]}, bias.shape());
  }
  return record.add<ConvolutionOp>(attributes, {shape, x.dtype()});
}

Value record_options(Operand x, const Value& weight, const Value& bias, const ConvOptions& options,
                     bool transposed, std::string_view name, std::size_t axes) {
  return record_convolution(
      x, weight, bias,
      {options.stride.over(axes), options.padding.over(axes), options.dilation.over(axes),
       options.output_padding.over(axes), options.groups, transposed},
      name, axes);
}

}  // namespace

Value conv1d(Operand x, const Value& weight, const Value& bias, const ConvOptions& options) {
  return record_options(x, weight, bias, options, false, "conv1d", 1);
}
Value conv2d(Operand x, const Value& weight, const Value& bias, const ConvOptions& options) {
  return record_options(x, weight, bias, options, false, "conv2d", 2);
}
Value conv3d(Operand x, const Value& weight, const Value& bias, const ConvOptions& options) {
  return record_options(x, weight, bias, options, false, "conv3d", 3);
}
Value conv_transpose1d(Operand x, const Value& weight, const Value& bias,
                       const ConvOptions& options) {
  return record_options(x, weight, bias, options, true, "conv_transpose1d", 1);
}
Value conv_transpose2d(Operand x, const Value& weight, const Value& bias,
                       const ConvOptions& options) {
  return record_options(x, weight, bias, options, true, "conv_transpose2d", 2);
}
Value conv_transpose3d(Operand x, const Value& weight, const Value& bias,
                       const ConvOptions& options) {
  return record_options(x, weight, bias, options, true, "conv_transpose3d", 3);
}

Value convolution(Operand x, const Value& weight, const Value& bias,
                  const ConvolutionAttributes& attributes) {
  return record_convolution(x, weight, bias, attributes, "convolution", std::nullopt);
}

std::array<Value, 3> convolution_backward(Operand grad, const Value& x, const Value& weight,
                                          const ConvolutionAttributes& attributes,
                                          std::array<bool, 3> wanted) {
  Recorder record("convolution_backward", {grad, x, weight}, grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  record.require_same_dtype(2, 1);
  const Shape& shape = grad.shape();
  record.require_shape(shape.rank() == x.shape().rank() && shape.rank() == weight.shape().rank(),
                       "gradient, x and weight must have one rank, got {}, {} and {}", shape,
                       x.shape(), weight.shape());
  return detail::record_wanted<ConvolutionBackwardOp>(
      record, {attributes, wanted}, wanted,
      {record.like(1), record.like(2), TensorSpec{Shape{shape[1]}, x.dtype()}});
}

std::string ConvolutionAttributes::text() const {
  std::string text =
      detail::text(named({"stride", "padding", "dilation"}, stride, padding, dilation));
  if (transposed) text += ", transposed, output_padding=" + detail::text(output_padding);
  return groups == 1 ? text : fmt::format("{}, groups={}", text, groups);
}

std::string ConvolutionBackwardAttributes::text() const {
  return fmt::format("{}, outputMask={}", ConvolutionAttributes::text(), detail::text(wanted));
}

namespace calls {

const Declaration<ConvolutionAttributes> convolution = {
    "convolution", ACLGRAD_C(aclnnConvolution), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      return aclnnConvolutionGetWorkspaceSize(
          call.input(0), call.input(1), call.input_count() > 2 ? call.input(2) : nullptr,
          call.int_array(values.stride), call.int_array(values.padding),
          call.int_array(values.dilation), values.transposed, call.int_array(values.output_padding),
          values.groups, call.output(0), kConvolveInDtype, end...);
    }};

const Declaration<ConvolutionBackwardAttributes> convolution_backward = {
    "convolution_backward", ACLGRAD_C(aclnnConvolutionBackward), separate,
    [](const auto& values, AclnnCall& call, auto... end) {
      const std::array<std::int64_t, 1> bias_sizes{call.input_spec(0).shape[1]};
      const auto gradients = detail::wanted_outputs(values.wanted, call);
      return aclnnConvolutionBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.input(2), call.int_array(bias_sizes),
          call.int_array(values.stride), call.int_array(values.padding),
          call.int_array(values.dilation), values.transposed, call.int_array(values.output_padding),
          static_cast<int>(values.groups), call.bool_array(values.wanted), kConvolveInDtype,
          gradients[0], gradients[1], gradients[2], end...);
    }};

}  // namespace calls
}  // namespace aclgrad
