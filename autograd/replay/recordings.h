// SPDX-License-Identifier: Apache-2.0
// Recordings that a program made and ran (aclmdlRI): a run's calls, each with what is known of its
// bytes.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "replay/record.h"

namespace aclgrad::replay {

/// Whether a call runs a recording.
bool runs_recording(const Call& call);

/// A run of a recording. A record has what the run found and what it left. So it is known what a
/// call found of memory that no call of the run had written before, and what was left of memory
/// that none wrote after.
struct Run {
  std::deque<Call> calls;            // in the order in which they were captured
  std::vector<std::string> changed;  // what is other after the run, and no call writes: "17.self"
};
/// Without calls where the bytes of the run were not kept. Throws IoError for a run of what was not
/// captured.
Run run_of(const Record& record, const Call& call);

/// Memory while a recording runs: what the run found there, and then what its calls write, as it
/// was recorded or, where it was overwritten before anybody looked, as it is here.
class RunMemory {
 public:
  RunMemory(const Record& record, const Call& run);

  void write(std::uint64_t at, Content bytes);
  /// Takes what a call has left that is not run here: an operator's results, a copy, a fill.
  void take(const Record& record, const Call& call);
  /// Empty where not all of it is known.
  std::vector<std::byte> read(std::uint64_t at, std::uint64_t size) const;

 private:
  using Stretches = std::map<std::uint64_t, std::vector<std::byte>>;
  /// The first that ends behind an address.
  Stretches::const_iterator from(std::uint64_t at) const;
  void forget(std::uint64_t at, std::uint64_t size);

  Stretches stretches_;
};

}  // namespace aclgrad::replay
