// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/pooling.h"

#include <algorithm>

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

// Of input 0.
void check_image(const Recorder& record, std::size_t axes) {
  record.require_floating(0);
  const Shape& shape = record.input(0).shape();
  record.require_shape(
      shape.rank() == axes + 1 || shape.rank() == axes + 2, "{} must be {}, got {}",
      record.input(0),
      axes == kPlaneAxes ? "[C, H, W] or [N, C, H, W]" : "[C, D, H, W] or [N, C, D, H, W]", shape);
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
  detail::require_per_axis(record, "kernel", of.kernel, 1, axes);
  detail::require_per_axis(record, "stride", of.stride, 1, axes);
  detail::require_per_axis(record, "padding", of.padding, 0, axes);
  detail::require_per_axis(record, "dilation", of.dilation, 1, axes);
  const Shape& shape = record.input(0).shape();
  Numbers sizes(axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t in = shape.dims()[shape.rank() - axes + axis];
    const std::int64_t stride = of.stride[axis], padding = of.padding[axis];
    const std::int64_t rounding = of.ceil_mode ? stride - 1 : 0;
    const std::int64_t reach = of.dilation[axis] * (of.kernel[axis] - 1) + 1;
    const std::int64_t room = in + 2 * padding - reach + rounding;
    record.require_shape(
        room >= 0 && 2 * padding <= of.kernel[axis],
        "a kernel {} with padding {}{} does not fit {}", of.kernel, of.padding,
        of.dilation == Numbers(axes, 1) ? "" : " and dilation " + detail::text(of.dilation), shape);
    sizes[axis] = room / stride + 1;
    if (of.ceil_mode && (sizes[axis] - 1) * stride >= in + padding) --sizes[axis];
  }
  return resized(record, sizes);
}

Numbers stride_of(const PerAxis& stride, const PerAxis& kernel, std::size_t axes) {
  return (stride.values.empty() ? kernel : stride).over(axes);
}

// Maxima of x and their places.
template <class OpType>
ValuesAndIndices record_maxima(Recorder& record, typename OpType::Attributes attributes,
                               const TensorSpec& result) {
  const std::vector<Value> both =
      record.add<OpType>(std::move(attributes), {result, {result.shape, DType::int32}});
  return {both[0], both[1]};
}

ValuesAndIndices max_pool(Operand x, const PerAxis& kernel, const MaxPoolOptions& options,
                          std::size_t axes) {
  Recorder record(calls::max_pool[axes - kPlaneAxes].name, {x}, x.where);
  const MaxPoolAttributes a{kernel.over(axes), stride_of(options.stride, kernel, axes),
                            options.padding.over(axes), options.dilation.over(axes),
                            options.ceil_mode};
  const TensorSpec result =
      pooled(record, {a.kernel, a.stride, a.padding, a.dilation, a.ceil_mode}, axes);
  record.require_value(
      axes != kPlaneAxes || a.dilation == Numbers(axes, 1),
      "dilation must be 1, got {}; max_pool3d() of x reshaped to [N, C, 1, H, W] takes others",
      a.dilation);
  return record_maxima<MaxPoolOp>(record, a, result);
}

Value avg_pool(Operand x, const AvgPoolAttributes& a, std::size_t axes) {
  Recorder record(calls::avg_pool[axes - kPlaneAxes].name, {x}, x.where);
  return record.add<AvgPoolOp>(
      a, pooled(record, {a.kernel, a.stride, a.padding, Numbers(axes, 1), a.ceil_mode}, axes));
}

Value avg_pool(Operand x, const PerAxis& kernel, const AvgPoolOptions& options, std::size_t axes) {
  return avg_pool(
      x,
      {kernel.over(axes), stride_of(options.stride, kernel, axes), options.padding.over(axes),
       options.ceil_mode, options.count_include_pad, options.divisor_override},
      axes);
}

// Input 0 in the size that is asked for.
TensorSpec adapted(const Recorder& record, const Numbers& size, std::size_t axes) {
  check_image(record, axes);
  detail::require_per_axis(record, "size", size, 1, axes);
  return resized(record, size);
}

Value adaptive_avg_pool(Operand x, const Numbers& size, std::size_t axes) {
  Recorder record(calls::adaptive_avg_pool[axes - kPlaneAxes].name, {x}, x.where);
  return record.add<AdaptiveAvgPoolOp>({size}, adapted(record, size, axes));
}

ValuesAndIndices adaptive_max_pool(Operand x, const Numbers& size, std::size_t axes) {
  Recorder record(calls::adaptive_max_pool[axes - kPlaneAxes].name, {x}, x.where);
  return record_maxima<AdaptiveMaxPoolOp>(record, {size}, adapted(record, size, axes));
}

// Of grad, x, which it has the shape of, and, of maxima, their places.
template <class OpType>
Value pool_gradient(Operand grad, std::vector<Value> x_and_places,
                    typename OpType::Attributes attributes) {
  x_and_places.insert(x_and_places.begin(), grad);
  const bool has_places = x_and_places.size() == 3;
  Recorder record(OpType::name_of(attributes), std::move(x_and_places), grad.where);
  record.require_floating(1);
  record.require_same_dtype(0, 1);
  if (has_places) record.require_same_shape(2, 0);
  return record.add<OpType>(std::move(attributes), record.like(1));
}

}  // namespace

ValuesAndIndices max_pool2d_with_indices(Operand x, const PerAxis& kernel,
                                         const MaxPoolOptions& options) {
  return max_pool(x, kernel, options, kPlaneAxes);
}
ValuesAndIndices max_pool3d_with_indices(Operand x, const PerAxis& kernel,
                                         const MaxPoolOptions& options) {
  return max_pool(x, kernel, options, kVolumeAxes);
}
Value max_pool2d(Operand x, const PerAxis& kernel, const MaxPoolOptions& options) {
  return max_pool(x, kernel, options, kPlaneAxes).values;
}
Value max_pool3d(Operand x, const PerAxis& kernel, const MaxPoolOptions& options) {
  return max_pool(x, kernel, options, kVolumeAxes).values;
}

Value avg_pool2d(Operand x, const PerAxis& kernel, const AvgPoolOptions& options) {
  return avg_pool(x, kernel, options, kPlaneAxes);
}
Value avg_pool3d(Operand x, const PerAxis& kernel, const AvgPoolOptions& options) {
  return avg_pool(x, kernel, options, kVolumeAxes);
}
Value avg_pool(Operand x, const AvgPoolAttributes& attributes) {
  return avg_pool(x, attributes, kPlaneAxes + attributes.which());
}

Value adaptive_avg_pool2d(Operand x, const PerAxis& size) {
  return adaptive_avg_pool(x, size.over(kPlaneAxes), kPlaneAxes);
}
Value adaptive_avg_pool3d(Operand x, const PerAxis& size) {
  return adaptive_avg_pool(x, size.over(kVolumeAxes), kVolumeAxes);
}

ValuesAndIndices adaptive_max_pool2d_with_indices(Operand x, const PerAxis& size) {
  return adaptive_max_pool(x, size.over(kPlaneAxes), kPlaneAxes);
}
ValuesAndIndices adaptive_max_pool3d_with_indices(Operand x, const PerAxis& size) {
  return adaptive_max_pool(x, size.over(kVolumeAxes), kVolumeAxes);
}
Value adaptive_max_pool2d(Operand x, const PerAxis& size) {
  return adaptive_max_pool2d_with_indices(x, size).values;
}
Value adaptive_max_pool3d(Operand x, const PerAxis& size) {
  return adaptive_max_pool3d_with_indices(x, size).values;
}

Value max_unpool2d(Operand x, const Value& indices, const PerAxis& size) {
  Recorder record("max_unpool2d", {x, indices}, x.where);
  const Numbers sizes = size.over(kPlaneAxes);
  const TensorSpec result = adapted(record, sizes, kPlaneAxes);
  detail::require_index(record, 1);
  record.require_same_shape(1, 0);
  return record.add<MaxUnpool2dOp>({sizes}, result);
}

Value max_pool_backward(Operand grad, const Value& x, const Value& indices,
                        const MaxPoolAttributes& attributes) {
  return pool_gradient<MaxPoolBackwardOp>(grad, {x, indices}, attributes);
}
Value avg_pool_backward(Operand grad, const Value& x, const AvgPoolAttributes& attributes) {
  return pool_gradient<AvgPoolBackwardOp>(grad, {x}, attributes);
}
Value adaptive_max_pool_backward(Operand grad, const Value& x, const Value& indices,
                                 const AdaptivePoolAttributes& attributes) {
  return pool_gradient<AdaptiveMaxPoolBackwardOp>(grad, {x, indices}, {attributes});
}
Value adaptive_avg_pool_backward(Operand grad, const Value& x,
                                 const AdaptivePoolAttributes& attributes) {
  return pool_gradient<AdaptiveAvgPoolBackwardOp>(grad, {x}, {attributes});
}

std::string MaxPoolAttributes::text() const {
  std::string text = detail::text(named({"kernel", "stride", "padding"}, kernel, stride, padding));
  if (dilation != Numbers(dilation.size(), 1)) text += ", dilation=" + detail::text(dilation);
  return ceil_mode ? text + ", ceil_mode" : text;
}

std::string AvgPoolAttributes::text() const {
  std::string text = detail::text(named({"kernel", "stride", "padding"}, kernel, stride, padding));
  if (ceil_mode) text += ", ceil_mode";
  if (divisor_override != 0) return fmt::format("{}, divisor_override={}", text, divisor_override);
  return count_include_pad ? text + ", count_include_pad" : text;
}

namespace calls {

const Declaration<MaxPoolAttributes> max_pool[] = {
    {"max_pool2d", ACLGRAD_C(aclnnMaxPool2dWithIndices), separate},
    {"max_pool3d", ACLGRAD_C(aclnnMaxPool3dWithArgmax), separate}};
const Declaration<MaxPoolAttributes> max_pool_backward[] = {
    {"max_pool2d_backward", ACLGRAD_C(aclnnMaxPool2dWithIndicesBackward), separate},
    {"max_pool3d_backward", ACLGRAD_C(aclnnMaxPool3dWithArgmaxBackward), separate}};
// Those of volumes are without cubeMathType.
const Declaration<AvgPoolAttributes> avg_pool[] = {
    {"avg_pool2d", ACLGRAD_C(aclnnAvgPool2d), separate},
    {"avg_pool3d", ACLGRAD_C(aclnnAvgPool3d), separate,
     [](const auto& a, AclnnCall& call, auto... end) {
       return aclnnAvgPool3dGetWorkspaceSize(call.input(0), call.int_array(a.kernel),
                                             call.int_array(a.stride), call.int_array(a.padding),
                                             a.ceil_mode, a.count_include_pad, a.divisor_override,
                                             call.output(0), end...);
     }}};
const Declaration<AvgPoolAttributes> avg_pool_backward[] = {
    {"avg_pool2d_backward", ACLGRAD_C(aclnnAvgPool2dBackward), separate},
    {"avg_pool3d_backward", ACLGRAD_C(aclnnAvgPool3dBackward), separate,
     [](const auto& a, AclnnCall& call, auto... end) {
       return aclnnAvgPool3dBackwardGetWorkspaceSize(
           call.input(0), call.input(1), call.int_array(a.kernel), call.int_array(a.stride),
           call.int_array(a.padding), a.ceil_mode, a.count_include_pad, a.divisor_override,
           call.output(0), end...);
     }}};
const Declaration<AdaptivePoolAttributes> adaptive_avg_pool[] = {
    {"adaptive_avg_pool2d", ACLGRAD_C(aclnnAdaptiveAvgPool2d), separate},
    {"adaptive_avg_pool3d", ACLGRAD_C(aclnnAdaptiveAvgPool3d), separate}};
const Declaration<AdaptivePoolBackwardAttributes> adaptive_avg_pool_backward[] = {
    {"adaptive_avg_pool2d_backward", ACLGRAD_C(aclnnAdaptiveAvgPool2dBackward), separate},
    {"adaptive_avg_pool3d_backward", ACLGRAD_C(aclnnAdaptiveAvgPool3dBackward), separate}};
const Declaration<AdaptivePoolAttributes> adaptive_max_pool[] = {
    {"adaptive_max_pool2d", ACLGRAD_C(aclnnAdaptiveMaxPool2d), separate},
    {"adaptive_max_pool3d", ACLGRAD_C(aclnnAdaptiveMaxPool3d), separate}};
const Declaration<AdaptivePoolBackwardAttributes> adaptive_max_pool_backward[] = {
    {"adaptive_max_pool2d_backward", ACLGRAD_C(aclnnAdaptiveMaxPool2dBackward), separate},
    {"adaptive_max_pool3d_backward", ACLGRAD_C(aclnnAdaptiveMaxPool3dBackward), separate}};
const Declaration<AdaptivePoolAttributes> max_unpool2d = {"max_unpool2d",
                                                          ACLGRAD_C(aclnnMaxUnpool2d), separate};

}  // namespace calls
}  // namespace aclgrad
