// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <deque>

#include "gradcheck/core/problem.h"
#include "tool/checks.h"

namespace aclgrad::gradcheck {
namespace {

Finding finding_of(const Subject& subject, DType dtype, Layout layout, std::string text) {
  Finding finding{.check = "forward",
                  .operator_name = subject.forward.api + " " + subject.checked.attributes,
                  .dtype = dtype,
                  .layout = layout,
                  .shape = subject.checked.inputs[0].shape,
                  .text = std::move(text)};
  finding.reproduce = fmt::format("{} --dtype {} --layout {}", subject.checked.reproduce,
                                  short_name(dtype), to_string(layout));
  return finding;
}

}  // namespace

Report check_forward(Library& library, const Subject& subject, const Options& options) {
  Report report;
  const std::vector<Number> corners = detail::corners_of(subject.checked);
  for (const DType dtype : options.dtypes) {
    const Arrays inputs = detail::draw_inputs(subject.checked, dtype, options.seed + 17, corners);
    const Arrays exact = detail::forward_of(subject.checked, inputs);
    const Arrays scale = subject.magnitude ? subject.magnitude(inputs) : exact;
    for (const Layout layout : options.layouts) {
      std::deque<Guarded> memory;
      std::vector<View> in;
      std::vector<View> out;
      for (std::size_t i = 0; i < subject.forward.tensors.size(); ++i) {
        const TensorArgument& argument = subject.forward.tensors[i];
        const Guarded& guarded = memory.emplace_back(argument.dtype.value_or(dtype), argument.shape,
                                                     layout, static_cast<unsigned char>(0xA5));
        if (i < subject.forward.inputs) guarded.fill(inputs[i].values);
        (i < subject.forward.inputs ? in : out).push_back(guarded.view());
      }
      ++report.configurations;
      ++report.checks;
      std::string failure = library.run(subject.forward.api, subject.forward.plan, {in, out});
      std::string where;
      if (failure.empty() && memory[subject.forward.inputs].changed_outside(&where) > 0) {
        failure = "the output was written " + where;
      }
      if (!failure.empty()) {
        report.findings.push_back(finding_of(subject, dtype, layout, failure));
        continue;
      }
      const Array actual = memory[subject.forward.inputs].read();
      ErrorSummary& errors = report.forward[dtype];
      const bool is_16bit = dtype == DType::float16 || dtype == DType::bfloat16;
      const double bound = (is_16bit ? 0.5001 : subject.forward_ulp) + options.ulp_slack;
      double worst = 0;
      std::size_t at = 0;
      for (std::size_t i = 0; i < actual.values.size(); ++i) {
        const Number right = exact[0].values[i];
        const Number unit = ulp(std::max(std::abs(right), std::abs(scale[0].values[i])), dtype);
        const double off = actual.values[i] == right
                               ? 0
                               : static_cast<double>(std::abs(actual.values[i] - right) / unit);
        if (!(off <= worst)) {
          worst = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
          at = i;
        }
        if (i < 1024 && inputs[0].values.size() == actual.values.size()) {
          errors.samples.emplace_back(static_cast<double>(inputs[0].values[i]), off);
        }
      }
      errors.elements += static_cast<std::int64_t>(actual.values.size());
      if (worst <= bound) {
        errors.max_ulp = std::max(errors.max_ulp, worst);
        continue;
      }
      report.findings.push_back(finding_of(
          subject, dtype, layout,
          fmt::format("element {} is {:.9g} instead of {:.9g}: {:.3g} ulp, at most {:.3g} is right",
                      at, static_cast<double>(actual.values[at]),
                      static_cast<double>(exact[0].values[at]), worst, bound)));
      report.findings.back().suspect = "the forward: its value is not that of the formula";
    }
  }
  return report;
}

}  // namespace aclgrad::gradcheck
