// SPDX-License-Identifier: Apache-2.0
// aclnnLayerNorm, aclnnLayerNormBackward.
#include "ops/normalization/layer_norm_kernel.h"

#include <fmt/ranges.h>

#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/output_mask.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::layer_norm {
namespace {

// ---- Checks of both directions ------------------------------------------------------------------

Dims normalized_shape(const Arguments& arguments, size_t array) {
  const std::vector<int64_t>& sizes = arguments.int_array(array);
  return {sizes.data(), sizes.size()};
}

// The last sizes of the input.
Rule is_end_of(size_t array, size_t input) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t count = arguments.int_array(array).size();
    const Dims& shape = arguments.shape(input);
    if (count >= 1 && count <= kMaxRank && count <= shape.size()) {
      const Dims end(shape.data() + shape.size() - count, count);
      if (end == normalized_shape(arguments, array)) return std::nullopt;
    }
    return fmt::format("{} must be 1 to 8 sizes, the last of tensor {} {}, but is [{}].",
                       arguments.name(array), arguments.name(input), to_string(shape),
                       fmt::join(arguments.int_array(array), ", "));
  });
}

// FLOAT, or that of the input.
Rule is_parameter_of(size_t tensor, size_t input) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.given(tensor)) return std::nullopt;
    const aclDataType dtype = arguments.dtype(tensor);
    if (dtype == ACL_FLOAT || dtype == arguments.dtype(input)) return std::nullopt;
    return fmt::format("tensor {} must be DT_FLOAT or of {}'s dtype {}, but is {}.",
                       arguments.name(tensor), arguments.name(input),
                       dtype_name(arguments.dtype(input)), dtype_name(dtype));
  });
}

Rule has_normalized_shape(size_t tensor, size_t array) {
  return [=](const Arguments& arguments) {
    return has_shape(tensor, normalized_shape(arguments, array))(arguments);
  };
}

// Rows of the input (the product of the first dimensions), or the elements of one.
std::function<int64_t(const Arguments&)> size_of(size_t input, size_t array, bool rows) {
  return [=](const Arguments& arguments) {
    const Dims& shape = arguments.shape(input);
    const size_t cut = shape.size() - arguments.int_array(array).size();
    return count_elements(rows ? Dims(shape.data(), cut)
                               : Dims(shape.data() + cut, shape.size() - cut));
  };
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kInput, kNormalizedShape, kWeight, kBias, kEps, kOut, kMean, kRstd };

Rules rules() {
  const auto of_rows = size_of(kInput, kNormalizedShape, true);
  return {not_null({kInput, kNormalizedShape, kOut}),
          live_if_given({kWeight, kBias, kMean, kRstd}),
          dtype_in(kInput, kFloats),
          is_parameter_of(kWeight, kInput),
          is_parameter_of(kBias, kInput),
          if_given(kWeight, same_dtype(kBias, kWeight)),
          dtype_in({kOut, kMean, kRstd}, kFloats),
          max_rank({kInput, kWeight, kBias, kOut, kMean, kRstd}),
          is_end_of(kNormalizedShape, kInput),
          has_normalized_shape(kWeight, kNormalizedShape),
          has_normalized_shape(kBias, kNormalizedShape),
          same_shape(kOut, kInput),
          has_elements(kMean, of_rows),
          has_elements(kRstd, of_rows)};
}

const OperatorSpec kSpec{
    "aclnnLayerNorm",
    {input("input"), attribute("normalizedShape"), input("weightOptional"), input("biasOptional"),
     attribute("eps"), output("out"), output("meanOutOptional"), output("rstdOutOptional")},
    rules()};

Plan plan(const Arguments& arguments) {
  const auto given = [&](size_t tensor) {
    return arguments.given(tensor) ? std::optional(tensor) : std::nullopt;
  };
  return plan_layer_norm(arguments,
                         {.input = kInput,
                          .normalized = arguments.int_array(kNormalizedShape).size(),
                          .weight = given(kWeight),
                          .bias = given(kBias),
                          .mean = given(kMean),
                          .rstd = given(kRstd)},
                         arguments.real(kEps), kOut);
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t {
  kGradOut,
  kInput,
  kNormalizedShape,
  kMean,
  kRstd,
  kWeight,
  kBias,
  kOutputMask,
  kGradInput,
  kGradWeight,
  kGradBias
};

// About gradInput and the two outputs behind it.
constexpr OutputMask kMask{kOutputMask, kGradInput};

Rules rules() {
  const std::vector<size_t> outputs{kGradInput, kGradWeight, kGradBias};
  const auto of_rows = size_of(kInput, kNormalizedShape, true);
  const auto of_a_row = size_of(kInput, kNormalizedShape, false);
  return {not_null({kGradOut, kInput, kNormalizedShape, kMean, kRstd, kOutputMask}),
          live_if_given({kWeight, kBias, kGradInput, kGradWeight, kGradBias}),
          kMask.has_three_values(),
          kMask.if_wanted(outputs, [](size_t output) { return not_null({output}); }),
          dtype_in({kGradOut, kInput}, kFloats),
          same_dtype(kGradOut, kInput),
          dtype_in({kMean, kRstd}, kFloats),
          is_parameter_of(kWeight, kInput),
          is_parameter_of(kBias, kInput),
          kMask.if_wanted(outputs, [](size_t output) { return dtype_in(output, kFloats); }),
          max_rank({kGradOut, kInput, kMean, kRstd, kWeight, kBias}),
          kMask.if_wanted(outputs, [](size_t output) { return max_rank(output); }),
          is_end_of(kNormalizedShape, kInput),
          same_shape(kGradOut, kInput),
          has_elements(kMean, of_rows),
          has_elements(kRstd, of_rows),
          has_normalized_shape(kWeight, kNormalizedShape),
          has_normalized_shape(kBias, kNormalizedShape),
          kMask.if_wanted(kGradInput, same_shape(kGradInput, kInput)),
          kMask.if_wanted({kGradWeight, kGradBias},
                          [&](size_t output) { return has_elements(output, of_a_row); })};
}

const OperatorSpec kSpec{
    "aclnnLayerNormBackward",
    {input("gradOut"), input("input"), attribute("normalizedShape"), input("mean"), input("rstd"),
     input("weightOptional"), input("biasOptional"), attribute("outputMask"),
     output("gradInputOut"), output("gradWeightOut"), output("gradBiasOut")},
    rules()};

Plan plan(const Arguments& arguments) {
  return plan_layer_norm_backward(
      arguments,
      {.input = kInput,
       .normalized = arguments.int_array(kNormalizedShape).size(),
       .weight = arguments.given(kWeight) ? std::optional(kWeight) : std::nullopt,
       .bias = std::nullopt,
       .mean = kMean,
       .rstd = kRstd},
      kGradOut,
      {.input = kMask.wanted(arguments, kGradInput),
       .weight = kMask.wanted(arguments, kGradWeight),
       .bias = kMask.wanted(arguments, kGradBias)});
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnLayerNorm, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnLayerNormBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::layer_norm
