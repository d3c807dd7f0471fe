// SPDX-License-Identifier: Apache-2.0
// Mutants whose gradient is a wrong rule, put in place of the right one.
#pragma once

#include <typeindex>

#include "aclgrad/gradcheck/graph.h"
#include "aclgrad/rule.h"
#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {

/// Of an operator of the graph on tensors of these shapes, whose rule is another one.
Mutant with_rule(std::type_index op, std::string edit, const std::vector<gradcheck::Dims>& shapes,
                 gradcheck::Build build, Rule rule,
                 const std::optional<contract::Parameter>& numbers);

/// with_rule() of a rule of the operator's own type. `numbers` is an input behind the others that
/// is no floating tensor.
template <class OpType, class TypedRule>
Mutant rule_mutant(std::string edit, const std::vector<gradcheck::Dims>& shapes,
                   gradcheck::Build build, TypedRule rule,
                   const std::optional<contract::Parameter>& numbers = std::nullopt) {
  return with_rule(
      typeid(OpType), std::move(edit), shapes, std::move(build),
      [rule](const Op& op, const RuleCall& call) -> InputGradients {
        return rule(static_cast<const OpType&>(op), call);
      },
      numbers);
}

}  // namespace aclgrad::mutants
