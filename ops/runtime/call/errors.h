// SPDX-License-Identifier: Apache-2.0
// What a failed call leaves behind: messages for aclGetRecentErrMsg and the thread's last error;
// and what a task that fails has to say besides its status.
#pragma once

#include <string>

#include "acl/acl_base.h"

namespace aclgrad::runtime {

// One message. `code` and `title` classify it ("EH0007", "Invalid_Argument"); cause and solution
// may be empty.
struct Report {
  std::string code;
  std::string title;
  std::string message;
  std::string cause = {};
  std::string solution = {};
};

// Keeps the message until aclGetRecentErrMsg collects it: on this thread, or for the whole process
// after set_messages_per_process(true).
void add_report(const Report& report);

void set_messages_per_process(bool per_process);

// All kept messages as one text, which the caller may keep until its next call; null without any.
const char* take_recent_messages();

// Of the calling thread.
aclError last_error() noexcept;
void set_last_error(aclError status) noexcept;

// Why the task that this thread runs is about to fail, and what was said since it was last taken.
void explain(const char* reason);
std::string take_explanation();

}  // namespace aclgrad::runtime
