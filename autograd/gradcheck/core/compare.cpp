// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/core/failure.h"

namespace aclgrad::gradcheck::detail {
namespace {

constexpr std::size_t kSamplesPerExecution = 1024;
constexpr std::size_t kShownCorners = 8;  // of operators that mix elements

// Roundings inside a computation: 16-bit results are computed in float32.
Number unit_roundoff(DType dtype) { return dtype == DType::float64 ? 0x1p-53L : 0x1p-24L; }

bool is_16bit(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

// Of the last place, that rounding in a kernel of this dtype can make.
double most_units(DType dtype) { return is_16bit(dtype) ? 2 : 64; }

// NaN where any of the numbers is.
Number distance(const Expected& expected, Number actual) {
  const Number below = expected.low - actual;
  const Number above = actual - expected.high;
  return std::isnan(below) || std::isnan(above) ? below + above
                                                : std::max({Number{0}, below, above});
}

Number nearest(const Expected& expected, Number actual) {
  return std::clamp(actual, expected.low, expected.high);
}

// The largest change of the backward's results when what was rounded is moved by one unit.
Arrays by_nudging(const Candidate& candidate, const Problem& problem) {
  Arrays up = problem.given;
  Arrays down = problem.given;
  bool any = false;
  for (std::size_t i = 0; i < problem.given.size(); ++i) {
    const DType dtype = given_dtype(candidate, i, problem.dtype);
    if (!is_float(dtype)) continue;
    for (std::size_t e = 0; e < problem.given[i].values.size(); ++e) {
      const Number exact = problem.given[i].values[e];
      const Number stored = round_to(exact, dtype);
      if (stored == exact || !std::isfinite(stored)) continue;
      up[i].values[e] = next_above(stored, dtype);
      down[i].values[e] = -next_above(-stored, dtype);
      any = true;
    }
  }
  const Execution at = execute(candidate, problem, {});
  require_numbers(problem, at);
  Arrays slack = at.gradients;
  for (Array& array : slack) std::fill(array.values.begin(), array.values.end(), 0);
  if (!any) return slack;
  for (const Arrays& moved : {up, down}) {
    const Execution beside = execute(candidate, problem.dtype, moved, problem.inputs, {});
    require_numbers(problem, beside);
    for (std::size_t k = 0; k < slack.size(); ++k) {
      for (std::size_t e = 0; e < slack[k].values.size(); ++e) {
        const Number change = std::abs(beside.gradients[k].values[e] - at.gradients[k].values[e]);
        if (std::isfinite(change)) slack[k].values[e] = std::max(slack[k].values[e], change);
      }
    }
  }
  return slack;
}

Arrays by_formula(const Candidate& candidate, const Problem& problem) {
  Arrays stored = problem.given;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    for (Number& value : stored[i].values) {
      value = round_to(value, given_dtype(candidate, i, problem.dtype));
    }
  }
  Arrays slack =
      of_gradients(problem, exact_backward(candidate, stored), "the backward's contract");
  const Arrays exact =
      of_gradients(problem, exact_backward(candidate, problem.given), "the backward's contract");
  for (std::size_t k = 0; k < problem.expected.size(); ++k) {
    if (slack[k].values.empty() || exact[k].values.empty()) {
      slack[k].values.assign(problem.expected[k].size(), 0);
      continue;
    }
    for (std::size_t e = 0; e < slack[k].values.size(); ++e) {
      const Number change = std::abs(slack[k].values[e] - exact[k].values[e]);
      slack[k].values[e] = std::isfinite(change) ? change : 0;
    }
  }
  return slack;
}

}  // namespace

Arrays of_gradients(const Problem& problem, Arrays arrays, const char* what) {
  if (arrays.size() < problem.expected.size()) {
    throw Failure(fmt::format("{} gave {} arrays for {} gradients", what, arrays.size(),
                              problem.expected.size()),
                  what);
  }
  for (std::size_t k = 0; k < problem.expected.size(); ++k) {
    const std::size_t count = arrays[k].values.size();
    if (count == 0 || count == problem.expected[k].size()) continue;
    throw Failure(fmt::format("{} gave {} numbers for the {} elements of gradient {}", what, count,
                              problem.expected[k].size(), k),
                  what);
  }
  return arrays;
}

Arrays unavoidable_rounding(const Candidate& candidate, const Problem& problem) {
  Arrays slack =
      candidate.backward ? by_formula(candidate, problem) : by_nudging(candidate, problem);
  if (!candidate.rounding) return slack;
  const Arrays inside = of_gradients(
      problem, candidate.rounding(problem.inputs, problem.cotangent, problem.dtype), "`rounding`");
  for (std::size_t k = 0; k < problem.expected.size(); ++k) {
    if (inside[k].values.empty()) continue;
    for (std::size_t e = 0; e < slack[k].values.size(); ++e) {
      slack[k].values[e] += inside[k].values[e];
    }
  }
  return slack;
}

contract::Bound bound_of_terms(const Candidate& candidate, DType dtype) {
  contract::Bound bound = candidate.bound;
  if (dtype != DType::float64 || !bound.of_double) return bound;
  bound.of_float = *bound.of_double;
  bound.inner = std::max(bound.inner, 2 * bound.of_float);
  return bound;
}

// Right within what rounding may do and the derivative's own error; inconclusive up to two more of
// that error, or where that error is so wide that much would pass; beyond, inexact up to a few
// places, then wrong.
Element compare(const Expected& expected, Number actual, Number slack, Number scale, DType dtype,
                const contract::Bound& bound, double ulp_slack, const Resolution& resolution) {
  Element e{
      .analytic = actual, .low = expected.low, .high = expected.high, .error = expected.error};
  if (expected.kind == PointKind::unknown) {
    e.verdict = Verdict::inconclusive;
    e.reason = expected.reason;
    return e;
  }
  const Number target = nearest(expected, std::isnan(actual) ? expected.low : actual);
  const Number unit = ulp(std::abs(target) + slack, dtype);
  const double last = (is_16bit(dtype) ? bound.of_16_bits : bound.of_float) + ulp_slack;
  const Number stored = std::ldexp(1.0L, -contract::find_dtype(acl_dtype(dtype))->precision);
  const Number cancelling =
      std::min(scale, std::max(expected.beside, resolution.of_cotangent * expected.arriving));
  const bool is_flat = expected.low == expected.high && std::abs(expected.low) <= expected.error;
  const Number of_zero = is_flat && expected.magnitude <= expected.error ? resolution.of_zero : 0;
  const Number rounding =
      last * unit + slack + of_zero * scale +
      bound.inner * unit_roundoff(dtype) * expected.magnitude +
      bound.terms * stored * expected.magnitude +
      bound.stored * stored * std::max(expected.magnitude, scale) +
      (resolution.of_sum + resolution.of_term * expected.terms) * expected.magnitude +
      resolution.of_scale * cancelling;
  e.bound = rounding + expected.error;
  const Number off = distance(expected, actual);
  if (std::isinf(actual) && round_to(target, dtype) == actual) return e;
  if (!std::isfinite(e.bound) || std::isnan(expected.low) || std::isnan(expected.high)) {
    e.verdict = Verdict::inconclusive;
    e.reason = "neither the numeric derivative nor what rounding may do to it is a finite number";
    return e;
  }
  if (!std::isfinite(actual)) {
    e.verdict = Verdict::wrong;
    e.ulp = std::numeric_limits<double>::infinity();
    e.unexplained_ulp = e.ulp;
    return e;
  }
  e.ulp = static_cast<double>(off / ulp(target, dtype));
  // Of sums, in units of what is added up; where that is 0 too, of what rounding leaves of others.
  const Number largest =
      ulp(std::max({std::abs(target) + slack, expected.magnitude, scale * unit_roundoff(dtype)}),
          dtype);
  e.unexplained_ulp =
      static_cast<double>(std::max(Number{0}, off - slack - expected.error) / largest);
  // A gradient that is exactly 0 where the numbers show no slope was not computed to be so.
  constexpr Number kForExactZero = 1e3L;
  const Number of_largest = resolution.of_largest * (is_flat && actual == 0 ? kForExactZero : 1);
  const bool wide = expected.error > rounding &&
                    expected.error > resolution.of_element * std::abs(target) &&
                    expected.error > of_largest * scale;
  // Written so that what is NaN is not right.
  if (!(off <= e.bound + 2 * expected.error)) {
    const Number terms = ulp(std::max(std::abs(target) + slack, expected.magnitude), dtype);
    e.verdict = verdict_beyond_bound(static_cast<double>((off - slack) / terms), dtype);
  } else if (!(off <= e.bound) || wide) {
    e.verdict = Verdict::inconclusive;
    e.reason = fmt::format("the error bar of the numeric derivative, {:.2g}, is too wide",
                           static_cast<double>(expected.error));
  }
  return e;
}

Verdict verdict_beyond_bound(double ulp, DType dtype) {
  return is_float(dtype) && ulp <= most_units(dtype) ? Verdict::inexact : Verdict::wrong;
}

namespace {

// What Options::ulp_slack would have to be, more than it is.
double slack_for(const Element& e, DType dtype) {
  const double unit = static_cast<double>(ulp(e.low, dtype));
  return std::max(1.0, std::ceil(e.ulp - static_cast<double>(e.bound) / unit));
}

const char* what_is(Verdict verdict) {
  if (verdict == Verdict::wrong) return "are not the derivative";
  return verdict == Verdict::inexact ? "are not the derivative to the last place"
                                     : "cannot be decided: ";
}

}  // namespace

std::int64_t report_elements(const std::vector<Element>& compared, const Finding& like,
                             Report& report) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(compared, verdict, &Element::verdict);
  };
  report.right += count(Verdict::right);
  report.wrong += count(Verdict::wrong);
  report.inexact += count(Verdict::inexact);
  report.inconclusive += count(Verdict::inconclusive);
  for (const Verdict verdict : {Verdict::wrong, Verdict::inexact, Verdict::inconclusive}) {
    if (count(verdict) == 0) continue;
    const auto size = [&](const Element& e) { return e.verdict == verdict ? e.ulp : -1; };
    const Element& worst = *std::ranges::max_element(compared, {}, size);
    Finding finding = like;
    finding.verdict = verdict;
    finding.elements = count(verdict);
    finding.element = worst;
    finding.text = fmt::format("{} of {} {} of the gradient of {} {}{}", finding.elements,
                               compared.size(), worst.is_direction ? "directions" : "elements",
                               worst.of, what_is(verdict), worst.reason);
    if (verdict != Verdict::wrong) finding.diagnosis.clear();
    if (verdict == Verdict::inexact && like.dtype) {
      finding.diagnosis = fmt::format(
          "rounding in {}, as where nearly equal numbers are subtracted", short_name(*like.dtype));
    }
    report.findings.push_back(std::move(finding));
  }
  return count(Verdict::wrong) + count(Verdict::inexact);
}

Finding finding_for(const Candidate& candidate, DType dtype, Layout layout, std::string check) {
  Finding finding;
  finding.check = std::move(check);
  finding.operator_name = candidate.title();
  finding.dtype = dtype;
  finding.layout = layout;
  finding.shape = candidate.inputs().empty() ? Dims{} : candidate.shape();
  if (!candidate.reproduce.empty()) {
    const Dims& shape = candidate.command_shape ? *candidate.command_shape : finding.shape;
    finding.reproduce =
        fmt::format("{} --dtype {} --layout {} --shape {}", candidate.reproduce, short_name(dtype),
                    to_string(layout), shape.empty() ? "0d" : dims_text(shape));
  }
  return finding;
}

namespace {

// Places of elements at a corner that are equal: the first such number, if there are two of it.
std::vector<std::size_t> ties(const Array& input, const std::vector<Element>& compared,
                              const std::vector<Expected>& expected) {
  const auto is_corner = [&](std::size_t i) {
    return expected[i].kind == PointKind::corner && compared[i].verdict == Verdict::right;
  };
  std::vector<std::size_t> tied;
  for (std::size_t i = 0; i < expected.size() && tied.size() < 2; ++i) {
    tied.clear();
    for (std::size_t k = i; is_corner(i) && k < expected.size(); ++k) {
      if (is_corner(k) && input.values[k] == input.values[i]) tied.push_back(k);
    }
  }
  return tied;
}

// At a tie each element may take any slope between its two, but not all of them at once: moved
// together they change the result as one. "" where the sum of their gradients is right.
std::string compare_together(const Candidate& candidate, const Problem& problem, std::size_t input,
                             const std::vector<Element>& compared,
                             const std::vector<Expected>& expected) {
  if (candidate.is_elementwise()) return "";
  const std::vector<std::size_t> tied = ties(problem.inputs[input], compared, expected);
  if (tied.size() < 2) return "";
  Number sum = 0;
  Number bound = 0;
  for (const std::size_t i : tied) {
    sum += compared[i].analytic;
    bound += compared[i].bound;
  }
  Arrays moved = problem.inputs;
  const auto weighted = [&](Number shift, bool magnitudes) {
    for (const std::size_t i : tied) {
      moved[input].values[i] = problem.inputs[input].values[i] + shift;
    }
    const Array out = differentiated(candidate, moved);
    Number total = 0;
    for (std::size_t k = 0; k < out.values.size(); ++k) {
      const Number term = problem.cotangent.values[k] * out.values[k];
      total += magnitudes ? std::abs(term) : term;
    }
    return total;
  };
  // A sum that cancels is as inexact as its terms are.
  const Number size = weighted(0, true);
  const Slopes slopes =
      slopes_at([&](long double shift) { return std::vector{weighted(shift, false)}; }, 0,
                candidate.noise, size)
          .front();
  if (slopes.kind == PointKind::unknown) return "";
  const Number off = std::max({Number{0}, slopes.low() - sum, sum - slopes.high()});
  if (off <= bound + 3 * slopes.error()) return "";
  return fmt::format(
      "the gradients of {} equal elements of {} add up to {:.9g}; moved together, they "
      "change the result by {:.9g} to {:.9g}",
      tied.size(), candidate.inputs()[input]->name, static_cast<double>(sum),
      static_cast<double>(slopes.low()), static_cast<double>(slopes.high()));
}

// What rounds on its way gives the derivative at a number beside x. Where that crosses 0, as at the
// minimum of a function, it is off by many units of its own last place, and is not wrong.
void find_those_beside(const Candidate& candidate, const Problem& problem, std::size_t k,
                       std::vector<Element>& compared) {
  const auto is_wrong = [](const Element& e) { return e.verdict == Verdict::wrong; };
  if (!candidate.is_elementwise() || is_16bit(problem.dtype) ||
      std::ranges::none_of(compared, is_wrong)) {
    return;
  }
  const std::size_t input = differentiable(candidate)[k];
  for (const int side : {-1, 1}) {
    Arrays moved = problem.inputs;
    for (Number& x : moved[input].values) {
      if (std::isfinite(x)) x += side * most_units(problem.dtype) * ulp(x, problem.dtype);
    }
    const Jacobian beside = differentiate(candidate, moved);
    for (std::size_t i = 0; i < compared.size(); ++i) {
      Element& e = compared[i];
      const Slopes& slope = beside.of_input[k][i];
      if (!is_wrong(e) || e.low != e.high || slope.kind != PointKind::smooth) continue;
      const Number there = problem.cotangent.values[i] * slope.best.value;
      const bool is_between = e.analytic >= std::min(e.low, there) - e.bound &&
                              e.analytic <= std::max(e.low, there) + e.bound;
      if (is_between) e.verdict = Verdict::inexact;
    }
  }
}

// The numeric derivative of one element does not show the terms of its formula, which may cancel:
// what is left then is their rounding. Their sizes for every gradient where the contract has them
// and the kernel rounds them to the result's own precision: elementwise in float64, and wherever a
// contract promises no more than sums in the dtype that it computes in (`inner` above 1; kernels
// that sum in a wider one promise less than one unit).
Arrays terms_of_slopes(const Candidate& candidate, const Problem& problem) {
  if (!candidate.backward || !candidate.backward->op().results.magnitude) return {};
  const bool in_float64 = problem.dtype == DType::float64 && candidate.is_elementwise();
  if (!in_float64 && candidate.bound.inner <= 1) return {};
  return of_gradients(problem, backward_magnitude(candidate, problem.given), "`magnitude`");
}

}  // namespace

std::int64_t compare_all(const Candidate& candidate, const Problem& problem,
                         const Execution& execution, const Arrays& slack,
                         const ExecutionOptions& how, const Options& options, Report& report) {
  std::int64_t wrong_count = 0;
  const Arrays terms = terms_of_slopes(candidate, problem);
  contract::Bound bound =
      terms.empty() ? candidate.bound : bound_of_terms(candidate, problem.dtype);
  if (candidate.rounding && is_16bit(problem.dtype)) bound.stored = 0;  // it is in the slack
  const std::vector<std::size_t> inputs = differentiable(candidate);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    std::vector<Expected> expected = problem.expected[k];
    for (std::size_t i = 0; !terms.empty() && i < terms[k].values.size(); ++i) {
      expected[i].magnitude = std::max(expected[i].magnitude, terms[k].values[i]);
    }
    if (candidate.sparse && problem.jacobian.columns > 0) find_neighbours(problem, k, expected);
    const Array& input = problem.inputs[inputs[k]];
    const std::string& name = candidate.inputs()[inputs[k]]->name;
    ErrorSummary& errors = report.backward[problem.dtype];
    std::vector<Element> compared;
    Number scale = 0;
    for (const Expected& e : expected) scale = std::max(scale, e.magnitude);
    for (const Number g : problem.cotangent.values) {
      scale = std::max(scale, candidate.resolution.of_cotangent * std::abs(g));
    }
    const DType dtype =
        candidate.mixed ? gradient_dtype(candidate, k, problem.dtype) : problem.dtype;
    std::string broken_convention;
    Element at_corner;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // The backward under test itself makes the slack; what it may be is known without it.
      const Number given = slack[k].values[i];
      const Number most =
          candidate.resolution.of_results.value_or(INFINITY) *
          (expected[i].magnitude + std::max(expected[i].beside, expected[i].arriving));
      Element e = compare(expected[i], execution.gradients[k].values[i], std::min(given, most),
                          scale, dtype, bound, options.ulp_slack, candidate.resolution);
      if (given > most && e.verdict != Verdict::right && given <= scale) {
        const Element wider = compare(expected[i], execution.gradients[k].values[i], given, scale,
                                      dtype, bound, options.ulp_slack, candidate.resolution);
        if (wider.verdict == Verdict::right) {
          e.verdict = Verdict::inconclusive;
          e.reason = fmt::format(
              "the backward makes {:.2g} of how the forward's results are rounded, more than the "
              "{:.2g} that can be told from a mistake",
              static_cast<double>(given), static_cast<double>(most));
        }
      }
      e.of = name;
      e.index = static_cast<std::int64_t>(i);
      e.input = input.values[i];
      if (expected[i].kind == PointKind::corner && e.verdict == Verdict::right &&
          (candidate.is_elementwise() || report.corners.size() < kShownCorners)) {
        const std::string broken = visit_corner(candidate, problem, e, expected[i], report);
        if (!broken.empty()) {
          broken_convention = broken;
          at_corner = e;
        }
      }
      if (e.verdict != Verdict::inconclusive && expected[i].kind == PointKind::smooth) {
        errors.max_ulp = std::max(errors.max_ulp, e.unexplained_ulp);
        if (i < kSamplesPerExecution) {
          errors.samples.emplace_back(static_cast<double>(e.input), e.unexplained_ulp);
        }
      }
      compared.push_back(std::move(e));
    }
    errors.elements += static_cast<std::int64_t>(compared.size());

    find_those_beside(candidate, problem, k, compared);
    find_noise(candidate, problem, k, compared);
    Finding like = finding_for(candidate, problem.dtype, how.layout, "derivative");
    const auto is_wrong = [](const Element& e) { return e.verdict == Verdict::wrong; };
    if (std::ranges::any_of(compared, is_wrong)) {
      like.diagnosis = diagnosis(candidate, problem, compared);
      like.pattern = pattern_of(candidate, problem, compared);
      if (!like.pattern.empty()) like.diagnosis += "; the gradient: " + like.pattern;
    }
    wrong_count += report_elements(compared, like, report);
    for (const Element& e : compared) {
      if (e.verdict != Verdict::inexact) continue;
      report.slack = std::max(report.slack, options.ulp_slack + slack_for(e, problem.dtype));
    }
    const std::string together =
        wrong_count > 0 ? "" : compare_together(candidate, problem, inputs[k], compared, expected);
    if (!together.empty()) {
      Finding finding = finding_for(candidate, problem.dtype, how.layout, "ties");
      finding.text = together;
      finding.diagnosis =
          "the backward: equal elements share a gradient, or one of them takes it all";
      report.findings.push_back(std::move(finding));
      ++wrong_count;
    }
    if (!broken_convention.empty()) {
      Finding finding = finding_for(candidate, problem.dtype, how.layout, "corner");
      finding.text = broken_convention;
      finding.element = at_corner;
      finding.elements = 1;
      finding.diagnosis = "the backward's comparison at the boundary (< for <=, or > for >=)";
      report.findings.push_back(std::move(finding));
      ++wrong_count;
    }
  }
  return wrong_count;
}

}  // namespace aclgrad::gradcheck::detail
