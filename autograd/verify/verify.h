// SPDX-License-Identifier: Apache-2.0
// Verification of a run: training again, comparing, and finding the first step, tensor and operator
// that part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aclgrad::verify {

struct Options {
  std::filesystem::path record;
  std::vector<std::string> command;   // in place of the recorded one
  std::string folder;                 // that programs run in; empty: the recorded one
  std::optional<std::int64_t> from;   // a step that there is a checkpoint of
  std::optional<std::int64_t> until;  // a step that is the last to be looked at
  std::string checkpoint;             // it; empty: the recorded one, or the one before
  std::optional<std::int64_t> at;     // a step whose values and page are wanted
  std::string out;                    // for values and pages; empty: beside the record
  std::string write;                  // a file for the record of this run; empty: none
  bool every_step = false;            // it has the state after every step
  bool quiet = false;
};

enum class Verdict { equal = 0, parted = 1 };

/// Prints what it finds. Throws Error where the programs or files do not let it find anything.
Verdict verify(const Options& options);

}  // namespace aclgrad::verify
