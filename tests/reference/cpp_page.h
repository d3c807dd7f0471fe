// SPDX-License-Identifier: Apache-2.0
// The page docs/reference/cpp.md: every public function and class of C++, by subject, with the
// first sentence of its comment.
#ifndef ACLGRAD_TESTS_REFERENCE_CPP_PAGE_H_
#define ACLGRAD_TESTS_REFERENCE_CPP_PAGE_H_

#include <string>

namespace aclgrad::reference {

/// `root` is the folder of the repository. Throws std::runtime_error, which names them, for
/// declarations without a comment.
std::string cpp_page(const std::string& root);

}  // namespace aclgrad::reference

#endif  // ACLGRAD_TESTS_REFERENCE_CPP_PAGE_H_
