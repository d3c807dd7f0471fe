// SPDX-License-Identifier: Apache-2.0
// gradcheck_mutants: lets gradcheck loose on operators that are broken on purpose and on correct
// ones under random configurations; prints the score and writes it into the docs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>

#include "tests/mutants/mutant.h"

using namespace aclgrad::mutants;

namespace {

constexpr const char* kBegin = "<!-- begin: written by gradcheck_mutants -->\n";
constexpr const char* kEnd = "<!-- end: written by gradcheck_mutants -->\n";

struct Score {
  int mutants = 0;
  int ours = 0;
  int plain = 0;
  std::string rows;
};

Score score(bool verbose) {
  Score result;
  for (const Mutant& mutant : all_mutants()) {
    std::string finding;
    const bool ours = gradcheck_catches(mutant, &finding);
    const bool plain = plain_differences_catch(mutant);
    ++result.mutants;
    result.ours += ours ? 1 : 0;
    result.plain += plain ? 1 : 0;
    result.rows += fmt::format("| {} | {} | {} | {} |\n", mutant.family, mutant.edit,
                               ours ? "caught" : "**missed**", plain ? "caught" : "missed");
    if (!ours) fmt::print("missed: {}, {}\n", mutant.family, mutant.edit);
    if (verbose && ours) fmt::print("{}, {}:\n{}", mutant.family, mutant.edit, finding);
  }
  return result;
}

// Replaces what stands between the marks.
bool write_into(const std::string& path, const std::string& text) {
  std::ifstream in(path);
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string page = buffer.str();
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return false;
  std::ofstream(path) << page.substr(0, begin) << kBegin << text << page.substr(end);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Scores gradcheck on mutants, and on correct operators under random configurations."};
  std::int64_t configurations = 10000;
  std::uint64_t seed = 1;
  std::string markdown;
  bool verbose = false;
  app.add_option("--configurations", configurations, "Random ones of correct operators")
      ->capture_default_str();
  app.add_option("--seed", seed, "Of the random configurations")->capture_default_str();
  app.add_option("--markdown", markdown, "Write the table between the marks in this page");
  app.add_flag("--verbose", verbose, "Print the first finding of every mutant");
  CLI11_PARSE(app, argc, argv);

  const Score found = score(verbose);
  int blamed = 0;
  int plainly_blamed = 0;
  std::vector<Mutant> right_ones = right_kernels();
  for (Mutant& op : graph_operators()) right_ones.push_back(std::move(op));
  for (const Mutant& right : right_ones) {
    std::string finding;
    plainly_blamed += plain_differences_catch(right) ? 1 : 0;
    if (!gradcheck_catches(right, &finding)) continue;
    ++blamed;
    fmt::print("blamed though right: {}\n{}", right.family, finding);
  }
  const Sweep sweep = sweep_correct_operators(configurations, seed);
  if (sweep.alarms + sweep.inconclusive > 0) fmt::print("{}", sweep.first_alarm);
  const std::string summary = fmt::format(
      "Of {} mutants gradcheck catches {}, plain central differences (step 1e-3, tolerance 1e-3) "
      "catch {}.\nOf {} correct operators gradcheck blames {}, plain differences blame {}.\nOn "
      "correct operators under {} random configurations gradcheck raised {} false alarms and left "
      "{}\nundecided.\n",
      found.mutants, found.ours, found.plain, right_ones.size(), blamed, plainly_blamed,
      sweep.configurations, sweep.alarms, sweep.inconclusive);
  fmt::print("{}", summary);
  if (!markdown.empty()) {
    const std::string table = summary +
                              "\n| family | mistake | gradcheck | plain differences |\n"
                              "|---|---|---|---|\n" +
                              found.rows;
    if (!write_into(markdown, table)) {
      fmt::print(stderr, "{}: has no marks to write between\n", markdown);
      return 2;
    }
  }
  return found.ours == found.mutants && blamed == 0 && sweep.alarms == 0 ? 0 : 1;
}
