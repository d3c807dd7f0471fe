// SPDX-License-Identifier: Apache-2.0
// ACLGRAD_SESSION: options for every session of a program that is not to be changed.
#ifndef ACLGRAD_FRAMEWORK_SESSION_ENVIRONMENT_H_
#define ACLGRAD_FRAMEWORK_SESSION_ENVIRONMENT_H_

#include "aclgrad/session.h"

namespace aclgrad::detail {

/// The program's options and those that the environment adds; what the program's own rule out stays
/// off. Throws ValueError for a word that names no option.
SessionOptions with_environment(SessionOptions options);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_ENVIRONMENT_H_
