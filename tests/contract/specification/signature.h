// SPDX-License-Identifier: Apache-2.0
// How the files of this folder state what a function is.
#pragma once

#include <type_traits>

#include "aclnn/aclnn_base.h"

namespace aclgrad::specification {

template <typename Declared, typename Specified>
inline constexpr bool kIs = std::is_same_v<Declared, Specified>;

}  // namespace aclgrad::specification
