// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace aclgrad::faults {
namespace {

// What exhausted memory may be answered with. 507000 is missing on purpose: nothing is broken.
constexpr std::array<aclError, 5> kExhausted = {
    ACL_ERROR_BAD_ALLOC,               // by the acl layer
    ACL_ERROR_RT_MEMORY_ALLOCATION,    // by the runtime, and by tasks
    ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,  // by streams that get no thread
    361001,                            // by phase two, when the runtime answers one of these
    561000,                            // by aclnn functions
};

bool is_exhausted(aclError status) {
  return std::find(kExhausted.begin(), kExhausted.end(), status) != kExhausted.end();
}

// Whose status may be that of a task: however an operator is planned, it is one status then. The
// function's own says so in its message.
bool is_of_task(std::string_view what) { return what == "aclrtSynchronizeStream"; }

}  // namespace

void Run::complain(const std::string& text) {
  if (complaint_.empty()) complaint_ = text;
}

bool Run::note(const char* what, aclError status) {
  if (status == ACL_SUCCESS) return false;
  failed_ = true;
  const char* message = in_library([] { return aclGetRecentErrMsg(); });
  const std::string text = message == nullptr ? "" : message;
  if (!has_fired()) {
    complain(fmt::format("{} failed with {} though no fault was injected: {}", what, status, text));
  } else if (!is_exhausted(status)) {
    complain(fmt::format("{} answered {}: {}", what, status, text));
  } else if (status == ACL_ERROR_BAD_ALLOC && is_of_task(what) &&
             text.find("out of host memory") == std::string::npos) {
    complain(fmt::format("{} answered {} for a task, and not {}: {}", what, status,
                         static_cast<int>(ACL_ERROR_RT_MEMORY_ALLOCATION), text));
  } else if (text.empty()) {
    complain(fmt::format("{} answered {} without a message", what, status));
  }
  return true;
}

void Run::later(const char* what, std::function<aclError()> undo) {
  if (!failed_) undos_.push_back({what, std::move(undo)});
}

void Run::result(const void* bytes, size_t count) {
  if (failed_) return;
  const auto* first = static_cast<const unsigned char*>(bytes);
  results_.insert(results_.end(), first, first + count);
}

void Run::finish() {
  for (; !undos_.empty(); undos_.pop_back()) {
    const Undo& undo = undos_.back();
    aclError status = in_library(undo.function);
    if (status != ACL_SUCCESS && note(undo.what, status)) status = in_library(undo.function);
    if (status != ACL_SUCCESS) {
      complain(fmt::format("{} failed twice, with {} at last", undo.what, status));
    }
  }
  in_library([] { return aclGetRecentErrMsg(); });
}

}  // namespace aclgrad::faults
