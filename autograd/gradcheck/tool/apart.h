// SPDX-License-Identifier: Apache-2.0
// Checks in processes of their own: a library that crashes, hangs or ends its process is a finding.
// What watches is no part of them: its clock and its signals are not theirs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gradcheck/tool/run.h"

namespace aclgrad::gradcheck {

struct Findings {
  std::vector<Line> lines;
  Coverage coverage;
};

/// run() and coverage() on a library that this process does not open. After a crash, or a call that
/// took longer than `seconds`, another process goes on with the same line, without that call.
/// Throws what run() and Library::open() throw, and IoError where opening the library crashes,
/// hangs or ends the process.
Findings run_apart(const std::string& library, const Plan& plan, double seconds,
                   const std::function<void(const Line&)>& progress);

/// Prints from another process on this one's standard output.
using Print = std::function<void(const std::string& text)>;

/// What `work` returns, an exit status, in a process of its own, and what it throws, as ValueError
/// or IoError. It opens a library, says detail::begin_section(0) once that is done, and calls its
/// functions, watched: where it ends without having returned, or a call takes longer than
/// `seconds`, that is what `ended` is told, as "crashed (...) in or after rms_norm", and its result
/// is returned. Throws IoError where opening it ends so.
int apart(const std::function<int(const Print& print)>& work, double seconds,
          const std::function<int(const std::string& how)>& ended);

}  // namespace aclgrad::gradcheck
