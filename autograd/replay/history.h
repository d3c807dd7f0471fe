// SPDX-License-Identifier: Apache-2.0
// What happens between calls: who wrote what a call reads, whether it is still that, and what
// orders the streams.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/runner.h"

namespace aclgrad::replay {

/// Something wrong between calls.
struct Between {
  std::uint64_t number = 0;  // of the call that meets it
  std::string kind;          // "stale input", "race", "size"
  std::string text;
};

/// Which stretches of memory a call reads and writes.
struct Access {
  std::string name;  // of the argument, or "workspace"
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool is_read = false;
  bool is_written = false;
  std::optional<Bytes> found;  // its bytes before and after the call, where they were kept
  std::optional<Bytes> left;
};

/// What a call may write of which nothing more is known than its line.
struct Writes {
  bool anything = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges = {};  // from, to
};
Writes may_write(const Call& call, const Blocks& blocks);

/// Follows the calls of a record in their order.
class History {
 public:
  explicit History(const Record& record) : record_(record) {}

  /// What is wrong at this call. `task` is that of a phase two whose operator is known here.
  std::vector<Between> see(const Call& call, const Task* task, const Blocks& blocks);

  /// A recording has run, whose calls were seen one by one.
  void see_run(const Call& run);

 private:
  // A call, and the one that ran it where that was a recording.
  struct Who {
    std::uint64_t number = 0;
    std::optional<std::uint64_t> run = {};
    std::uint64_t line() const { return run.value_or(number); }
  };
  struct Written {  // a stretch of memory, up to `end`
    std::uint64_t end = 0;
    Who writer;
    std::string name;
    std::optional<std::uint64_t> content;  // where its bytes are kept
    std::string hash;                      // of the whole stretch, where they are not
  };
  // How much of each stream something comes after.
  using Clock = std::map<std::uint64_t, std::uint64_t>;
  struct Use {
    std::uint64_t begin, end;
    Who who;
    std::uint64_t ticket;
    bool is_written;
    std::string name;
  };

  void see_streams(const Call& call);
  void host_waited_for(std::uint64_t stream);
  bool is_complete(const Call& call) const;
  std::vector<Access> accesses_of(const Call& call, const Task* task) const;
  void check_input(const Call& call, const Access& access, std::vector<Between>& found);
  void check_order(const Call& call, std::uint64_t stream, const Access& access,
                   std::vector<Between>& found);
  void check_overlaps(const Call& call, const Task& task, const std::vector<Access>& accesses,
                      std::vector<Between>& found);
  std::string suspects(std::uint64_t writer, std::uint64_t reader, std::uint64_t at) const;
  void check_size(const Call& call, const Access& access, const Blocks& blocks,
                  std::vector<Between>& found);
  void write(const Call& call, const Access& access);
  void cut(std::uint64_t begin, std::uint64_t end);

  const Record& record_;
  std::map<std::uint64_t, Written> memory_;
  std::map<std::uint64_t, Clock> streams_;
  std::map<std::uint64_t, Clock> events_;
  Clock host_;
  std::map<std::uint64_t, std::uint64_t> pinned_;  // memory of the host: its ends by its beginnings
  std::map<std::uint64_t, std::vector<Use>> uses_;  // of each stream that is not known to be done
  std::map<std::uint64_t, std::uint64_t> workspaces_;  // asked for, by phase one
  std::set<std::string> said_;
};

/// ", run by call 40" of a recording's call, else "".
std::string run_text(std::optional<std::uint64_t> run);
/// "call 17, aclnnAdd", and run_text().
std::string call_text(const Record& record, std::uint64_t number,
                      std::optional<std::uint64_t> run = {});

}  // namespace aclgrad::replay
