// SPDX-License-Identifier: Apache-2.0
// MemoryReport: what memory a session holds, and what lies where in its arena at which time
// (Session::memory_report).
//
//   fmt::print("{}\n", session.memory_report());
//   write_file_atomically("memory.svg", session.memory_report().svg());
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad {

struct MemoryReport {
  /// One value in the arena. Positions are those of Session::schedule(), from 0; -1 is before the
  /// first node, `nodes` after the last.
  struct Interval {
    ValueId value = 0;
    std::string name;  ///< "`loss`" or "value 7"
    std::size_t offset = 0;
    std::size_t bytes = 0;  ///< without padding
    std::int32_t first = 0;
    std::int32_t last = 0;  ///< the position of the last node that needs it
    Pass pass = Pass::forward;
    bool in_place = false;  ///< took over the memory of a value that died when this was made
  };

  std::size_t arena_bytes = 0;  ///< for inputs, constants and everything computed
  std::size_t lower_bound = 0;  ///< the largest sum of what lives at a time, each padded to 64
  std::size_t workspace_bytes = 0;
  std::size_t variable_bytes = 0;   ///< owned by the program's Variables, not by the session
  std::size_t sum_of_values = 0;    ///< what the arena would be without reuse
  std::int32_t nodes = 0;           ///< that the session runs
  std::vector<std::size_t> live;    ///< bytes alive at position -1, 0, ..., nodes
  std::vector<Interval> intervals;  ///< by the order of recording

  /// The totals, and the largest values alive at the fullest position, at most `rows` of them.
  std::string to_string(std::size_t rows = 10) const;

  /// A picture: time to the right, addresses upwards, a rectangle a value, and the bytes alive.
  std::string svg() const;
};

/// The report's to_string().
inline std::string to_string(const MemoryReport& report) { return report.to_string(); }
std::ostream& operator<<(std::ostream& stream, const MemoryReport& report);

}  // namespace aclgrad
