// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/functions/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/core/problem.h"
#include "gradcheck/functions/ways.h"

namespace aclgrad::gradcheck::detail {
namespace {

// Where a symmetric array has the same number; elsewhere the element itself.
std::size_t mirrored(const FunctionArray& array, std::size_t element) {
  if (!array.symmetric) return element;
  const auto n = static_cast<std::size_t>(array.shape[0]);
  return element % n * n + element / n;
}

// Whether what is differentiated is in float64.
bool is_double(const FunctionPair& pair) {
  return pair.reference || narrowest_dtype(pair) == DType::float64;
}

bool is_stored_as(const FunctionArray& array, Number value, Number stored) {
  return round_to(value, array.dtype) == stored;
}

// Points of one pair, and ways to move them. The first that is wrong is the last.
class Points {
 public:
  Points(const FunctionPair& pair, std::uint64_t seed, Report& report)
      : pair_(pair),
        seed_(seed),
        report_(report),
        unit_(is_double(pair) ? kDoubleNoise : Number{0x1p-23L}),
        rounds_(narrowest_dtype(pair) != DType::float64 && pair.reference != nullptr) {}

  // Every element's slope, of at most kElements of them, or of those alone that are some number.
  void compare(const FunctionPoint& point, const std::string& what,
               std::optional<Number> only = std::nullopt) {
    const std::size_t kElements = rounds_ ? 4 : 10;
    if (found_ || !begin(point)) return;
    const Arrays gradients = gradients_of(pair_, point);
    std::vector<Way::Step> places;
    for (std::size_t k = 0; k < pair_.inputs.size(); ++k) {
      if (!is_differentiated(pair_.inputs[k])) continue;
      for (std::size_t i = 0; i < point.inputs[k].values.size(); ++i) {
        if (i > mirrored(pair_.inputs[k], i)) continue;
        if (!only || is_stored_as(pair_.inputs[k], *only, point.inputs[k].values[i])) {
          places.push_back({k, i});
        }
      }
    }
    const std::size_t step = std::max<std::size_t>(1, (places.size() + kElements - 1) / kElements);
    for (std::size_t p = seed_ % step; p < places.size() && !found_; p += step) {
      const auto [input, element, length] = places[p];
      const std::size_t twin = mirrored(pair_.inputs[input], element);
      judge({.steps = twin == element ? std::vector{places[p]}
                                      : std::vector{places[p], Way::Step{input, twin}},
             .at = point.inputs[input].values[element],
             .what = fmt::format("element {} of {}, {}", element, pair_.inputs[input].name, what)},
            point, gradients);
    }
    if (rounds_ && !only) compare_along(point, gradients, what);
  }

  // At random numbers, where no gradient is all rounding: all elements at once shows an error of
  // all of them that the last rounding of each hides.
  void compare_usual(const FunctionPoint& point) {
    if (rounds_ && begin(point)) {
      compare_along(point, gradients_of(pair_, point), "at random numbers", false);
    }
  }

  // All elements that are `value`, moved as one.
  void compare_together(const FunctionPoint& point, Number value) {
    if (found_ || !begin(point)) return;
    Way way{.steps = {},
            .at = value,
            .what = fmt::format("all elements that are {:.3g}", static_cast<double>(value))};
    for (std::size_t k = 0; k < pair_.inputs.size(); ++k) {
      if (!is_differentiated(pair_.inputs[k])) continue;
      for (std::size_t i = 0; i < point.inputs[k].values.size(); ++i) {
        if (is_stored_as(pair_.inputs[k], value, point.inputs[k].values[i])) {
          way.steps.push_back({k, i});
        }
      }
    }
    if (!way.steps.empty()) judge(way, point, gradients_of(pair_, point));
  }

  // All elements at once, each by as much as a random number says.
  void compare_direction(const FunctionPoint& point, std::uint64_t seed) {
    if (found_ || !begin(point)) return;
    if (rounds_)
      compare_along(point, gradients_of(pair_, point), "moved as the gradient's signs say");
    Way way{.steps = {}, .at = 0, .what = "a direction of all elements"};
    for (std::size_t k = 0; k < pair_.inputs.size(); ++k) {
      if (!is_differentiated(pair_.inputs[k])) continue;
      for (std::size_t i = 0; i < point.inputs[k].values.size(); ++i) {
        const std::size_t place = std::min(i, mirrored(pair_.inputs[k], i));
        way.steps.push_back({k, i, random_unit(seed + 71 + k, place) - 0.5L});
      }
    }
    judge(way, point, gradients_of(pair_, point));
  }

 private:
  // What rounding explains at the point. False where numbers do not fit into their dtype.
  bool begin(const FunctionPoint& point) {
    if (!rounds_) return true;
    const Arrays exact = exact_results_at(pair_, point.inputs);
    const Arrays results = results_at(pair_, point.inputs);
    for (std::size_t k = 0; k < results.size(); ++k) {
      for (std::size_t i = 0; i < results[k].values.size(); ++i) {
        if (std::isfinite(exact[k].values[i]) && !std::isfinite(results[k].values[i])) return false;
      }
    }
    slack_ = rounding_of_results(pair_, point);
    return true;
  }

  // All elements of each input at once, each towards where its gradient points: nothing cancels.
  void compare_along(const FunctionPoint& point, const Arrays& gradients, const std::string& what,
                     bool may_be_noise = true) {
    for (std::size_t k = 0; k < pair_.inputs.size() && !found_; ++k) {
      if (!is_differentiated(pair_.inputs[k]) || point.inputs[k].values.empty()) continue;
      Way way{.steps = {},
              .at = 0,
              .what = fmt::format("all elements of {}, {}", pair_.inputs[k].name, what)};
      for (std::size_t i = 0; i < point.inputs[k].values.size(); ++i) {
        const std::size_t place = std::min(i, mirrored(pair_.inputs[k], i));
        const Number length = 0.5L + random_unit(seed_ + 91 + k, place);
        way.steps.push_back({k, i, gradients[k].values[place] < 0 ? -length : length});
      }
      judge(way, point, gradients, may_be_noise);
    }
  }

  // Of a derivative whose terms are rounded.
  Number rounding_of(const Way& way, const Analytic& analytic, const Reach& reach,
                     Number derivative, Number arriving) const {
    if (!rounds_) return 0;
    const Resolution resolution = resolution_of(pair_);
    Number of_results = 0;
    Number most = derivative;
    for (const auto& [input, element, length] : way.steps) {
      of_results += std::abs(length) * slack_[input].values[element];
      most += std::abs(length) * arriving;
    }
    of_results = std::min(of_results, *resolution.of_results * most);
    std::int64_t results = 0;
    for (const FunctionArray& output : pair_.outputs) results += count_of(output.shape);
    const Number last = std::min(analytic.stored, 4 * analytic.spread);
    return last + of_results +
           (resolution.of_sum + resolution.of_term * static_cast<Number>(results)) *
               analytic.terms +
           resolution.of_scale * (analytic.terms + resolution.of_cotangent * reach.arriving);
  }

  // Blames the backward where nothing else explains what it says: neither the error of the slopes,
  // nor rounding (of the elements, of the results and what those may be made of, of the gradients
  // that are added up here), nor a point at which the backward itself has no digits.
  void judge(const Way& way, const FunctionPoint& point, const Arrays& gradients,
             bool may_be_noise = true) {
    ++report_.checks;
    Arrays moved = point.inputs;
    const auto results_of = [&](Number shift) {
      for (const auto& [input, element, length] : way.steps) {
        moved[input].values[element] = point.inputs[input].values[element] + shift * length;
      }
      return exact_results_at(pair_, moved);
    };
    const auto weighted = [&](Number shift) {
      const Arrays results = results_of(shift);
      Number sum = 0;
      for (std::size_t k = 0; k < results.size(); ++k) {
        for (std::size_t i = 0; i < point.upstream[k].values.size(); ++i) {
          sum += point.upstream[k].values[i] * results[k].values[i];
        }
      }
      return sum;
    };
    const Reach reach(way.at, point.upstream, results_of, unit_);
    const Analytic analytic(pair_, way, gradients);
    Number of_elements = 0;
    for (const auto& [input, element, length] : way.steps) {
      of_elements +=
          std::abs(gradients[input].values[element] * point.inputs[input].values[element]);
    }
    if (!std::isfinite(of_elements)) of_elements = 0;
    // Results without a digit that is right, of which the backward may be made.
    const bool is_noise = reach.beside > 0 && reach.size <= 16 * unit_ * reach.beside;
    if (is_noise && std::isfinite(analytic.sum)) return;
    // At the end of what the function is defined for there is no derivative.
    if (!reach.has_both_sides && !std::isnan(analytic.sum)) return;
    const Slopes slopes = slopes_at([&](long double shift) { return std::vector{weighted(shift)}; },
                                    way.at, 16 * unit_, reach.size + reach.beside + of_elements)
                              .front();
    if (slopes.kind == PointKind::unknown) return;
    const Number largest = std::max(std::abs(slopes.low()), std::abs(slopes.high()));
    // Of results that are added up inside, and lose more than half of their digits at most.
    const Number part = unit_ == kDoubleNoise ? 0x1p-34L : 0x1p-10L;
    const Number of_results = part * reach.size / std::max(Number{1}, std::abs(way.at));
    const bool is_exact = slopes.error() + of_results <= 1e-2L * largest;
    if (!std::isfinite(largest) || !(is_exact || (largest == 0 && reach.size < 1e3L))) return;
    // Gradients that are too large for their dtype.
    if (rounds_ && std::isinf(analytic.sum) &&
        !std::isfinite(round_to(2 * largest, narrowest_dtype(pair_)))) {
      return;
    }
    Number arriving = 0;
    for (const Array& array : point.upstream) arriving = std::max(arriving, largest_of(array));
    const Number tolerance = (unit_ == kDoubleNoise ? 1e-5L : 1e-2L) * largest +
                             8 * slopes.error() + of_results +
                             64 * unit_ * (analytic.terms + reach.arriving) +
                             rounding_of(way, analytic, reach, largest, arriving);
    const Number off =
        std::max({Number{0}, slopes.low() - analytic.sum, analytic.sum - slopes.high()});
    if (off <= tolerance) {
      if (way.steps.size() > 2) ++report_.right;
      return;
    }
    if (may_be_noise && std::isfinite(off) && off <= tolerance + 4 * spread_beside(way, point)) {
      return;
    }
    found_ = true;
    ++report_.wrong;
    report_.findings.push_back(finding_of(
        pair_, "point",
        fmt::format("{}: analytic {:.9g}, numeric {:.9g} to {:.9g} +- {:.2g}", way.what,
                    static_cast<double>(analytic.sum), static_cast<double>(slopes.low()),
                    static_cast<double>(slopes.high()), static_cast<double>(slopes.error())),
        may_be_noise ? "the backward, at numbers that random ones do not meet"
                     : "the backward: all elements together are off by more than their rounding"));
  }

  // How much the backward's derivative varies a few units of the last place above the point, or
  // below: where it does, it is made of a difference that is all rounding, as the deviation of
  // equal numbers is. Equal numbers stay equal, and zeros stay 0; the point itself does not count,
  // since a backward may be wrong there alone.
  Number spread_beside(const Way& way, const FunctionPoint& point) const {
    const Number unit = rounds_ ? 2 * roundoff(narrowest_dtype(pair_)) : unit_;
    Number most = 0;
    for (const int side : {-1, 1}) {
      Number low = INFINITY;
      Number high = -INFINITY;
      for (const int units : {1, 2, 3, 5}) {
        FunctionPoint beside = point;
        for (std::size_t k = 0; k < beside.inputs.size(); ++k) {
          if (!is_differentiated(pair_.inputs[k])) continue;
          for (Number& value : beside.inputs[k].values) value *= 1 + side * units * unit;
        }
        const Number sum = Analytic(pair_, way, gradients_of(pair_, beside)).sum;
        if (!std::isfinite(sum)) continue;  // outside the range, perhaps
        low = std::min(low, sum);
        high = std::max(high, sum);
      }
      most = std::max(most, high - low);  // minus infinity where there was none
    }
    return most;
  }

  const FunctionPair& pair_;
  std::uint64_t seed_;
  Report& report_;
  Number unit_;   // of the last place of a number around 1, of what is differentiated
  bool rounds_;   // the gradients have fewer digits than that
  Arrays slack_;  // what rounding of the forward's results does to them
  bool found_ = false;
};

bool takes(const FunctionArray& input, Number value) {
  return is_float(input.dtype) && std::isfinite(round_to(value, input.dtype)) &&
         (input.unbounded_below || value >= input.low) &&
         (input.unbounded_above || value <= input.high);
}

// The point with one element of an array, or of each of them, at a number, where the array takes
// it.
FunctionPoint with_element(const FunctionPair& pair, FunctionPoint point, Number value,
                           std::size_t place, std::optional<std::size_t> input = std::nullopt) {
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    std::vector<Number>& values = point.inputs[k].values;
    const FunctionArray& array = pair.inputs[k];
    if (values.empty() || !takes(array, value) || input.value_or(k) != k) continue;
    const Number stored = array.unbounded_below || array.unbounded_above
                              ? round_to(value, array.dtype)
                              : round_within(value, array.low, array.high, array.dtype);
    values[place % values.size()] = stored;
    values[mirrored(array, place % values.size())] = stored;
  }
  return point;
}

FunctionPoint all_equal(const FunctionPair& pair, FunctionPoint point, Number value) {
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    const FunctionArray& input = pair.inputs[k];
    if (is_differentiated(input) && takes(input, value)) {
      std::ranges::fill(point.inputs[k].values, round_to(value, input.dtype));
    }
  }
  return point;
}

// One zero, another, and both: in every input at once, then in each while the others have none.
void compare_zeros(const FunctionPair& pair, const FunctionPoint& point, Points& points) {
  std::vector<std::optional<std::size_t>> which = {std::nullopt};
  for (std::size_t k = 0; k < pair.inputs.size() && pair.inputs.size() > 1; ++k) {
    if (is_float(pair.inputs[k].dtype)) which.emplace_back(k);
  }
  for (const std::optional<std::size_t> input : which) {
    const std::string where = input ? " of " + pair.inputs[*input].name : "";
    const FunctionPoint one = with_element(pair, point, 0, 0, input);
    points.compare(one, fmt::format("where element 0{} is 0", where));
    points.compare(with_element(pair, point, 0, 1, input),
                   fmt::format("where element 1{} is 0", where));
    points.compare(with_element(pair, one, 0, 1, input),
                   fmt::format("where two elements{} are 0", where));
  }
}

// All numbers nearer to 0, where terms that keep from a division by 0 are no longer small.
FunctionPoint scaled(const FunctionPair& pair, FunctionPoint point, Number factor) {
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    const FunctionArray& input = pair.inputs[k];
    if (!is_differentiated(input) || !takes(input, 0)) continue;
    // Of float16 no smaller ones, which have fewer digits.
    const Number by = input.dtype == DType::float16 ? std::max(factor, 0x1p-8L) : factor;
    for (Number& value : point.inputs[k].values) value = round_to(value * by, input.dtype);
  }
  return point;
}

bool has_any(const FunctionPair& pair, bool FunctionArray::*is) {
  return std::ranges::any_of(pair.inputs, is);
}

bool has_whole(const FunctionPair& pair) {
  return std::ranges::any_of(pair.inputs,
                             [](const FunctionArray& input) { return !is_float(input.dtype); });
}

// Beside an index or a class, more than one of them.
void compare_far(const FunctionPair& pair, const FunctionPoint& point, Points& points) {
  if (!is_double(pair)) return;
  for (const Number far : {30.0L, -30.0L, 800.0L, -800.0L, 1e10L, -1e10L}) {
    if (!has_any(pair, far > 0 ? &FunctionArray::unbounded_above : &FunctionArray::unbounded_below))
      continue;
    for (std::size_t place = 0; place < (has_whole(pair) ? 3U : 1U); ++place) {
      points.compare(with_element(pair, point, far, place),
                     fmt::format("where it is {:.3g}", static_cast<double>(far)), far);
    }
  }
}

}  // namespace

void check_far_points(const FunctionPair& pair, std::uint64_t seed, Report& report) {
  Points points(pair, seed, report);
  compare_far(pair, draw_point(pair, seed), points);
}

void check_points(const FunctionPair& pair, std::uint64_t seed, Report& report) {
  if (!is_double(pair)) return;
  const FunctionPoint point = draw_point(pair, seed);
  Points points(pair, seed, report);
  points.compare_usual(point);
  compare_zeros(pair, point, points);
  compare_far(pair, point, points);
  for (const FunctionArray& input : pair.inputs) {
    if (!is_float(input.dtype)) continue;
    for (const Number end : {input.low, input.high}) {
      for (const Number beside : {Number{0}, Number{1}}) {
        const Number value = end - (end > 0 ? beside : -beside);
        points.compare(with_element(pair, point, value, 0),
                       fmt::format("where an element is {:.6g}", static_cast<double>(value)));
      }
    }
  }
  for (const Number value : {0.0L, 1.0L, 1e50L}) {
    if (value > 1 && !has_any(pair, &FunctionArray::unbounded_above)) continue;
    points.compare_together(all_equal(pair, point, value), value);
  }
  for (const Number factor : {0x1p-8L, 0x1p-16L}) {
    if (pair.reference) points.compare(scaled(pair, point, factor), "where numbers are small");
  }
  if (!has_whole(pair)) return;
  FunctionPoint repeated = point;
  for (std::size_t k = 0; k < pair.inputs.size(); ++k) {
    std::vector<Number>& values = repeated.inputs[k].values;
    if (!is_float(pair.inputs[k].dtype) && !values.empty()) {
      std::ranges::fill(values, values.front());
    }
  }
  points.compare(repeated, "where all indices are the same");
}

void check_directions(const FunctionPair& pair, std::uint64_t seed, Report& report) {
  const FunctionPoint point = draw_point(pair, seed);
  Points points(pair, seed, report);
  points.compare_together(all_equal(pair, point, 1), 1);
  for (std::uint64_t direction = 0; direction < 2; ++direction) {
    points.compare_direction(point, seed + direction);
  }
}

}  // namespace aclgrad::gradcheck::detail
