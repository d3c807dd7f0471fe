// SPDX-License-Identifier: Apache-2.0
// Calls that are wrong in one place, for every check of every operator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/contract/call.h"

namespace aclgrad::contract {

struct OperatorFault {
  std::string what;
  size_t parameter;
  std::function<void(Call& call)> change;
  aclnnStatus status = 161002;
  // The message names the parameter, and has one of these.
  std::vector<std::string> words = {};
  // Wrong only for some operators: the right call in another dtype or of another shape may pass,
  // and the message may be about another parameter that no longer fits.
  bool may_pass = false;
  aclDataType dtype = ACL_FLOAT;  // of the call
  const char* product = "Ascend910B";
};

// What may be wrong with each parameter by its kind, and what only this operator checks.
std::vector<OperatorFault> faults_of(const Operator& row);

}  // namespace aclgrad::contract
