// SPDX-License-Identifier: Apache-2.0
// Messages of failed calls and the thread's last error.
#include <string>

#include "aclgrad_ext.h"
#include "ops/runtime/call/call.h"
#include "ops/runtime/call/errors.h"

using namespace aclgrad::runtime;

const char* aclGetRecentErrMsg() {
  try {
    return take_recent_messages();
  } catch (...) {
    return "the messages do not fit into memory";
  }
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  if (level != ACL_RT_THREAD_LEVEL) {
    // Not through entry(): asking wrongly must not replace the error that was asked for.
    return Call(__func__).report_bad_value(ACL_ERROR_INVALID_PARAM, "level",
                                           static_cast<int>(level), "ACL_RT_THREAD_LEVEL (0)");
  }
  return last_error();
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  if (level != ACL_RT_THREAD_LEVEL) {
    return Call(__func__).report_bad_value(ACL_ERROR_INVALID_PARAM, "level",
                                           static_cast<int>(level), "ACL_RT_THREAD_LEVEL (0)");
  }
  const aclError status = last_error();
  set_last_error(ACL_SUCCESS);
  return status;
}

void aclgradReportError(const char* code, const char* title, const char* message, const char* cause,
                        const char* solution) {
  const auto text = [](const char* part) { return std::string(part == nullptr ? "" : part); };
  try {
    add_report({text(code), text(title), text(message), text(cause), text(solution)});
  } catch (...) {
    // Out of memory while reporting an error: the status alone is returned.
  }
}

void aclgradExplainFailure(const char* reason) {
  try {
    explain(reason);
  } catch (const std::bad_alloc&) {
    // Out of memory: the status alone is returned.
  }
}
