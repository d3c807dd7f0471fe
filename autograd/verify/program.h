// SPDX-License-Identifier: Apache-2.0
// A program that trains, started for a request of aclgrad-verify.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "train/record/verify_request.h"
#include "verify/timeline.h"

namespace aclgrad::verify {

struct Program {
  std::vector<std::string> command;
  std::filesystem::path folder;                    // that it runs in; empty: this one
  std::map<std::string, std::string> environment;  // words of the record
  bool is_recorded = false;  // the recorded environment, in place of what is set here
};

/// Runs it until its run of fit() has ended, and ends it then: what it does afterwards is not
/// wanted. `look` sees the record whenever it has grown, and ends the program by returning false.
/// Throws Error, with the last lines that the program wrote, where it leaves no record.
Timeline run_program(const Program& program, const detail::VerifyRequest& request,
                     const std::filesystem::path& scratch,
                     const std::function<bool(const Timeline& so_far)>& look = {});

}  // namespace aclgrad::verify
