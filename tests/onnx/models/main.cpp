// SPDX-License-Identifier: Apache-2.0
// Runs ONNX's own test models and says which of them give what the standard says, by operator. With
// --markdown it writes that as a page.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>

#include "aclgrad/format.h"
#include "aclgrad/io/file.h"
#include "tests/onnx/models/page.h"
#include "tests/onnx/models/trial.h"

namespace {

using namespace aclgrad::onnx_models;
namespace fs = std::filesystem;

constexpr int kSkipped = 77;

// Folders with a model, in alphabetical order, and light networks.
std::vector<fs::path> models_below(const fs::path& data) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(data)) {
    if (entry.path().filename() == "model.onnx") found.push_back(entry.path().parent_path());
    if (entry.path().filename().string().starts_with("light_") &&
        entry.path().extension() == ".onnx") {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

const char* word(Outcome outcome) {
  return outcome == Outcome::passed   ? "passed"
         : outcome == Outcome::failed ? "FAILED"
                                      : "unsupported";
}
const char* word(Gradient gradient) {
  return gradient == Gradient::proven         ? "gradient proven"
         : gradient == Gradient::inconclusive ? "gradient inconclusive"
         : gradient == Gradient::wrong        ? "GRADIENT WRONG"
                                              : "no gradient";
}

void show(const Trial& trial, bool gradients) {
  fmt::print("{:<12} {:5.2f} s  {}", word(trial.outcome), trial.seconds, trial.name);
  if (!trial.reason.empty()) fmt::print(": {}", trial.reason);
  if (gradients && trial.outcome == Outcome::passed) {
    fmt::print("; {}{}{}", word(trial.gradient), trial.gradient_reason.empty() ? "" : ": ",
               trial.gradient_reason);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

// The counts that a page says its run had.
Counts counts_of_page(const std::string& text) {
  const std::regex line("<!-- passed ([0-9]+), proven ([0-9]+) -->");
  std::smatch found;
  if (!std::regex_search(text, found, line)) return {};
  return {std::stoul(found[1]), std::stoul(found[2])};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> folders = {"/usr/share/libonnx-testdata/data"};
  std::string only = ".", markdown, page;
  Options options;
  bool quiet = false;
  CLI::App app("Runs ONNX's own test models.");
  app.add_option("folders", folders, "where models lie (of Debian's libonnx-testdata)");
  app.add_option("--only", only, "models whose name this regular expression finds");
  app.add_option("--markdown", markdown, "a page to write");
  app.add_option("--page", page, "a page whose counts must be reached");
  app.add_flag("--gradients", options.gradients, "check gradients in float64, too");
  app.add_flag("--quiet", quiet, "show what does not pass only");
  CLI11_PARSE(app, argc, argv);
  std::vector<fs::path> models;
  for (const std::string& folder : folders) {
    if (!fs::exists(folder)) {
      fmt::print("there is no {}: install libonnx-testdata\n", folder);
      return kSkipped;
    }
    const std::vector<fs::path> found = models_below(folder);
    models.insert(models.end(), found.begin(), found.end());
  }
  const std::regex wanted(only);
  std::vector<Trial> trials;
  for (const fs::path& path : models) {
    if (!std::regex_search(path.filename().string(), wanted)) continue;
    trials.push_back(fs::is_directory(path) ? try_folder(path, options) : try_light(path, options));
    const Trial& trial = trials.back();
    if (!quiet || trial.outcome == Outcome::failed || trial.gradient == Gradient::wrong) {
      show(trial, options.gradients);
    }
  }
  const Counts counts = count(trials);
  fmt::print("{} of {} models passed, the gradients of {} are proven\n", counts.passed,
             trials.size(), counts.proven);
  if (!markdown.empty()) aclgrad::write_file_atomically(markdown, page_of(trials));
  if (!page.empty()) {
    const Counts expected = counts_of_page(aclgrad::read_file(page));
    if (expected.passed == 0 || counts.passed < expected.passed) {
      fmt::print("{} says that {} pass\n", page, expected.passed);
      return 1;
    }
  }
  return 0;
}
