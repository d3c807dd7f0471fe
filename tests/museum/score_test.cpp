// SPDX-License-Identifier: Apache-2.0
// docs/museum.md says what the score's program writes: every exhibit by its facts, sums that are
// those of its rows, and, on a sample of them, what this project's gradcheck says.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/museum/checkers.h"

namespace aclgrad::museum {
namespace {

using testing::HasSubstr;

const std::string& page() {
  static const std::string text = [] {
    std::ifstream file(PAGE);
    std::stringstream buffer;
    buffer << file.rdbuf();
    return buffer.str();
  }();
  return text;
}

// A fact as a cell of a table.
std::string cell(int number, const char* name) {
  return std::regex_replace(fact(number, name), std::regex("[|]"), "\\|");
}

// The first cells of an exhibit's row.
std::string facts_of(int number) {
  return fmt::format("{} | {} | {}, {}, {} | {} | {}", cell(number, "id"), cell(number, "kind"),
                     cell(number, "project"), cell(number, "source"), cell(number, "year"),
                     cell(number, "operator"), cell(number, "needs"));
}

// What stands behind an exhibit's facts, by checkers.
std::vector<std::string> verdicts_of(int number) {
  const std::string facts = "| " + facts_of(number) + " | ";
  const std::size_t at = page().find(facts);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + facts.size();
  std::stringstream rest(page().substr(begin, page().find(" |\n", begin) - begin));
  std::vector<std::string> cells;
  for (std::string cell; std::getline(rest, cell, '|');) {
    const std::size_t first = cell.find_first_not_of(' ');
    cells.push_back(cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
  }
  return cells;
}

TEST(MuseumPage, HasEveryExhibit) {
  for (int number = 0; number < wgExhibits(); ++number) {
    EXPECT_GE(verdicts_of(number).size(), checkers().size())
        << fact(number, "id") << " is not in " << PAGE << " as it is; ./dev gradcheck --museum";
  }
}

TEST(MuseumPage, AddsUp) {
  for (std::size_t k = 0; k < checkers().size(); ++k) {
    int found = 0;
    int told = 0;
    for (int number = 0; number < wgExhibits(); ++number) {
      const std::vector<std::string> verdicts = verdicts_of(number);
      ASSERT_LT(k, verdicts.size());
      found += verdicts[k] == "found" ? 1 : 0;
      told += verdicts[k] == "when told" ? 1 : 0;
    }
    EXPECT_THAT(page(),
                HasSubstr("| " + checkers()[k].name + " | " + checkers()[k].how + " | " +
                          std::to_string(found) + " | " + std::to_string(found + told) + " | "));
  }
}

// This project's by its defaults, on one of twelve: all take minutes.
class Sampled : public testing::TestWithParam<int> {};

TEST_P(Sampled, IsJudgedAsThePageSays) {
  const int number = GetParam();
  const Numbers usual = usual_attributes(number);
  const Checker& ours = checkers().front();
  EXPECT_FALSE(ours.blames(number, true, usual)) << report_of(number, true);
  if (is_control(number)) return;
  ASSERT_FALSE(verdicts_of(number).empty());
  EXPECT_EQ(ours.blames(number, false, usual), verdicts_of(number)[0] == "found")
      << report_of(number, false);
}
INSTANTIATE_TEST_SUITE_P(All, Sampled, testing::Range(3, 142, 12));

}  // namespace
}  // namespace aclgrad::museum
