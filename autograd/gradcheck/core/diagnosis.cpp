// SPDX-License-Identifier: Apache-2.0
// Reads the pattern of wrong elements: which side is to blame, and what the mistake looks like.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gradcheck/core/failure.h"

namespace aclgrad::gradcheck::detail {
namespace {

// So many times what rounding explains is a jump.
constexpr Number kJump = 16;

bool is_wrong(const Element& e) { return e.verdict == Verdict::wrong; }

Number middle(const Element& e) { return (e.low + e.high) / 2; }

// How far a value lies from what the element may be, which at a corner is an interval.
Number distance(const Element& e, Number value) {
  return std::max({Number{0}, e.low - value, value - e.high});
}

// The forward's derivative by dual numbers at the element of an operator of one input.
std::string second_opinion(const Candidate& candidate, const Problem& problem,
                           const Element& worst) {
  const auto& dual = candidate.forward.op().results.formula.dual;
  if (!dual || !candidate.is_elementwise() || candidate.inputs().size() != 1) {
    return "the backward: the numeric derivative agrees with itself over many steps";
  }
  const auto i = static_cast<std::size_t>(worst.index);
  const Dual x{worst.input, 1};
  Number exact = 0;
  try {
    exact = guard("the forward with dual numbers", [&] {
      return dual(std::span(&x, 1), candidate.forward.numbers()).slope *
             problem.cotangent.values[i];
    });
  } catch (const Failure& failure) {
    return fmt::format("the backward; {}", failure.what());
  }
  if (distance(worst, exact) <= worst.bound) {
    return "the backward: dual numbers confirm the numeric derivative";
  }
  if (std::abs(exact - worst.analytic) <= worst.bound) {
    return "the numeric derivative: dual numbers confirm the backward";
  }
  return fmt::format("both: dual numbers give {:.9g}", static_cast<double>(exact));
}

// One factor that explains all wrong elements.
std::string common_factor(const std::vector<Element>& compared) {
  Number low = INFINITY;
  Number high = -INFINITY;
  std::int64_t counted = 0;
  for (const Element& e : compared) {
    if (!is_wrong(e) || middle(e) == 0 || !std::isfinite(e.analytic)) continue;
    const Number ratio = e.analytic / middle(e);
    const Number blur = (e.bound + (e.high - e.low) / 2) / std::abs(middle(e));
    low = std::min(low, ratio - blur);
    high = std::max(high, ratio + blur);
    ++counted;
  }
  if (counted < 2) return "";
  const Number factor = (low + high) / 2;
  if (!(high - low < 0.02L * std::abs(factor)) || std::abs(factor) < 1e-6L) return "";
  if (std::abs(factor + 1) < 0.01L) return "; the sign is reversed";
  return fmt::format("; they are off by the factor {:.7g}", static_cast<double>(factor));
}

// Where the wrong elements are.
std::string place(const std::vector<Element>& compared) {
  std::size_t first = compared.size();
  std::size_t count = 0;
  Number low = INFINITY;
  Number high = -INFINITY;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (!is_wrong(compared[i])) continue;
    first = std::min(first, i);
    ++count;
    low = std::min(low, compared[i].input);
    high = std::max(high, compared[i].input);
  }
  if (count == compared.size()) return "";
  // A long row of right ones is no accident.
  if (count == compared.size() - first && first >= compared.size() / 2 && compared.size() > 2) {
    return fmt::format("; only elements from {} to the end are wrong: a tail is treated otherwise",
                       first);
  }
  const bool apart = std::none_of(compared.begin(), compared.end(), [&](const Element& e) {
    return !is_wrong(e) && e.input >= low && e.input <= high;
  });
  if (!apart || count < 2) return "";  // one wrong element is no pattern
  // A branch makes a jump. An error that fades away is only hidden by rounding from there on.
  const auto fades = [&](const Element& e) {
    const bool is_at_end = is_wrong(e) && (e.input == low || e.input == high);
    return is_at_end && distance(e, e.analytic) < kJump * e.bound &&
           std::ranges::any_of(compared, [&](const Element& other) {
             return e.input == low ? other.input < low : other.input > high;
           });
  };
  if (std::ranges::any_of(compared, fades)) return "";
  return fmt::format("; exactly the elements with {} between {:.6g} and {:.6g} are wrong: a branch",
                     compared[first].of, static_cast<double>(low), static_cast<double>(high));
}

// Whether values stand at other elements' places.
std::string exchanged(const std::vector<Element>& compared) {
  std::size_t wrong = 0;
  std::size_t elsewhere = 0;
  for (const Element& e : compared) {
    if (!is_wrong(e)) continue;
    ++wrong;
    elsewhere += std::any_of(compared.begin(), compared.end(), [&](const Element& other) {
      return other.index != e.index && middle(other) != 0 && distance(other, e.analytic) <= e.bound;
    });
  }
  if (wrong < 2 || elsewhere * 4 < wrong * 3) return "";
  return "; they are right for other elements: strides, halves or indices are mixed up";
}

// Whether the gradient stays what it is when something else arrives.
bool ignores_cotangent(const Candidate& candidate, const Problem& problem, std::size_t k) {
  Array other = problem.cotangent;
  for (std::size_t i = 0; i < other.values.size(); ++i) {
    other.values[i] *= random_bits(problem.inputs.size() + 77, i) % 2 == 0 ? -2 : 0.5L;
  }
  const Arrays given = given_to(candidate, problem.inputs, problem.outputs, other);
  const ExecutionOptions plain;
  return execute(candidate, problem.dtype, given, problem.inputs, plain).bits[k] ==
         execute(candidate, problem, plain).bits[k];
}

}  // namespace

std::string pattern_of(const Candidate& candidate, const Problem& problem,
                       const std::vector<Element>& compared) {
  constexpr std::size_t kFew = 3;  // elements, which can be equal by chance
  if (compared.size() < kFew) return "";
  const auto are = [&](const auto& number_of) {
    for (std::size_t i = 0; i < compared.size(); ++i) {
      if (compared[i].analytic != number_of(i)) return false;
    }
    return true;
  };
  if (are([](std::size_t) { return Number{0}; })) return "zeros";
  if (are([&](std::size_t) { return compared.front().analytic; })) return "constant";
  const auto copies = [&](const Array& array) {
    return array.values.size() == compared.size() &&
           are([&](std::size_t i) { return array.values[i]; });
  };
  if (copies(problem.cotangent)) return "copies what arrives";
  if (std::ranges::any_of(problem.inputs, copies)) return "copies an input";
  const std::vector<std::size_t> inputs = differentiable(candidate);
  const auto k = std::ranges::find_if(inputs, [&](std::size_t input) {
    return candidate.inputs()[input]->name == compared.front().of;
  });
  const bool ignores =
      k != inputs.end() &&
      ignores_cotangent(candidate, problem, static_cast<std::size_t>(k - inputs.begin()));
  return ignores ? "ignores what arrives" : "";
}

std::string diagnosis(const Candidate& candidate, const Problem& problem,
                      const std::vector<Element>& compared) {
  const auto worst =
      std::max_element(compared.begin(), compared.end(), [](const Element& a, const Element& b) {
        const auto rank = [](const Element& e) { return is_wrong(e) ? e.ulp : -1; };
        return rank(a) < rank(b);
      });
  return second_opinion(candidate, problem, *worst) + common_factor(compared) +
         exchanged(compared) + place(compared);
}

}  // namespace aclgrad::gradcheck::detail
