// SPDX-License-Identifier: Apache-2.0
// Mutants whose gradient is a wrong rule, put in place of the right one.
#ifndef ACLGRAD_TESTS_MUTANTS_RULE_MUTANT_H_
#define ACLGRAD_TESTS_MUTANTS_RULE_MUTANT_H_

#include <fmt/format.h>

#include "aclgrad/gradcheck_graph.h"
#include "aclgrad/rule.h"
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {

template <class OpType>
using TypedRule = std::function<InputGradients(const OpType&, const RuleCall&)>;

// `numbers` is an input behind the others that is no floating tensor.
template <class OpType>
Mutant rule_mutant(std::string edit, std::vector<gradcheck::Dims> shapes, gradcheck::Build build,
                   TypedRule<OpType> rule,
                   const std::optional<gradcheck::Input>& numbers = std::nullopt) {
  std::vector<gradcheck::Input> inputs;
  for (const gradcheck::Dims& shape : shapes) {
    inputs.push_back({.name = fmt::format("x{}", inputs.size()), .shape = shape});
  }
  if (numbers) inputs.push_back(*numbers);
  return {.family = "graph rules",
          .edit = std::move(edit),
          .make = [=] { return gradcheck::from_graph("graph", inputs, build); },
          .with =
              [rule](const std::function<void()>& use) {
                const ScopedRule<OpType> wrong(rule);
                use();
              }};
}

}  // namespace aclgrad::mutants

#endif  // ACLGRAD_TESTS_MUTANTS_RULE_MUTANT_H_
