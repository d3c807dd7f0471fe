// SPDX-License-Identifier: Apache-2.0
#include "tests/onnx/models/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

namespace aclgrad::onnx_models {
namespace {

struct Row {
  std::size_t models = 0, passed = 0, failed = 0, unsupported = 0, proven = 0;
  void add(const Trial& trial) {
    ++models;
    passed += trial.outcome == Outcome::passed;
    failed += trial.outcome == Outcome::failed;
    unsupported += trial.outcome == Outcome::unsupported;
    proven += trial.gradient == Gradient::proven;
  }
};

// A reason without what differs from model to model.
std::string in_short(const std::string& reason) {
  if (reason.find("there are no operators here for") != std::string::npos) {
    std::string names;
    const std::regex line("\n  ([^ ]+) \\(opset");
    for (std::sregex_iterator it(reason.begin(), reason.end(), line), end; it != end; ++it) {
      names += (names.empty() ? "" : ", ") + (*it)[1].str();
    }
    return "no operator " + names;
  }
  std::string text =
      std::regex_replace(reason, std::regex("node `[^`]*` \\(([^,]*), opset [0-9]+\\): "), "$1: ");
  text = std::regex_replace(text, std::regex("node [0-9]+ `([^`]*)` \\([^)]*\\): "), "$1: ");
  text = std::regex_replace(text, std::regex("(differ by|rounding,|all but) [-+.0-9e]*[0-9],?"),
                            "$1 ...");
  text = std::regex_replace(text, std::regex("\n.*"), "");
  return std::regex_replace(text, std::regex("\\|"), "\\|");
}

std::string names_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + (name.starts_with("test_") ? name.substr(5) : name);
  }
  return text;
}

}  // namespace

Counts count(const std::vector<Trial>& trials) {
  Counts counts;
  for (const Trial& trial : trials) {
    counts.passed += trial.outcome == Outcome::passed;
    counts.proven += trial.gradient == Gradient::proven;
  }
  return counts;
}

std::string page_of(const std::vector<Trial>& trials) {
  Row all;
  std::map<std::string, Row> operators;
  std::map<std::string, std::vector<std::string>> failed, unsupported, unproven;
  for (const Trial& trial : trials) {
    all.add(trial);
    for (const std::string& name : trial.operators) operators[name].add(trial);
    if (trial.outcome == Outcome::failed) failed[in_short(trial.reason)].push_back(trial.name);
    if (trial.outcome == Outcome::unsupported) {
      unsupported[in_short(trial.reason)].push_back(trial.name);
    }
    if (trial.outcome == Outcome::passed && trial.gradient != Gradient::proven) {
      unproven[in_short(trial.gradient_reason)].push_back(trial.name);
    }
  }
  std::string text = fmt::format(
      "# ONNX\n\n"
      "What of ONNX can be read, by ONNX's own test models (Debian's `libonnx-testdata`). "
      "`./dev onnx-test` runs them\nand writes this page; [how to load and save networks]"
      "(how-to/onnx.md) says the rest. A model passes when all its\noutputs have the dtype and "
      "shape of the expected ones and are within rtol 1e-3 and atol 1e-7 of them, as ONNX's\n"
      "own runner demands. Its gradient is proven when `check_model` finds that of its floating "
      "inputs and parameters\nright in float64; where there is none for class weights or running "
      "statistics, that of the first input.\n\n"
      "<!-- passed {}, proven {} -->\n"
      "Of {} models {} pass, {} fail, {} are not supported; the gradients of {} are proven.\n\n"
      "## By operator\n\nA model counts for each operator that it has.\n\n"
      "| operator | models | passed | failed | not supported | gradient proven |\n"
      "|---|---|---|---|---|---|\n",
      all.passed, all.proven, all.models, all.passed, all.failed, all.unsupported, all.proven);
  for (const auto& [name, row] : operators) {
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", name, row.models, row.passed,
                        row.failed, row.unsupported, row.proven);
  }
  const auto list = [&](const std::string& title, const auto& reasons) {
    if (reasons.empty()) return;
    text += fmt::format("\n## {}\n\n| reason | models |\n|---|---|\n", title);
    for (const auto& [reason, names] : reasons) {
      text += fmt::format("| {} | {} |\n", reason.empty() ? "none" : reason, names_of(names));
    }
  };
  list("What fails", failed);
  list("What is not supported", unsupported);
  list("What passes without a proven gradient", unproven);
  return text;
}

}  // namespace aclgrad::onnx_models
