// SPDX-License-Identifier: Apache-2.0
// A record of a run (train/record), step by step, and the first place where two of them part.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "train/record/run_file.h"

namespace aclgrad::verify {

using detail::RunJson;

/// Texts of a record: numbers as they stand there, the same text for the same bits.
struct Step {
  std::string loss, rate;
  std::map<std::string, std::string> batch;  // hashes by the names of its tensors
};

struct State {
  std::string sha256;
  std::map<std::string, RunJson> tensors;  // ["F32", [2, 3], SHA-256] by name
  std::optional<RunJson> evaluation;       // where the step was evaluated
};

struct Timeline {
  RunJson header;
  std::map<std::int64_t, Step> steps;
  std::map<std::int64_t, State> states;  // after steps; the first is that before the first step
  std::string end;                       // how the run ended; empty: it has not, or was killed
  std::int64_t ended = 0;                // the step after which it did
};

/// Throws IoError for what is no record.
Timeline read_timeline(const std::filesystem::path& path);

struct Parting {
  std::int64_t step = 0;   // the first whose rate, batch, loss or state is another
  std::int64_t equal = 0;  // the last whose state is known to be equal; below the first: none
  bool is_begin = false;   // the state before the first step
  std::string what;        // "the learning rate", "`features` of the batch", ...
  std::string here, recorded;
};

/// Of what both have, up to the last step that `here` has. With `is_over` the lengths count, too.
std::optional<Parting> first_parting(const Timeline& here, const Timeline& recorded, bool is_over);

}  // namespace aclgrad::verify
