// SPDX-License-Identifier: Apache-2.0
#include "tool/run.h"

#include <chrono>

namespace aclgrad::gradcheck {

namespace {

// Enough elements to see how the errors lie over the input range.
void check_range(const LibraryPointer& library, const Plan& plan, const std::string& op,
                 const Attributes& attributes, Report& report) {
  const Subject subject = make_subject(library, op, attributes, Dims{768});
  Options options = plan.options;
  options.layouts = {Layout::contiguous};
  options.draws = 1;
  options.behaviour = false;
  options.every_shape = false;
  if (plan.forward) report.add(check_forward(*library, subject, options));
  if (plan.backward) report.add(check_operator(subject.checked, options));
}

}  // namespace

std::vector<Line> run(const LibraryPointer& library, const Plan& plan,
                      const std::function<void(const Line&)>& progress) {
  std::vector<Line> lines;
  for (const std::string& op : plan.operators) {
    const std::vector<Attributes> combinations =
        plan.all_variants ? variants(op) : std::vector<Attributes>{plan.attributes};
    for (const Attributes& attributes : combinations) {
      const auto start = std::chrono::steady_clock::now();
      const Subject subject = make_subject(library, op, attributes, plan.shape);
      Line line{.op = op,
                .title = subject.checked.title(),
                .attributes = subject.checked.attributes,
                .missing = subject.missing(*library),
                .report = {}};
      if (line.missing.empty()) {
        if (plan.statuses) {
          line.report.add(check_statuses(*library, subject, subject.forward));
          line.report.add(check_statuses(*library, subject, subject.backward));
        }
        if (plan.forward) line.report.add(check_forward(*library, subject, plan.options));
        if (plan.backward) line.report.add(check_operator(subject.checked, plan.options));
        if (subject.checked.is_elementwise() && !plan.shape) {
          check_range(library, plan, op, attributes, line.report);
        }
      }
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

}  // namespace aclgrad::gradcheck
