// SPDX-License-Identifier: Apache-2.0
#include "tool/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "aclgrad/error.h"
#include "gradcheck/core/checkable.h"
#include "tool/call.h"
#include "tool/settings.h"

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

Subject subject_of(const LibraryPointer& library, const Plan& plan, const std::string& op,
                   const Attributes& attributes, const std::optional<Dims>& shape) {
  Subject subject = make_subject(library, op, attributes, shape);
  for (const EntryPoint* entry : subject.entry_points()) {
    for (const TensorArgument& tensor : entry->tensors) {
      require_checkable(op + "'s " + tensor.name, tensor.shape);
    }
  }
  if (plan.options.seed != 1) {
    subject.checked.reproduce += fmt::format(" --seed {}", plan.options.seed);
  }
  if (plan.options.ulp_slack != 0) {
    subject.checked.reproduce += fmt::format(" --ulp-slack {}", plan.options.ulp_slack);
  }
  return subject;
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
    const DTypes has = make_subject(library, op, plan.attributes, plan.shape).dtypes();
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
void leave_out_layouts(Library& library, const Subject& subject, Options& options, Report& report) {
  std::erase_if(options.layouts, [&](Layout layout) {
    const auto refuses = [&](const EntryPoint* entry) {
      const DTypes& dtypes = entry->value_dtypes();
      return !dtypes.empty() && !refusal_of(library, *entry, dtypes.front(), layout).empty();
    };
    if (layout == Layout::contiguous) return false;
    const std::vector<const EntryPoint*> entries = subject.entry_points();
    if (std::none_of(entries.begin(), entries.end(), refuses)) return false;
    report.notes[fmt::format("not taken: {} tensors", to_string(layout))].insert(subject.op);
    return true;
  });
}

void check_values(Library& library, const Plan& plan, Subject subject, Options options,
                  Report& report) {
  if (!plan.statuses) subject.checked.reproduce += " --check values";
  leave_out_layouts(library, subject, options, report);
  if (options.layouts.empty()) return;
  const auto check = [&](const EntryPoint& form) {
    const DTypes dtypes = chosen(form.value_dtypes(), plan.dtypes);
    report.add(check_forward(library, subject, form, dtypes, options));
  };
  if (subject.has_forward) check(subject.forward);
  for (const EntryPoint& form : subject.other_forms) check(form);
  options.dtypes = chosen(subject.gradient_dtypes, plan.dtypes);
  if (subject.has_gradient() && !options.dtypes.empty()) {
    report.add(check_operator(subject.checked, options));
  }
}

// Enough elements to see how the errors lie over the input range.
void check_range(const LibraryPointer& library, const Plan& plan, const std::string& op,
                 const Attributes& attributes, Report& report) {
  Options options = plan.options;
  options.layouts = {Layout::contiguous};
  options.draws = 1;
  options.behaviour = false;
  options.every_shape = false;
  Subject subject = subject_of(library, plan, op, attributes, Dims{768});
  subject.leave_out_missing(*library);
  subject.leave_out_refused(*library);
  check_values(*library, plan, subject, options, report);
}

// What the library has of a subject.
void leave_out(const Library& library, Subject& subject, Line& line) {
  const std::vector<std::string> missing = subject.leave_out_missing(library);
  for (const std::string& name : missing) {
    line.report.notes["not in the library: " + name].insert(subject.op);
  }
  if (!subject.has_forward && !subject.has_gradient()) line.missing = missing;
}

// Each of its statuses, and what it takes of the dtypes.
void check_parts(const LibraryPointer& library, const Plan& plan, const Attributes& attributes,
                 Subject& subject, Line& line) {
  Report& report = line.report;
  if (plan.statuses) {
    for (const EntryPoint* entry : subject.entry_points()) {
      report.add(check_statuses(*library, subject, *entry));
      report.add(check_phase_two(*library, subject, *entry));
    }
  }
  for (const auto& [dtype, message] : subject.leave_out_refused(*library)) {
    const bool is_asked = chosen({dtype}, plan.dtypes) == DTypes{dtype};
    if (is_asked) report.left_out.emplace(dtype, message);
  }
  const DTypes dtypes = chosen(subject.dtypes(), plan.dtypes);
  if (dtypes.empty() && !plan.statuses) {
    for (const auto& [dtype, message] : report.left_out) {
      line.missing.push_back(fmt::format("{} of {}", line.op, short_name(dtype)));
    }
    return;
  }
  if (plan.every_input) report.add(check_every_input(*library, subject, dtypes, plan.options));
  if (plan.same_bits) report.add(check_same_bits(*library, subject, dtypes, plan.options));
  if (!plan.values) return;
  check_values(*library, plan, subject, plan.options, report);
  if (subject.checked.is_elementwise() && !plan.shape) {
    check_range(library, plan, line.op, attributes, report);
  }
}

}  // namespace

std::vector<Line> run(const LibraryPointer& library, const Plan& plan,
                      const std::function<void(const Line&)>& progress) {
  if (!plan.values && !plan.statuses && !plan.every_input && !plan.same_bits) {
    throw ValueError("there is nothing to check: --no-status leaves out all that --check names");
  }
  require_use(plan);
  require_dtypes(library, plan);
  std::vector<Line> lines;
  for (const std::string& op : plan.operators) {
    const std::vector<Attributes> combinations =
        plan.all_variants ? variants(op) : std::vector<Attributes>{plan.attributes};
    for (const Attributes& attributes : combinations) {
      const auto start = std::chrono::steady_clock::now();
      Subject subject = subject_of(library, plan, op, attributes, plan.shape);
      if (!plan.statuses && chosen(subject.dtypes(), plan.dtypes).empty()) continue;
      Line line{.op = op,
                .functions = {},
                .title = subject.checked.title(),
                .attributes = subject.checked.attributes,
                .missing = {},
                .report = {}};
      for (const EntryPoint* entry : subject.entry_points()) line.functions.push_back(entry->api);
      leave_out(*library, subject, line);
      if (line.missing.empty()) check_parts(library, plan, attributes, subject, line);
      line.seconds =
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      progress(line);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

Report total(const std::vector<Line>& lines) {
  Report all;
  for (const Line& line : lines) all.add(line.report);
  return all;
}

void require_checked(const Library& library, const std::vector<Line>& lines) {
  const auto was_checked = [](const Line& line) { return line.missing.empty(); };
  if (std::ranges::none_of(lines, was_checked)) {
    throw IoError(library.path() + ": lacks functions of each of the operators");
  }
}

int status_of(const std::function<int()>& work, std::string& message) {
  constexpr int kWrongUsage = 3;
  constexpr int kUnusable = 4;
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
