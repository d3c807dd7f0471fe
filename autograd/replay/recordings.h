// SPDX-License-Identifier: Apache-2.0
// Recordings that a program made and ran (aclmdlRI): a run's calls, each with what is known of its
// bytes.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "replay/history.h"

namespace aclgrad::replay {

/// Whether a call runs a recording.
bool runs_recording(const Call& call);

/// A run of a recording. A record has what the run found and what it left. So it is known what a
/// call found of memory that no call of the run had written before, and what was left of memory
/// that none wrote after.
struct Run {
  std::deque<Call> calls;                  // in the order in which they were captured
  std::map<std::uint64_t, Writes> unseen;  // of those of which no bytes were kept, by number
  std::vector<std::string> changed;  // what is other after the run, and no call writes: "17.self"
};

class Recordings {
 public:
  explicit Recordings(const Record& record);

  /// Without calls where the bytes of the run were not kept. Throws IoError for a run of what was
  /// not captured.
  Run run_of(const Call& call) const;

 private:
  using Unseen = std::map<std::uint64_t, Writes>;
  const Record& record_;
  std::map<std::uint64_t, std::shared_ptr<const Unseen>> unseen_;  // by the number of the run
};

/// Memory while a recording runs: what the run found there, and then what its calls write, as it
/// was recorded or, where it was overwritten before anybody looked, as it is here.
class RunMemory {
 public:
  RunMemory(const Record& record, const Call& run);

  /// Of a record, with which they live.
  void write(std::uint64_t at, Content bytes);
  void write(std::uint64_t at, std::vector<std::byte> bytes);
  /// Takes what a call has left that is not run here: an operator's results, a copy, a fill.
  void take(const Record& record, const Call& call);
  void forget(const Writes& writes);
  /// Empty where not all of it is known.
  std::vector<std::byte> read(std::uint64_t at, std::uint64_t size) const;

 private:
  struct Stretch {
    Content bytes;
    std::shared_ptr<const std::vector<std::byte>> own = nullptr;  // where they are not of a record
  };
  using Stretches = std::map<std::uint64_t, Stretch>;
  /// The first that ends behind an address.
  Stretches::const_iterator from(std::uint64_t at) const;
  void forget(std::uint64_t begin, std::uint64_t end);

  Stretches stretches_;
};

}  // namespace aclgrad::replay
