// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/report_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aclgrad::gradcheck {
namespace {

constexpr std::size_t kShownFindings = 12;
constexpr std::size_t kShownRanges = 12;  // of more operators a list says little
constexpr std::size_t kKeptSamples = 4000;

std::string number(Number value) { return fmt::format("{:.9g}", static_cast<double>(value)); }

std::string brief(Number value) { return fmt::format("{:.5g}", static_cast<double>(value)); }

void merge(std::map<DType, ErrorSummary>& into, const std::map<DType, ErrorSummary>& from) {
  for (const auto& [dtype, errors] : from) {
    ErrorSummary& all = into[dtype];
    all.elements += errors.elements;
    all.max_ulp = std::max(all.max_ulp, errors.max_ulp);
    all.inputs += errors.inputs;
    all.misrounded += errors.misrounded;
    all.nan += errors.nan;
    all.infinity += errors.infinity;
    const std::size_t room = kKeptSamples - std::min(kKeptSamples, all.samples.size());
    const auto count = static_cast<std::ptrdiff_t>(std::min(room, errors.samples.size()));
    all.samples.insert(all.samples.end(), errors.samples.begin(), errors.samples.begin() + count);
  }
}

// A line by dtype; integers have no last place, they are right or wrong.
std::string largest(const char* side, const char* what, const std::map<DType, ErrorSummary>& all) {
  std::string text;
  for (const auto& [dtype, errors] : all) {
    text += fmt::format("  {} {}: ", side, short_name(dtype));
    text += is_float(dtype) || is_complex(dtype)
                ? fmt::format("largest {} {:.4g} ulp over {} elements\n", what, errors.max_ulp,
                              errors.elements)
                : fmt::format("{} elements\n", errors.elements);
    if (errors.inputs == 0) continue;
    text += fmt::format(
        "    over {} inputs: {} not correctly rounded, {} wrong at NaN or giving it, {} wrong at "
        "infinities\n",
        errors.inputs, errors.misrounded, errors.nan, errors.infinity);
  }
  return text;
}

// A line for each.
std::string table(const std::vector<Gradient>& gradients) {
  if (gradients.empty()) return "";
  std::string text =
      fmt::format("  {:<20} {:<14} {:>8} {:>7} {:>10} {:>10} {:>10}  {}\n", "gradient", "shape",
                  "compared", "corners", "largest", "abs error", "rel error", "verdict");
  for (const Gradient& g : gradients) {
    text += fmt::format("  {:<20} {:<14} {:>8} {:>7} {:>10.2e} {:>10.2e} {:>10.2e}  {}\n", g.of,
                        fmt::format("[{}]", fmt::join(g.shape, ", ")), g.compared, g.corners,
                        g.largest, g.max_abs_error, g.max_rel_error, headline(g.verdict()));
  }
  return text;
}

}  // namespace

const char* to_string(Verdict verdict) {
  constexpr const char* kNames[] = {"right", "wrong", "inconclusive", "vacuous", "inexact"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const char* headline(Verdict verdict) {
  constexpr const char* kWords[] = {"right", "WRONG", "INCONCLUSIVE", "VACUOUS", "INEXACT"};
  return kWords[static_cast<std::size_t>(verdict)];
}

std::vector<Kind> by_kind(const std::vector<Finding>& findings) {
  std::vector<Kind> kinds;
  for (const Finding& finding : findings) {
    const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
      return kind.first->operator_name == finding.operator_name &&
             kind.first->check == finding.check && kind.first->verdict == finding.verdict &&
             kind.first->diagnosis == finding.diagnosis;
    });
    if (it == kinds.end()) {
      kinds.push_back({&finding, 1});
    } else {
      ++it->count;
    }
  }
  return kinds;
}

std::string to_string(const Element& e) {
  const std::string numeric =
      e.low == e.high ? number(e.low) : fmt::format("{} to {}", number(e.low), number(e.high));
  const std::string where = e.is_direction
                                ? fmt::format("direction {} of the gradient of {}", e.index, e.of)
                                : fmt::format("element {} of the gradient of {}, where it is {}",
                                              e.index, e.of, number(e.input));
  return fmt::format(
      "{}: analytic {}, numeric {} +- {:.2g}; {:.3g} ulp apart, rounding explains a difference of "
      "{:.2g}",
      where, number(e.analytic), numeric, static_cast<double>(e.error), e.ulp,
      static_cast<double>(e.bound));
}

std::string detail::place_of(const Finding& finding) {
  std::string place = finding.operator_name;
  if (finding.dtype) place += fmt::format(", {}", short_name(*finding.dtype));
  if (finding.layout) place += fmt::format(", {}", gradcheck::to_string(*finding.layout));
  if (!finding.shape.empty()) place += fmt::format(", {}", dims_text(finding.shape));
  return place;
}

std::string Finding::to_string() const {
  std::string text_lines = fmt::format("{}  {}  ({})\n    {}\n", headline(verdict),
                                       detail::place_of(*this), check, text);
  if (element) text_lines += "    " + gradcheck::to_string(*element) + "\n";
  if (!diagnosis.empty()) text_lines += fmt::format("    diagnosis: {}\n", diagnosis);
  if (!reproduce.empty()) text_lines += fmt::format("    reproduce: {}\n", reproduce);
  return text_lines;
}

std::string Corner::to_string() const {
  return fmt::format("{} takes {} at {}; slopes are {} and {}: {}", operator_name, brief(taken),
                     number(at), brief(left), brief(right), convention);
}

Verdict Gradient::verdict() const {
  if (wrong > 0) return Verdict::wrong;
  if (inexact > 0) return Verdict::inexact;
  if (inconclusive > 0) return Verdict::inconclusive;
  return compared > 0 && largest == 0 ? Verdict::vacuous : Verdict::right;
}

bool Report::passed() const { return verdict() == Verdict::right || verdict() == Verdict::vacuous; }

Verdict Report::verdict() const {
  const auto has = [&](Verdict verdict) {
    return std::ranges::count(findings, verdict, &Finding::verdict) > 0;
  };
  if (has(Verdict::wrong)) return Verdict::wrong;
  if (has(Verdict::inexact)) return Verdict::inexact;
  if (has(Verdict::inconclusive)) return Verdict::inconclusive;
  if (checks == 0 && elements() == 0) return Verdict::inconclusive;
  return vacuous > 0 ? Verdict::vacuous : Verdict::right;
}

int Report::exit_status() const {
  constexpr int kStatuses[] = {0, 1, 2, 5, 6};
  return kStatuses[static_cast<std::size_t>(verdict())];
}

void Report::add(const Report& other) {
  right += other.right;
  wrong += other.wrong;
  inexact += other.inexact;
  slack = std::max(slack, other.slack);
  inconclusive += other.inconclusive;
  vacuous += other.vacuous;
  configurations += other.configurations;
  checks += other.checks;
  findings.insert(findings.end(), other.findings.begin(), other.findings.end());
  gradients.insert(gradients.end(), other.gradients.begin(), other.gradients.end());
  for (const Corner& corner : other.corners) {
    const bool known = std::any_of(corners.begin(), corners.end(), [&](const Corner& c) {
      return c.operator_name == corner.operator_name && c.at == corner.at &&
             c.convention == corner.convention;
    });
    if (!known) corners.push_back(corner);
  }
  merge(backward, other.backward);
  merge(forward, other.forward);
  for (const auto& [input, range] : other.ranges) see(input, range);
  left_out.insert(other.left_out.begin(), other.left_out.end());
  for (const auto& [what, operators] : other.notes) {
    notes[what].insert(operators.begin(), operators.end());
  }
}

void Report::see(const std::string& input, Range range) {
  const auto [known, is_new] = ranges.try_emplace(input, range);
  if (is_new) return;
  known->second.low = std::min(known->second.low, range.low);
  known->second.high = std::max(known->second.high, range.high);
}

std::string Report::to_string() const {
  if (checks == 0 && findings.empty()) return "gradcheck: INCONCLUSIVE. Nothing was checked\n";
  std::string text = fmt::format(
      "gradcheck: {}. {} elements right, {} wrong, {}{} inconclusive, {} gradients vacuous; {} "
      "checks in {} configurations\n",
      headline(verdict()), right, wrong, inexact > 0 ? fmt::format("{} inexact, ", inexact) : "",
      inconclusive, vacuous, checks, configurations);
  if (verdict() == Verdict::inexact) {
    text += fmt::format("  --ulp-slack {} (Options::ulp_slack) allows for all of it\n", slack);
  }
  text += table(gradients);
  text += largest("forward", "error", forward) + largest("backward", "difference", backward);
  if (ranges.size() <= kShownRanges) {
    for (const auto& [input, range] : ranges) {
      text += fmt::format("  checked for {} from {} to {}, not outside\n", input, brief(range.low),
                          brief(range.high));
    }
  }
  for (const auto& [dtype, why] : left_out) {
    text += fmt::format("  {} was left out: {}\n", short_name(dtype), why);
  }
  for (const auto& [what, operators] : notes) {
    text += fmt::format("  {}: {}\n", what, fmt::join(operators, ", "));
  }
  for (const Corner& corner : corners) text += "  corner: " + corner.to_string() + "\n";
  std::size_t shown = 0;
  for (const auto& [finding, alike] : by_kind(findings)) {
    if (shown++ == kShownFindings) {
      text += fmt::format("  ... and findings of {} other kinds\n",
                          by_kind(findings).size() - kShownFindings);
      break;
    }
    text += "  " + finding->to_string();
    if (alike > 1) text += fmt::format("    ... and {} more like it\n", alike - 1);
  }
  return text;
}

}  // namespace aclgrad::gradcheck
