// SPDX-License-Identifier: Apache-2.0
// The reports in docs/how-to/find-memory-errors.md are what the programs print.
#include <gmock/gmock.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "run_sin.h"

namespace aclgrad::test {
namespace {

struct Example {
  std::string environment;
  std::string sin;
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

TEST(Examples, PrintWhatThePageSays) {
  const std::vector<Example> all = examples();
  EXPECT_GE(all.size(), 8U);
  for (const Example& example : all) {
    const Outcome outcome = run_sin(example.sin, example.environment);
    EXPECT_EQ(outcome.status, 0) << example.sin;
    EXPECT_EQ(without_numbers(outcome.output), without_numbers(example.printed)) << example.sin;
  }
}

}  // namespace
}  // namespace aclgrad::test
