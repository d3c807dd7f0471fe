// SPDX-License-Identifier: Apache-2.0
// aclgrad-gradcheck: checks operators of any library with the aclnn interface.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <new>

#include "aclgrad/error.h"
#include "tool/book_options.h"
#include "tool/checkable.h"
#include "tool/run.h"

using namespace aclgrad::gradcheck;
using aclgrad::contract::Sets;
using aclgrad::contract::Setting;

namespace {

constexpr const char* kDescription =
    "Checks operators with the two-phase aclnn interface: the forward against its formula "
    "in units of the last place, the backward against the forward's derivative (Ridders' "
    "extrapolation, with error bars), and every documented status code.";

constexpr const char* kFooter =
    "Exit status: 0 everything right, 1 something wrong, 2 nothing wrong but something "
    "inconclusive,\n"
    "3 wrong usage, 4 the library cannot be used, 5 all right but something mistrusted: its "
    "gradient\n"
    "was mostly 0.\n\n"
    "Examples:\n"
    "  aclgrad-gradcheck --all\n"
    "  aclgrad-gradcheck --op elu --alpha 1.3 --dtype bf16 --shape 4x6 --layout transposed\n"
    "  aclgrad-gradcheck --all --library /opt/other/libopapi.so --html report.html --ulp-slack 1";

struct Arguments {
  std::string library = "libopapi.so";
  std::vector<std::string> operators;
  bool all = false;
  Attributes attributes;
  std::vector<std::string> dtypes;
  std::vector<std::string> layouts;
  std::string shape;
  std::uint64_t seed = 1;
  double ulp_slack = 0;
  std::vector<std::string> checks = {"values", "statuses"};
  bool no_statuses = false;
  std::string json;
  std::string html;
  std::string markdown;
  std::string baseline;
  bool list = false;
  bool quiet = false;
};

constexpr const char* kAttributes = "Attributes";  // the group of their options

std::string operators_with(const std::string& option) {
  std::vector<std::string> names;
  for (const std::string& op : operator_names()) {
    const std::vector<std::string> options = options_of(op);
    if (std::find(options.begin(), options.end(), option) != options.end()) names.push_back(op);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// CLI's ranges let a NaN pass.
CLI::Validator number_from(double least) {
  return CLI::Validator(
      [least](const std::string& text) {
        const double value = std::strtod(text.c_str(), nullptr);
        if (std::isfinite(value) && value >= least) return std::string();
        return fmt::format("{} is not a finite number{}", text, least == 0 ? " of 0 or more" : "");
      },
      least == 0 ? "NUMBER >= 0" : "NUMBER");
}

// More about an option than its operators.
std::string text_of(const std::string& name) {
  if (name == "dims") return ": as 0,-1; default: all";
  if (name == "into") return ": the result's dtype; of apply_adam_w_v2 that of step";
  if (name == "other") return ": shape of the other operand";
  if (name == "reduction") return ": 0 none, 1 mean, 2 sum";
  if (name == "approximate") return ": 0 erf, 1 tanh";
  return "";
}

CLI::Validator numbers_of(const std::string& name) {
  if (name == "approximate") return CLI::Range(0, 1);
  if (name == "reduction") return CLI::Range(0, 2);
  if (name == "cubeMathType") return CLI::Range(0, 4);
  return number_from(std::numeric_limits<double>::lowest());
}

void describe_attributes(CLI::App& app) {
  for (const auto& [attribute, sets] : detail::book_options()) {
    const std::string name = detail::option_of(attribute);
    const std::string text = operators_with(name) + text_of(attribute);
    CLI::Option* option = nullptr;
    if (sets == Sets::kFlag) {
      option = app.add_flag_function(
          name, [](std::int64_t) {}, text);
    } else if (sets == Sets::kNumber) {
      option = app.add_option_function<double>(
                      name, [](double) {}, text)
                   ->check(numbers_of(attribute));
    } else if (sets == Sets::kList) {
      option = app.add_option_function<Dims>(
                      name, [](const Dims&) {}, text)
                   ->delimiter(',');
    } else {
      option = app.add_option_function<std::string>(
          name, [](const std::string&) {}, text);
    }
    option->group(kAttributes);
  }
}

// Throws ValueError for an attribute that none of the operators has.
void require_use(const CLI::App& app, const Arguments& a) {
  const auto is_attribute = [](const CLI::Option* option) {
    return option->get_group() == kAttributes && option->count() > 0;
  };
  for (const CLI::Option* option : app.get_options(is_attribute)) {
    const std::string name = option->get_name();
    if (a.all) {
      throw aclgrad::ValueError("--all chooses the attributes; " + name + " goes with --op");
    }
    std::string taken;
    bool used = false;
    for (const std::string& op : a.operators) {
      const std::vector<std::string> options = options_of(op);
      used = used || std::find(options.begin(), options.end(), name) != options.end();
      taken += fmt::format("{}{} takes {}", taken.empty() ? "" : "; ", op,
                           options.empty() ? "none" : fmt::format("{}", fmt::join(options, ", ")));
    }
    if (!used) throw aclgrad::ValueError(name + " has no effect; of the attributes " + taken);
  }
}

void describe(CLI::App& app, Arguments& a) {
  app.description(kDescription);
  app.footer(kFooter);
  app.add_option("--library", a.library,
                 "Shared library that exports the operators (with the libraries it needs)")
      ->capture_default_str();
  app.add_option("--op", a.operators, "Operators to check, by name; see --list")->delimiter(',');
  app.add_flag("--all", a.all,
               "Every operator with every combination of attributes worth checking");
  app.add_flag("--list", a.list, "Print the operators and leave");
  app.add_option("--dtype", a.dtypes,
                 "float32, float16, bfloat16 (f32, fp16, bf16), int8, complex64, ...; default: all "
                 "that an operator takes")
      ->delimiter(',');
  app.add_option("--layout", a.layouts,
                 "contiguous, transposed, strided, offset, broadcast; default: all")
      ->delimiter(',');
  app.add_option("--shape", a.shape, "As 4x6; 0d for a tensor of rank 0; default: one that suits");
  app.add_option("--seed", a.seed, "Of the random inputs and gradients")->capture_default_str();
  app.add_option("--ulp-slack", a.ulp_slack,
                 "Units of the last place allowed beyond what this project promises, for libraries "
                 "that promise less")
      ->check(number_from(0))
      ->capture_default_str();
  app.add_option(
         "--check", a.checks,
         "values: results and gradients of random inputs; statuses: every status code; "
         "inputs: elementwise operators at all numbers of 16 bits, NaN and infinities among "
         "them, and at a sample of float32's; bits: the same bits whatever the length, "
         "place, address, strides, threads, and recorded")
      ->delimiter(',')
      ->check(CLI::IsMember({"values", "statuses", "inputs", "bits"}))
      ->capture_default_str();
  app.add_flag("--no-status", a.no_statuses, "Leave out the status codes");
  app.add_option("--json", a.json, "Write the result as JSON to this file, - for standard output");
  app.add_option("--html", a.html, "Write a page with error histograms to this file");
  app.add_option(
      "--markdown", a.markdown,
      "Write tables of operators and findings to this file, for the summary of a CI job");
  app.add_option(
      "--baseline", a.baseline,
      "Leave out findings that this report has, which --json wrote: only new ones count");
  app.add_flag("--quiet", a.quiet, "Print the summary and findings only");
  describe_attributes(app);
}

Dims parse_shape(const std::string& text) {
  if (text == "0d" || text == "scalar") return {};
  Dims shape;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find('x', at), text.size());
    const std::string extent = text.substr(at, end - at);
    if (extent.empty() || extent.find_first_not_of("0123456789") != std::string::npos ||
        extent.size() > 9) {
      throw aclgrad::ValueError("a shape is written as 4x6 or 0d, not '" + text + "'");
    }
    shape.push_back(std::stoll(extent));
    at = end + 1;
  }
  require_checkable("a tensor", shape);
  return shape;
}

// Those of the operator book.
std::map<std::string, Setting> given_attributes(const CLI::App& app) {
  std::map<std::string, Setting> given;
  for (const auto& [name, sets] : detail::book_options()) {
    const CLI::Option* option = app.get_option_no_throw(detail::option_of(name));
    if (option->count() == 0) continue;
    if (sets == Sets::kFlag) given[name] = 1.0;
    if (sets == Sets::kNumber) given[name] = option->as<double>();
    if (sets == Sets::kList) given[name] = option->as<std::vector<std::int64_t>>();
    if (sets == Sets::kShape) given[name] = parse_shape(option->as<std::string>());
    if (sets == Sets::kDtype) {
      given[name] = static_cast<aclDataType>(dtype_from_text(option->as<std::string>()));
    }
  }
  return given;
}

Plan plan_of(const Arguments& a) {
  Plan plan;
  plan.operators = a.all ? operator_names() : a.operators;
  plan.all_variants = a.all;
  plan.attributes = a.attributes;
  if (!a.shape.empty()) plan.shape = parse_shape(a.shape);
  plan.options.seed = a.seed;
  plan.options.ulp_slack = a.ulp_slack;
  const auto asked = [&](const char* check) { return std::ranges::count(a.checks, check) > 0; };
  plan.statuses = asked("statuses") && !a.no_statuses;
  plan.values = asked("values");
  plan.every_input = asked("inputs");
  plan.same_bits = asked("bits");
  for (const std::string& name : a.dtypes) plan.dtypes.push_back(dtype_from_text(name));
  if (!a.layouts.empty()) {
    plan.options.layouts.clear();
    for (const std::string& name : a.layouts) {
      plan.options.layouts.push_back(layout_from_text(name));
    }
  }
  return plan;
}

void write(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw aclgrad::IoError(path + ": cannot be written");
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw aclgrad::IoError(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

void print_line(const Line& line) {
  const OperatorReport& r = line.report;
  if (!line.missing.empty()) {
    fmt::print("{:<60} not in the library: {}\n", line.title, fmt::join(line.missing, ", "));
    return;
  }
  fmt::print("{:<60} {:<6} {:>7} elements {:>5} checks  {:5.2f} s\n", line.title,
             headline(r.verdict()), r.right + r.wrong + r.inconclusive, r.checks, line.seconds);
}

// How much of the library was checked.
void print_coverage(const Coverage& found) {
  if (found.exported.empty()) return;
  fmt::print("{} of {} two-phase operators that it exports are known\n",
             found.exported.size() - found.unknown.size(), found.exported.size());
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(kShown, found.unknown.size()); ++i) {
    fmt::print("  not checked: {}\n", found.unknown[i]);
  }
  if (found.unknown.size() > kShown)
    fmt::print("  ... and {} more\n", found.unknown.size() - kShown);
}

int check(const Arguments& a) {
  const Plan plan = plan_of(a);
  LibraryPointer library;
  try {
    library = Library::open(a.library);
  } catch (const aclgrad::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 4;
  }
  const bool talk = !a.quiet && a.json != "-";
  const auto start = std::chrono::steady_clock::now();
  std::optional<Baseline> baseline;
  if (!a.baseline.empty()) baseline.emplace(read(a.baseline));
  std::vector<Line> lines = run(library, plan, [&](const Line& line) {
    if (talk) print_line(line);
  });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Coverage found = coverage(library);
  const std::size_t known = baseline ? baseline->take_from(lines) : 0;
  if (!a.json.empty()) write(a.json, to_json(*library, found, lines));
  if (!a.html.empty()) write(a.html, to_html(*library, found, lines));
  if (!a.markdown.empty()) write(a.markdown, to_markdown(*library, lines));
  const OperatorReport all = total(lines);
  std::size_t checked = 0;
  for (const Line& line : lines) checked += line.missing.empty() ? 1 : 0;
  if (a.json != "-") {
    fmt::print(
        "\n{}{} of {} combinations of operator and attributes checked, from {}, in {:.1f} s\n",
        all.to_string(), checked, lines.size(), library->path(), seconds);
    print_coverage(found);
    if (baseline) {
      fmt::print("{} findings are in the baseline; {} of its kinds were not met again\n", known,
                 baseline->gone());
    }
  }
  if (checked == 0) {
    fmt::print(stderr, "{}: lacks functions of each of the operators\n", library->path());
    return 4;
  }
  return all.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  Arguments arguments;
  describe(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 3;
  }
  try {
    if (arguments.list) {
      for (const std::string& name : operator_names()) fmt::print("{}\n", name);
      return 0;
    }
    if (!arguments.all && arguments.operators.empty()) {
      fmt::print(stderr, "Say what to check: --op NAME or --all; --help tells more.\n");
      return 3;
    }
    require_use(app, arguments);
    arguments.attributes.given = given_attributes(app);
    return check(arguments);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "Not enough memory for tensors of these shapes.\n");
    return 3;
  } catch (const aclgrad::IoError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 4;
  } catch (const aclgrad::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 4;
  }
}
