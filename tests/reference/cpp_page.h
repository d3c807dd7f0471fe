// SPDX-License-Identifier: Apache-2.0
// The page docs/reference/cpp.md: every public function and class of C++, by subject, with the
// first sentence of its comment.
#pragma once

#include <string>

namespace aclgrad::reference {

/// `root` is the folder of the repository. Throws std::runtime_error, which names them, for
/// declarations without a comment.
std::string cpp_page(const std::string& root);

}  // namespace aclgrad::reference
