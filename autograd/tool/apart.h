// SPDX-License-Identifier: Apache-2.0
// A run in processes of its own: a library that crashes or hangs ends one of them, and that is a
// finding.
#ifndef ACLGRAD_AUTOGRAD_TOOL_APART_H_
#define ACLGRAD_AUTOGRAD_TOOL_APART_H_

#include <functional>
#include <string>
#include <vector>

#include "tool/run.h"

namespace aclgrad::gradcheck {

/// run() on a library that this process does not open. After a crash, or a call that took longer
/// than `seconds`, another process goes on with the same line, without that call. Throws what run()
/// and Library::open() throw, and IoError where opening the library crashes or hangs.
std::vector<Line> run_apart(const std::string& library, const Plan& plan, double seconds,
                            const std::function<void(const Line&)>& progress);

/// What `work` returns, an exit status, in a process of its own; where it throws, the status that
/// stands for that (status_of), and the message is on the standard error. Throws IoError where it
/// crashes.
int apart(const std::function<int()>& work);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_APART_H_
