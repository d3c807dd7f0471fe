// SPDX-License-Identifier: Apache-2.0
// museum_score: lets gradient checkers loose on the museum, and writes who finds what, of which
// bench/checkers/page.py makes tables.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/museum/checkers.h"

using namespace aclgrad::museum;

namespace {

using Json = nlohmann::ordered_json;

// "1" where it is blamed. A checker that fails has blamed.
char ask(const Checker& checker, int number, bool is_right, const Numbers& attributes) {
  try {
    return checker.blames(number, is_right, attributes) ? '1' : '0';
  } catch (const std::exception&) {
    return '1';
  }
}

Json run(const Checker& checker) {
  Json answers;
  for (int number = 0; number < wgCount(); ++number) {
    std::string answer;
    for (const bool is_right : {true, false}) {
      if (!is_right && is_control(number)) continue;
      answer += ask(checker, number, is_right, usual_attributes(number));
      answer += ask(checker, number, is_right, showing_attributes(number));
    }
    answers.push_back(answer);
  }
  return {{"name", checker.name}, {"settings", checker.how}, {"answers", answers}};
}

Json all_findings() {
  Json findings;
  for (int number = 0; number < wgExhibits(); ++number) {
    Json exhibit;
    for (const char* name : {"id", "kind", "project", "source", "year", "operator", "needs"}) {
      exhibit[name] = fact(number, name);
    }
    findings["kinds"][fact(number, "kind")] = wgKind(fact(number, "kind")[0]);
    findings["exhibits"].push_back(exhibit);
  }
  for (int number = wgExhibits(); number < wgCount(); ++number) {
    findings["controls"].push_back(fact(number, "id"));
  }
  for (const Checker& checker : checkers()) findings["checkers"].push_back(run(checker));
  return findings;
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
  std::string json;
  std::string only;
  int seeds = 0;
  int seed = 1;
  app.add_option("--json", json, "Write the findings, for bench/checkers/page.py");
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
    if (json.empty()) throw CLI::RequiredError("--json");
    std::ofstream(json) << all_findings().dump(1) << '\n';
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
