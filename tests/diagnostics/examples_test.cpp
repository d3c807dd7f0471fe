// SPDX-License-Identifier: Apache-2.0
// The reports in docs/how-to/find-memory-errors.md are what the programs print.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "run_misuse.h"

namespace aclgrad::test {
namespace {

struct Example {
  std::string environment;
  std::string program;
  std::string printed;
};

// Blocks of code behind lines like "<!-- ACLGRAD_CHECK=leaks ./leaks -->".
std::vector<Example> examples() {
  std::ifstream file(FIND_MEMORY_ERRORS);
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  static const std::regex block("<!-- (\\S+) \\./([^>]*?) -->\n+```[a-z]*\n([^`]*)```");
  std::vector<Example> found;
  for (std::sregex_iterator it(page.begin(), page.end(), block), end; it != end; ++it) {
    found.push_back({(*it)[1], (*it)[2], (*it)[3]});
  }
  return found;
}

// A task may have run before the call that launches it returns, and be logged first.
std::string in_any_order(const std::string& text) {
  const bool is_log = text.rfind("aclgrad: call ", 0) == 0 || text.rfind("{", 0) == 0;
  if (!is_log) return text;
  std::stringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line + '\n');
  std::sort(lines.begin(), lines.end());
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

TEST(Examples, PrintWhatThePageSays) {
  const std::vector<Example> all = examples();
  EXPECT_GE(all.size(), 8U);
  for (const Example& example : all) {
    const Outcome outcome = run_misuse(example.program, example.environment);
    EXPECT_EQ(outcome.status, 0) << example.program;
    EXPECT_EQ(in_any_order(without_numbers(outcome.output)),
              in_any_order(without_numbers(example.printed)))
        << example.program;
  }
}

}  // namespace
}  // namespace aclgrad::test
