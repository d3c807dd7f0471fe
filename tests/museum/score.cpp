// SPDX-License-Identifier: Apache-2.0
// museum_score: lets gradient checkers loose on the museum, prints who finds what, and writes it
// into a page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "bench/checkers/page.h"
#include "tests/museum/score_tables.h"

using namespace aclgrad::museum;

namespace {

// A checker that fails has blamed.
bool ask(const Checker& checker, int number, bool is_right, const Numbers& attributes) {
  try {
    return checker.blames(number, is_right, attributes);
  } catch (const std::exception&) {
    return true;
  }
}

Column run(const Checker& checker) {
  Column column{checker.name, checker.how, {}, {}, {}, {}};
  for (int number = 0; number < wgCount(); ++number) {
    const Numbers usual = usual_attributes(number);
    const Numbers shows = showing_attributes(number);
    column.right.push_back(ask(checker, number, true, usual));
    column.right_told.push_back(ask(checker, number, true, shows));
    if (is_control(number)) continue;
    column.wrong.push_back(ask(checker, number, false, usual));
    column.wrong_told.push_back(ask(checker, number, false, shows));
  }
  return column;
}

// Of all that is right, under other seeds than the score's.
int alarms(int seeds) {
  int count = 0;
  for (int seed = 2; seed < 2 + seeds; ++seed) {
    for (int number = 0; number < wgCount(); ++number) {
      if (!is_blamed_under(seed, number)) continue;
      fmt::print("{} is blamed under seed {}\n", fact(number, "id"), seed);
      ++count;
    }
  }
  fmt::print("{} false alarms of {} checks\n", count, seeds * wgCount());
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Scores gradient checkers on the museum of wrong gradients."};
  std::string torch;
  std::string markdown;
  std::string only;
  int seeds = 0;
  int seed = 1;
  app.add_option("--torch", torch, "What torch_museum.py wrote");
  app.add_option("--markdown", markdown, "Write the tables between the marks in this page");
  app.add_option("--seeds", seeds,
                 "Instead: how often this project's gradcheck blames what is right, under so many "
                 "seeds");
  app.add_option("--seed", seed, "Of --report")->capture_default_str();
  app.add_option("--report", only, "What this project's gradcheck says of one exhibit: WG-001");
  try {
    app.parse(argc, argv);
    for (int number = 0; !only.empty() && number < wgCount(); ++number) {
      if (fact(number, "id") != only) continue;
      for (const bool is_right : {false, true}) {
        fmt::print("{}: {}\n", is_right ? "right" : "wrong", report_of(number, is_right, seed));
      }
      return 0;
    }
    if (seeds > 0) return alarms(seeds) == 0 ? 0 : 1;
    std::vector<Column> columns;
    for (const Checker& checker : checkers()) columns.push_back(run(checker));
    if (!torch.empty()) {
      for (Column& column : read_columns(torch)) columns.push_back(std::move(column));
    }
    std::string score = summary_of(columns);
    if (torch.empty()) score += "\nPyTorch was not installed.\n";
    score += "\n" + kinds_of(columns);
    fmt::print("{}", score);
    if (!markdown.empty()) {
      aclgrad::bench::write_into(markdown, "museum_score", "score", score);
      aclgrad::bench::write_into(markdown, "museum_score", "exhibits", rows_of(columns));
    }
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
