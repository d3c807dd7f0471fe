// SPDX-License-Identifier: Apache-2.0
// What names of parameters tell.
#ifndef ACLGRAD_AUTOGRAD_TOOL_HEADER_NAMES_H_
#define ACLGRAD_AUTOGRAD_TOOL_HEADER_NAMES_H_

#include <string>
#include <vector>

#include "tool/header/prototype.h"

namespace aclgrad::gradcheck {

/// What a gradient's name may be the gradient of: of "grad_x", "dx", "d_x", "x_grad", "xDiff" that
/// is "x". Empty for a name that is none of a gradient; {""} for "delta" and "grad", which name
/// nothing.
std::vector<std::string> gradient_of_name(const std::string& name);

/// "in", "src", "x": one of the names that forwards have for their only input; the same of outputs.
bool is_input_name(const std::string& name);
bool is_output_name(const std::string& name);

/// Without case, underscores and the s or es of a plural.
std::string plain(const std::string& name);

/// What a number of this name may well be: 1e-5 of "eps", 1 of "stride", 0 of "pad", 2 of "kernel",
/// else a small prime for a whole one (another one for every `place`), 0.75 for a floating one.
double likely_value(const CParameter& parameter, std::size_t place);

/// What is said of an array's elements. Throws ValueError for what is no count of them.
std::size_t count_of_elements(const std::string& name, double said);

/// Throws ValueError for a value that a whole number's type does not have.
void require_stored(const std::string& name, const CType& type, double value);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_HEADER_NAMES_H_
