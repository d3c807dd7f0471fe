// SPDX-License-Identifier: Apache-2.0
#include "tool/apart.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>

#include "aclgrad/error.h"
#include "gradcheck/core/watch.h"

// What stands in a line, as it goes from one process to the other.
namespace nlohmann {
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) {
    j = json::array();
    if (value) j.push_back(*value);
  }
  static void from_json(const json& j, std::optional<T>& value) {
    value.reset();
    if (!j.empty()) value = j.front().template get<T>();
  }
};
}  // namespace nlohmann

namespace aclgrad::gradcheck {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Element, of, index, input, analytic, low, high, error, bound,
                                   ulp, unexplained_ulp, verdict, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gradient, of, shape, compared, right, wrong, inconclusive,
                                   corners, max_abs_error, max_rel_error, largest, worst)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, verdict, check, operator_name, dtype, layout, shape,
                                   text, element, elements, diagnosis, reproduce)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Corner, operator_name, at, left, right, taken, convention)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ErrorSummary, elements, max_ulp, inputs, misrounded, nan,
                                   infinity, samples)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Report::Range, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Report, right, wrong, inexact, slack, inconclusive, vacuous,
                                   configurations, checks, findings, gradients, corners, backward,
                                   forward, ranges, left_out, notes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Line, op, functions, title, attributes, missing, report, seconds)

namespace {

using nlohmann::json;

constexpr int kMostCrashes = 10;  // of a line, before the rest of it is left out
constexpr int kMostHangs = 2;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// Memory that this process and those it starts share.
class SharedWatch {
 public:
  SharedWatch() {
    void* memory = mmap(nullptr, sizeof(detail::Watch), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail("mmap");
    watch_ = static_cast<detail::Watch*>(memory);
  }
  ~SharedWatch() { munmap(watch_, sizeof(detail::Watch)); }
  SharedWatch(const SharedWatch&) = delete;
  SharedWatch& operator=(const SharedWatch&) = delete;

  detail::Watch* get() const { return watch_; }
  detail::Watch* operator->() const { return watch_; }

 private:
  detail::Watch* watch_;
};

// A process that does some work and ends. It does not outlive the one that started it.
class Process {
 public:
  explicit Process(const std::function<int()>& work) {
    std::fflush(nullptr);  // or both would write what is waiting
    const pid_t parent = getpid();
    id_ = fork();
    if (id_ < 0) fail("fork");
    if (id_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int status = getppid() == parent ? work() : 0;
    std::fflush(nullptr);
    _exit(status);
  }

  // Waits; the exit status, or minus the signal that ended it.
  int wait() { return *ended(0); }

  // The same where it has ended.
  std::optional<int> has_ended() { return ended(WNOHANG); }

  void end() const { kill(id_, SIGKILL); }

 private:
  std::optional<int> ended(int options) {
    int status = 0;
    pid_t id = 0;
    while ((id = waitpid(id_, &status, options)) < 0) {
      if (errno != EINTR) fail("waitpid");
    }
    if (id == 0) return std::nullopt;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  pid_t id_;
};

// Both ends of a pipe for whole texts.
class Pipe {
 public:
  Pipe() {
    int ends[2];
    if (pipe(ends) != 0) fail("pipe");
    reader_ = fdopen(ends[0], "rb");
    writer_ = fdopen(ends[1], "wb");
    std::setvbuf(reader_, nullptr, _IONBF, 0);  // so that poll() sees all that is to be read
  }
  ~Pipe() {
    std::fclose(reader_);
    close_writer();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void write(const json& what) {
    const std::vector<std::uint8_t> bytes = json::to_msgpack(what);
    const std::uint64_t size = bytes.size();
    std::fwrite(&size, sizeof(size), 1, writer_);
    std::fwrite(bytes.data(), 1, bytes.size(), writer_);
    std::fflush(writer_);
  }

  // Whether there is something to read, or nothing will come any more; waits for a moment.
  bool is_ready() const {
    pollfd reader = {.fd = fileno(reader_), .events = POLLIN, .revents = 0};
    return poll(&reader, 1, /*milliseconds=*/100) > 0;
  }

  // None where the other process ended before it had written all.
  std::optional<json> read() {
    std::uint64_t size = 0;
    if (std::fread(&size, sizeof(size), 1, reader_) != 1) return std::nullopt;
    std::vector<std::uint8_t> bytes(size);
    if (std::fread(bytes.data(), 1, size, reader_) != size) return std::nullopt;
    return std::optional<json>(std::in_place, json::from_msgpack(bytes));
  }

  void close_writer() {
    if (writer_ != nullptr) std::fclose(writer_);
    writer_ = nullptr;
  }

 private:
  std::FILE* reader_;
  std::FILE* writer_;
};

std::string crash_text(int signal) { return fmt::format("crashed ({})", strsignal(signal)); }

// Whether a call of the process that is watched has taken longer than it may.
class Patience {
 public:
  Patience(const detail::Watch& watch, double seconds) : watch_(watch), seconds_(seconds) {}

  bool is_over() {
    const std::pair now(watch_.section, watch_.call);
    if (watch_.depth == 0 || now != seen_) {
      seen_ = now;
      since_ = Clock::now();
    }
    return std::chrono::duration<double>(Clock::now() - since_).count() > seconds_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const detail::Watch& watch_;
  double seconds_;
  std::pair<std::int64_t, std::int64_t> seen_ = {-1, -1};
  Clock::time_point since_ = Clock::now();
};

class Watcher {
 public:
  Watcher(const std::string& library, const Plan& plan, double seconds,
          const std::function<void(const Line&)>& progress)
      : library_(library), plan_(plan), seconds_(seconds), progress_(progress) {}

  std::vector<Line> run() {
    while (!is_done()) {
    }
    return std::move(lines_);
  }

 private:
  // Starts a process that goes on behind the lines that are there; whether it came to the end.
  bool is_done() {
    watch_->section = -1;
    watch_->call = 0;
    watch_->depth = 1;  // opening the library
    Pipe pipe;
    Process process([&] { return check(pipe); });
    pipe.close_writer();
    Patience patience(*watch_.get(), seconds_);
    while (true) {
      while (!pipe.is_ready()) {
        if (!patience.is_over()) continue;
        process.end();
        process.wait();
        note_crash(fmt::format("did not return within {:g} s (--time-limit)", seconds_),
                   kMostHangs);
        return false;
      }
      const std::optional<json> read = pipe.read();
      if (!read) break;
      if (read->contains("status")) {
        process.wait();
        return end((*read)["status"], (*read)["message"]);
      }
      lines_.push_back(read->get<Line>());
      progress_(lines_.back());
    }
    const int status = process.wait();
    note_crash(status < 0 ? crash_text(-status) : fmt::format("ended with status {}", status),
               kMostCrashes);
    return false;
  }

  // In the process that is watched.
  int check(Pipe& pipe) {
    detail::be_watched(watch_.get(), &crashes_);
    std::string message;
    const int status = status_of(
        [&] {
          gradcheck::run(
              Library::open(library_), plan_, [&](const Line& line) { pipe.write(line); },
              lines_.size());
          return 0;
        },
        message);
    pipe.write({{"status", status}, {"message", message}});
    return 0;
  }

  static bool end(int status, const std::string& message) {
    if (message.empty()) return true;
    if (status == kWrongUsage) throw ValueError(message);
    throw IoError(message);
  }

  void note_crash(const std::string& how, int most) {
    if (watch_->section < 0) throw IoError(fmt::format("{}: opening it {}", library_, how));
    // Where calls that are left out do not help, the whole line is: its call 0.
    const auto line = watch_->section;
    const auto first = crashes_.lower_bound({line, 1});
    const auto count = std::distance(first, crashes_.lower_bound({line + 1, 0}));
    const bool is_new = !crashes_.contains({line, watch_->call});
    const std::int64_t call = is_new && count < most ? watch_->call : 0;
    const char* const text = watch_->text;
    crashes_[{line, call}] =
        call != 0 || text[0] == '\0' ? how : fmt::format("{} in or after {}", how, text);
  }

  const std::string& library_;
  const Plan& plan_;
  double seconds_;
  const std::function<void(const Line&)>& progress_;
  SharedWatch watch_;
  detail::Crashes crashes_;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<Line> run_apart(const std::string& library, const Plan& plan, double seconds,
                            const std::function<void(const Line&)>& progress) {
  return Watcher(library, plan, seconds, progress).run();
}

namespace {

// The work's exit status, and its message on the standard error.
int status_with_message(const std::function<int()>& work) {
  std::string message;
  const int status = status_of(work, message);
  if (!message.empty()) fmt::print(stderr, "{}\n", message);
  return status;
}

}  // namespace

int apart(const std::function<int()>& work) {
  const int status = Process([&] { return status_with_message(work); }).wait();
  if (status == -SIGPIPE) std::raise(SIGPIPE);  // nobody reads on: end as quietly
  if (status < 0) throw IoError(fmt::format("the library {}", crash_text(-status)));
  return status;
}

int apart(const std::function<int()>& work, double seconds,
          const std::function<int(const std::string& how)>& ended) {
  SharedWatch watch;
  static const detail::Crashes none;
  Process process([&] {
    detail::be_watched(watch.get(), &none);
    return status_with_message(work);
  });
  Patience patience(*watch.get(), seconds);
  std::optional<int> status;
  while (!(status = process.has_ended())) {
    if (patience.is_over()) {
      process.end();
      process.wait();
      return ended(
          fmt::format("did not return within {:g} s (--time-limit): {}", seconds, watch->text));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (*status == -SIGPIPE) std::raise(SIGPIPE);
  if (*status >= 0) return *status;
  if (watch->call == 0) throw IoError(fmt::format("opening the library {}", crash_text(-*status)));
  return ended(fmt::format("{} in or after {}", crash_text(-*status), watch->text));
}

}  // namespace aclgrad::gradcheck
