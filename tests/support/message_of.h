// SPDX-License-Identifier: Apache-2.0
// The message of an exception that a test expects.
#pragma once

#include <string>

namespace aclgrad {

/// What the E that the action throws says. Other exceptions pass.
template <class E, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace aclgrad
