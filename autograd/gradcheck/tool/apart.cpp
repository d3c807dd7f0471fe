// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/apart.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>

#include "aclgrad/error.h"
#include "gradcheck/core/watch.h"
#include "gradcheck/tool/channel.h"
#include "gradcheck/tool/processes.h"

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
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gradient, of, shape, compared, right, wrong, inexact,
                                   inconclusive, corners, max_abs_error, max_rel_error, largest,
                                   worst)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, verdict, check, operator_name, dtype, layout, shape,
                                   text, element, elements, diagnosis, reproduce)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Corner, operator_name, at, left, right, taken, convention)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ErrorSummary, elements, max_ulp, inputs, misrounded, nan,
                                   infinity, samples)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Report::Range, low, high)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Report, right, wrong, inexact, slack, inconclusive, vacuous,
                                   configurations, checks, findings, gradients, corners, backward,
                                   forward, ranges, left_out, notes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Coverage, exported, unknown, without_gradient, needed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Line, op, functions, title, attributes, missing, report, seconds)

namespace {

using nlohmann::json;

constexpr int kMostCrashes = 10;  // of a line, before the rest of it is left out
constexpr int kMostHangs = 2;

// What both processes see of the calls.
class SharedWatch {
 public:
  SharedWatch() : memory_(sizeof(detail::Watch)) { new (memory_.data()) detail::Watch{}; }

  detail::Watch* get() const { return static_cast<detail::Watch*>(memory_.data()); }
  detail::Watch* operator->() const { return get(); }

  // The call, as the one process wrote it down and the other may have spoilt it.
  std::string text() const { return {get()->text, strnlen(get()->text, sizeof(get()->text))}; }

 private:
  SharedMemory memory_;
};

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

constexpr const char* kSpoilt = "wrote to memory of the check";

// One process that is watched, from its beginning to its end.
class Watched {
 public:
  // `work` gets a way to tell something, and returns an exit status.
  using Tell = std::function<void(json)>;
  using Work = std::function<int(const Tell& tell)>;

  Watched(SharedWatch& watch, const detail::Crashes& crashes, double seconds)
      : watch_(watch), crashes_(crashes), seconds_(seconds) {
    *watch_.get() = {.section = -1, .call = 0, .depth = 1, .text = "opening it"};
  }

  // What it tells goes to `heard`. Returns how it ended, where that was before the work's end: the
  // status is no proof, since code under test can end the process with any.
  std::optional<Ending> run(const Work& work, const std::function<void(const json&)>& heard) {
    Process process([&] { tell_all(work); });
    Patience patience(*watch_.get(), seconds_);
    const auto hear = [&] {
      while (const std::optional<json> told = channel_.read()) {
        if (told->contains("status")) {
          status = told->at("status");
          message = told->at("message");
        } else {
          heard(*told);
        }
      }
    };
    try {
      while (!is_done()) {
        end_if_asked();
        const std::optional<Ending> ended = process.wait_for(kPause);
        hear();
        if (ended && !is_done()) return ended;
        if (!ended && patience.is_over()) {
          has_hung = true;
          return fmt::format("did not return within {:g} s (--time-limit)", seconds_);
        }
      }
    } catch (const json::exception&) {
      return kSpoilt;
    }
    process.wait_for(1);  // what is left to print
    return std::nullopt;
  }

  int status = -1;      // that the work returned
  std::string message;  // or what it threw
  bool has_hung = false;

 private:
  static constexpr double kPause = 0.01;  // seconds

  bool is_done() const { return status >= 0; }

  // In the process that is watched.
  void tell_all(const Work& work) {
    close_range(STDERR_FILENO + 1, ~0U, 0);  // what the tool was given is not for the library
    channel_.belong_to_this_process();
    detail::be_watched(watch_.get(), &crashes_);
    std::string why;
    const int returned =
        status_of([&] { return work([&](const json& what) { channel_.write(what); }); }, why);
    channel_.write({{"status", returned}, {"message", why}});
  }

  SharedWatch& watch_;
  const detail::Crashes& crashes_;
  double seconds_;
  Channel channel_;
};

[[noreturn]] void throw_again(int status, const std::string& message) {
  if (status == kWrongUsage) throw ValueError(message);
  throw IoError(message);
}

class Watcher {
 public:
  Watcher(const std::string& library, const Plan& plan, double seconds,
          const std::function<void(const Line&)>& progress)
      : library_(library), plan_(plan), seconds_(seconds), progress_(progress) {}

  Findings run() {
    while (!is_done()) {
    }
    return std::move(found_);
  }

 private:
  // Starts a process that goes on behind the lines that are there; whether it came to the end.
  bool is_done() {
    Watched watched(watch_, crashes_, seconds_);
    const auto ended = watched.run([&](const Watched::Tell& tell) { return check(tell); },
                                   [&](const json& told) {
                                     if (told.contains("coverage")) {
                                       found_.coverage = told.at("coverage").get<Coverage>();
                                       return;
                                     }
                                     found_.lines.push_back(told.get<Line>());
                                     progress_(found_.lines.back());
                                   });
    if (ended) {
      note_crash(*ended, watched.has_hung ? kMostHangs : kMostCrashes);
      return false;
    }
    if (!watched.message.empty()) throw_again(watched.status, watched.message);
    return true;
  }

  // In the process that is watched.
  int check(const Watched::Tell& tell) {
    // Never closed: what a library does then is no part of a check.
    const auto& library = *new LibraryPointer(Library::open(library_));
    gradcheck::run(
        library, plan_, [&](const Line& line) { tell(line); }, found_.lines.size());
    tell({{"coverage", coverage(library)}});
    return 0;
  }

  void note_crash(const std::string& how, int most) {
    const auto line = watch_->section;
    if (line < 0) throw IoError(fmt::format("{}: opening it {}", library_, how));
    if (line < std::ssize(found_.lines)) {
      throw IoError(fmt::format("{}: {} between two checks", library_, how));
    }
    // No other line can be left out, and what has been left out once has ended nothing since.
    if (line > std::ssize(found_.lines)) throw IoError(fmt::format("{}: it {}", library_, kSpoilt));
    if (crashes_.contains({line, 0})) {
      throw IoError(fmt::format("{}: {} while none of its functions was called", library_, how));
    }
    // Where calls that are left out do not help, the whole line is: its call 0.
    const auto first = crashes_.lower_bound({line, 1});
    const auto count = std::distance(first, crashes_.lower_bound({line + 1, 0}));
    const bool is_new = !crashes_.contains({line, watch_->call});
    const std::int64_t call = is_new && count < most ? std::max<std::int64_t>(0, watch_->call) : 0;
    const std::string text = watch_.text();
    crashes_[{line, call}] =
        call != 0 || text.empty() ? how : fmt::format("{} in or after {}", how, text);
  }

  const std::string& library_;
  const Plan& plan_;
  double seconds_;
  const std::function<void(const Line&)>& progress_;
  SharedWatch watch_;
  detail::Crashes crashes_;
  Findings found_;
};

}  // namespace

Findings run_apart(const std::string& library, const Plan& plan, double seconds,
                   const std::function<void(const Line&)>& progress) {
  return Watcher(library, plan, seconds, progress).run();
}

int apart(const std::function<int(const Print&)>& work, double seconds,
          const std::function<int(const std::string& how)>& ended) {
  SharedWatch watch;
  static const detail::Crashes none;
  Watched watched(watch, none, seconds);
  const auto how = watched.run(
      [&](const Watched::Tell& tell) { return work([&](const std::string& text) { tell(text); }); },
      [](const json& told) { fmt::print("{}", told.get<std::string>()); });
  std::fflush(stdout);
  if (how && watch->section < 0) throw IoError("opening the library " + *how);
  if (how) return ended(fmt::format("{} in or after {}", *how, watch.text()));
  if (!watched.message.empty()) throw_again(watched.status, watched.message);
  return watched.status;
}

}  // namespace aclgrad::gradcheck
