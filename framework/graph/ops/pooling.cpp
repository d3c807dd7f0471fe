// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/pooling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d.h"
#include "aclnnop/aclnn_adaptive_avg_pool3d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool2d.h"
#include "aclnnop/aclnn_adaptive_max_pool2d_backward.h"
#include "aclnnop/aclnn_adaptive_max_pool3d.h"
#include "aclnnop/aclnn_adaptive_max_pool3d_backward.h"
#include "aclnnop/aclnn_avg_pool3d.h"
#include "aclnnop/aclnn_avg_pool3d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool2d.h"
#include "graph/ops/index_helpers.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

using Numbers = std::vector<std::int64_t>;

// Of images and of volumes.
constexpr std::size_t kPlaneAxes = 2, kVolumeAxes = 3;

std::string list_text(const Numbers& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

// Of input 0.
void check_image(const Recorder& record, std::size_t axes) {
  record.require_floating(0);
  const Shape& shape = record.input(0).shape();
  if (shape.rank() == axes + 1 || shape.rank() == axes + 2) return;
  record.shape_error(fmt::format(
      "{} must be {}, got {}", record.input(0).description(),
      axes == kPlaneAxes ? "[C, H, W] or [N, C, H, W]" : "[C, D, H, W] or [N, C, D, H, W]", shape));
}

// Places made of these fit 64 bits.
constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;

void check_numbers(const Recorder& record, const char* name, const Numbers& numbers,
                   std::int64_t least, std::size_t axes) {
  bool fits = numbers.size() == axes;
  for (const std::int64_t number : numbers) fits = fits && number >= least && number <= kMost;
  if (fits) return;
  record.value_error(
      fmt::format("{} must be one or {} numbers of at least {} and below 2^31, got {}", name,
                  axes == kPlaneAxes ? "two" : "three", least, list_text(numbers)));
}

// Input 0 with these last sizes.
TensorSpec resized(const Recorder& record, const Numbers& sizes) {
  Numbers dims = record.input(0).shape().dims();
  std::ranges::copy(sizes, dims.end() - static_cast<std::ptrdiff_t>(sizes.size()));
  return {Shape(std::move(dims)), record.input(0).dtype()};
}

struct Windows {
  const Numbers &kernel, &stride, &padding, &dilation;
  bool ceil_mode;
};

// A size for each window.
TensorSpec pooled(const Recorder& record, const Windows& of, std::size_t axes) {
  check_image(record, axes);
  check_numbers(record, "kernel", of.kernel, 1, axes);
  check_numbers(record, "stride", of.stride, 1, axes);
  check_numbers(record, "padding", of.padding, 0, axes);
  check_numbers(record, "dilation", of.dilation, 1, axes);
  const Shape& shape = record.input(0).shape();
  Numbers sizes(axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t in = shape.dims()[shape.rank() - axes + axis];
    const std::int64_t stride = of.stride[axis], padding = of.padding[axis];
    const std::int64_t rounding = of.ceil_mode ? stride - 1 : 0;
    const std::int64_t reach = of.dilation[axis] * (of.kernel[axis] - 1) + 1;
    const std::int64_t room = in + 2 * padding - reach + rounding;
    if (room < 0 || 2 * padding > of.kernel[axis]) {
      record.shape_error(fmt::format(
          "a kernel {} with padding {}{} does not fit {}", list_text(of.kernel),
          list_text(of.padding),
          of.dilation == Numbers(axes, 1) ? "" : " and dilation " + list_text(of.dilation), shape));
    }
    sizes[axis] = room / stride + 1;
    if (of.ceil_mode && (sizes[axis] - 1) * stride >= in + padding) --sizes[axis];
  }
  return resized(record, sizes);
}

Numbers stride_of(const PerAxis& stride, const PerAxis& kernel, std::size_t axes) {
  return (stride.values.empty() ? kernel : stride).over(axes);
}

// Maxima of x, of the node called as its operator is, and their places.
template <class OpType>
ValuesAndIndices record_maxima(Recorder& record, typename OpType::Attributes attributes,
                               const TensorSpec& result) {
  const std::vector<Value> both =
      record.add<OpType>(std::move(attributes), {result, {result.shape, DType::int32}});
  return {both[0], both[1]};
}

template <class OpType>
ValuesAndIndices max_pool(Operand x, const PerAxis& kernel, const MaxPoolOptions& options,
                          std::size_t axes) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  const MaxPoolAttributes a{kernel.over(axes), stride_of(options.stride, kernel, axes),
                            options.padding.over(axes), options.dilation.over(axes),
                            options.ceil_mode};
  const TensorSpec result =
      pooled(record, {a.kernel, a.stride, a.padding, a.dilation, a.ceil_mode}, axes);
  if (axes == kPlaneAxes && a.dilation != Numbers(axes, 1)) {
    record.value_error(fmt::format(
        "dilation must be 1, got {}; max_pool3d() of x reshaped to [N, C, 1, H, W] takes others",
        list_text(a.dilation)));
  }
  return record_maxima<OpType>(record, a, result);
}

template <class OpType>
Value avg_pool(Operand x, const AvgPoolAttributes& a, std::size_t axes) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  return record.add<OpType>(
      a, pooled(record, {a.kernel, a.stride, a.padding, Numbers(axes, 1), a.ceil_mode}, axes));
}

AvgPoolAttributes attributes_of(const PerAxis& kernel, const AvgPoolOptions& options,
                                std::size_t axes) {
  return {kernel.over(axes),          stride_of(options.stride, kernel, axes),
          options.padding.over(axes), options.ceil_mode,
          options.count_include_pad,  options.divisor_override};
}

// Input 0 in the size that is asked for.
TensorSpec adapted(const Recorder& record, const PerAxis& size, std::size_t axes) {
  check_image(record, axes);
  const Numbers sizes = size.over(axes);
  check_numbers(record, "size", sizes, 1, axes);
  return resized(record, sizes);
}

template <class OpType>
Value adaptive_avg_pool(Operand x, const PerAxis& size, std::size_t axes) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  return record.add<OpType>({}, adapted(record, size, axes));
}

template <class OpType>
ValuesAndIndices adaptive_max_pool(Operand x, const PerAxis& size, std::size_t axes) {
  Recorder record(OpType::declaration().name, {x}, x.where);
  return record_maxima<OpType>(record, {}, adapted(record, size, axes));
}

// Of grad, x, which it has the shape of, and, of maxima, their places.
template <class OpType>
Value pool_gradient(Operand grad, const Value& x, const std::vector<Value>& places,
                    typename OpType::Attributes attributes = {}) {
  std::vector<Value> inputs = {grad, x};
  inputs.insert(inputs.end(), places.begin(), places.end());
  Recorder record(OpType::declaration().name, inputs, grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  if (!places.empty()) record.require_same_shape(2, 0);
  return record.add<OpType>(std::move(attributes), record.like(1));
}

}  // namespace

ValuesAndIndices max_pool2d_with_indices(Operand x, const PerAxis& kernel,
                                         const MaxPoolOptions& options) {
  return max_pool<MaxPool2dOp>(x, kernel, options, kPlaneAxes);
}
ValuesAndIndices max_pool3d_with_indices(Operand x, const PerAxis& kernel,
                                         const MaxPoolOptions& options) {
  return max_pool<MaxPool3dOp>(x, kernel, options, kVolumeAxes);
}
Value max_pool2d(Operand x, const PerAxis& kernel, const MaxPoolOptions& options) {
  return max_pool2d_with_indices(x, kernel, options).values;
}
Value max_pool3d(Operand x, const PerAxis& kernel, const MaxPoolOptions& options) {
  return max_pool3d_with_indices(x, kernel, options).values;
}

Value avg_pool2d(Operand x, const PerAxis& kernel, const AvgPoolOptions& options) {
  return avg_pool2d(x, attributes_of(kernel, options, kPlaneAxes));
}
Value avg_pool3d(Operand x, const PerAxis& kernel, const AvgPoolOptions& options) {
  return avg_pool3d(x, attributes_of(kernel, options, kVolumeAxes));
}
Value avg_pool2d(Operand x, const AvgPoolAttributes& attributes) {
  return avg_pool<AvgPool2dOp>(x, attributes, kPlaneAxes);
}
Value avg_pool3d(Operand x, const AvgPoolAttributes& attributes) {
  return avg_pool<AvgPool3dOp>(x, attributes, kVolumeAxes);
}

Value adaptive_avg_pool2d(Operand x, const PerAxis& size) {
  return adaptive_avg_pool<AdaptiveAvgPool2dOp>(x, size, kPlaneAxes);
}
Value adaptive_avg_pool3d(Operand x, const PerAxis& size) {
  return adaptive_avg_pool<AdaptiveAvgPool3dOp>(x, size, kVolumeAxes);
}

ValuesAndIndices adaptive_max_pool2d_with_indices(Operand x, const PerAxis& size) {
  return adaptive_max_pool<AdaptiveMaxPool2dOp>(x, size, kPlaneAxes);
}
ValuesAndIndices adaptive_max_pool3d_with_indices(Operand x, const PerAxis& size) {
  return adaptive_max_pool<AdaptiveMaxPool3dOp>(x, size, kVolumeAxes);
}
Value adaptive_max_pool2d(Operand x, const PerAxis& size) {
  return adaptive_max_pool2d_with_indices(x, size).values;
}
Value adaptive_max_pool3d(Operand x, const PerAxis& size) {
  return adaptive_max_pool3d_with_indices(x, size).values;
}

Value max_unpool2d(Operand x, const Value& indices, const PerAxis& size) {
  Recorder record("max_unpool2d", {x, indices}, x.where);
  const TensorSpec result = adapted(record, size, kPlaneAxes);
  detail::require_index(record, 1);
  record.require_same_shape(1, 0);
  return record.add<MaxUnpool2dOp>({}, result);
}

Value max_pool2d_backward(Operand grad, const Value& x, const Value& indices,
                          const MaxPoolAttributes& attributes) {
  return pool_gradient<MaxPool2dBackwardOp>(grad, x, {indices}, attributes);
}
Value max_pool3d_backward(Operand grad, const Value& x, const Value& indices,
                          const MaxPoolAttributes& attributes) {
  return pool_gradient<MaxPool3dBackwardOp>(grad, x, {indices}, attributes);
}
Value avg_pool2d_backward(Operand grad, const Value& x, const AvgPoolAttributes& attributes) {
  return pool_gradient<AvgPool2dBackwardOp>(grad, x, {}, attributes);
}
Value avg_pool3d_backward(Operand grad, const Value& x, const AvgPoolAttributes& attributes) {
  return pool_gradient<AvgPool3dBackwardOp>(grad, x, {}, attributes);
}
Value adaptive_avg_pool2d_backward(Operand grad, const Value& x) {
  return pool_gradient<AdaptiveAvgPool2dBackwardOp>(grad, x, {});
}
Value adaptive_avg_pool3d_backward(Operand grad, const Value& x) {
  return pool_gradient<AdaptiveAvgPool3dBackwardOp>(grad, x, {});
}
Value adaptive_max_pool2d_backward(Operand grad, const Value& x, const Value& indices) {
  return pool_gradient<AdaptiveMaxPool2dBackwardOp>(grad, x, {indices});
}
Value adaptive_max_pool3d_backward(Operand grad, const Value& x, const Value& indices) {
  return pool_gradient<AdaptiveMaxPool3dBackwardOp>(grad, x, {indices});
}

std::string MaxPoolAttributes::text() const {
  const bool dilates = dilation != Numbers(dilation.size(), 1);
  return fmt::format("kernel={}, stride={}, padding={}{}{}", list_text(kernel), list_text(stride),
                     list_text(padding), dilates ? ", dilation=" + list_text(dilation) : "",
                     ceil_mode ? ", ceil_mode" : "");
}

std::string AvgPoolAttributes::text() const {
  std::string text =
      fmt::format("kernel={}, stride={}, padding={}{}", list_text(kernel), list_text(stride),
                  list_text(padding), ceil_mode ? ", ceil_mode" : "");
  if (divisor_override != 0) return fmt::format("{}, divisor_override={}", text, divisor_override);
  return text + (count_include_pad ? ", count_include_pad" : "");
}

namespace calls {
namespace {

// The last sizes of the result, of a function that returns it alone or with indices.
template <auto kPhaseOne, std::size_t kAxes, std::size_t kOutputs>
aclnnStatus call_sized(const NoAttributes&, AclnnCall& call, std::uint64_t* size,
                       aclOpExecutor** executor) {
  const aclIntArray* const sizes =
      call.int_array(std::span(call.output_spec(0).shape.dims()).last(kAxes));
  if constexpr (kOutputs == 1) {
    return kPhaseOne(call.input(0), sizes, call.output(0), size, executor);
  } else {
    return kPhaseOne(call.input(0), sizes, call.output(0), call.output(1), size, executor);
  }
}
#define ACLGRAD_SIZED(name, function, axes, outputs) \
  { name, ACLGRAD_C(function), separate, call_sized<function##GetWorkspaceSize, axes, outputs> }

}  // namespace

const Declaration<MaxPoolAttributes> max_pool2d = {"max_pool2d",
                                                   ACLGRAD_C(aclnnMaxPool2dWithIndices), separate};
const Declaration<MaxPoolAttributes> max_pool2d_backward = {
    "max_pool2d_backward", ACLGRAD_C(aclnnMaxPool2dWithIndicesBackward), separate};
const Declaration<MaxPoolAttributes> max_pool3d = {"max_pool3d",
                                                   ACLGRAD_C(aclnnMaxPool3dWithArgmax), separate};
const Declaration<MaxPoolAttributes> max_pool3d_backward = {
    "max_pool3d_backward", ACLGRAD_C(aclnnMaxPool3dWithArgmaxBackward), separate};
const Declaration<AvgPoolAttributes> avg_pool2d = {"avg_pool2d", ACLGRAD_C(aclnnAvgPool2d),
                                                   separate};
const Declaration<AvgPoolAttributes> avg_pool2d_backward = {
    "avg_pool2d_backward", ACLGRAD_C(aclnnAvgPool2dBackward), separate};
// Without cubeMathType.
const Declaration<AvgPoolAttributes> avg_pool3d = {
    "avg_pool3d", ACLGRAD_C(aclnnAvgPool3d), separate,
    [](const auto& a, AclnnCall& call, auto... end) {
      return aclnnAvgPool3dGetWorkspaceSize(call.input(0), call.int_array(a.kernel),
                                            call.int_array(a.stride), call.int_array(a.padding),
                                            a.ceil_mode, a.count_include_pad, a.divisor_override,
                                            call.output(0), end...);
    }};
const Declaration<AvgPoolAttributes> avg_pool3d_backward = {
    "avg_pool3d_backward", ACLGRAD_C(aclnnAvgPool3dBackward), separate,
    [](const auto& a, AclnnCall& call, auto... end) {
      return aclnnAvgPool3dBackwardGetWorkspaceSize(
          call.input(0), call.input(1), call.int_array(a.kernel), call.int_array(a.stride),
          call.int_array(a.padding), a.ceil_mode, a.count_include_pad, a.divisor_override,
          call.output(0), end...);
    }};
const Declaration<> adaptive_avg_pool2d =
    ACLGRAD_SIZED("adaptive_avg_pool2d", aclnnAdaptiveAvgPool2d, kPlaneAxes, 1);
const Declaration<> adaptive_avg_pool2d_backward = {
    "adaptive_avg_pool2d_backward", ACLGRAD_C(aclnnAdaptiveAvgPool2dBackward), separate};
const Declaration<> adaptive_avg_pool3d =
    ACLGRAD_SIZED("adaptive_avg_pool3d", aclnnAdaptiveAvgPool3d, kVolumeAxes, 1);
const Declaration<> adaptive_avg_pool3d_backward = {
    "adaptive_avg_pool3d_backward", ACLGRAD_C(aclnnAdaptiveAvgPool3dBackward), separate};
const Declaration<> adaptive_max_pool2d =
    ACLGRAD_SIZED("adaptive_max_pool2d", aclnnAdaptiveMaxPool2d, kPlaneAxes, 2);
const Declaration<> adaptive_max_pool2d_backward = {
    "adaptive_max_pool2d_backward", ACLGRAD_C(aclnnAdaptiveMaxPool2dBackward), separate};
const Declaration<> adaptive_max_pool3d =
    ACLGRAD_SIZED("adaptive_max_pool3d", aclnnAdaptiveMaxPool3d, kVolumeAxes, 2);
const Declaration<> adaptive_max_pool3d_backward = {
    "adaptive_max_pool3d_backward", ACLGRAD_C(aclnnAdaptiveMaxPool3dBackward), separate};
const Declaration<> max_unpool2d = {"max_unpool2d", ACLGRAD_C(aclnnMaxUnpool2d), separate,
                                    [](const auto&, AclnnCall& call, auto... end) {
                                      const Shape& shape = call.output_spec(0).shape;
                                      return aclnnMaxUnpool2dGetWorkspaceSize(
                                          call.input(0), call.input(1),
                                          call.int_array(std::span(shape.dims()).last(kPlaneAxes)),
                                          call.output(0), end...);
                                    }};

}  // namespace calls
}  // namespace aclgrad
