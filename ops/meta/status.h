// SPDX-License-Identifier: Apache-2.0
// Statuses that aclnn functions return. The vendor's public headers give them no names; the first
// digit tells the class: 1 the caller's arguments, 3 the runtime, 5 inside the library.
#pragma once

#include "aclnn/acl_meta.h"

namespace aclgrad::ops {

inline constexpr aclnnStatus kSuccess = 0;
inline constexpr aclnnStatus kNullPointer = 161001;
inline constexpr aclnnStatus kInvalidParameter = 161002;
inline constexpr aclnnStatus kRuntimeError = 361001;
inline constexpr aclnnStatus kInnerError = 561000;
inline constexpr aclnnStatus kInnerTilingError = 561002;
inline constexpr aclnnStatus kInnerNullPointer = 561103;

}  // namespace aclgrad::ops
