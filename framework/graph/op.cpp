// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/graph/op.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "aclgrad/error.h"

namespace aclgrad {

const aclScalar* CallObjects::scalar(double value, DType beside) {
  const auto key = std::pair(std::bit_cast<std::uint64_t>(value), beside);
  auto it = scalars_.find(key);
  if (it == scalars_.end()) it = scalars_.emplace(key, ScalarHandle(value, beside)).first;
  return it->second.get();
}

const aclIntArray* CallObjects::int_array(std::span<const std::int64_t> values) {
  return arrays_.emplace_back(values).get();
}

const aclBoolArray* CallObjects::bool_array(std::span<const bool> values) {
  return bools_.emplace_back(values).get();
}

aclTensorList* CallObjects::tensor_list(std::span<aclTensor* const> tensors) {
  return lists_.emplace_back(tensors).get();
}

aclTensorList* AclnnCall::list_of(std::span<const Argument> arguments) {
  std::vector<aclTensor*> tensors;
  for (const Argument& argument : arguments) tensors.push_back(argument.tensor);
  return objects_.tensor_list(tensors);
}

const AclnnCall::Argument& AclnnCall::argument(std::span<const Argument> arguments,
                                               std::size_t index) {
  if (index < arguments.size()) return arguments[index];
  throw ValueError(fmt::format("an operator asks for argument {} of {}", index, arguments.size()));
}

std::span<const AclnnCall::Argument> AclnnCall::part(std::span<const Argument> arguments,
                                                     std::size_t first, std::size_t count) {
  if (count > 0) argument(arguments, first + count - 1);
  return arguments.subspan(first, count);
}

const aclScalar* AclnnCall::scalar(double value) {
  const DType result = output_spec(0).dtype;
  const bool compares = result == DType::boolean && !inputs_.empty();
  return scalar(value, compares ? input_spec(0).dtype : result);
}

bool AclnnCall::any_output_is_read(std::size_t first, std::size_t count) const {
  return std::ranges::any_of(part(outputs_, first, count), &Argument::is_read);
}

}  // namespace aclgrad
