// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "aclgrad/error.h"
#include "gradcheck/tool/run.h"

namespace aclgrad::gradcheck {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{5};
constexpr double kSecondsToCleanUp = 2;
constexpr int kAsked[] = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t asked_to_end = 0;

// Thrown through work that was asked to end: nothing is reported any more. No std::exception, which
// would be.
struct AskedToEnd {};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

pid_t new_process(const char* what) {
  std::fflush(nullptr);           // or both would write what is waiting
  std::signal(SIGCHLD, SIG_DFL);  // ignored, the end of a process leaves no trace
  const pid_t id = fork();
  if (id < 0) fail(what);
  return id;
}

// The descendants that became children of this process when their parents ended.
bool end_children() {
  const pid_t self = getpid();
  if (DIR* const all = opendir("/proc"); all != nullptr) {
    while (const dirent* const entry = readdir(all)) {
      const pid_t id = std::atoi(entry->d_name);
      if (id <= 0) continue;
      std::ifstream file(fmt::format("/proc/{}/stat", id));
      std::string line;
      std::getline(file, line);
      // "12 (a name) S 3 ...": the parent stands behind the state.
      const std::size_t name = line.rfind(')');
      if (name == std::string::npos || name + 4 > line.size()) continue;
      if (std::atoi(line.c_str() + name + 4) == self) kill(id, SIGKILL);
    }
    closedir(all);
  }
  pid_t id = 0;
  while ((id = waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  return id < 0 && errno == ECHILD;
}

// Each round ends children; theirs become children of this one, which adopts them.
void end_descendants() {
  constexpr int kRounds = 400;
  for (int round = 0; round < kRounds && !end_children(); ++round) {
    std::this_thread::sleep_for(kPause);
  }
}

extern "C" void note_that_it_is_asked(int) { asked_to_end = 1; }

// Of without_leftovers(): the first process is the one that was started, and may have children that
// are not ours. The second has none but those that it starts and adopts; it watches the third,
// which works, and ends what that one left where it cannot do so itself.
class Chain {
 public:
  explicit Chain(const std::function<int()>& work) : work_(work) {
    sigemptyset(&watched_);
    for (const int number : kAsked) sigaddset(&watched_, number);
    sigaddset(&watched_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &watched_, &before_);
  }

  int first() {
    const pid_t self = getpid();
    const pid_t id = new_process(kNone);
    if (id == 0) _exit(second(self));
    return end_as(id, 3 * kSecondsToCleanUp, [] {});
  }

 private:
  static constexpr const char* kNone = "no process can be started for the check";

  int second(pid_t first) const {
    adopt(first);
    const pid_t self = getpid();
    pid_t id = 0;
    try {
      id = new_process(kNone);
    } catch (const IoError& error) {
      fmt::print(stderr, "{}\n", error.what());
      return kUnusable;
    }
    if (id == 0) third(self);
    return end_as(id, kSecondsToCleanUp, end_descendants);
  }

  [[noreturn]] void third(pid_t second) const {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    for (const int number : kAsked) std::signal(number, note_that_it_is_asked);
    adopt(second);
    int status = 1;
    try {
      status = work_();
    } catch (const AskedToEnd&) {
    }
    std::fflush(nullptr);
    end_descendants();
    _exit(status);
  }

  // This process is asked to end when its parent ends, and orphans among its descendants become its
  // children.
  static void adopt(pid_t parent) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
  }

  // Waits for a process, hands on that this one is asked to end, and ends as that one did, or
  // returns its exit status. What was asked has `seconds`.
  int end_as(pid_t id, double seconds, const std::function<void()>& clean_up) const {
    int status = 0;
    int asked = 0;
    while (asked == 0) {
      const pid_t changed = waitpid(id, &status, WNOHANG | WUNTRACED);
      if (changed > 0 && WIFSTOPPED(status)) {
        // No key of a terminal sends SIGSTOP: what is checked has stopped who watches it.
        if (WSTOPSIG(status) == SIGSTOP) kill(id, SIGCONT);
        continue;
      }
      if (changed != 0) break;
      const int number = sigwaitinfo(&watched_, nullptr);
      if (number > 0 && number != SIGCHLD) asked = number;
    }
    if (asked != 0) {
      kill(id, SIGTERM);
      const Clock::time_point start = Clock::now();
      while (waitpid(id, &status, WNOHANG) == 0) {
        if (seconds_since(start) > seconds) kill(id, SIGKILL);  // it may wait for a reader
        std::this_thread::sleep_for(kPause);
      }
    }
    clean_up();
    const int number = asked != 0 ? asked : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (number == 0) return WEXITSTATUS(status);
    std::signal(number, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    std::raise(number);
    return 128 + number;
  }

  const std::function<int()>& work_;
  sigset_t watched_, before_;
};

}  // namespace

void fail(const std::string& what) {
  throw IoError(fmt::format("{}: {}", what, std::strerror(errno)));
}

void end_if_asked() {
  if (asked_to_end != 0) throw AskedToEnd();
}

Process::Process(const std::function<void()>& work) {
  const pid_t parent = getpid();
  id_ = new_process("no process can be started for what is checked");
  if (id_ > 0) {
    setpgid(id_, id_);  // here and there: neither goes on before it is so
    return;
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  for (const int number : kAsked) std::signal(number, SIG_DFL);
  std::signal(SIGTTOU, SIG_IGN);  // it may print, though its group is not the terminal's
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  work();
  std::fflush(nullptr);
  _exit(0);
}

Process::~Process() { end(); }

Ending Process::note(int status) {
  if (WIFSTOPPED(status)) return fmt::format("stopped ({})", strsignal(WSTOPSIG(status)));
  signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal_ != 0) return fmt::format("crashed ({})", strsignal(signal_));
  return fmt::format("ended the process with status {}", WEXITSTATUS(status));
}

std::optional<Ending> Process::has_ended() {
  if (ending_) return ending_;
  int status = 0;
  const pid_t id = waitpid(id_, &status, WNOHANG | WUNTRACED);
  if (id == 0 || (id < 0 && errno == EINTR)) return std::nullopt;
  ending_ = id < 0 ? "ended, and left no status" : note(status);
  kill(-id_, SIGKILL);  // what it left behind
  if (id > 0 && WIFSTOPPED(status)) waitpid(id_, nullptr, 0);
  return ending_;
}

std::optional<Ending> Process::wait_for(double seconds) {
  const Clock::time_point start = Clock::now();
  std::chrono::microseconds pause{20};
  while (!has_ended()) {
    if (seconds_since(start) > seconds) return std::nullopt;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, kPause);
  }
  return ending_;
}

void Process::end() {
  if (ending_) return;
  kill(-id_, SIGKILL);
  kill(id_, SIGKILL);  // where it has left its group
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
  ending_ = "was ended";
}

int without_leftovers(const std::function<int()>& work) { return Chain(work).first(); }

}  // namespace aclgrad::gradcheck
