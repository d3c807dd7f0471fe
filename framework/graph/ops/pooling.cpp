// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ops/pooling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "aclgrad/format.h"
#include "aclgrad/record.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_avgpool2d.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "graph/ops/record_helpers.h"

namespace aclgrad {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kPlaneAxes = 2;

std::string list_text(const Numbers& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

// Of input 0.
void check_image(const Recorder& record) {
  record.require_floating(0);
  const Shape& shape = record.input(0).shape();
  if (shape.rank() == 3 || shape.rank() == 4) return;
  record.shape_error(fmt::format("{} must be [C, H, W] or [N, C, H, W], got {}",
                                 record.input(0).description(), shape));
}

// Places made of these fit 64 bits.
constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;

void check_numbers(const Recorder& record, const char* name, const Numbers& numbers,
                   std::int64_t least) {
  bool fits = numbers.size() == kPlaneAxes;
  for (const std::int64_t number : numbers) fits = fits && number >= least && number <= kMost;
  if (fits) return;
  record.value_error(
      fmt::format("{} must be one or two numbers of at least {} and below 2^31, got {}", name,
                  least, list_text(numbers)));
}

// Input 0 with the last two sizes.
TensorSpec resized(const Recorder& record, std::int64_t height, std::int64_t width) {
  Numbers dims = record.input(0).shape().dims();
  dims[dims.size() - 2] = height;
  dims.back() = width;
  return {Shape(std::move(dims)), record.input(0).dtype()};
}

// A size for each window.
TensorSpec pooled(const Recorder& record, const Numbers& kernel, const Numbers& stride,
                  const Numbers& padding, bool ceil_mode) {
  check_image(record);
  check_numbers(record, "kernel", kernel, 1);
  check_numbers(record, "stride", stride, 1);
  check_numbers(record, "padding", padding, 0);
  const Shape& shape = record.input(0).shape();
  std::int64_t sizes[kPlaneAxes];
  for (std::size_t axis = 0; axis < kPlaneAxes; ++axis) {
    const std::int64_t in = shape.dims()[shape.rank() - kPlaneAxes + axis];
    const std::int64_t rounding = ceil_mode ? stride[axis] - 1 : 0;
    const std::int64_t room = in + 2 * padding[axis] - kernel[axis] + rounding;
    if (room < 0 || 2 * padding[axis] > kernel[axis]) {
      record.shape_error(fmt::format("a kernel {} with padding {} does not fit {}",
                                     list_text(kernel), list_text(padding), shape));
    }
    sizes[axis] = room / stride[axis] + 1;
    if (ceil_mode && (sizes[axis] - 1) * stride[axis] >= in + padding[axis]) --sizes[axis];
  }
  return resized(record, sizes[0], sizes[1]);
}

Numbers stride_of(const PerAxis& stride, const PerAxis& kernel) {
  return (stride.values.empty() ? kernel : stride).over(kPlaneAxes);
}

// Inputs grad and x.
void check_gradient(const Recorder& record) {
  record.require_floating(1);
  record.require_same_dtype(0, 1);
}

}  // namespace

Value max_pool2d(Operand x, const PerAxis& kernel, const MaxPoolOptions& options) {
  Recorder record("max_pool2d", {x}, x.where);
  const MaxPoolAttributes attributes{kernel.over(kPlaneAxes), stride_of(options.stride, kernel),
                                     options.padding.over(kPlaneAxes), Numbers(kPlaneAxes, 1),
                                     options.ceil_mode};
  const TensorSpec result = pooled(record, attributes.kernel, attributes.stride, attributes.padding,
                                   attributes.ceil_mode);
  return record.add<MaxPool2dOp>(attributes, {result, {result.shape, DType::int32}}).front();
}

Value avg_pool2d(Operand x, const PerAxis& kernel, const AvgPoolOptions& options) {
  return avg_pool2d(x, {kernel.over(kPlaneAxes), stride_of(options.stride, kernel),
                        options.padding.over(kPlaneAxes), options.ceil_mode,
                        options.count_include_pad, options.divisor_override});
}

Value avg_pool2d(Operand x, const AvgPoolAttributes& attributes) {
  Recorder record("avg_pool2d", {x}, x.where);
  return record.add<AvgPool2dOp>(attributes, pooled(record, attributes.kernel, attributes.stride,
                                                    attributes.padding, attributes.ceil_mode));
}

Value adaptive_avg_pool2d(Operand x, const PerAxis& size) {
  Recorder record("adaptive_avg_pool2d", {x}, x.where);
  check_image(record);
  const Numbers sizes = size.over(kPlaneAxes);
  check_numbers(record, "size", sizes, 1);
  return record.add<AdaptiveAvgPool2dOp>({}, resized(record, sizes[0], sizes[1]));
}

Value max_pool2d_backward(Operand grad, const Value& x, const Value& indices,
                          const MaxPoolAttributes& attributes) {
  Recorder record("max_pool2d_backward", {grad, x, indices}, grad.where);
  check_gradient(record);
  record.require_same_shape(2, 0);
  return record.add<MaxPool2dBackwardOp>(attributes, record.like(1));
}

Value avg_pool2d_backward(Operand grad, const Value& x, const AvgPoolAttributes& attributes) {
  Recorder record("avg_pool2d_backward", {grad, x}, grad.where);
  check_gradient(record);
  return record.add<AvgPool2dBackwardOp>(attributes, record.like(1));
}

Value adaptive_avg_pool2d_backward(Operand grad, const Value& x) {
  Recorder record("adaptive_avg_pool2d_backward", {grad, x}, grad.where);
  check_gradient(record);
  return record.add<AdaptiveAvgPool2dBackwardOp>({}, record.like(1));
}

std::string MaxPoolAttributes::text() const {
  return fmt::format("kernel={}, stride={}, padding={}{}", list_text(kernel), list_text(stride),
                     list_text(padding), ceil_mode ? ", ceil_mode" : "");
}

std::string AvgPoolAttributes::text() const {
  std::string text =
      fmt::format("kernel={}, stride={}, padding={}{}", list_text(kernel), list_text(stride),
                  list_text(padding), ceil_mode ? ", ceil_mode" : "");
  if (divisor_override != 0) return fmt::format("{}, divisor_override={}", text, divisor_override);
  return text + (count_include_pad ? ", count_include_pad" : "");
}

namespace calls {

const Declaration<MaxPoolAttributes> max_pool2d = {"max_pool2d",
                                                   ACLGRAD_C(aclnnMaxPool2dWithIndices), separate};
const Declaration<MaxPoolAttributes> max_pool2d_backward = {
    "max_pool2d_backward", ACLGRAD_C(aclnnMaxPool2dWithIndicesBackward), separate};
const Declaration<AvgPoolAttributes> avg_pool2d = {"avg_pool2d", ACLGRAD_C(aclnnAvgPool2d),
                                                   separate};
const Declaration<AvgPoolAttributes> avg_pool2d_backward = {
    "avg_pool2d_backward", ACLGRAD_C(aclnnAvgPool2dBackward), separate};
const Declaration<> adaptive_avg_pool2d = {
    "adaptive_avg_pool2d", ACLGRAD_C(aclnnAdaptiveAvgPool2d), separate,
    [](const auto&, AclnnCall& call, auto... end) {
      const Shape& shape = call.output_spec(0).shape;
      return aclnnAdaptiveAvgPool2dGetWorkspaceSize(
          call.input(0), call.int_array(std::span(shape.dims()).last(kPlaneAxes)), call.output(0),
          end...);
    }};
const Declaration<> adaptive_avg_pool2d_backward = {
    "adaptive_avg_pool2d_backward", ACLGRAD_C(aclnnAdaptiveAvgPool2dBackward), separate};

}  // namespace calls
}  // namespace aclgrad
