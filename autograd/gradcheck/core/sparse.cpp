// SPDX-License-Identifier: Apache-2.0
// Derivatives where each result is made of few elements: elements that no result has in common are
// moved together, and each result's change is its own element's (Curtis, Powell, Reid 1974). What
// is not plainly smooth then is differentiated by itself.
#include <algorithm>
#include <cmath>

#include "gradcheck/core/problem.h"

namespace aclgrad::gradcheck::detail {
namespace {

struct Place {
  std::size_t input;  // among all
  std::size_t element;
  std::vector<std::size_t> results;  // that it changes
};

Number size_at(Number x) { return std::exp2(std::floor(std::log2(std::max(1.0L, std::abs(x))))); }

// By a step to both sides, of a length that meets nothing.
std::vector<Place> places_of(const Candidate& candidate, const Arrays& inputs,
                             const Array& centre) {
  constexpr Number kStep = 0.0053761949273L;
  std::vector<Place> places;
  Arrays moved = inputs;
  for (const std::size_t which : differentiable(candidate)) {
    for (std::size_t i = 0; i < inputs[which].values.size(); ++i) {
      const Number x = inputs[which].values[i];
      moved[which].values[i] = x + kStep * size_at(x);
      const Array above = differentiated(candidate, moved);
      moved[which].values[i] = x - kStep * size_at(x);
      const Array below = differentiated(candidate, moved);
      moved[which].values[i] = x;
      Place& place = places.emplace_back(Place{which, i, {}});
      for (std::size_t r = 0; r < centre.values.size(); ++r) {
        const Number value = centre.values[r];
        if (above.values[r] != value || below.values[r] != value) place.results.push_back(r);
      }
    }
  }
  return places;
}

// Places of which no two change one result.
using Group = std::vector<const Place*>;

std::vector<Group> groups_of(const std::vector<Place>& places, std::size_t results) {
  std::vector<Group> groups;
  std::vector<std::vector<bool>> taken;  // results, by group
  for (const Place& place : places) {
    const auto is_apart = [&](const std::vector<bool>& of_group) {
      return std::ranges::none_of(place.results, [&](std::size_t r) { return of_group[r]; });
    };
    const auto found = std::ranges::find_if(taken, is_apart);
    const auto g = static_cast<std::size_t>(found - taken.begin());
    if (found == taken.end()) {
      taken.emplace_back(results);
      groups.emplace_back();
    }
    for (const std::size_t r : place.results) taken[g][r] = true;
    groups[g].push_back(&place);
  }
  return groups;
}

Slopes divided(Slopes slopes, Number by) {
  for (Estimate* each : {&slopes.left, &slopes.right, &slopes.best}) {
    each->value /= by;
    each->error /= by;
  }
  return slopes;
}

}  // namespace

std::vector<std::vector<std::vector<Slopes>>> sparse_slopes(const Candidate& candidate,
                                                            const Arrays& inputs,
                                                            const Array& centre) {
  const std::vector<Place> places = places_of(candidate, inputs, centre);
  Number largest = 1;  // as of a single one
  const auto see = [&](const Array& array) {
    for (const Number value : array.values) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
  };
  see(centre);
  for (const std::size_t which : differentiable(candidate)) see(inputs[which]);
  std::vector<std::vector<std::vector<Slopes>>> rows(inputs.size());
  for (const Place& place : places) {
    const Number h = size_at(inputs[place.input].values[place.element]) / 8;
    std::vector<Slopes>& row = rows[place.input].emplace_back();
    for (const Number value : centre.values) {
      const Estimate zero{0, candidate.noise * (std::abs(value) + largest) / h};
      row.push_back(
          {.kind = PointKind::smooth, .left = zero, .right = zero, .best = zero, .flat = true});
    }
  }
  Arrays moved = inputs;
  for (const Group& group : groups_of(places, centre.values.size())) {
    const auto move_to = [&](Number shift) {
      for (const Place* place : group) {
        const Number x = inputs[place->input].values[place->element];
        moved[place->input].values[place->element] = x + shift * size_at(x);
      }
    };
    std::vector<Slopes> together;
    if (group.size() > 1) {
      together = slopes_at(
          [&](long double shift) {
            move_to(shift);
            return differentiated(candidate, moved).values;
          },
          1, candidate.noise, largest);
      move_to(0);
    }
    for (const Place* place : group) {
      std::vector<Slopes>& row = rows[place->input][place->element];
      const auto is_clear = [&](std::size_t r) {
        const Slopes& s = together[r];
        return s.kind == PointKind::smooth &&
               (!wants_smaller_h(s) || s.error() <= 512 * candidate.noise * largest);
      };
      if (group.size() > 1 && std::ranges::all_of(place->results, is_clear)) {
        const Number size = size_at(inputs[place->input].values[place->element]);
        for (const std::size_t r : place->results) row[r] = divided(together[r], size);
      } else {
        row = row_of_slopes(candidate, moved, place->input, place->element, centre);
      }
    }
  }
  return rows;
}

}  // namespace aclgrad::gradcheck::detail
