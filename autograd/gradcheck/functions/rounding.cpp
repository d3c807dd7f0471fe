// SPDX-License-Identifier: Apache-2.0
// Pairs with a reference: what rounding explains of their results and of their gradients.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/core/compare.h"
#include "gradcheck/functions/calls.h"

namespace aclgrad::gradcheck::detail {
namespace {

// So many times further from the exact ones: the gradients' own rounding hides less then.
constexpr Number kFurther = 8;

// How far each result lies from the exact one, where it does: so far that it can be told apart when
// it is moved, and in float32 two units, for what the backward rounds on its way; half a unit where
// that is not known, 0 of whole numbers.
Arrays result_errors(const FunctionPair& pair, const Arrays& results, const Arrays& exact) {
  Arrays errors = results;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const DType dtype = pair.outputs[k].dtype;
    for (std::size_t i = 0; i < results[k].values.size(); ++i) {
      const Number value = results[k].values[i];
      Number& error = errors[k].values[i];
      error = value - exact[k].values[i];
      if (!is_float(dtype) || !std::isfinite(value)) {
        error = 0;
      } else if (!std::isfinite(error)) {
        error = ulp(value, dtype) / 2;
      } else if (error != 0) {
        const Number least = dtype == DType::float32 ? 2 : 1 / kFurther;
        error = std::copysign(std::max(std::abs(error), least * ulp(value, dtype)), error);
      }
    }
  }
  return errors;
}

// How a result depends on the inputs, by small steps of each of their elements.
struct Dependence {
  Number magnitude = 0;  // the sum of |x dy/dx|
  int terms = 0;
};

// Of many elements some are moved together, to random sides.
std::vector<std::vector<Dependence>> dependence_of(const FunctionPair& pair, const Arrays& inputs,
                                                   const Arrays& exact) {
  constexpr std::size_t kAlone = 1500;
  constexpr std::size_t kGroups = 64;
  struct Place {
    std::size_t input;
    std::size_t element;
    Number step;
  };
  std::vector<Place> places;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    if (!is_float(pair.inputs[k].dtype)) continue;
    for (std::size_t i = 0; i < inputs[k].values.size(); ++i) {
      // Towards 0, where functions are defined; of 0 itself nothing is seen.
      const Number step = -inputs[k].values[i] * 0x1p-20L;
      if (step != 0) places.push_back({k, i, step});
    }
  }
  const std::size_t groups = places.size() <= kAlone ? places.size() : kGroups;
  std::vector<std::vector<const Place*>> together(groups);
  for (std::size_t p = 0; p < places.size(); ++p) {
    together[places.size() > kAlone ? random_bits(5, p) % groups : p].push_back(&places[p]);
  }
  std::vector<std::vector<Dependence>> all;
  for (const Array& result : exact) all.emplace_back(result.values.size());
  for (const std::vector<const Place*>& group : together) {
    Arrays moved = inputs;
    for (const Place* place : group) {
      Number& x = moved[place->input].values[place->element];
      const bool is_outward = group.size() > 1 && random_bits(7, place->element) % 2 == 0;
      x += is_outward ? -place->step : place->step;
    }
    const Arrays results = exact_results_at(pair, moved);
    for (std::size_t r = 0; r < results.size(); ++r) {
      for (std::size_t e = 0; e < results[r].values.size(); ++e) {
        const Number change = std::abs(results[r].values[e] - exact[r].values[e]);
        if (!(change > 0) || !std::isfinite(change)) continue;
        all[r][e].magnitude += change * 0x1p20L;
        all[r][e].terms += static_cast<int>(group.size());
      }
    }
  }
  return all;
}

}  // namespace

Arrays rounding_of_results(const FunctionPair& pair, const FunctionPoint& point) {
  const Arrays results = results_at(pair, point.inputs);
  const Arrays errors = result_errors(pair, results, exact_results_at(pair, point.inputs));
  const Arrays gradients = gradients_of(pair, point, {.results = &results});
  Arrays slack = gradients;
  for (Array& array : slack) std::ranges::fill(array.values, 0);
  bool depends = false;
  // What the backward makes of results that are further off, each in a direction; adds `part` of
  // the largest change to the slack.
  const auto try_ways = [&](int count, Number part, const auto& way_of) {
    Arrays largest = slack;
    for (Array& array : largest) std::ranges::fill(array.values, 0);
    for (int way = 0; way < count; ++way) {
      Arrays moved = results;
      for (std::size_t k = 0; k < moved.size(); ++k) {
        for (std::size_t i = 0; i < moved[k].values.size(); ++i) {
          if (errors[k].values[i] == 0) continue;
          moved[k].values[i] =
              round_to(moved[k].values[i] + kFurther * way_of(way, k, i) * errors[k].values[i],
                       pair.outputs[k].dtype);
        }
      }
      const Arrays others = gradients_of(pair, point, {.results = &moved});
      for (std::size_t k = 0; k < slack.size(); ++k) {
        for (std::size_t i = 0; i < slack[k].values.size(); ++i) {
          const Number change = std::abs(others[k].values[i] - gradients[k].values[i]);
          depends = depends || change != 0;
          if (!std::isfinite(change)) continue;
          largest[k].values[i] = std::max(largest[k].values[i], change / kFurther);
        }
      }
    }
    for (std::size_t k = 0; k < slack.size(); ++k) {
      for (std::size_t i = 0; i < slack[k].values.size(); ++i) {
        slack[k].values[i] += part * largest[k].values[i];
      }
    }
  };
  try_ways(2, 1, [](int way, std::size_t, std::size_t) { return way == 0 ? 1 : -1; });
  // Where many results add up, those have been rounded while they were moved.
  if (depends) {
    try_ways(2, 0.5L, [](int way, std::size_t k, std::size_t i) {
      return random_bits(static_cast<std::uint64_t>(way) + 2 * k, i) % 2 == 0 ? 1 : -1;
    });
  }
  // Of smaller changes than the gradient's last place nothing was seen.
  for (std::size_t k = 0; k < slack.size() && depends; ++k) {
    for (std::size_t i = 0; i < slack[k].values.size(); ++i) {
      const Number value = gradients[k].values[i];
      if (std::isfinite(value)) {
        slack[k].values[i] += ulp(value, pair.inputs[k].dtype) / kFurther;
      }
    }
  }
  return slack;
}

void check_values(const FunctionPair& pair, const FunctionPoint& point, double ulp_slack,
                  Report& report) {
  if (!pair.forward || !pair.reference) return;
  const Arrays results = results_at(pair, point.inputs);
  const Arrays exact = exact_results_at(pair, point.inputs);
  const std::vector<std::vector<Dependence>> dependence = dependence_of(pair, point.inputs, exact);
  const Resolution resolution = resolution_of(pair);
  ++report.checks;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const FunctionArray& output = pair.outputs[k];
    if (!is_float(output.dtype)) continue;
    const Number scale = largest_of(exact[k]);
    ErrorSummary& errors = report.forward[output.dtype];
    std::vector<Element> compared;
    for (std::size_t i = 0; i < results[k].values.size(); ++i) {
      const Number value = exact[k].values[i];
      if (std::isnan(value)) continue;
      const auto& [magnitude, terms] = dependence[k][i];
      const Expected expected{
          .low = value, .high = value, .magnitude = std::abs(value) + magnitude, .terms = terms};
      Element e = compare(expected, results[k].values[i], 0, scale, output.dtype, kOwnBound,
                          ulp_slack, resolution);
      e.index = static_cast<std::int64_t>(i);
      // Unlike a gradient, a result has no terms that are not seen.
      const Number beyond = std::abs(e.analytic - e.low) - e.bound;
      if (e.verdict == Verdict::inexact && beyond > std::max(e.bound, ulp(e.low, output.dtype))) {
        e.verdict = Verdict::wrong;
      }
      errors.max_ulp = std::max(errors.max_ulp, e.ulp);
      compared.push_back(std::move(e));
    }
    errors.elements += static_cast<std::int64_t>(compared.size());
    for (const Verdict verdict : {Verdict::wrong, Verdict::inexact}) {
      const auto size = [&](const Element& e) { return e.verdict == verdict ? e.ulp : -1; };
      const auto count = std::ranges::count(compared, verdict, &Element::verdict);
      if (count == 0) continue;
      const Element& worst = *std::ranges::max_element(compared, {}, size);
      Finding finding = finding_of(
          pair, "value",
          fmt::format("{} of {} elements of {} are not what the reference gives{}; element {} is "
                      "{:.9g}, the reference's {:.9g}; {:.3g} ulp apart, rounding explains a "
                      "difference of {:.2g}",
                      count, compared.size(), output.name,
                      verdict == Verdict::inexact ? " to the last place" : "", worst.index,
                      static_cast<double>(worst.analytic), static_cast<double>(worst.low),
                      worst.ulp, static_cast<double>(worst.bound)),
          "the forward or the reference: they are not one function");
      finding.verdict = verdict;
      finding.elements = count;
      report.findings.push_back(std::move(finding));
    }
  }
}

}  // namespace aclgrad::gradcheck::detail
