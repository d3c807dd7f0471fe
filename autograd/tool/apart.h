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

/// The same of work that calls functions under test, watched: where it crashes in one of them, or
/// one takes longer than `seconds`, that is what `ended` is told, as "crashed (...) in rms_norm",
/// and its result is returned.
int apart(const std::function<int()>& work, double seconds,
          const std::function<int(const std::string& how)>& ended);

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_AUTOGRAD_TOOL_APART_H_
