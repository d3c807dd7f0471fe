// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/promises.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/functions/calls.h"

namespace aclgrad::gradcheck {
namespace {

// What the backward makes of the memory of one gradient, by what it held.
struct Uses {
  bool is_left = false;     // an element is as it was, or added to
  bool is_written = false;  // an element does not depend on it
  bool is_other = false;

  // Of an element: what it is where its memory held zeros, and where it held `before`.
  void note(Number from_zeros, Number from_before, Number before) {
    if (!std::isfinite(from_zeros)) return;  // tells nothing
    const Number part = (from_before - from_zeros) / before;
    const bool is_kept = std::abs(part - 1) < 1e-3L;
    const bool is_gone = std::abs(part) < 1e-3L;
    is_left = is_left || is_kept;
    is_written = is_written || is_gone;
    is_other = is_other || !(is_kept || is_gone);
  }
};

// Far above gradients, so that no rounding hides it, and far below what the dtype holds.
std::vector<Number> far_above(const FunctionPair& pair, const Arrays& gradients) {
  std::vector<Number> numbers;
  for (std::size_t k = 0; k < gradients.size(); ++k) {
    const Number most = pair.inputs[k].dtype == DType::float64 ? 0x1p1000L : 0x1p120L;
    const Number size = std::max(Number{1}, detail::largest_of(gradients[k]));
    numbers.push_back(std::min(size * 0x1p20L, most));
  }
  return numbers;
}

}  // namespace

Questions suppose_promises(FunctionPair pair, Roles& roles) {
  for (FunctionArray& input : pair.inputs) input.adds_gradient = input.has_gradient;
  std::vector<Uses> uses(pair.inputs.size());
  bool spoils = false;
  for (std::uint64_t seed = 1; seed <= kPoints; ++seed) {
    detail::FunctionPoint point = detail::draw_point(pair, seed);
    for (Array& upstream : point.upstream) {
      if (roles.unasked) std::ranges::fill(upstream.values, 1);
    }
    const auto gradients = [&](const detail::FunctionCall& call) {
      try {
        return detail::gradients_of(pair, point, call);
      } catch (const detail::UpstreamWritten&) {
        spoils = true;
        for (FunctionArray& output : pair.outputs) output.consumed = true;
        return detail::gradients_of(pair, point, call);
      }
    };
    const Arrays from_zeros = gradients({});
    const std::vector<Number> before = far_above(pair, from_zeros);
    const Arrays from_before = gradients({.prefilled = before});
    for (std::size_t k = 0; k < uses.size(); ++k) {
      for (std::size_t i = 0; i < from_zeros[k].values.size(); ++i) {
        uses[k].note(from_zeros[k].values[i], from_before[k].values[i], before[k]);
      }
    }
  }
  Questions questions;
  std::vector<std::pair<std::string, std::string>> adding;
  for (Parameter& read : roles.backward) {
    if (!read.promise.empty()) continue;
    const auto meant = [&](const char* promise, const char* other, const char* what) {
      read.promise = promise;
      const char* const role = read.role == Role::kGradient ? "gradient" : "upstream";
      return std::pair(
          fmt::format("it {} `{}`: right if that is meant, else say {}", what, read.name, other),
          fmt::format("--role {}=\"{} {} {}\"", read.name, role, roles.name_of(read.of), promise));
    };
    if (read.role == Role::kUpstream && spoils && read.type.is_pointer && !read.type.is_const) {
      questions.insert(meant("consumed", "kept", "writes to what arrives at"));
    }
    if (read.role != Role::kGradient) continue;
    const auto input = static_cast<std::size_t>(
        std::ranges::find(pair.inputs, roles.name_of(read.of), &FunctionArray::name) -
        pair.inputs.begin());
    const auto& [is_left, is_written, is_other] = uses[input];
    if (is_other) {
      questions.insert(meant("zeroed", "written", "neither replaces nor adds to what is there of"));
    } else if (is_left && is_written) {
      questions.insert(meant("zeroed", "written", "leaves some elements as they are of"));
    } else if (is_left) {
      adding.push_back(meant("added", "written", "adds to what is there of"));
    }
  }
  const auto only_adds = [](const Uses& each) { return !each.is_written && !each.is_other; };
  if (adding.size() > 1 && std::ranges::all_of(uses, only_adds)) {
    adding = {
        {"it adds to what is there of every gradient: right if that is meant, else say "
         "written",
         "--role gradients=added"}};
  }
  questions.insert(adding.begin(), adding.end());
  return questions;
}

}  // namespace aclgrad::gradcheck
