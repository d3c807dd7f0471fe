// SPDX-License-Identifier: Apache-2.0
// aclnnGeGlu, aclnnGeGluV3, aclnnGeGluBackward, aclnnGeGluV3Backward. The plain versions are V3
// with activateLeft = false.
#include "ops/activation/geglu_kernel.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/meta/rules.h"

namespace aclgrad::ops::geglu {
namespace {

// ---- What both directions share -----------------------------------------------------------------

// A 0-d tensor counts as having one dimension of size 0 here; so does a missing dimension.
int64_t size_along(const Dims& shape, size_t axis) { return axis < shape.size() ? shape[axis] : 0; }

size_t rank_or_one(const Dims& shape) { return std::max<size_t>(shape.size(), 1); }

Rule approximate_rule(size_t approximate) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const int64_t value = arguments.integer(approximate);
    const bool tanh_only = current_soc() == Soc::kAscend310P;
    if (value == 1 || (value == 0 && !tanh_only)) return std::nullopt;
    return fmt::format("approximate must be {}, but is {}.",
                       tanh_only ? "1 (tanh) on Ascend310P" : "0 or 1", value);
  });
}

// The axis of `self` that the attribute `dim` names.
size_t split_axis(const Arguments& arguments, size_t self, size_t dim) {
  return normalize_axis(arguments.integer(dim), arguments.shape(self).size());
}

Rule same_rank(size_t tensor, size_t self) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = rank_or_one(arguments.shape(self));
    if (arguments.shape(tensor).size() == rank) return std::nullopt;
    return fmt::format("tensor {} must have {} dimensions as self has, but is {}.",
                       arguments.name(tensor), rank, to_string(arguments.shape(tensor)));
  });
}

GeluForm form_of(const Arguments& arguments, size_t approximate) {
  return arguments.integer(approximate) == 0 ? GeluForm::kErf : GeluForm::kTanh;
}

// The two halves of a tensor along an axis, as operands over the shape of one half.
struct GateHalves {
  Operand left;
  Operand right;
};

GateHalves split_gate(const Arguments& arguments, size_t tensor, size_t axis) {
  const aclDataType dtype = arguments.dtype(tensor);
  const Dims& strides = arguments.strides(tensor);
  const int64_t second = size_along(arguments.shape(tensor), axis) / 2 * size_along(strides, axis);
  return {{tensor, dtype, strides, 0, dtype}, {tensor, dtype, strides, second, dtype}};
}

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kSelf, kDim, kApproximate, kOut, kOutGelu };
enum : size_t { kActivateLeft = 3, kOutOfV3, kOutGeluOfV3 };

struct Outputs {
  size_t out, out_gelu;
};
constexpr Outputs kOutputs{kOut, kOutGelu};
constexpr Outputs kV3Outputs{kOutOfV3, kOutGeluOfV3};

size_t axis_of_self(const Arguments& arguments) { return split_axis(arguments, kSelf, kDim); }

std::optional<std::string> odd_split_complaint(const Arguments& arguments) {
  const Dims& shape = arguments.shape(kSelf);
  const size_t axis = axis_of_self(arguments);
  if (size_along(shape, axis) % 2 == 0) return std::nullopt;
  return fmt::format("tensor self must have an even size along dimension {}, but is {}.", axis,
                     to_string(shape));
}

Rule half_of_self(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t axis = axis_of_self(arguments);
    const int64_t half = size_along(arguments.shape(kSelf), axis) / 2;
    if (size_along(arguments.shape(tensor), axis) == half) return std::nullopt;
    return fmt::format("tensor {} must have size {} along dimension {}, half of self's, but is {}.",
                       arguments.name(tensor), half, axis, to_string(arguments.shape(tensor)));
  });
}

Rule other_sizes_of_self(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& self = arguments.shape(kSelf);
    const Dims& shape = arguments.shape(tensor);
    for (size_t d = 0; d < self.size(); ++d) {
      if (d == axis_of_self(arguments) || shape[d] == self[d]) continue;
      return fmt::format(
          "tensor {} must have self's size but along the split dimension; self is "
          "{} and {} is {}.",
          arguments.name(tensor), to_string(self), arguments.name(tensor), to_string(shape));
    }
    return std::nullopt;
  });
}

// The outputs' dtypes are compared only for a self that has values.
bool self_has_values(const Arguments& arguments) {
  return !arguments.empty(kSelf) && !arguments.shape(kSelf).empty();
}

std::vector<Rule> rules(const Outputs& at) {
  return {not_null({kSelf, at.out, at.out_gelu}),
          dtype_in(kSelf, kFloats),
          dtype_in(at.out, kFloats),
          dtype_in(at.out_gelu, kFloats),
          when(self_has_values, same_dtype(at.out, kSelf)),
          when(self_has_values, same_dtype(at.out_gelu, kSelf)),
          max_rank(kSelf),
          max_rank(at.out),
          max_rank(at.out_gelu),
          axis_of(kDim, kSelf),
          require(odd_split_complaint),
          half_of_self(at.out),
          half_of_self(at.out_gelu),
          same_rank(at.out, kSelf),
          same_rank(at.out_gelu, kSelf),
          other_sizes_of_self(at.out),
          other_sizes_of_self(at.out_gelu),
          approximate_rule(kApproximate)};
}

const OperatorSpec kSpec{
    "aclnnGeGlu",
    {input("self"), attribute("dim"), attribute("approximate"), output("out"), output("outGelu")},
    rules(kOutputs)};
const OperatorSpec kV3Spec{"aclnnGeGluV3",
                           {input("self"), attribute("dim"), attribute("approximate"),
                            attribute("activateLeft"), output("out"), output("outGelu")},
                           rules(kV3Outputs)};

Plan plan(const Arguments& arguments, const Outputs& at, bool activate_left) {
  if (!self_has_values(arguments)) return {};
  const Dims& shape = arguments.shape(at.out);
  const GateHalves self = split_gate(arguments, kSelf, axis_of_self(arguments));
  const GeluForm form = form_of(arguments, kApproximate);
  return Elementwise(shape,
                     {operand(arguments, at.out, shape), operand(arguments, at.out_gelu, shape)},
                     activate_left ? std::vector{self.left, self.right}
                                   : std::vector{self.right, self.left},
                     geglu_kernel(form))
      .plan();
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGradOutput, kSelf, kGelu, kDim, kApproximate, kGradInput };
enum : size_t { kActivateLeft = 5, kGradInputOfV3 };

// Sizes of gradOutput and self over dimensions [begin, end), which lie on one side of the split.
std::optional<std::string> side_complaint(const Arguments& arguments, const char* side,
                                          size_t begin, size_t end) {
  const Dims& self = arguments.shape(kSelf);
  const Dims& grad_output = arguments.shape(kGradOutput);
  for (size_t d = begin; d < end; ++d) {
    if (self[d] == grad_output[d]) continue;
    return fmt::format(
        "tensor gradOutput must have self's sizes {} the split dimension; "
        "gradOutput is {} and self is {}.",
        side, to_string(grad_output), to_string(self));
  }
  return std::nullopt;
}

std::optional<std::string> before_complaint(const Arguments& arguments) {
  return side_complaint(arguments, "before", 0, split_axis(arguments, kSelf, kDim));
}

std::optional<std::string> after_complaint(const Arguments& arguments) {
  return side_complaint(arguments, "after", split_axis(arguments, kSelf, kDim) + 1,
                        arguments.shape(kSelf).size());
}

std::optional<std::string> halving_complaint(const Arguments& arguments) {
  const Dims& self = arguments.shape(kSelf);
  const Dims& grad_output = arguments.shape(kGradOutput);
  const size_t axis = split_axis(arguments, kSelf, kDim);
  const int64_t whole = size_along(self, axis);
  if (whole % 2 == 0 && size_along(grad_output, axis) == whole / 2) return std::nullopt;
  return fmt::format(
      "tensor gradOutput must have half of self's size along dimension {}; "
      "gradOutput is {} and self is {}.",
      axis, to_string(grad_output), to_string(self));
}

std::vector<Rule> rules(size_t grad_input) {
  return {not_null({kGradOutput, kSelf, kGelu, grad_input}),
          dtype_in(kGradOutput, kFloats),
          same_dtype(kSelf, kGradOutput),
          same_dtype(kGelu, kGradOutput),
          same_dtype(grad_input, kGradOutput),
          max_rank(kGradOutput),
          max_rank(kSelf),
          max_rank(kGelu),
          max_rank(grad_input),
          same_shape(kGelu, kGradOutput),
          same_shape(grad_input, kSelf),
          axis_of(kDim, kSelf),
          same_rank(kGradOutput, kSelf),
          require(before_complaint),
          require(halving_complaint),
          require(after_complaint),
          approximate_rule(kApproximate)};
}

const OperatorSpec kSpec{"aclnnGeGluBackward",
                         {input("gradOutput"), input("self"), input("gelu"), attribute("dim"),
                          attribute("approximate"), output("gradInput")},
                         rules(kGradInput)};
const OperatorSpec kV3Spec{
    "aclnnGeGluV3Backward",
    {input("gradOutput"), input("self"), input("gelu"), attribute("dim"), attribute("approximate"),
     attribute("activateLeft"), output("gradInput")},
    rules(kGradInputOfV3)};

Plan plan(const Arguments& arguments, size_t grad_input, bool activate_left) {
  if (arguments.empty(kGradOutput)) return {};
  const Dims& shape = arguments.shape(kGradOutput);
  const size_t axis = split_axis(arguments, kSelf, kDim);
  GateHalves self = split_gate(arguments, kSelf, axis);
  GateHalves grad = split_gate(arguments, grad_input, axis);
  if (!activate_left) {
    std::swap(self.left, self.right);
    std::swap(grad.left, grad.right);
  }
  return Elementwise(shape, {grad.left, grad.right},
                     {operand(arguments, kGradOutput, shape), self.left, self.right,
                      operand(arguments, kGelu, shape)},
                     geglu_backward_kernel(form_of(arguments, kApproximate)))
      .plan();
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnGeGlu, forward::kSpec, [](const Arguments& arguments) {
  return forward::plan(arguments, forward::kOutputs, false);
})
ACLGRAD_OPERATOR(aclnnGeGluV3, forward::kV3Spec, [](const Arguments& arguments) {
  return forward::plan(arguments, forward::kV3Outputs, arguments.flag(forward::kActivateLeft));
})
ACLGRAD_OPERATOR(aclnnGeGluBackward, backward::kSpec, [](const Arguments& arguments) {
  return backward::plan(arguments, backward::kGradInput, false);
})
ACLGRAD_OPERATOR(aclnnGeGluV3Backward, backward::kV3Spec, [](const Arguments& arguments) {
  return backward::plan(arguments, backward::kGradInputOfV3,
                        arguments.flag(backward::kActivateLeft));
})

}  // namespace aclgrad::ops::geglu
