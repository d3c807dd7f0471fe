// SPDX-License-Identifier: Apache-2.0
// aclnnGeGlu, aclnnGeGluV3, aclnnGeGluBackward, aclnnGeGluV3Backward. The plain versions are V3
// with activateLeft = false.
#include "ops/activation/geglu_kernel.h"

#include <fmt/format.h>

#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "ops/meta/rules.h"

using namespace aclgrad::ops;

namespace {

const DtypeSet kDtypes{{ACL_FLOAT16, ACL_FLOAT}, {ACL_BF16}};

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

GeluForm form_of(const Arguments& arguments, size_t approximate) {
  return arguments.integer(approximate) == 0 ? GeluForm::kErf : GeluForm::kTanh;
}

// The two halves of a tensor along an axis, as operands over the shape of one half.
struct Halves {
  Operand left;
  Operand right;
};

Halves halves_of(const Arguments& arguments, size_t tensor, size_t axis) {
  const aclDataType dtype = arguments.dtype(tensor);
  const Dims& strides = arguments.strides(tensor);
  const int64_t second = size_along(arguments.shape(tensor), axis) / 2 * size_along(strides, axis);
  return {{tensor, dtype, strides, 0, dtype}, {tensor, dtype, strides, second, dtype}};
}

// ---- Forward ------------------------------------------------------------------------------------

// Where each parameter stands in a signature.
struct ForwardPlaces {
  size_t out;
  size_t out_gelu;
  static constexpr size_t kSelf = 0;
  static constexpr size_t kDim = 1;
  static constexpr size_t kApproximate = 2;
};
constexpr ForwardPlaces kPlain{3, 4};
constexpr ForwardPlaces kV3{4, 5};
constexpr size_t kForwardActivateLeft = 3;

size_t axis_of_self(const Arguments& arguments) {
  return normalize_axis(arguments.integer(ForwardPlaces::kDim),
                        arguments.shape(ForwardPlaces::kSelf).size());
}

std::optional<std::string> odd_split_complaint(const Arguments& arguments) {
  const Dims& shape = arguments.shape(ForwardPlaces::kSelf);
  const size_t axis = axis_of_self(arguments);
  if (size_along(shape, axis) % 2 == 0) return std::nullopt;
  return fmt::format("tensor self must have an even size along dimension {}, but is {}.", axis,
                     to_string(shape));
}

Rule half_of_self(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t axis = axis_of_self(arguments);
    const int64_t half = size_along(arguments.shape(ForwardPlaces::kSelf), axis) / 2;
    if (size_along(arguments.shape(tensor), axis) == half) return std::nullopt;
    return fmt::format("tensor {} must have size {} along dimension {}, half of self's, but is {}.",
                       arguments.name(tensor), half, axis, to_string(arguments.shape(tensor)));
  });
}

Rule rank_of_self(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const size_t rank = rank_or_one(arguments.shape(ForwardPlaces::kSelf));
    if (arguments.shape(tensor).size() == rank) return std::nullopt;
    return fmt::format("tensor {} must have {} dimensions as self has, but is {}.",
                       arguments.name(tensor), rank, to_string(arguments.shape(tensor)));
  });
}

Rule other_sizes_of_self(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& self = arguments.shape(ForwardPlaces::kSelf);
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
  return !arguments.empty(ForwardPlaces::kSelf) && !arguments.shape(ForwardPlaces::kSelf).empty();
}

std::vector<Rule> forward_rules(const ForwardPlaces& at) {
  constexpr size_t kSelf = ForwardPlaces::kSelf;
  return {not_null({kSelf, at.out, at.out_gelu}),
          dtype_in(kSelf, kDtypes),
          dtype_in(at.out, kDtypes),
          dtype_in(at.out_gelu, kDtypes),
          when(self_has_values, same_dtype(at.out, kSelf)),
          when(self_has_values, same_dtype(at.out_gelu, kSelf)),
          max_rank(kSelf),
          max_rank(at.out),
          max_rank(at.out_gelu),
          axis_of(ForwardPlaces::kDim, kSelf),
          require(odd_split_complaint),
          half_of_self(at.out),
          half_of_self(at.out_gelu),
          rank_of_self(at.out),
          rank_of_self(at.out_gelu),
          other_sizes_of_self(at.out),
          other_sizes_of_self(at.out_gelu),
          approximate_rule(ForwardPlaces::kApproximate)};
}

const OperatorSpec kForward{
    "aclnnGeGlu",
    {input("self"), attribute("dim"), attribute("approximate"), output("out"), output("outGelu")},
    forward_rules(kPlain)};
const OperatorSpec kForwardV3{"aclnnGeGluV3",
                              {input("self"), attribute("dim"), attribute("approximate"),
                               attribute("activateLeft"), output("out"), output("outGelu")},
                              forward_rules(kV3)};

Plan plan_forward(const Arguments& arguments, const ForwardPlaces& at, bool activate_left) {
  if (!self_has_values(arguments)) return {};
  const Dims& shape = arguments.shape(at.out);
  const Halves self = halves_of(arguments, ForwardPlaces::kSelf, axis_of_self(arguments));
  const GeluForm form = form_of(arguments, ForwardPlaces::kApproximate);
  return Elementwise(shape,
                     {operand(arguments, at.out, shape), operand(arguments, at.out_gelu, shape)},
                     activate_left ? std::vector{self.left, self.right}
                                   : std::vector{self.right, self.left},
                     geglu_kernel(form))
      .plan();
}

// ---- Backward -----------------------------------------------------------------------------------

struct BackwardPlaces {
  size_t grad_input;
  static constexpr size_t kGradOutput = 0;
  static constexpr size_t kSelf = 1;
  static constexpr size_t kGelu = 2;
  static constexpr size_t kDim = 3;
  static constexpr size_t kApproximate = 4;
};
constexpr BackwardPlaces kBackwardPlain{5};
constexpr BackwardPlaces kBackwardV3{6};
constexpr size_t kBackwardActivateLeft = 5;

size_t backward_axis(const Arguments& arguments) {
  return normalize_axis(arguments.integer(BackwardPlaces::kDim),
                        arguments.shape(BackwardPlaces::kSelf).size());
}

std::optional<std::string> grad_output_rank_complaint(const Arguments& arguments) {
  const Dims& self = arguments.shape(BackwardPlaces::kSelf);
  const Dims& grad_output = arguments.shape(BackwardPlaces::kGradOutput);
  if (grad_output.size() == rank_or_one(self)) return std::nullopt;
  return fmt::format("tensor gradOutput must have {} dimensions as self has, but is {}.",
                     rank_or_one(self), to_string(grad_output));
}

// Sizes of gradOutput and self over dimensions [begin, end), which lie on one side of the split.
std::optional<std::string> side_complaint(const Arguments& arguments, const char* side,
                                          size_t begin, size_t end) {
  const Dims& self = arguments.shape(BackwardPlaces::kSelf);
  const Dims& grad_output = arguments.shape(BackwardPlaces::kGradOutput);
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
  return side_complaint(arguments, "before", 0, backward_axis(arguments));
}

std::optional<std::string> after_complaint(const Arguments& arguments) {
  return side_complaint(arguments, "after", backward_axis(arguments) + 1,
                        arguments.shape(BackwardPlaces::kSelf).size());
}

std::optional<std::string> halving_complaint(const Arguments& arguments) {
  const Dims& self = arguments.shape(BackwardPlaces::kSelf);
  const Dims& grad_output = arguments.shape(BackwardPlaces::kGradOutput);
  const size_t axis = backward_axis(arguments);
  const int64_t whole = size_along(self, axis);
  if (whole % 2 == 0 && size_along(grad_output, axis) == whole / 2) return std::nullopt;
  return fmt::format(
      "tensor gradOutput must have half of self's size along dimension {}; "
      "gradOutput is {} and self is {}.",
      axis, to_string(grad_output), to_string(self));
}

std::vector<Rule> backward_rules(const BackwardPlaces& at) {
  using P = BackwardPlaces;
  return {not_null({P::kGradOutput, P::kSelf, P::kGelu, at.grad_input}),
          dtype_in(P::kGradOutput, kDtypes),
          same_dtype(P::kSelf, P::kGradOutput),
          same_dtype(P::kGelu, P::kGradOutput),
          same_dtype(at.grad_input, P::kGradOutput),
          max_rank(P::kGradOutput),
          max_rank(P::kSelf),
          max_rank(P::kGelu),
          max_rank(at.grad_input),
          same_shape(P::kGelu, P::kGradOutput),
          same_shape(at.grad_input, P::kSelf),
          axis_of(P::kDim, P::kSelf),
          require(grad_output_rank_complaint),
          require(before_complaint),
          require(halving_complaint),
          require(after_complaint),
          approximate_rule(P::kApproximate)};
}

const OperatorSpec kBackward{"aclnnGeGluBackward",
                             {input("gradOutput"), input("self"), input("gelu"), attribute("dim"),
                              attribute("approximate"), output("gradInput")},
                             backward_rules(kBackwardPlain)};
const OperatorSpec kBackwardV3Spec{
    "aclnnGeGluV3Backward",
    {input("gradOutput"), input("self"), input("gelu"), attribute("dim"), attribute("approximate"),
     attribute("activateLeft"), output("gradInput")},
    backward_rules(kBackwardV3)};

Plan plan_backward(const Arguments& arguments, const BackwardPlaces& at, bool activate_left) {
  using P = BackwardPlaces;
  if (arguments.empty(P::kGradOutput)) return {};
  const Dims& shape = arguments.shape(P::kGradOutput);
  const size_t axis = backward_axis(arguments);
  Halves self = halves_of(arguments, P::kSelf, axis);
  Halves grad = halves_of(arguments, at.grad_input, axis);
  if (!activate_left) {
    std::swap(self.left, self.right);
    std::swap(grad.left, grad.right);
  }
  return Elementwise(shape, {grad.left, grad.right},
                     {operand(arguments, P::kGradOutput, shape), self.left, self.right,
                      operand(arguments, P::kGelu, shape)},
                     geglu_backward_kernel(form_of(arguments, P::kApproximate)))
      .plan();
}

}  // namespace

ACLGRAD_OPERATOR(aclnnGeGlu, 5, kForward,
                 [](const Arguments& arguments) { return plan_forward(arguments, kPlain, false); })
ACLGRAD_OPERATOR(aclnnGeGluV3, 6, kForwardV3, [](const Arguments& arguments) {
  return plan_forward(arguments, kV3, arguments.flag(kForwardActivateLeft));
})
ACLGRAD_OPERATOR(aclnnGeGluBackward, 6, kBackward, [](const Arguments& arguments) {
  return plan_backward(arguments, kBackwardPlain, false);
})
ACLGRAD_OPERATOR(aclnnGeGluV3Backward, 7, kBackwardV3Spec, [](const Arguments& arguments) {
  return plan_backward(arguments, kBackwardV3, arguments.flag(kBackwardActivateLeft));
})
