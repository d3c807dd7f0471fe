// SPDX-License-Identifier: Apache-2.0
// aclnnConvolutionBackward.
#include "aclnnop/aclnn_convolution_backward.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ops/convolution/convolution_rules.h"
#include "ops/convolution/window_rules.h"
#include "ops/engine/staging.h"
#include "ops/matmul/product_rules.h"
#include "ops/meta/output_mask.h"

namespace aclgrad::ops::convolution_backward {
namespace {

enum : size_t {
  kGradOutput,
  kInput,
  kWeight,
  kBiasSizes,
  kStride,
  kPadding,
  kDilation,
  kTransposed,
  kOutputPadding,
  kGroups,
  kOutputMask,
  kCubeMathType,
  kGradInput,
  kGradWeight,
  kGradBias
};
constexpr int64_t kUseFloat16 = 2;
constexpr int64_t kLastCubeMathType = 3;

constexpr ConvolutionParameters kParameters{kInput,         kWeight,   kStride,
                                            kPadding,       kDilation, kTransposed,
                                            kOutputPadding, kGroups,   kGradOutput};

constexpr OutputMask kMask{kOutputMask, kGradInput};

// Of a transposed convolution at least 0 and, in three dimensions, less than the stride; else 0.
Rule output_padding_fits() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& extra = arguments.int_array(kOutputPadding);
    const std::vector<int64_t>& stride = arguments.int_array(kStride);
    for (size_t axis = 0; axis < extra.size(); ++axis) {
      int64_t most = arguments.flag(kTransposed) ? kMaxWindow : 0;
      if (most > 0 && extra.size() == 3 && axis < stride.size()) most = stride[axis] - 1;
      if (extra[axis] >= 0 && extra[axis] <= most) continue;
      return fmt::format("every value of {} must be within [0, {}], but it is [{}].",
                         arguments.name(kOutputPadding), most, fmt::join(extra, ", "));
    }
    return std::nullopt;
  });
}

// Applies a rule only where input and weight have elements.
Rule if_not_empty(Rule rule) {
  return when(
      [](const Arguments& arguments) { return !is_empty_convolution(arguments, kParameters); },
      std::move(rule));
}

Rule bias_sizes_are_channels() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const std::vector<int64_t>& sizes = arguments.int_array(kBiasSizes);
    const int64_t channels = output_channels(arguments, kParameters);
    if (sizes == std::vector{channels}) return std::nullopt;
    return fmt::format("{} must be [{}], the output channels, but is [{}].",
                       arguments.name(kBiasSizes), channels, fmt::join(sizes, ", "));
  });
}

Rule has_sizes() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    for (const size_t tensor : {kInput, kWeight}) {
      const Dims& shape = arguments.shape(tensor);
      if (std::all_of(shape.begin(), shape.end(), [](auto n) { return n >= 0; })) continue;
      return fmt::format("tensor {} must have sizes of at least 0, but is {}.",
                         arguments.name(tensor), to_string(shape));
    }
    return std::nullopt;
  });
}

Rule bias_sizes_given() {
  return when(
      [](const Arguments& arguments) {
        return is_empty_convolution(arguments, kParameters) && kMask.wants(arguments, kGradBias);
      },
      not_null({kBiasSizes}));
}

// An empty input has no images or no channels where its gradient is wanted.
Rule empty_input_has_no_gradient() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(kInput);
    if (!is_empty_convolution(arguments, kParameters) || !kMask.wants(arguments, kGradInput) ||
        shape[0] == 0 || shape[1] == 0) {
      return std::nullopt;
    }
    return fmt::format(
        "tensor {} must have no images or channels where it or {} is empty, but is {}.",
        arguments.name(kInput), arguments.name(kWeight), to_string(shape));
  });
}

Rules rules() {
  return {not_null({kGradOutput, kInput, kWeight, kStride, kPadding, kDilation, kOutputPadding,
                    kOutputMask}),
          live_if_given({kBiasSizes, kGradInput, kGradWeight, kGradBias}),
          kMask.has_three_values(kNullPointer),
          kMask.if_wanted({kGradInput, kGradWeight, kGradBias},
                          [](size_t output) { return not_null({output}); }),
          dtype_in({kGradOutput, kInput, kWeight, kGradInput, kGradWeight, kGradBias}, kFloats),
          has_image_format(kGradOutput, true),
          has_image_format(kInput, true),
          has_image_format(kWeight, true),
          if_given(kGradInput, has_image_format(kGradInput, true)),
          if_given(kGradWeight, has_image_format(kGradWeight, true)),
          no_private_format(kGradBias),
          convolution_values(kParameters),
          output_padding_fits(),
          convolution_groups(kParameters),
          integer_between(kCubeMathType, 0, kLastCubeMathType),
          cube_math_type_fits(kCubeMathType, kInput, kWeight),
          bias_sizes_given(),
          convolution_ranks(kParameters),
          has_sizes(),
          convolution_array_sizes(kParameters),
          same_shape(kGradInput, kInput),
          same_shape(kGradWeight, kWeight),
          if_not_empty(convolution_channels(kParameters)),
          convolution_groups_divide(kParameters),
          convolution_window_fits(kParameters),
          if_given(kBiasSizes, bias_sizes_are_channels()),
          if_given(kGradBias, has_output_channels(kGradBias, kParameters)),
          empty_input_has_no_gradient(),
          if_not_empty(convolution_result_shape(kParameters))};
}

const OperatorSpec kSpec{
    "aclnnConvolutionBackward",
    {input("gradOutput"), input("input"), input("weight"), attribute("biasSizes"),
     attribute("stride"), attribute("padding"), attribute("dilation"), attribute("transposed"),
     attribute("outputPadding"), attribute("groups"), attribute("outputMask"),
     attribute("cubeMathType"), output("gradInput"), output("gradWeight"), output("gradBias")},
    rules()};

struct Work {
  ConvolutionShape shape;
  bool transposed;
  Staging staging;
  size_t gradient = 0;
  // Those that a gradient needs, and those that are wanted.
  std::optional<size_t> input = {}, weight = {};
  std::optional<size_t> grad_input = {}, grad_weight = {}, grad_bias = {}, packed = {}, sums = {};

  template <class T>
  void run(const Run& run) const {
    const auto given = [&](std::optional<size_t> array) { return staging.data<T>(run, array); };
    const T* const g = given(gradient);
    const T* const x = given(input);
    const T* const w = given(weight);
    T* const dx = given(grad_input);
    T* const dw = given(grad_weight);
    // A transposed convolution is the adjoint of another one, whose adjoint is that one itself.
    const T* const none = nullptr;
    if (dx != nullptr && transposed) convolve(shape, g, w, none, given(packed), dx);
    if (dx != nullptr && !transposed) convolve_adjoint(shape, g, w, none, given(packed), dx);
    if (dw != nullptr) {
      convolve_weight_gradient(shape, transposed ? g : x, transposed ? x : g,
                               staging.data<double>(run, sums), dw);
    }
    if (grad_bias) {
      const int64_t channels = transposed ? shape.in_channels : shape.out_channels;
      const int64_t places = transposed ? shape.pixels() : shape.places();
      sum_channels(shape.images, channels, places, g, given(grad_bias));
    }
  }
};

// Zeros for the weight and the bias.
Plan plan_empty(const Arguments& arguments) {
  Staging staging(ACL_FLOAT);
  std::vector<std::pair<size_t, int64_t>> zeros;
  for (const size_t output : {kGradWeight, kGradBias}) {
    if (!kMask.wants(arguments, output)) continue;
    zeros.emplace_back(staging.output(arguments, output), count_elements(arguments.shape(output)));
  }
  const uint64_t workspace = staging.workspace_size();
  const auto all = std::make_shared<const Staging>(std::move(staging));
  return {[all, zeros](const Run& run) -> aclError {
            for (const auto& [array, count] : zeros) {
              std::fill_n(all->data<float>(run, array), count, 0.0f);
            }
            all->store(run);
            return ACL_SUCCESS;
          },
          workspace};
}

Plan plan(const Arguments& arguments) {
  if (is_empty_convolution(arguments, kParameters)) return plan_empty(arguments);
  const ConvolutionShape shape = convolution_shape(arguments, kParameters);
  const aclDataType dtype = convolution_dtype(arguments, shape, {kGradOutput, kInput, kWeight},
                                              {kGradInput, kGradWeight, kGradBias});
  const bool rounds = arguments.integer(kCubeMathType) == kUseFloat16 && dtype == ACL_FLOAT;
  Work work{shape, arguments.flag(kTransposed), Staging(dtype)};
  Staging& staging = work.staging;
  const bool wants_input = kMask.wants(arguments, kGradInput);
  const bool wants_weight = kMask.wants(arguments, kGradWeight);
  work.gradient = staging.input(arguments, kGradOutput, rounds);
  if (wants_weight) work.input = staging.input(arguments, kInput, rounds);
  if (wants_input) work.weight = staging.input(arguments, kWeight, rounds);
  if (wants_input) {
    work.grad_input = staging.output(arguments, kGradInput);
    const auto packed = [&]<class T>(TypeTag<T>) { return packed_weights<T>(shape); };
    work.packed = staging.scratch(visit_compute_type(dtype, packed), dtype);
  }
  if (wants_weight) {
    work.grad_weight = staging.output(arguments, kGradWeight);
    const auto sums = [&]<class T>(TypeTag<T>) { return weight_sums<T>(shape); };
    work.sums = staging.scratch(visit_compute_type(dtype, sums), ACL_DOUBLE);
  }
  if (kMask.wants(arguments, kGradBias)) work.grad_bias = staging.output(arguments, kGradBias);
  return staged_plan(std::move(work), dtype);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnConvolutionBackward, kSpec, plan)

}  // namespace aclgrad::ops::convolution_backward
