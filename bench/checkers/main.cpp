// SPDX-License-Identifier: Apache-2.0
// gradcheck_score: lets this project's gradcheck and those of others loose on operators that are
// broken on purpose and on correct ones, prints who finds what, and writes it into a page.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>

#include "bench/checkers/checkers.h"
#include "bench/checkers/page.h"
#include "bench/checkers/projections.h"

using namespace aclgrad::bench;
using aclgrad::mutants::Mutant;
using aclgrad::mutants::Sweep;

namespace {

struct Column {
  std::string name;
  std::string settings;
  std::vector<bool> blames;  // by contestant
};

// Gradcheck's own, and the class of each mutant; the last one is of those that it does not find.
struct Ours {
  Column column = {"gradcheck", "this project's, its defaults", {}};
  std::vector<Class> classes;
};

Ours run_gradcheck(bool verbose) {
  Ours ours;
  const Contestants& each = contestants();
  for (std::size_t i = 0; i < each.all.size(); ++i) {
    const Mutant& mutant = each.all[i];
    const auto finding = first_finding(mutant);
    ours.column.blames.push_back(finding.has_value());
    const bool is_wrong = i < each.wrong;
    if (is_wrong) {
      ours.classes.push_back(class_of(mutant, finding.value_or(aclgrad::gradcheck::Finding{})));
    }
    if (finding.has_value() != is_wrong || verbose) {
      fmt::print("{}{}: {}\n{}", is_wrong ? "" : "right: ", mutant.family, mutant.edit,
                 finding ? finding->to_string() : "  missed\n");
    }
  }
  return ours;
}

Column run_checker(const Checker& checker) {
  Column column{checker.name, checker.settings, {}};
  for (const Mutant& mutant : contestants().all) column.blames.push_back(checker.blames(mutant));
  return column;
}

// What torch_gradcheck.py wrote: the columns' names, then a line for each contestant.
std::vector<Column> read_columns(const std::string& path) {
  std::ifstream file(path);
  std::vector<Column> columns;
  std::string line;
  std::size_t rows = 0;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::stringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    const bool is_row = !cells.empty() && cells[0] == std::to_string(rows);
    if (!is_row && rows == 0 && cells.size() == 2) {
      columns.push_back({cells[0], cells[1], {}});
    } else if (is_row && cells.size() == columns.size() + 1) {
      ++rows;
      for (std::size_t k = 0; k < columns.size(); ++k) {
        columns[k].blames.push_back(cells[k + 1] == "1");
      }
    } else {
      throw CLI::ValidationError(path, "is not what torch_gradcheck.py writes");
    }
  }
  if (rows != contestants().all.size()) {
    throw CLI::ValidationError(path, "is not about these mutants");
  }
  return columns;
}

std::size_t count_blamed(const Column& column) {
  const auto right = column.blames.begin() + static_cast<std::ptrdiff_t>(contestants().wrong);
  return static_cast<std::size_t>(std::count(right, column.blames.end(), true));
}

// Whether a mutant is blamed, and the same operator without the mistake is not.
bool finds(const Column& column, std::size_t mutant) {
  const Contestants& each = contestants();
  if (!column.blames[mutant]) return false;
  for (std::size_t i = each.wrong; i < each.all.size(); ++i) {
    if (each.all[i].family == each.all[mutant].family && column.blames[i]) return false;
  }
  return true;
}

std::size_t count_found(const Column& column) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < contestants().wrong; ++i) count += finds(column, i) ? 1 : 0;
  return count;
}

std::string row(const std::string& first, const std::vector<std::string>& cells) {
  return fmt::format("| {} | {} |\n", first, fmt::join(cells, " | "));
}

// A table's first lines: two columns with names, then those of the checkers.
std::string heading(const std::string& first, const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return row(first, names) + row("---|---", std::vector<std::string>(columns.size(), "---"));
}

std::string summary_of(const std::vector<Column>& columns) {
  const Contestants& each = contestants();
  std::string text = fmt::format(
      "| checker | how | of {} mutants it finds | of {} correct operators it blames |\n"
      "|---|---|---:|---:|\n",
      each.wrong, each.all.size() - each.wrong);
  for (const Column& column : columns) {
    text += fmt::format("| {} | {} | {} | {} |\n", column.name, column.settings,
                        count_found(column), count_blamed(column));
  }
  return text;
}

std::string classes_of(const std::vector<Column>& columns, const std::vector<Class>& classes) {
  std::string text = heading("shows at | mutants", columns);
  for (std::size_t kind = 0; kind < kClasses; ++kind) {
    std::vector<int> found(columns.size() + 1);
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i] != static_cast<Class>(kind)) continue;
      ++found[0];
      for (std::size_t k = 0; k < columns.size(); ++k) found[k + 1] += finds(columns[k], i) ? 1 : 0;
    }
    if (found[0] == 0) continue;
    text +=
        fmt::format("| {} | {} |\n", to_string(static_cast<Class>(kind)), fmt::join(found, " | "));
  }
  return text;
}

std::string blamed_of(const std::vector<Column>& columns) {
  const Contestants& each = contestants();
  std::string text;
  for (const Column& column : columns) {
    std::vector<std::string> names;
    for (std::size_t i = each.wrong; i < each.all.size(); ++i) {
      if (column.blames[i]) names.push_back(each.all[i].family);
    }
    if (!names.empty()) {
      text +=
          fmt::format("Blamed by *{}* though right: {}.\n\n", column.name, fmt::join(names, "; "));
    }
  }
  return text;
}

std::string rows_of(const std::vector<Column>& columns, const std::vector<Class>& classes) {
  const Contestants& each = contestants();
  std::string text = heading("mistake | shows at", columns);
  for (std::size_t i = 0; i < each.wrong; ++i) {
    std::vector<std::string> cells;
    for (const Column& column : columns) cells.emplace_back(finds(column, i) ? "found" : "–");
    text +=
        row(fmt::format("{}: {} | {}", each.all[i].family, each.all[i].edit, to_string(classes[i])),
            cells);
  }
  return text;
}

std::string projections(int seeds) {
  std::string text = fmt::format(
      "Formula / measured on {} seeds, in per cent.\n\n"
      "| error | directions | size 1 | 1.5 | 2 | 4 | 16 |\n"
      "|---|---|---:|---:|---:|---:|---:|\n",
      seeds);
  const auto cell = [](double formula, double measured) {
    return fmt::format("{:.1f} / {:.1f}", 100 * formula, 100 * measured);
  };
  for (const Spread spread : {Spread::one_element, Spread::all_elements}) {
    const char* const name = spread == Spread::one_element ? "one element" : "all elements";
    for (const int directions : {1, 2, 4, 8}) {
      std::vector<std::string> signs;
      std::vector<std::string> normals;
      for (const double ratio : {1.0, 1.5, 2.0, 4.0, 16.0}) {
        const Measured measured = measure_detection(spread, directions, ratio, seeds);
        signs.push_back(cell(detection_by_signs(spread, directions, ratio), measured.by_signs));
        normals.push_back(cell(detection_by_normals(directions, ratio), measured.by_normals));
      }
      text += row(fmt::format("{} | {}", name, directions), signs);
      text += row(fmt::format("{} | {}, normal", name, directions), normals);
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Scores gradient checkers on mutants, and on correct operators."};
  std::int64_t configurations = 10000;
  std::uint64_t seed = 1;
  int seeds = 1000;
  std::string torch;
  std::string markdown;
  bool verbose = false;
  app.add_option("--configurations", configurations, "Random ones of correct operators")
      ->capture_default_str();
  app.add_option("--seed", seed, "Of the random configurations")->capture_default_str();
  app.add_option("--projection-seeds", seeds, "Runs for each measured probability")
      ->capture_default_str();
  app.add_option("--torch", torch, "What torch_gradcheck.py wrote");
  app.add_option("--markdown", markdown, "Write the tables between the marks in this page");
  app.add_flag("--verbose", verbose, "Print the first finding of every mutant");
  try {
    app.parse(argc, argv);
    const Ours ours = run_gradcheck(verbose);
    std::vector<Column> columns = {ours.column};
    for (const Checker& checker : checkers()) columns.push_back(run_checker(checker));
    if (!torch.empty()) {
      for (Column& column : read_columns(torch)) columns.push_back(std::move(column));
    }
    const Sweep sweep = aclgrad::mutants::sweep_correct_operators(configurations, seed);
    if (sweep.alarms + sweep.inconclusive > 0) fmt::print("{}", sweep.first_alarm);
    std::string score = summary_of(columns);
    if (torch.empty()) score += "\nPyTorch was not installed.\n";
    score += fmt::format(
        "\nOn correct operators under {} random configurations of dtype, layout, shape and "
        "attributes gradcheck\nraised {} false alarms and left {} undecided.\n\n",
        sweep.configurations, sweep.alarms, sweep.inconclusive);
    score += blamed_of(columns) + classes_of(columns, ours.classes);
    const std::string detection = projections(seeds);
    fmt::print("{}\n{}", score, detection);
    if (!markdown.empty()) {
      write_into(markdown, "gradcheck_score", "score", score);
      write_into(markdown, "gradcheck_score", "mutants", rows_of(columns, ours.classes));
      write_into(markdown, "gradcheck_score", "projections", detection);
    }
    const bool is_perfect =
        count_found(ours.column) == contestants().wrong && count_blamed(ours.column) == 0;
    return is_perfect && sweep.alarms == 0 ? 0 : 1;
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
