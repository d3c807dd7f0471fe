// SPDX-License-Identifier: Apache-2.0
// What a backward does to the memory of its gradients, and of what arrives.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "aclgrad/gradcheck/functions.h"
#include "gradcheck/tool/header/roles.h"

namespace aclgrad::gradcheck {

/// What is not known, and the lines that say it.
using Questions = std::set<std::pair<std::string, std::string>>;

/// Points at which a function is tried beside its check.
constexpr std::uint64_t kPoints = 4;

/// Calls the backward, and takes what it does for what it is meant to do: the promises of `roles`
/// that nobody made. Those of which a verdict would depend are asked.
///
/// Throws detail::ForbiddenWrite where a function wrote beside an array.
Questions suppose_promises(FunctionPair pair, Roles& roles);

}  // namespace aclgrad::gradcheck
