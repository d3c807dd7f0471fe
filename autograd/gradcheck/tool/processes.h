// SPDX-License-Identifier: Apache-2.0
// Processes in which code under test runs, none of which outlives the tool.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

namespace aclgrad::gradcheck {

/// "crashed (Segmentation fault)", "ended the process with status 0", "stopped (...)".
using Ending = std::string;

/// A process that does some work, as the leader of a group of its own. It ends with the process
/// that started it, and its group ends with it. Whatever the work prints is on the standard error,
/// so that the standard output is the tool's alone.
class Process {
 public:
  /// Throws IoError where no process can be started.
  explicit Process(const std::function<void()>& work);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// How it ended; none while it runs. One that was stopped has ended, too.
  std::optional<Ending> has_ended();

  /// Waits so long at most.
  std::optional<Ending> wait_for(double seconds);

  /// The signal that ended it; 0 for none.
  int signal() const { return signal_; }

  void end();

 private:
  Ending note(int status);

  pid_t id_;
  std::optional<Ending> ending_;
  int signal_ = 0;
};

/// What `work` returns, an exit status, from a process whose descendants end with it, and with this
/// one: also those that code under test started and left behind, however either of them ends.
int without_leftovers(const std::function<int()>& work);

/// Throws where the work of without_leftovers() is asked to end. To be called while it waits.
void end_if_asked();

/// Throws IoError: "`what`: why not".
[[noreturn]] void fail(const std::string& what);

}  // namespace aclgrad::gradcheck
