// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad/fit.h"

namespace aclgrad {

report::Series History::curve(const std::string& name,
                              const std::function<double(const Evaluation&)>& value) const {
  report::Series series{.name = name};
  for (const Evaluation& evaluation : evaluations) {
    series.x.push_back(static_cast<double>(series.x.size() + 1));
    series.y.push_back(value(evaluation));
  }
  return series;
}

std::string History::to_string() const {
  const bool validation = validated || std::ranges::any_of(evaluations, [](const Evaluation& each) {
                            return !std::isnan(each.validation_loss);
                          });
  const auto number = [](double value, int digits, char kind) -> std::string {
    if (std::isnan(value)) return "nan";  // without a sign
    return kind == 'f' ? fmt::format("{:.{}f}", value, digits)
                       : fmt::format("{:.{}g}", value, digits);
  };
  std::vector<std::string> headers = {"step", "loss"};
  if (validation) headers.push_back("validation");
  headers.insert(headers.end(), metrics.begin(), metrics.end());
  const bool marks = has_best && evaluations.size() > 1;
  if (marks) headers.emplace_back("");
  report::Table table(headers);
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const Evaluation& evaluation = evaluations[i];
    std::vector<std::string> cells = {std::to_string(evaluation.step),
                                      number(evaluation.loss, 4, 'f')};
    if (validation) cells.push_back(number(evaluation.validation_loss, 4, 'f'));
    for (const double metric : evaluation.metrics) cells.push_back(number(metric, 4, 'g'));
    if (marks) cells.emplace_back(i == best ? "best" : "");
    table.add_row(std::move(cells));
  }
  std::string text = table.to_string();
  if (stopped_early && !evaluations.empty()) {
    text += fmt::format("stopped early, after step {}\n", evaluations.back().step);
  }
  return text;
}

}  // namespace aclgrad
