// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/report_parts.h"

#include <fmt/format.h>

#include "aclgrad/tensor/plain_text.h"

namespace aclgrad::gradcheck {
namespace {

// A table's cells are on one line, a bar would end them, and names are no markup.
std::string in_cell(std::string_view text) {
  std::string cell;
  for (const char c : plain_text(text)) {
    if (c == '|') cell += '\\';
    if (c == '<') {
      cell += "&lt;";
    } else {
      cell += c;
    }
  }
  return cell;
}

// cell() within a span of code, where nothing but its own mark and a bar mean anything.
std::string in_code_cell(std::string_view text) {
  std::string cell;
  for (const char c : plain_text(text)) {
    if (c == '|') cell += '\\';
    cell += c == '`' ? '\'' : c;
  }
  return cell;
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
                     in_cell(dtype + f.text + element), alike.count - 1, in_code_cell(f.reproduce));
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
