// SPDX-License-Identifier: Apache-2.0
// aclgrad-gradcheck: checks operators of any library with the aclnn interface.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <iostream>

#include "aclgrad/error.h"
#include "tool/run.h"

using namespace aclgrad::gradcheck;

namespace {

constexpr const char* kDescription =
    "Checks operators with the two-phase aclnn interface: the forward against its formula "
    "in units of the last place, the backward against the forward's derivative (Ridders' "
    "extrapolation, with error bars), and every documented status code.";

constexpr const char* kFooter =
    "Exit status: 0 everything right, 1 something wrong, 2 nothing wrong but something undecided,\n"
    "3 wrong usage, 4 the library cannot be used.\n\n"
    "Examples:\n"
    "  aclgrad-gradcheck --all\n"
    "  aclgrad-gradcheck --op elu --alpha 1.3 --dtype bf16 --shape 4x6 --layout transposed\n"
    "  aclgrad-gradcheck --all --library /opt/other/libopapi.so --html report.html --ulp-slack 1";

struct Arguments {
  std::string library = "libopapi.so";
  std::vector<std::string> operators;
  bool all = false;
  Attributes attributes;
  std::string other;
  std::string into;
  std::vector<std::string> dtypes;
  std::vector<std::string> layouts;
  std::string shape;
  std::uint64_t seed = 1;
  double ulp_slack = 0;
  bool no_statuses = false;
  std::string json;
  std::string html;
  bool list = false;
  bool quiet = false;
};

void describe_attributes(CLI::App& app, Arguments& a) {
  const std::string group = "Attributes";
  const auto number = [&](const char* name, double& target, const char* text) {
    app.add_option(name, target, text)->group(group)->capture_default_str();
  };
  Attributes& v = a.attributes;
  number("--alpha", v.alpha, "elu, add, adds, sub, subs, addmm");
  number("--beta", v.beta, "addmm");
  number("--scale", v.scale, "elu");
  number("--input-scale", v.input_scale, "elu");
  number("--value", v.value, "adds, subs, muls, fill_scalar");
  number("--low", v.low, "uniform*");
  number("--high", v.high, "uniform*");
  number("--mean", v.mean, "normal*");
  number("--deviation", v.deviation, "normal*");
  number("--weight-decay", v.weight_decay, "apply_adam_w*");
  app.add_flag("--amsgrad", v.amsgrad, "apply_adam_w*")->group(group);
  app.add_flag("--maximize", v.maximize, "apply_adam_w*")->group(group);
  app.add_flag("--is-result", v.is_result, "elu: backward from the result")->group(group);
  app.add_option("--dim", v.dim, "geglu, geglu_v3, log_softmax")
      ->group(group)
      ->capture_default_str();
  app.add_option("--dims", v.dims, "reduce_sum, mean: as 0,-1; default: all")
      ->delimiter(',')
      ->group(group);
  app.add_flag("--keep-dims", v.keep_dims, "reduce_sum, mean")->group(group);
  app.add_option("--into", a.into,
                 "cast, copy, reduce_sum, mean: the result's dtype; apply_adam_w_v2: step's")
      ->group(group);
  app.add_option("--other", a.other,
                 "add, sub, mul, matmul, mm, addmm, copy: shape of the other operand")
      ->group(group);
  app.add_option("--cube-math-type", v.cube_math_type, "matmul, mm, addmm")
      ->group(group)
      ->check(CLI::Range(0, 4))
      ->capture_default_str();
  app.add_option("--approximate", v.approximate, "gelu_v2, geglu*: 0 erf, 1 tanh")
      ->group(group)
      ->check(CLI::Range(0, 1))
      ->capture_default_str();
  app.add_flag("--activate-left", v.activate_left, "geglu_v3")->group(group);
  app.add_option("--reduction", v.reduction, "mse_loss, nll_loss: 0 none, 1 mean, 2 sum")
      ->group(group)
      ->check(CLI::Range(0, 2))
      ->capture_default_str();
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
      ->capture_default_str();
  app.add_flag("--no-status", a.no_statuses, "Leave out the status codes");
  app.add_option("--json", a.json, "Write the result as JSON to this file, - for standard output");
  app.add_option("--html", a.html, "Write a page with error histograms to this file");
  app.add_flag("--quiet", a.quiet, "Print the summary and findings only");
  describe_attributes(app, a);
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
  return shape;
}

Plan plan_of(const Arguments& a) {
  Plan plan;
  plan.operators = a.all ? operator_names() : a.operators;
  plan.all_variants = a.all;
  plan.attributes = a.attributes;
  if (!a.other.empty()) plan.attributes.other = parse_shape(a.other);
  if (!a.into.empty()) plan.attributes.into = dtype_from_text(a.into);
  if (!a.shape.empty()) plan.shape = parse_shape(a.shape);
  plan.options.seed = a.seed;
  plan.options.ulp_slack = a.ulp_slack;
  plan.statuses = !a.no_statuses;
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

void print_line(const Line& line) {
  const Report& r = line.report;
  if (!line.missing.empty()) {
    fmt::print("{:<60} not in the library: {}\n", line.title, fmt::join(line.missing, ", "));
    return;
  }
  const char* verdict = !r.passed() ? "WRONG" : r.undecided() ? "CANNOT TELL" : "right";
  fmt::print("{:<60} {:<6} {:>7} elements {:>5} checks  {:5.2f} s\n", line.title, verdict,
             r.right + r.wrong + r.cannot_tell, r.checks, line.seconds);
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
  const std::vector<Line> lines = run(library, plan, [&](const Line& line) {
    if (talk) print_line(line);
  });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Coverage found = coverage(library);
  if (!a.json.empty()) write(a.json, to_json(*library, found, lines));
  if (!a.html.empty()) write(a.html, to_html(*library, found, lines));
  const Report all = total(lines);
  std::size_t checked = 0;
  for (const Line& line : lines) checked += line.missing.empty() ? 1 : 0;
  if (a.json != "-") {
    fmt::print(
        "\n{}{} of {} combinations of operator and attributes checked, from {}, in {:.1f} s\n",
        all.to_string(), checked, lines.size(), library->path(), seconds);
    print_coverage(found);
  }
  if (checked == 0) {
    fmt::print(stderr, "{}: has none of the operators\n", library->path());
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
    return check(arguments);
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
