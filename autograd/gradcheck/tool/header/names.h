// SPDX-License-Identifier: Apache-2.0
// What names of parameters tell.
#pragma once

#include <string>
#include <vector>

namespace aclgrad::gradcheck {

/// What a gradient's name may be the gradient of: of "grad_x", "dx", "d_x", "x_grad", "xDiff" that
/// is "x". Empty for a name that is none of a gradient; {""} for "delta" and "grad", which name
/// nothing.
std::vector<std::string> gradient_of_name(const std::string& name);

/// Without case, underscores and the s or es of a plural.
std::string plain(const std::string& name);

}  // namespace aclgrad::gradcheck
