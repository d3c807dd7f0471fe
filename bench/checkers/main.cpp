// SPDX-License-Identifier: Apache-2.0
// gradcheck_score: lets this project's gradcheck and those of others loose on operators that are
// broken on purpose and on correct ones, and writes who finds what, of which page.py makes tables.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/checkers/checkers.h"
#include "bench/checkers/projections.h"

using namespace aclgrad::bench;
using aclgrad::mutants::Mutant;
using aclgrad::mutants::Sweep;

namespace {

using Json = nlohmann::ordered_json;

// Of all contestants, the first of which are mutants: "1" where it is blamed.
using Answers = std::vector<std::string>;

Json column(const char* name, const char* settings, const Answers& answers) {
  return {{"name", name}, {"settings", settings}, {"answers", answers}};
}

// Gradcheck's own answers, and what is known of the mutants.
struct Ours {
  Answers answers;
  Json mutants;
  bool is_perfect = true;
};

Ours run_gradcheck(bool verbose) {
  Ours ours;
  const Contestants& each = contestants();
  for (std::size_t i = 0; i < each.all.size(); ++i) {
    const Mutant& mutant = each.all[i];
    const auto finding = first_finding(mutant);
    ours.answers.emplace_back(finding ? "1" : "0");
    const bool is_wrong = i < each.wrong;
    if (is_wrong) {
      const Class kind = class_of(mutant, finding.value_or(aclgrad::gradcheck::Finding{}));
      ours.mutants.push_back(
          {{"family", mutant.family}, {"edit", mutant.edit}, {"shows_at", to_string(kind)}});
    }
    if (finding.has_value() != is_wrong) ours.is_perfect = false;
    if (finding.has_value() != is_wrong || verbose) {
      fmt::print("{}{}: {}\n{}", is_wrong ? "" : "right: ", mutant.family, mutant.edit,
                 finding ? finding->to_string() : "  missed\n");
    }
  }
  return ours;
}

Json run_checker(const Checker& checker) {
  Answers answers;
  for (const Mutant& mutant : contestants().all) {
    answers.emplace_back(checker.blames(mutant) ? "1" : "0");
  }
  return column(checker.name.c_str(), checker.settings.c_str(), answers);
}

Json names_of_the_right() {
  const Contestants& each = contestants();
  Json names;
  for (std::size_t i = each.wrong; i < each.all.size(); ++i) names.push_back(each.all[i].family);
  return names;
}

Json kinds() {
  Json names;
  for (std::size_t i = 0; i < kClasses; ++i) names.push_back(to_string(static_cast<Class>(i)));
  return names;
}

// Pairs of a probability by the formula and as it was measured, for errors of several sizes.
Json projections(int seeds) {
  Json rows;
  for (const Spread spread : {Spread::one_element, Spread::all_elements}) {
    const char* const name = spread == Spread::one_element ? "one element" : "all elements";
    for (const int directions : {1, 2, 4, 8}) {
      Json signs;
      Json normals;
      for (const double ratio : {1.0, 1.5, 2.0, 4.0, 16.0}) {
        const Measured measured = measure_detection(spread, directions, ratio, seeds);
        signs.push_back({detection_by_signs(spread, directions, ratio), measured.by_signs});
        normals.push_back({detection_by_normals(directions, ratio), measured.by_normals});
      }
      const std::string text = std::to_string(directions);
      rows.push_back({{"error", name}, {"directions", text}, {"found", signs}});
      rows.push_back({{"error", name}, {"directions", text + ", normal"}, {"found", normals}});
    }
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Scores gradient checkers on mutants, and on correct operators."};
  std::int64_t configurations = 10000;
  std::uint64_t seed = 1;
  int seeds = 1000;
  std::string json;
  bool verbose = false;
  app.add_option("--configurations", configurations, "Random ones of correct operators")
      ->capture_default_str();
  app.add_option("--seed", seed, "Of the random configurations")->capture_default_str();
  app.add_option("--projection-seeds", seeds, "Runs for each measured probability")
      ->capture_default_str();
  app.add_option("--json", json, "Write the findings, for bench/checkers/page.py");
  app.add_flag("--verbose", verbose, "Print the first finding of every mutant");
  CLI11_PARSE(app, argc, argv);
  const Ours ours = run_gradcheck(verbose);
  Json columns = Json::array({column("gradcheck", "this project's, its defaults", ours.answers)});
  for (const Checker& checker : checkers()) columns.push_back(run_checker(checker));
  const Sweep sweep = aclgrad::mutants::sweep_correct_operators(configurations, seed);
  if (sweep.alarms + sweep.inconclusive > 0) fmt::print("{}", sweep.first_alarm);
  const Json findings = {{"mutants", ours.mutants},
                         {"right", names_of_the_right()},
                         {"kinds", kinds()},
                         {"checkers", columns},
                         {"sweep",
                          {{"configurations", sweep.configurations},
                           {"alarms", sweep.alarms},
                           {"inconclusive", sweep.inconclusive}}},
                         {"seeds", seeds},
                         {"projections", projections(seeds)}};
  if (!json.empty()) std::ofstream(json) << findings.dump(1) << '\n';
  return ours.is_perfect && sweep.alarms == 0 ? 0 : 1;
}
