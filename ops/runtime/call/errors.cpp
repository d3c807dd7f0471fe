// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/call/errors.h"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <deque>
#include <mutex>
#include <utility>

#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/base/thread_owned.h"

namespace aclgrad::runtime {
namespace {

// A program that never asks for its messages must not collect them without end.
constexpr size_t kMaxMessages = 64;

std::atomic<bool> g_per_process{false};
thread_local aclError t_last_error = ACL_SUCCESS;

struct ProcessMessages {
  std::mutex mutex;
  std::deque<std::string> messages;
};

ProcessMessages& process_messages() { return never_destroyed<ProcessMessages>(); }

struct ThreadMessages {
  std::deque<std::string> messages;
  std::string read;  // the caller of aclGetRecentErrMsg may keep it until its next call
};

// Null when the thread is over but for its last destructors: then it is not read any more.
ThreadMessages* thread_messages() { return ThreadOwned<ThreadMessages>::get(); }

// Of a task that fails; null as thread_messages().
std::string* explanation() { return ThreadOwned<std::string>::get(); }

std::string timestamp() {
  timeval now{};
  gettimeofday(&now, nullptr);
  std::tm local{};
  localtime_r(&now.tv_sec, &local);
  return fmt::format("{:04}-{:02}-{:02}-{:02}:{:02}:{:02}.{:03}.{:03}", local.tm_year + 1900,
                     local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                     now.tv_usec / 1000, now.tv_usec % 1000);
}

std::string to_text(const Report& report) {
  std::string text = fmt::format("[PID: {}] {} {}({}): {}", getpid(), timestamp(), report.title,
                                 report.code, report.message);
  if (!report.cause.empty()) text += "\n        Possible Cause: " + report.cause;
  if (!report.solution.empty()) text += "\n        Solution: " + report.solution;
  return text;
}

void append(std::deque<std::string>& messages, std::string text) {
  if (messages.size() == kMaxMessages) messages.pop_front();
  messages.push_back(std::move(text));
}

std::deque<std::string> take_messages(ThreadMessages& mine) {
  std::deque<std::string> taken;
  taken.swap(mine.messages);
  // There may be some from before the way was changed.
  ProcessMessages& shared = process_messages();
  const std::lock_guard lock(shared.mutex);
  for (std::string& message : shared.messages) taken.push_back(std::move(message));
  shared.messages.clear();
  return taken;
}

// The newest message first, since that is what a program that has just failed asks for and some
// read no more than a line; the earlier ones, which nobody has read, as the trace of what led
// there.
std::string join(const std::deque<std::string>& messages) {
  std::string text = messages.back();
  if (messages.size() > 1) text += "\nTraceBack (most recent call last):";
  for (size_t i = 0; i + 1 < messages.size(); ++i) text += "\n        " + messages[i];
  return text;
}

}  // namespace

void add_report(const Report& report) {
  if (!g_per_process) {
    if (ThreadMessages* const mine = thread_messages()) append(mine->messages, to_text(report));
    return;
  }
  ProcessMessages& shared = process_messages();
  const std::lock_guard lock(shared.mutex);
  append(shared.messages, to_text(report));
}

void set_messages_per_process(bool per_process) { g_per_process = per_process; }

void set_last_error(aclError status) noexcept { t_last_error = status; }

aclError last_error() noexcept { return t_last_error; }

const char* take_recent_messages() {
  ThreadMessages* const mine = thread_messages();
  if (mine == nullptr) return nullptr;
  const std::deque<std::string> messages = take_messages(*mine);
  if (messages.empty()) return nullptr;
  mine->read = join(messages);
  return mine->read.c_str();
}

void explain(const char* reason) {
  if (std::string* const mine = explanation()) *mine = reason == nullptr ? "" : reason;
}

std::string take_explanation() {
  std::string* const mine = explanation();
  return mine == nullptr ? "" : std::exchange(*mine, {});
}

}  // namespace aclgrad::runtime
