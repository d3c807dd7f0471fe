// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/report_parts.h"

#include <fmt/format.h>

namespace aclgrad::gradcheck {
namespace {

// A table's cells are on one line, and a bar would end them.
std::string in_cell(std::string text) {
  for (const auto& [from, to] : {std::pair("\n", " "), std::pair("|", "\\|")}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;
         at += std::string_view(to).size()) {
      text.replace(at, 1, to);
    }
  }
  return text;
}

// The findings of one function and check: the worst of them, and how many there are.
struct Alike {
  const Finding* worst;
  std::size_t count;
};

double size_of(const Finding& finding) { return finding.element ? finding.element->ulp : 0; }

// Without its attributes. A node of a graph has none.
std::string function_of(const Finding& finding) {
  if (finding.operator_name.find('`') != std::string::npos) return finding.operator_name;
  return finding.operator_name.substr(0, finding.operator_name.find(' '));
}

std::string row_of(const Alike& alike) {
  const Finding& f = *alike.worst;
  const std::string dtype = f.dtype ? fmt::format("{}: ", short_name(*f.dtype)) : "";
  const std::string element = f.element ? "; " + gradcheck::to_string(*f.element) : "";
  return fmt::format("| {} | {} | {} | {} | `{}` |\n", in_cell(function_of(f)), f.check,
                     in_cell(dtype + f.text + element), alike.count - 1, in_cell(f.reproduce));
}

std::string rows_of(const std::vector<Gradient>& gradients) {
  std::string text;
  for (const Gradient& g : gradients) {
    text += fmt::format("| {} | {} | {} | {:.3g} | {:.3g} | {:.3g} | {} |\n", in_cell(g.of),
                        dims_text(g.shape), g.compared, g.largest, g.max_abs_error, g.max_rel_error,
                        to_string(g.verdict()));
  }
  return text;
}

}  // namespace

namespace detail {

std::string finding_rows(const std::vector<Finding>& findings) {
  std::map<std::pair<std::string, std::string>, Alike> kinds;
  for (const Finding& finding : findings) {
    const auto [it, is_new] =
        kinds.try_emplace({function_of(finding), finding.check}, Alike{&finding, 0});
    ++it->second.count;
    if (size_of(finding) > size_of(*it->second.worst)) it->second.worst = &finding;
  }
  std::string text;
  for (const auto& [kind, alike] : kinds) text += row_of(alike);
  return text;
}

}  // namespace detail

std::string Report::to_markdown() const {
  std::string text = fmt::format("**{}**, {} findings in {} checks.\n",
                                 gradcheck::to_string(verdict()), findings.size(), checks);
  if (!gradients.empty()) {
    text +=
        "\n| gradient | shape | compared | largest | abs error | rel error | verdict |\n"
        "|---|---|---:|---:|---:|---:|---|\n" +
        rows_of(gradients);
  }
  if (!findings.empty()) text += detail::kFindingHead + detail::finding_rows(findings);
  return text;
}

}  // namespace aclgrad::gradcheck
