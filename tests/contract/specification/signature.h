// SPDX-License-Identifier: Apache-2.0
// How the files of this folder state what a function is.
#ifndef ACLGRAD_TESTS_CONTRACT_SPECIFICATION_SIGNATURE_H_
#define ACLGRAD_TESTS_CONTRACT_SPECIFICATION_SIGNATURE_H_

#include <type_traits>

#include "aclnn/aclnn_base.h"

namespace aclgrad::specification {

template <typename Declared, typename Specified>
inline constexpr bool kIs = std::is_same_v<Declared, Specified>;

}  // namespace aclgrad::specification

#endif  // ACLGRAD_TESTS_CONTRACT_SPECIFICATION_SIGNATURE_H_
