// SPDX-License-Identifier: Apache-2.0
// Attributes of the contracts as options of the command line.
#pragma once

#include <string>
#include <vector>

#include "aclgrad_contract/contracts.h"
#include "gradcheck/tool/catalogue.h"

namespace aclgrad::gradcheck::detail {

/// What one option sets, of all operators that have it.
struct CommandOption {
  std::string name;  // "inputScale", which is --input-scale
  contract::Sets sets;
};
std::vector<CommandOption> all_options();

/// "inputScale" is "--input-scale".
std::string option_of(const std::string& name);

/// Those of an operator: "--alpha", "--scale", ...
std::vector<std::string> options_of(const contract::Operator& op);

/// The chosen sample or the first, with what is given.
contract::Sample sample_of(const contract::Operator& op, const Attributes& attributes);

/// "--alpha 1.25 --is-result": what was set, as the command line has it, but for what an operator
/// has too, where one is given.
std::string options_text(const contract::Arguments& arguments,
                         const contract::Operator* but_for = nullptr);

}  // namespace aclgrad::gradcheck::detail
