// SPDX-License-Identifier: Apache-2.0
// Runs one of the sinning programs and keeps what it says.
#pragma once

#include <string>

namespace aclgrad::test {

struct Outcome {
  std::string output;  // of standard error
  int status = 0;      // its exit status, or minus the signal that ended it
};

// `environment` is a list of assignments for the shell: "ACLGRAD_CHECK=leaks".
Outcome run_misuse(const std::string& name, const std::string& environment);

// The text with "..." in place of what changes from run to run or with the compiler: offsets in
// program files, addresses and times.
std::string without_numbers(const std::string& text);

}  // namespace aclgrad::test
