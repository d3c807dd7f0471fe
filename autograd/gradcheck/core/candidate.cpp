// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "aclgrad/gradcheck/operator.h"

namespace aclgrad::gradcheck {
namespace {

contract::Arguments call_of(contract::Operator op) {
  return contract::Arguments(std::make_shared<const contract::Operator>(std::move(op)));
}

std::optional<aclDataType> own(std::optional<DType> dtype) {
  return dtype ? std::optional(acl_dtype(*dtype)) : std::nullopt;
}

}  // namespace

contract::Parameter input(std::string name, Dims shape, Number low, Number high,
                          std::optional<DType> dtype) {
  return {std::move(name),
          contract::TensorSpec{
              .shape = std::move(shape), .dtype = own(dtype), .low = low, .high = high}};
}

contract::Parameter output(std::string name, Dims shape, std::optional<DType> dtype) {
  return {std::move(name),
          contract::TensorSpec{
              .shape = std::move(shape), .dtype = own(dtype), .role = contract::Role::kOutput}};
}

Candidate::Candidate(contract::Operator op, Backward under_test)
    : Candidate(call_of(std::move(op)), std::nullopt, std::move(under_test)) {}

Candidate::Candidate(contract::Operator op, contract::Operator of_backward, Backward under_test)
    : Candidate(call_of(std::move(op)), call_of(std::move(of_backward)), std::move(under_test)) {
  bound = kOwnBound;
}

Candidate::Candidate(contract::Arguments call, std::optional<contract::Arguments> of_backward,
                     Backward under_test)
    : forward(std::move(call)), function(std::move(under_test)), backward(std::move(of_backward)) {
  if (!backward || !backward->op().gradient) {
    gradient.count = std::numeric_limits<std::size_t>::max();
    return;
  }
  gradient = *backward->op().gradient;
  bound = backward->op().results.bound;
  nan_goes_through = backward->op().results.nan_goes_through;
}

const std::string& Candidate::name() const {
  return backward ? backward->op().name() : forward.op().name();
}

std::string Candidate::attributes() const { return (backward ? *backward : forward).label(); }

std::string Candidate::title() const {
  const std::string chosen = attributes();
  return chosen.empty() ? name() : name() + " " + chosen;
}

const Dims& Candidate::shape() const { return inputs().front()->tensor()->shape; }

bool Candidate::is_differentiable(std::size_t input) const {
  const contract::Parameter& parameter = *inputs()[input];
  const std::optional<aclDataType> dtype = parameter.tensor()->dtype;
  const bool has_one = gradient.order.empty()
                           ? input < gradient.count
                           : std::ranges::count(gradient.order, parameter.name) > 0;
  return has_one && (!dtype || contract::is_float(*dtype));
}

bool Candidate::is_elementwise() const {
  return forward.op().is_elementwise() && contract::has_one_shape(forward);
}

Candidate Candidate::of_shape(const Dims& shape) const {
  Candidate other = *this;
  other.forward = forward.of_shape(shape);
  if (backward) other.backward = backward->of_shape(shape);
  other.command_shape.reset();
  return other;
}

}  // namespace aclgrad::gradcheck
