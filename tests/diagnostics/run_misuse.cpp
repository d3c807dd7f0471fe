// SPDX-License-Identifier: Apache-2.0
#include "run_misuse.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <regex>

namespace aclgrad::test {

Outcome run_misuse(const std::string& name, const std::string& environment) {
  // The shell's own words must not get between: it replaces itself by the program.
  const std::string command = "env -u ACLGRAD_CHECK -u ACLGRAD_CHECK_FILE -u ACLGRAD_LOG " +
                              environment + " " + MISUSE_PROGRAMS "/" + name + " 2>&1 >/dev/null";
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"popen failed", -1};
  Outcome outcome;
  std::array<char, 4096> buffer{};
  size_t read = 0;
  while ((read = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) {
    outcome.output.append(buffer.data(), read);
  }
  const int status = pclose(pipe);
  // The shell adds 128 to the signal that ended its child.
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (outcome.status > 128) outcome.status = 128 - outcome.status;
  return outcome;
}

std::string without_numbers(const std::string& text) {
  static const std::regex changing("0x[0-9a-f]+|[0-9]+\\.[0-9]+");
  return std::regex_replace(text, changing, "...");
}

}  // namespace aclgrad::test
