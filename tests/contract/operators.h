// SPDX-License-Identifier: Apache-2.0
// Every operator: those of the operator book, and those that are not in it yet, in the same form.
// The tests of this folder loop over them: products and dtypes, messages, sizes that overflow,
// loading by name. Nothing here is linked with the operators: they are found by their names.
#ifndef ACLGRAD_TESTS_CONTRACT_OPERATORS_H_
#define ACLGRAD_TESTS_CONTRACT_OPERATORS_H_

#include "aclgrad_contract/book.h"

namespace aclgrad::contract {

const std::vector<Operator>& operators();
const Operator& find_operator(std::string_view name);

template <class PhaseOne>
Operator describe(std::string name, std::vector<ParameterSpec> specs, size_t output, double value,
                  std::vector<aclDataType> everywhere,
                  std::vector<aclDataType> from_a2_on = {ACL_BF16}) {
  Operator op;
  op.name = std::move(name);
  declare<PhaseOne>(op);
  std::get<TensorSpec>(specs[output]).role = Role::kOutput;
  for (ParameterSpec& spec : specs) op.parameters.push_back({"", std::move(spec)});
  op.value = value;
  op.everywhere = std::move(everywhere);
  op.from_a2_on = std::move(from_a2_on);
  return op;
}

// The rows of one group of operators.
std::vector<Operator> arithmetic_operators();
std::vector<Operator> training_operators();

}  // namespace aclgrad::contract

#endif  // ACLGRAD_TESTS_CONTRACT_OPERATORS_H_
