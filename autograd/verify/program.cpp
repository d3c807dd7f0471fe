// SPDX-License-Identifier: Apache-2.0
#include "verify/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "train/record/run_header.h"

extern char** environ;  // NOLINT: no header declares it everywhere

namespace aclgrad::verify {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

volatile sig_atomic_t running_group = 0;

// Ends the program with the verifier.
void end_both(int signal) {
  if (running_group != 0) ::kill(-static_cast<pid_t>(running_group), SIGTERM);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

std::vector<std::string> environment_of(const Program& program, const fs::path& request) {
  std::map<std::string, std::string> words;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view word = *at;
    const std::size_t equals = word.find('=');
    if (equals == word.npos) continue;
    const std::string name(word.substr(0, equals));
    if (program.is_recorded && detail::matters_to_runs(name)) continue;
    words[name] = word.substr(equals + 1);
  }
  for (const auto& [name, text] : program.environment) words.emplace(name, text);
  words["ACLGRAD_VERIFY"] = request.string();
  std::vector<std::string> all;
  for (const auto& [name, text] : words) all.push_back(name + "=" + text);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// The program in a group of its own, with what it started, which all end with this.
class Process {
 public:
  Process(const Program& program, std::vector<std::string> environment, const fs::path& log) {
    std::vector<std::string> command = program.command;
    const std::vector<char*> words = pointers(command), variables = pointers(environment);
    const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0) throw IoError(log.string() + ": cannot write: " + std::strerror(errno));
    id_ = ::fork();
    if (id_ == 0) {
      ::setpgid(0, 0);
      ::dup2(output, STDOUT_FILENO);
      ::dup2(output, STDERR_FILENO);
      if (!program.folder.empty() && ::chdir(program.folder.c_str()) != 0) {
        fail("cannot work in " + program.folder.string());
      }
      ::execvpe(words[0], words.data(), variables.data());
      fail(std::string("cannot start ") + words[0]);
    }
    ::close(output);
    if (id_ < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
    ::setpgid(id_, id_);
    running_group = id_;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, end_both);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    ::kill(-id_, SIGTERM);
    for (int tries = 0; !has_ended() && tries < 200; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(-id_, SIGKILL);
    if (!has_ended_) ::waitpid(id_, nullptr, 0);
    running_group = 0;
  }

  bool has_ended() {
    if (!has_ended_) has_ended_ = ::waitpid(id_, nullptr, WNOHANG) == id_;
    return has_ended_;
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    const std::string text = what + ": " + std::strerror(errno) + "\n";
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) ::_exit(126);
    ::_exit(127);
  }

  pid_t id_ = -1;
  bool has_ended_ = false;
};

std::string last_lines(const fs::path& log) {
  std::string text = read_file(log);
  while (text.ends_with('\n')) text.pop_back();
  std::size_t begin = text.size();
  for (int lines = 0; lines < 10 && begin != text.npos && begin > 0; ++lines) {
    begin = text.rfind('\n', begin - 1);
  }
  return begin == text.npos || begin == 0 ? text : text.substr(begin + 1);
}

}  // namespace

Timeline run_program(const Program& program, const detail::VerifyRequest& request,
                     const fs::path& scratch, const std::function<bool(const Timeline&)>& look) {
  const fs::path file = scratch / "request.json", log = scratch / "log";
  write_file_atomically(file, detail::to_json(request).dump());
  std::error_code ignored;
  fs::remove(request.record, ignored);
  Process process(program, environment_of(program, file), log);
  std::uintmax_t size = 0;
  std::optional<Timeline> timeline;
  while (true) {
    const bool has_ended = process.has_ended();  // before the file is read for the last time
    const auto begin = steady_clock::now();
    std::error_code none_yet;
    const std::uintmax_t now = fs::file_size(request.record, none_yet);
    if (!none_yet && now != size) {
      size = now;
      timeline = read_timeline(request.record);
      const bool goes_on = !look || look(*timeline);
      if (!goes_on || !timeline->end.empty()) return *timeline;
    }
    if (has_ended) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20) + 10 * (steady_clock::now() - begin));
  }
  if (timeline) return *timeline;
  throw Error(fmt::format(
      "`{}` ended without its call of fit() number {} (counted from 0) having begun; it wrote:\n{}",
      fmt::join(program.command, " "), request.fit, last_lines(log)));
}

}  // namespace aclgrad::verify
