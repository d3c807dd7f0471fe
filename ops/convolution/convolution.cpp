// SPDX-License-Identifier: Apache-2.0
// aclnnConvolution.
#include "aclnnop/aclnn_convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "ops/convolution/convolution_rules.h"
#include "ops/convolution/window_rules.h"
#include "ops/engine/staging.h"
#include "ops/matmul/product_rules.h"

namespace aclgrad::ops::convolution {
namespace {

enum : size_t {
  kInput,
  kWeight,
  kBias,
  kStride,
  kPadding,
  kDilation,
  kTransposed,
  kOutputPadding,
  kGroups,
  kOutput,
  kCubeMathType
};
constexpr int64_t kUseFloat16 = 2;

constexpr ConvolutionParameters kParameters{
    kInput, kWeight, kStride, kPadding, kDilation, kTransposed, kOutputPadding, kGroups, kOutput};

Rule if_transposed(Rule rule) {
  return when([](const Arguments& arguments) { return arguments.flag(kTransposed); },
              std::move(rule));
}

Rule bias_is_plain_vector() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const aclFormat format = arguments.tensor(kBias).format;
    if (format == ACL_FORMAT_ND || format == ACL_FORMAT_NCL || format == ACL_FORMAT_NCHW ||
        format == ACL_FORMAT_NCDHW) {
      return std::nullopt;
    }
    return fmt::format(
        "tensor {} must have the format ND, NCL, NCHW or NCDHW, but its format is {}.",
        arguments.name(kBias), static_cast<int>(format));
  });
}

Rule has_kernel() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    for (const size_t tensor : {kInput, kWeight, kOutput}) {
      const Dims& shape = arguments.shape(tensor);
      const int64_t least = tensor == kWeight ? 1 : 0;
      const bool fits =
          std::all_of(shape.begin(), shape.begin() + 2, [](auto n) { return n >= 0; }) &&
          std::all_of(shape.begin() + 2, shape.end(), [=](auto n) { return n >= least; });
      if (fits) continue;
      return fmt::format(
          "tensor {} must have sizes of at least 0, a kernel of at least 1, but is {}.",
          arguments.name(tensor), to_string(shape));
    }
    return std::nullopt;
  });
}

Rule output_padding_is_small() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& extra = arguments.int_array(kOutputPadding);
    for (size_t axis = 0; axis < extra.size(); ++axis) {
      const int64_t stride = arguments.int_array(kStride)[axis];
      const int64_t dilation = arguments.int_array(kDilation)[axis];
      if (extra[axis] >= 0 && extra[axis] < std::max(stride, dilation)) continue;
      return fmt::format("{} must be at least 0 and less than {} {} or {} {}, but is {}.",
                         arguments.name(kOutputPadding), arguments.name(kStride), stride,
                         arguments.name(kDilation), dilation, extra[axis]);
    }
    return std::nullopt;
  });
}

Rule nothing_makes_nothing() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (!is_empty_convolution(arguments, kParameters) || arguments.empty(kOutput)) {
      return std::nullopt;
    }
    return fmt::format("tensor {} {} must not be empty where {} {} has elements.",
                       arguments.name(arguments.empty(kInput) ? kInput : kWeight),
                       to_string(arguments.shape(arguments.empty(kInput) ? kInput : kWeight)),
                       arguments.name(kOutput), to_string(arguments.shape(kOutput)));
  });
}

Rules rules() {
  return {not_null({kInput, kWeight, kStride, kPadding, kDilation, kOutput}),
          if_transposed(not_null({kOutputPadding})),
          live_if_given({kBias, kOutputPadding}),
          dtype_in({kBias, kInput, kWeight, kOutput}, kFloats),
          convolution_ranks(kParameters),
          if_given(kBias, rank_is(kBias, 1)),
          convolution_array_sizes(kParameters),
          has_image_format(kInput),
          has_image_format(kWeight),
          has_image_format(kOutput),
          if_given(kBias, bias_is_plain_vector()),
          has_kernel(),
          convolution_values(kParameters),
          convolution_window_fits(kParameters),
          convolution_groups(kParameters),
          convolution_channels(kParameters),
          if_transposed(output_padding_is_small()),
          convolution_groups_divide(kParameters),
          if_given(kBias, has_output_channels(kBias, kParameters)),
          convolution_result_shape(kParameters),
          nothing_makes_nothing(),
          cube_math_type_known(kCubeMathType),
          cube_math_type_fits(kCubeMathType, kInput, kWeight)};
}

const OperatorSpec kSpec{
    "aclnnConvolution",
    {input("input"), input("weight"), input("bias"), attribute("stride"), attribute("padding"),
     attribute("dilation"), attribute("transposed"), attribute("outputPadding"),
     attribute("groups"), output("output"), attribute("cubeMathType")},
    rules()};

struct Work {
  ConvolutionShape shape;
  bool transposed;
  Staging staging;
  size_t input, weight, packed, output;
  std::optional<size_t> bias;

  template <class T>
  void run(const Run& run) const {
    const T* const x = staging.data<T>(run, input);
    const T* const w = staging.data<T>(run, weight);
    const T* const b = staging.data<T>(run, bias);
    T* const y = staging.data<T>(run, output);
    T* const memory = staging.data<T>(run, packed);
    if (transposed) {
      convolve_adjoint(shape, x, w, b, memory, y);
    } else {
      convolve(shape, x, w, b, memory, y);
    }
  }
};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kOutput)) return {};
  const ConvolutionShape shape = convolution_shape(arguments, kParameters);
  const aclDataType dtype =
      convolution_dtype(arguments, shape, {kInput, kWeight}, {kBias, kOutput});
  const bool rounds = arguments.integer(kCubeMathType) == kUseFloat16 && dtype == ACL_FLOAT;
  Work work{shape, arguments.flag(kTransposed), Staging(dtype), 0, 0, 0, 0, std::nullopt};
  work.input = work.staging.input(arguments, kInput, rounds);
  work.weight = work.staging.input(arguments, kWeight, rounds);
  if (arguments.given(kBias)) work.bias = work.staging.input(arguments, kBias);
  const auto packed = [&]<class T>(TypeTag<T>) { return packed_weights<T>(shape); };
  work.packed = work.staging.scratch(visit_compute_type(dtype, packed), dtype);
  work.output = work.staging.output(arguments, kOutput);
  return staged_plan(std::move(work), dtype);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnConvolution, kSpec, plan)

}  // namespace aclgrad::ops::convolution
