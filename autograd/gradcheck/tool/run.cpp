// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <new>

#include "aclgrad/error.h"
#include "gradcheck/core/checkable.h"
#include "gradcheck/core/watch.h"
#include "gradcheck/tool/call.h"
#include "gradcheck/tool/settings.h"

namespace aclgrad::gradcheck {

namespace {

// Those of an operator's dtypes that are asked for.
DTypes chosen(const DTypes& has, const DTypes& wanted) {
  DTypes both;
  for (const DType dtype : has) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), dtype) != wanted.end()) {
      both.push_back(dtype);
    }
  }
  return both;
}

Target target_of(const LibraryPointer& library, const Plan& plan, const std::string& op,
                 const Attributes& attributes, const std::optional<Dims>& shape) {
  Target target = make_target(library, op, attributes, shape);
  for (const BoundCall* call : target.bound_calls()) {
    for (const std::size_t place : places_of_tensors(call->arguments)) {
      const contract::Parameter& tensor = call->arguments.parameters()[place];
      require_checkable(op + "'s " + tensor.name, tensor.tensor()->shape);
    }
  }
  if (plan.options.seed != 1) {
    target.candidate.reproduce += fmt::format(" --seed {}", plan.options.seed);
  }
  if (plan.options.ulp_slack != 0) {
    target.candidate.reproduce += fmt::format(" --ulp-slack {}", plan.options.ulp_slack);
  }
  return target;
}

std::string names_of(const DTypes& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.emplace_back(short_name(dtype));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Every operator takes one of the dtypes that are asked for, and every dtype is taken by one.
void require_dtypes(const LibraryPointer& library, const Plan& plan) {
  if (plan.dtypes.empty() || plan.all_variants) return;
  DTypes open = plan.dtypes;
  std::string taken;
  for (const std::string& op : plan.operators) {
    const DTypes has = make_target(library, op, plan.attributes, plan.shape).dtypes();
    const std::string sentence = fmt::format("{} takes {}", op, names_of(has));
    if (chosen(has, plan.dtypes).empty()) {
      throw ValueError(fmt::format("{}, not {}", sentence, names_of(plan.dtypes)));
    }
    std::erase_if(open, [&](DType dtype) { return !chosen(has, {dtype}).empty(); });
    taken += (taken.empty() ? "" : "; ") + sentence;
  }
  if (!open.empty()) throw ValueError(fmt::format("{}, not {}", taken, names_of(open)));
}

// Layouts that phase one of a part refuses in a dtype that it takes.
void leave_out_layouts(Library& library, const Target& target, Options& options, Report& report) {
  std::erase_if(options.layouts, [&](Layout layout) {
    const auto refuses = [&](const BoundCall* call) {
      return !call->dtypes.empty() &&
             !refusal_of(library, *call, call->dtypes.front(), layout).empty();
    };
    if (layout == Layout::contiguous) return false;
    if (std::ranges::none_of(target.bound_calls(), refuses)) return false;
    report.notes[fmt::format("not taken: {} tensors", to_string(layout))].insert(target.op);
    return true;
  });
}

void check_values(Library& library, const Plan& plan, Target target, Options options,
                  Report& report) {
  if (!plan.statuses) target.candidate.reproduce += " --check values";
  leave_out_layouts(library, target, options, report);
  if (options.layouts.empty()) return;
  const auto check = [&](const BoundCall& form) {
    const DTypes dtypes = chosen(form.dtypes, plan.dtypes);
    report.add(check_forward(library, target, form, dtypes, options));
  };
  if (target.forward) check(*target.forward);
  for (const BoundCall& form : target.other_forms) check(form);
  options.dtypes = chosen(target.gradient_dtypes, plan.dtypes);
  if (target.has_gradient() && !options.dtypes.empty()) {
    report.add(check_operator(target.candidate, options));
  }
}

// Whether the shape of one tensor says those of the others.
bool has_free_shape(const Target& target) {
  const contract::Arguments& call = target.candidate.forward;
  return target.candidate.is_elementwise() &&
         std::ranges::none_of(call.settings(), [&](const auto& setting) {
           return call.op().parameter(setting.first).tensor() != nullptr &&
                  std::holds_alternative<contract::Shape>(setting.second);
         });
}

// Enough elements to see how the errors lie over the input range.
void check_range(const LibraryPointer& library, const Plan& plan, const std::string& op,
                 const Attributes& attributes, Report& report) {
  Options options = plan.options;
  options.layouts = {Layout::contiguous};
  options.draws = 1;
  options.behaviour = false;
  options.every_shape = false;
  Target target = target_of(library, plan, op, attributes, Dims{768});
  target.leave_out_missing({library, plan.all_variants});
  target.leave_out_refused(*library);
  check_values(*library, plan, target, options, report);
}

// What the library has of a target.
void leave_out(const Functions& functions, Target& target, Line& line) {
  const std::vector<std::string> missing = target.leave_out_missing(functions);
  if (!target.forward && !target.has_gradient()) {
    line.missing = missing;
    return;
  }
  for (const std::string& name : missing) {
    line.report.notes["not in the library: " + name].insert(target.op);
  }
}

// What was asked for by name and is not there was not checked, so it is not right.
void add_missing(Line& line) {
  line.report.findings.push_back({.verdict = Verdict::inconclusive,
                                  .check = "library",
                                  .operator_name = line.title,
                                  .text = fmt::format("nothing was checked: not in the library: {}",
                                                      fmt::join(line.missing, ", "))});
}

// Each of its statuses, and what it takes of the dtypes.
void check_parts(const LibraryPointer& library, const Plan& plan, const Attributes& attributes,
                 Target& target, Line& line) {
  Report& report = line.report;
  if (plan.statuses) {
    for (const BoundCall* call : target.bound_calls()) {
      report.add(check_statuses(library, target, *call));
      report.add(check_phase_two(*library, target, *call));
    }
  }
  for (const auto& [dtype, message] : target.leave_out_refused(*library)) {
    const bool is_asked = chosen({dtype}, plan.dtypes) == DTypes{dtype};
    if (is_asked) report.left_out.emplace(dtype, message);
  }
  const DTypes dtypes = chosen(target.dtypes(), plan.dtypes);
  if (dtypes.empty() && !plan.statuses) {
    for (const auto& [dtype, message] : report.left_out) {
      line.missing.push_back(fmt::format("{} of {}", line.op, short_name(dtype)));
    }
    return;
  }
  if (plan.every_input) report.add(check_every_input(*library, target, dtypes, plan.options));
  if (plan.same_bits) report.add(check_same_bits(*library, target, dtypes, plan.options));
  if (!plan.values) return;
  check_values(*library, plan, target, plan.options, report);
  if (has_free_shape(target) && !plan.shape) {
    check_range(library, plan, line.op, attributes, report);
  }
}

}  // namespace

bool Line::is_absent() const {
  return std::ranges::all_of(functions, [&](const std::string& function) {
    return std::ranges::count(missing, function) > 0;
  });
}

std::vector<Line> run(const LibraryPointer& library, const Plan& plan,
                      const std::function<void(const Line&)>& progress, std::size_t done) {
  if (!plan.values && !plan.statuses && !plan.every_input && !plan.same_bits) {
    throw ValueError("there is nothing to check: --no-status leaves out all that --check names");
  }
  require_use(plan);
  require_dtypes(library, plan);
  const Functions functions(library, plan.all_variants);
  std::vector<Line> lines;
  std::size_t next = 0;
  for (const std::string& op : plan.operators) {
    const std::vector<Attributes> combinations =
        plan.all_variants ? variants(op) : std::vector<Attributes>{plan.attributes};
    for (const Attributes& attributes : combinations) {
      const auto start = std::chrono::steady_clock::now();
      Target target = target_of(library, plan, op, attributes, plan.shape);
      if (!plan.statuses && chosen(target.dtypes(), plan.dtypes).empty()) continue;
      const std::size_t index = next++;
      if (index < done) continue;
      const std::string crash = detail::begin_section(static_cast<std::int64_t>(index));
      Line line{.op = op,
                .functions = {},
                .title = target.candidate.title(),
                .attributes = target.candidate.attributes(),
                .missing = {},
                .report = {}};
      for (const BoundCall* call : target.bound_calls()) line.functions.push_back(call->api());
      leave_out(functions, target, line);
      if (!crash.empty()) {
        line.report.findings.push_back({.check = "call",
                                        .operator_name = line.title,
                                        .text = "the library " + crash,
                                        .reproduce = target.candidate.reproduce});
      } else if (line.missing.empty()) {
        check_parts(library, plan, attributes, target, line);
      }
      if (!line.missing.empty() && !plan.all_variants) add_missing(line);
      line.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      progress(line);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<OperatorLines> by_operator(const std::vector<Line>& lines) {
  std::vector<OperatorLines> all;
  for (const Line& line : lines) {
    if (all.empty() || all.back().op != line.op) all.push_back({.op = line.op});
    all.back().lines.push_back(&line);
    all.back().report.add(line.report);
    all.back().is_in_library = all.back().is_in_library || line.missing.empty();
  }
  return all;
}

Report total(const std::vector<Line>& lines) {
  Report all;
  for (const Line& line : lines) all.add(line.report);
  return all;
}

void require_checked(const std::string& library, const std::vector<Line>& lines) {
  const auto was_checked = [](const Line& line) { return line.missing.empty(); };
  if (std::ranges::none_of(lines, was_checked)) {
    throw IoError(library + ": lacks functions of each of the operators");
  }
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush()) throw IoError(path + ": cannot be written");
}

int status_of(const std::function<int()>& work, std::string& message) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    message = "Not enough memory for tensors of these shapes.";
    return kWrongUsage;
  } catch (const IoError& error) {
    message = error.what();
  } catch (const StatusError& error) {
    message = error.what();
  } catch (const Error& error) {
    message = error.what();
    return kWrongUsage;
  } catch (const std::exception& error) {
    message = error.what();
  }
  return kUnusable;
}

}  // namespace aclgrad::gradcheck
