// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/runtime.h"

#include <fmt/format.h>

#include <mutex>
#include <string>
#include <string_view>

#include "acl/acl_rt.h"
#include "aclgrad/error.h"
#include "aclgrad_ext.h"

// Only our own runtime has them; null on other libraries.
#pragma weak aclgradEnsureDevices
#pragma weak aclgradSetNumThreads
#pragma weak aclgradGetNumThreads

namespace aclgrad {

namespace {

thread_local bool thread_has_device = false;

void initialise_once() {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    const aclError status = aclInit(nullptr);
    if (status != ACL_ERROR_REPEAT_INITIALIZE) return check_status(status, "aclInit");
    aclGetRecentErrMsg();  // another caller was first: no error, so its message goes
  });
}

}  // namespace

void ensure_runtime() {
  if (thread_has_device) return;
  initialise_once();
  int chosen = 0;
  if (aclrtGetDevice(&chosen) != 0) {  // the program has chosen none
    aclGetRecentErrMsg();
    check_status(aclrtSetDevice(0), "aclrtSetDevice");
  }
  thread_has_device = true;
}

void use_device(int device) {
  initialise_once();
  check_status(aclrtSetDevice(device), "aclrtSetDevice");
  thread_has_device = true;
}

int device_count() {
  initialise_once();
  std::uint32_t count = 0;
  check_status(aclrtGetDeviceCount(&count), "aclrtGetDeviceCount");
  return static_cast<int>(count);
}

int ensure_devices(int count) {
  initialise_once();
  if (aclgradEnsureDevices != nullptr) aclgradEnsureDevices(count);
  return device_count();
}

namespace {

// What a task says itself: of "task recorded model on stream 1 failed with 507000: its task 4
// (aclnnNLLLoss) failed: target of row 1 ...", and causes in the lines after it, "aclnnNLLLoss:
// target of row 1 ...".
std::string words_of_task(std::string_view reason) {
  reason = reason.substr(0, reason.find('\n'));
  std::string name;
  const auto skip = [&](std::string_view begin, std::string_view before, std::string_view after,
                        std::string_view mark) {
    if (!reason.starts_with(begin)) return false;
    const std::size_t from = reason.find(before) + before.size();
    const std::size_t to = reason.find(after, from);
    const std::size_t colon = reason.find(": ", reason.find(mark, to));
    if (to == std::string_view::npos || colon == std::string_view::npos) return false;
    name = reason.substr(from, to - from);
    reason.remove_prefix(colon + 2);
    return true;
  };
  if (!skip("task ", "task ", " on stream ", " failed with ")) return {};
  skip("its task ", " (", ") failed", ") failed");
  return fmt::format("{}: {}", name, reason);
}

}  // namespace

void check_status(int status, std::string_view function, std::string_view where,
                  std::string_view meaning) {
  if (status == 0) return;
  const char* recent = aclGetRecentErrMsg();
  std::string message;
  if (!where.empty()) message = fmt::format("{}: ", where);
  const std::string outcome = fmt::format("{} returned {}", function, status);
  message += outcome;
  if (!meaning.empty()) message += fmt::format(" ({})", meaning);
  std::string_view reason = recent == nullptr ? "" : recent;
  // The runtime's messages say the same again, after process, time and title.
  const std::size_t again = reason.substr(0, reason.find('\n')).find(outcome + ": ");
  if (again != std::string_view::npos) reason.remove_prefix(again + outcome.size() + 2);
  // Of a task that was waited for, what it says itself is all that there is to know.
  if (const std::string task = words_of_task(reason); !where.empty() && !task.empty()) {
    throw StatusError(fmt::format("{}: {}", where, task), status);
  }
  if (!reason.empty()) message += fmt::format(": {}", reason);
  throw StatusError(message, status);
}

bool set_num_threads(int count) {
  if (aclgradSetNumThreads == nullptr) return false;
  check_status(aclgradSetNumThreads(count), "aclgradSetNumThreads");
  return true;
}

int num_threads() { return aclgradGetNumThreads == nullptr ? 0 : aclgradGetNumThreads(); }

}  // namespace aclgrad
