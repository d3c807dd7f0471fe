// SPDX-License-Identifier: Apache-2.0
// aclgrad-gradcheck: checks operators of any library with the aclnn interface, and pairs of C
// functions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

#include "aclgrad/error.h"
#include "gradcheck/tool/apart.h"
#include "gradcheck/tool/header/check_header.h"
#include "gradcheck/tool/options.h"
#include "gradcheck/tool/processes.h"
#include "gradcheck/tool/settings.h"

using namespace aclgrad::gradcheck;
using aclgrad::contract::Sets;

namespace {

constexpr const char* kDescription =
    "Checks operators with the two-phase aclnn interface: the forward against its formula "
    "in units of the last place, the backward against the forward's derivative (Ridders' "
    "extrapolation, with error bars), and every documented status code.";

constexpr const char* kFooter =
    "Exit status: 0 everything right, 1 something wrong, 2 nothing wrong but something "
    "inconclusive, or nothing checked,\n"
    "3 wrong usage, 4 the library cannot be used, 5 all right but something vacuous: its "
    "gradient\n"
    "was mostly 0, 6 nothing wrong but something inexact: --ulp-slack allows for it.\n\n"
    "Examples:\n"
    "  aclgrad-gradcheck --all\n"
    "  aclgrad-gradcheck --op elu --alpha 1.3 --dtype bf16 --shape 4x6 --layout transposed\n"
    "  aclgrad-gradcheck --all --library /opt/other/libopapi.so --html report.html --ulp-slack 1";

struct Arguments {
  std::string library = "libopapi.so";
  bool all = false;
  bool no_statuses = false;
  std::string json;
  std::string html;
  std::string markdown;
  std::string baseline;
  bool list = false;
  bool quiet = false;
  bool in_process = false;
  double time_limit = 60;
  std::vector<std::string> headers;
  std::string so;
  std::string forward;
  std::string backward;
  std::string corrections;
  std::vector<std::string> set;
  std::vector<std::string> range;
  std::vector<std::string> role;
};

std::string operators_with(const std::string& option) {
  static const std::map<std::string, std::vector<std::string>> takers = [] {
    std::map<std::string, std::vector<std::string>> found;
    for (const std::string& op : operator_names()) {
      for (const std::string& each : options_of(op)) found[each].push_back(op);
    }
    return found;
  }();
  const auto found = takers.find(option);
  return found == takers.end() ? "" : fmt::format("{}", fmt::join(found->second, ", "));
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

// Options that set what the plan says.
class Settings {
 public:
  explicit Settings(CLI::App& app) : app_(app) {}

  Plan& plan() { return plan_; }

  CLI::Option* one(const std::string& name, const char* type, const std::string& text) {
    const auto use = [this, name](const std::string& value) { set(plan_, name, value); };
    return app_.add_option_function<std::string>("--" + name, use, text)->type_name(type);
  }

  CLI::Option* list(const std::string& name, const std::string& text) {
    const auto use = [this, name](const std::vector<std::string>& values) {
      set(plan_, name, fmt::format("{}", fmt::join(values, ",")));
    };
    return app_.add_option_function<std::vector<std::string>>("--" + name, use, text)
        ->delimiter(',');
  }

  CLI::Option* attribute(const aclgrad::gradcheck::detail::CommandOption& option) {
    const std::string name = aclgrad::gradcheck::detail::option_of(option.name).substr(2);
    const std::string text = operators_with("--" + name) + text_of(option.name);
    if (option.sets == Sets::kFlag) {
      const auto use = [this, name](std::int64_t) { set(plan_, name, "true"); };
      return app_.add_flag_function("--" + name, use, text);
    }
    const char* const type = option.sets == Sets::kNumber  ? "NUMBER"
                             : option.sets == Sets::kShape ? "SHAPE"
                             : option.sets == Sets::kList  ? "INT,..."
                                                           : "DTYPE";
    return one(name, type, text);
  }

 private:
  CLI::App& app_;
  Plan plan_;
};

void describe_header(CLI::App& app, Arguments& a) {
  const char* const kGroup = "A pair of C functions";
  app.add_option("--header", a.headers,
                 "Check two functions by the prototypes in this header instead: float or double "
                 "arrays, sizes; once more for a header that has the other function, or its types")
      ->group(kGroup);
  app.add_option("--so", a.so, "The shared library that has them")->group(kGroup);
  app.add_option("--forward", a.forward, "The function")->group(kGroup);
  app.add_option("--backward", a.backward, "The one that gives its gradients")->group(kGroup);
  app.add_option("--set", a.set,
                 "A size or another number: n=8, ld=cols*2; of an array, its elements: x=60")
      ->group(kGroup);
  app.add_option("--range", a.range, "Where an array's numbers lie: x=0.1:4, x=-inf:inf")
      ->group(kGroup);
  app.add_option(
         "--role", a.role,
         "What a parameter is: input, output or both of the forward; of the backward "
         "\"gradient x\", \"upstream y\", \"input x\", \"output y\", scratch, as in "
         "delta=\"gradient x\"; behind a gradient: added, zeroed or written, optional, over y; "
         "behind an upstream one: kept or consumed; gradients=added for all; backward.x "
         "where both functions have an x")
      ->group(kGroup);
  app.add_option("--corrections", a.corrections,
                 "A file of lines like: set n 8, range x 0.1 4, role delta gradient x")
      ->group(kGroup);
}

void describe(CLI::App& app, Settings& settings, Arguments& a) {
  describe_header(app, a);
  app.description(kDescription);
  app.footer(kFooter);
  app.set_version_flag("--version", "aclgrad-gradcheck " ACLGRAD_VERSION);
  app.add_option("--library", a.library,
                 "Shared library that exports the operators (with the libraries it needs)")
      ->capture_default_str();
  app.add_option("--op", settings.plan().operators, "Operators to check, by name; see --list")
      ->delimiter(',');
  app.add_flag("--all", a.all,
               "Every operator with every combination of attributes worth checking");
  app.add_flag("--list", a.list, "Print the operators and leave");
  settings.list("dtype",
                "float32, float16, bfloat16 (f32, fp16, bf16), int8, complex64, ...; default: all "
                "that an operator takes");
  settings.list("layout", "contiguous, transposed, strided, offset, broadcast; default: all");
  settings.one("shape", "SHAPE", "As 4x6; 0d for a tensor of rank 0; default: one that suits");
  settings.one("seed", "UINT", "Of the random inputs and gradients")->default_str("1");
  settings
      .one("ulp-slack", "NUMBER",
           "Units of the last place allowed beyond what this project promises, for libraries "
           "that promise less")
      ->default_str("0");
  settings
      .list("check",
            "values: results and gradients of random inputs; statuses: every status code; "
            "inputs: elementwise operators at all numbers of 16 bits, NaN and infinities among "
            "them, and at a sample of float32's; bits: the same bits whatever the length, "
            "place, address, strides, threads, and recorded")
      ->default_str("values,statuses");
  app.add_flag("--no-status", a.no_statuses, "Leave out the status codes");
  app.add_option("--json", a.json, "Write the result as JSON to this file, - for standard output");
  app.add_option("--html", a.html, "Write a page with error histograms to this file");
  app.add_option(
      "--markdown", a.markdown,
      "Write tables of operators and findings to this file, for the summary of a CI job");
  app.add_option(
      "--baseline", a.baseline,
      "Leave out findings that this report has, which --json wrote: only new ones count");
  app.add_flag("--in-process", a.in_process,
               "Call the library in this process, for a debugger; otherwise a crash ends another "
               "one, and is a finding");
  app.add_option("--time-limit", a.time_limit,
                 "Seconds that one call of the library may take; a call that takes longer is "
                 "ended, and is a finding")
      ->check(CLI::Range(0.1, 1e6))
      ->capture_default_str();
  app.add_flag("--quiet", a.quiet, "Print the summary and findings only");
  for (const auto& option : aclgrad::gradcheck::detail::all_options()) {
    settings.attribute(option)->group("Attributes");
  }
}

void write(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return;
  }
  aclgrad::gradcheck::write_file(path, text);
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw aclgrad::IoError(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

int report(const Arguments& a, Findings findings, double seconds) {
  const std::string& library = a.library;
  const Coverage& found = findings.coverage;
  std::vector<Line>& lines = findings.lines;
  std::optional<Baseline> baseline;
  if (!a.baseline.empty()) baseline.emplace(read(a.baseline));
  const std::size_t known = baseline ? baseline->take_from(lines) : 0;
  if (!a.json.empty()) write(a.json, to_json(library, found, lines));
  if (!a.html.empty()) write(a.html, to_html(library, found, lines));
  if (!a.markdown.empty()) write(a.markdown, to_markdown(library, lines));
  if (a.json != "-") {
    fmt::print("\n{}it took {:.1f} s\n", to_text(library, found, lines), seconds);
    if (baseline) {
      fmt::print("{} findings are in the baseline; {} of its kinds were not met again\n", known,
                 baseline->gone());
    }
  }
  require_checked(library, lines);
  return total(lines).exit_status();
}

int check(const Arguments& a, const Plan& plan) {
  const bool talk = !a.quiet && a.json != "-";
  const auto progress = [&](const Line& line) {
    if (!talk || (a.all && line.is_absent())) return;
    fmt::print("{}", to_text(line));
    std::fflush(stdout);
  };
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  if (a.in_process) {
    const LibraryPointer library = Library::open(a.library);
    std::vector<Line> lines = run(library, plan, progress);
    return report(a, {std::move(lines), coverage(library)}, seconds());
  }
  Findings findings = run_apart(a.library, plan, a.time_limit, progress);
  return report(a, std::move(findings), seconds());
}

// "n=8" and "x=0.1:4" as lines of a file have them.
void add_lines(const std::string& what, const std::vector<std::string>& given,
               Description& description) {
  for (std::string each : given) {
    if (const std::size_t at = each.find('='); at != std::string::npos) each[at] = ' ';
    if (what == "range") std::ranges::replace(each, ':', ' ');
    description.add(what + " " + each);
  }
}

int check_header(const Arguments& a, const Plan& plan) {
  for (const auto& [option, value] : {std::pair("--so", &a.so), std::pair("--forward", &a.forward),
                                      std::pair("--backward", &a.backward)}) {
    if (value->empty()) throw aclgrad::ValueError(fmt::format("--header needs {}, too", option));
  }
  if (a.all || !plan.operators.empty() || !(a.json + a.html + a.markdown + a.baseline).empty()) {
    throw aclgrad::ValueError(
        "--header checks two functions and prints what it finds: without --op, --all, --json, "
        "--html, --markdown and --baseline");
  }
  std::string text;
  for (const std::string& header : a.headers) text += read(header) + "\n";
  HeaderPlan asked{.header = std::move(text),
                   .library = a.so,
                   .forward = a.forward,
                   .backward = a.backward,
                   .description = {},
                   .seconds = a.time_limit,
                   .options = plan.options};
  if (!a.corrections.empty()) {
    std::istringstream lines(read(a.corrections));
    for (std::string line; std::getline(lines, line);) asked.description.add(line);
  }
  add_lines("set", a.set, asked.description);
  add_lines("range", a.range, asked.description);
  add_lines("role", a.role, asked.description);
  return check_header(asked);
}

int act(Arguments& arguments, Plan& plan) {
  if (arguments.list) {
    for (const std::string& name : operator_names()) fmt::print("{}\n", name);
    return 0;
  }
  if (!arguments.headers.empty()) return check_header(arguments, plan);
  if (!arguments.all && plan.operators.empty()) {
    throw aclgrad::ValueError(
        "Say what to check: --op NAME or --all, or --header FILE; --help tells more.");
  }
  if (arguments.all) plan.operators = operator_names();
  plan.all_variants = arguments.all;
  if (arguments.no_statuses) plan.statuses = false;
  return check(arguments, plan);
}

// The work's status, or that of what it throws, whose message is on the standard error.
int status_with_message(const std::function<int()>& work) {
  std::string message;
  const int status = status_of(work, message);
  if (!message.empty()) fmt::print(stderr, "{}\n", message);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  Arguments arguments;
  Settings settings(app);
  describe(app, settings, arguments);
  return status_with_message([&] {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? 0 : 3;
    }
    const auto work = [&] {
      return status_with_message([&] { return act(arguments, settings.plan()); });
    };
    return arguments.in_process ? work() : without_leftovers(work);
  });
}
