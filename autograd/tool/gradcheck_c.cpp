// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck_c.h"

#include <fmt/format.h>

#include "aclgrad/error.h"
#include "tool/settings.h"

using namespace aclgrad::gradcheck;

struct aclgradGradcheck {
  LibraryPointer library;
  std::map<std::string, std::string> settings = {};
  std::vector<Line> lines = {};
  std::string report = {};
};

namespace {

thread_local std::string message;

// The status of a call that may throw; keeps the message.
int guarded(const std::function<int()>& work) noexcept {
  try {
    message.clear();
    return status_of(work, message);
  } catch (...) {
    return ACLGRAD_GRADCHECK_USAGE;  // there is no memory for a message
  }
}

void require_given(const void* pointer, const char* what) {
  if (pointer == nullptr) throw aclgrad::ValueError(fmt::format("{} is null", what));
}

Plan plan_of(const aclgradGradcheck& check) {
  Plan plan;
  for (const auto& [option, value] : check.settings) set(plan, option, value);
  return plan;
}

std::string report_of(const aclgradGradcheck& check, const std::string& format) {
  const std::vector<Line>& lines = check.lines;
  if (lines.empty()) throw aclgrad::ValueError("there is no report before a run");
  if (format == "markdown") return to_markdown(*check.library, lines);
  const Coverage found = coverage(check.library);
  if (format == "json") return to_json(*check.library, found, lines);
  if (format == "html") return to_html(*check.library, found, lines);
  if (format == "text") {
    std::string text;
    for (const Line& line : lines) text += to_text(line);
    return text + to_text(*check.library, found, lines);
  }
  throw aclgrad::ValueError("a report is text, json, markdown or html, not '" + format + "'");
}

}  // namespace

extern "C" {

int aclgradGradcheckOpen(const char* library, aclgradGradcheck** check) {
  if (check != nullptr) *check = nullptr;
  return guarded([=] {
    require_given(check, "check");
    *check = new aclgradGradcheck{library == nullptr ? Library::linked() : Library::open(library)};
    return ACLGRAD_GRADCHECK_RIGHT;
  });
}

int aclgradGradcheckSet(aclgradGradcheck* check, const char* option, const char* value) {
  return guarded([=] {
    require_given(check, "check");
    require_given(option, "option");
    Plan tried;
    if (value == nullptr) {
      check->settings.erase(option);
    } else {
      set(tried, option, value);
      check->settings[option] = value;
    }
    return ACLGRAD_GRADCHECK_RIGHT;
  });
}

int aclgradGradcheckRun(aclgradGradcheck* check, const char* operators) {
  return guarded([=] {
    require_given(check, "check");
    check->lines.clear();
    Plan plan = plan_of(*check);
    plan.all_variants = operators == nullptr;
    plan.operators = operators == nullptr ? operator_names() : parts_of(operators, ',');
    check->lines = run(check->library, plan, [](const Line&) {});
    require_checked(*check->library, check->lines);
    return total(check->lines).exit_status();
  });
}

const char* aclgradGradcheckReport(aclgradGradcheck* check, const char* format) {
  const int status = guarded([=] {
    require_given(check, "check");
    require_given(format, "format");
    check->report = report_of(*check, format);
    return ACLGRAD_GRADCHECK_RIGHT;
  });
  return status == ACLGRAD_GRADCHECK_RIGHT ? check->report.c_str() : nullptr;
}

void aclgradGradcheckClose(aclgradGradcheck* check) { delete check; }

const char* aclgradGradcheckMessage(void) { return message.c_str(); }

const char* aclgradGradcheckOperators(void) {
  const char* names = "";
  guarded([&] {
    static const std::string all = fmt::format("{}", fmt::join(operator_names(), ","));
    names = all.c_str();
    return ACLGRAD_GRADCHECK_RIGHT;
  });
  return names;
}

const char* aclgradGradcheckVersion(void) { return ACLGRAD_VERSION; }

}  // extern "C"
