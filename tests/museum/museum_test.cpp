// SPDX-License-Identifier: Apache-2.0
// Every exhibit's right backward is the derivative of its forward, by differences that are
// extrapolated, and its wrong one differs from it where the report says, by as much as it says.
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "tests/museum/exhibit.h"

namespace aclgrad::museum {
namespace {

class OfExhibit : public testing::TestWithParam<int> {};

std::string id_of(const testing::TestParamInfo<int>& info) {
  std::string id = fact(info.param, "id");
  std::erase(id, '-');
  return id;
}

struct Slope {
  long double value = 0;
  long double error = INFINITY;
};

// The slope at 0 of a function of a shift, from both sides or from one, by Ridders' method.
template <class Function>
Slope slope_of(const Function& function, long double step, int side) {
  constexpr int kSteps = 12;
  std::array<std::array<long double, kSteps>, kSteps> tableau{};
  const long double centre = function(0);
  Slope best;
  for (int i = 0; i < kSteps; ++i, step /= 2) {
    tableau[0][i] = side == 0 ? (function(step) - function(-step)) / (2 * step)
                              : (function(side * step) - centre) / (side * step);
    long double factor = side == 0 ? 4 : 2;
    for (int j = 1; j <= i; ++j, factor *= side == 0 ? 4 : 2) {
      tableau[j][i] = (tableau[j - 1][i] * factor - tableau[j - 1][i - 1]) / (factor - 1);
      const long double error = std::max(std::abs(tableau[j][i] - tableau[j - 1][i]),
                                         std::abs(tableau[j][i] - tableau[j - 1][i - 1]));
      if (error < best.error) best = {tableau[j][i], error};
    }
  }
  return best;
}

// The outputs' sum, with the upstream gradients for weights, where the inputs are moved along
// `direction`.
auto weighted_sum(const Exhibit& exhibit, const std::vector<Numbers>& direction) {
  return [&exhibit, &direction](long double shift) {
    std::vector<Numbers> moved = exhibit.in;
    for (std::size_t k = 0; k < moved.size(); ++k) {
      for (std::size_t i = 0; i < direction[k].size(); ++i) {
        moved[k][i] += static_cast<double>(shift * direction[k][i]);
      }
    }
    const std::vector<Numbers> results = exhibit.forward(moved);
    long double sum = 0;
    for (std::size_t k = 0; k < results.size(); ++k) {
      for (std::size_t i = 0; i < exhibit.up[k].size(); ++i) {
        sum += static_cast<long double>(exhibit.up[k][i]) * results[k][i];
      }
    }
    return sum;
  };
}

// Expects the sum of gradients times direction to be the slope there, or between the slopes from
// both sides of a corner or of an end of the range.
void expect_slope(const Exhibit& exhibit, const std::vector<Numbers>& gradients,
                  const std::vector<Numbers>& direction) {
  long double actual = 0;
  for (std::size_t k = 0; k < direction.size(); ++k) {
    for (std::size_t i = 0; i < direction[k].size(); ++i) {
      if (direction[k][i] != 0)
        actual += static_cast<long double>(gradients[k][i]) * direction[k][i];
    }
  }
  const auto function = weighted_sum(exhibit, direction);
  const auto fits = [&](long double value, const Slope& slope) {
    const long double tolerance = 1e-6L * std::max(1.0L, std::abs(slope.value));
    return slope.error < tolerance && std::abs(value - slope.value) <= tolerance;
  };
  for (const long double step : {0.05L, 0.002L, 0.6L}) {
    if (fits(actual, slope_of(function, step, 0))) return;
  }
  Slope left, right;
  for (const long double step : {0.05L, 0.002L}) {
    for (const auto& [side, slope] : {std::pair(-1, &left), std::pair(1, &right)}) {
      const Slope other = slope_of(function, step, side);
      if (other.error < slope->error) *slope = other;
    }
  }
  if (fits(actual, left) || fits(actual, right)) return;
  EXPECT_LT(std::max(left.error, right.error), 1e-5) << "no slope";
  EXPECT_GE(actual, std::min(left.value, right.value) - 1e-6L);
  EXPECT_LE(actual, std::max(left.value, right.value) + 1e-6L);
}

void expect_right(Exhibit& exhibit, std::uint64_t seed) {
  std::string text;
  for (const double value : exhibit.attributes) text += std::to_string(value) + " ";
  SCOPED_TRACE("seed " + std::to_string(seed) + ", attributes " + text);
  const std::vector<Numbers> gradients = exhibit.backward(true);
  std::vector<Numbers> direction;
  std::size_t elements = 0;
  for (std::size_t k = 0; k < exhibit.in.size(); ++k) {
    const bool differentiable = exhibit.has_gradient(k);
    direction.emplace_back(differentiable ? exhibit.in[k].size() : 0);
    elements += direction.back().size();
  }
  const std::size_t moves = std::min<std::size_t>(elements, 60);
  std::mt19937_64 random(seed);
  for (std::size_t move = 0; move < moves; ++move) {
    std::size_t place = elements > moves ? random() % elements : move;
    std::size_t k = 0;
    while (place >= direction[k].size()) place -= direction[k++].size();
    std::vector<std::pair<std::size_t, double>> moved = {{place, 1}};
    if ((exhibit.inputs[k].flags & WG_SYMMETRIC) != 0) {
      const auto n = static_cast<std::size_t>(exhibit.inputs[k].shape[0]);
      const std::size_t mirrored = place % n * n + place / n;
      if (mirrored != place) moved.emplace_back(mirrored, 1);
    }
    for (const auto& [i, by] : moved) direction[k][i] = by;
    SCOPED_TRACE(std::string(exhibit.inputs[k].name) + ", element " + std::to_string(place));
    expect_slope(exhibit, gradients, direction);
    for (const auto& [i, by] : moved) direction[k][i] = 0;
    if (testing::Test::HasFailure()) return;
  }
}

TEST_P(OfExhibit, RightIsTheDerivativeOfTheForward) {
  const int number = GetParam();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Exhibit usual(number, usual_attributes(number));
    usual.draw(seed);
    expect_right(usual, seed);
  }
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Exhibit other(number, random_attributes(number, seed));
    other.draw(seed);
    expect_right(other, seed);
  }
  Exhibit showing(number, showing_attributes(number));
  showing.show(1);
  if (wgShowsByDifferences(number) != 0) expect_right(showing, 1);
}

// A third of the error of the gradient's largest element would show, or NaN.
double largest_difference(const std::vector<Numbers>& a, const std::vector<Numbers>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    for (std::size_t i = 0; i < a[k].size(); ++i) {
      const double difference = std::abs(a[k][i] - b[k][i]);
      largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
    }
  }
  return largest;
}

TEST_P(OfExhibit, WrongDiffersWhereItShows) {
  const int number = GetParam();
  if (is_control(number)) return;
  Exhibit exhibit(number, showing_attributes(number));
  exhibit.show(1);
  const int how = wgShow(number);
  std::vector<Numbers> before;
  for (std::size_t k = 0; (how & WG_SHOW_PREFILLED) != 0 && k < exhibit.in.size(); ++k) {
    before.emplace_back(exhibit.in[k].size(), 7.5 + static_cast<double>(k));
  }
  const std::vector<Numbers> right = exhibit.backward(true, how, before);
  const std::vector<Numbers> wrong = exhibit.backward(false, how, before);
  EXPECT_GT(largest_difference(wrong, right), 1e-9);
}

// However it is called, so long as the flags allow that, the right one gives the same.
TEST_P(OfExhibit, RightIsRightHoweverItIsCalled) {
  const int number = GetParam();
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Exhibit exhibit(number, seed == 1 ? usual_attributes(number) : random_attributes(number, seed));
    exhibit.draw(seed);
    const std::vector<Numbers> plain = exhibit.backward(true);
    std::vector<Numbers> before;
    for (const Numbers& values : exhibit.in) before.emplace_back(values.size(), 8);
    std::vector<Numbers> prefilled = exhibit.backward(true, 0, before);
    for (std::size_t k = 0; k < prefilled.size(); ++k) {
      if ((exhibit.inputs[k].flags & WG_ADDS) == 0) continue;
      for (double& value : prefilled[k]) value -= 8;
    }
    EXPECT_LT(largest_difference(prefilled, plain), 1e-9);
    for (std::size_t k = 0; k < exhibit.outputs.size(); ++k) {
      const int flags = exhibit.outputs[k].flags;
      std::vector<int> ways;
      if ((flags & WG_OVER_UPSTREAM) != 0) ways.push_back(WG_SHOW_OVER_UPSTREAM);
      if ((flags & WG_OVER) != 0) ways.push_back(WG_SHOW_OVER_OUTPUT);
      if ((flags & WG_STRIDED) != 0) ways.push_back(WG_SHOW_TRANSPOSED);
      for (const int how : ways) EXPECT_EQ(exhibit.backward(true, how), plain);
    }
    if ((exhibit.inputs[0].flags & WG_OPTIONAL) != 0) {
      std::vector<Numbers> others = exhibit.backward(true, WG_SHOW_UNWANTED);
      others[0] = plain[0];
      EXPECT_EQ(others, plain);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Museum, OfExhibit, testing::Range(0, wgCount()), id_of);

struct Reported {
  const char* id;
  std::size_t input, element;
  double wrong, right, tolerance;
};

// The numbers of the reports, and those that were worked out from them.
TEST(Reports, SayWhatTheFunctionsGive) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Reported all[] = {
      {"WG-002", 0, 0, 6, 5.545, 1e-3},
      {"WG-011", 0, 0, 1.31, 0.38, 1e-2},
      {"WG-011", 0, 1, 1.69, -0.38, 1e-2},
      {"WG-016", 1, 0, -0.2, 0, 1e-12},
      {"WG-020", 1, 0, -1.87e-9, 1.87e-9, 1e-11},
      {"WG-029", 0, 0, 0.444, 0.25, 1e-3},
      {"WG-029", 0, 1, 0.327, 0.0625, 1e-3},
      {"WG-035", 0, 0, 62, 10, 1e-12},
      {"WG-041", 0, 0, 0.3, 0.5, 1e-12},
      {"WG-052", 0, 0, 4.889, 5, 1e-3},
      {"WG-052", 0, 1, 4.889, 5, 1e-3},
      {"WG-059", 0, 7, 1.0 / 3, 0.5, 1e-12},
      {"WG-065", 1, 0, -8, 0, 1e-12},
      {"WG-067", 0, 0, 0, 0.5, 1e-12},
      {"WG-068", 0, 0, -0.5, 0, 1e-3},
      {"WG-068", 0, 1, 1.5, 1, 1e-3},
      {"WG-069", 0, 0, 1, 0.5, 1e-12},
      {"WG-070", 0, 0, kNan, 1, 0},
      {"WG-071", 1, 0, kNan, 0, 0},
      {"WG-072", 0, 0, 0, 0.5, 1e-12},
      {"WG-073", 0, 0, kNan, 0.5, 0},
      {"WG-074", 0, 0, 0, 9, 1e-12},
      {"WG-075", 0, 0, 0, 0, 1e-12},
      {"WG-075", 0, 1, kNan, 4, 0},
      {"WG-076", 0, 0, 1, 0.5, 1e-12},
      {"WG-076", 0, 1, 0.49999976, 0.5, 1e-8},
      {"WG-077", 0, 0, kNan, 1, 0},
      {"WG-078", 0, 0, kNan, 1, 0},
      {"WG-088", 0, 0, 768, 0, 1e-12},
      {"WG-089", 2, 0, 2, 1, 1e-12},
      {"WG-090", 0, 1, 1, 0, 1e-12},
      {"WG-099", 0, 0, 0, 3, 1e-12},
      {"WG-100", 0, 0, 0, -3.2899, 1e-4},
      {"WG-101", 0, 0, 0.7071, 0.3536, 1e-4},
      {"WG-101", 1, 0, 0, -0.3536, 1e-4},
      {"WG-102", 0, 0, -3.9976, 0.000799, 1e-4},
      {"WG-109", 0, 0, 0, 1.0 / 70000, 1e-12},
      {"WG-116", 0, 0, 1.25, 1, 1e-12},
      {"WG-122", 0, 0, 20, 10, 1e-9},
      {"WG-122", 0, 1, 30, 12, 1e-9},
      {"WG-122", 0, 2, 40, 12, 1e-9},
      {"WG-126", 0, 0, 2, 0.5, 1e-12},
  };
  for (const Reported& reported : all) {
    int number = 0;
    while (fact(number, "id") != reported.id) ++number;
    SCOPED_TRACE(reported.id);
    Exhibit exhibit(number, showing_attributes(number));
    exhibit.show(1);
    for (const bool is_right : {false, true}) {
      const double expected = is_right ? reported.right : reported.wrong;
      const double actual =
          exhibit.backward(is_right, wgShow(number))[reported.input][reported.element];
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << actual;
      } else {
        EXPECT_NEAR(actual, expected, reported.tolerance);
      }
    }
  }
}

TEST(Facts, AreThereForEveryExhibit) {
  EXPECT_EQ(wgExhibits(), 127);
  EXPECT_EQ(wgCount(), 142);
  std::map<std::string, int> kinds;
  std::map<std::string, int> verdicts;
  for (int number = 0; number < wgCount(); ++number) {
    SCOPED_TRACE(fact(number, "id"));
    for (const char* name : {"id", "project", "source", "operator", "right"})
      EXPECT_NE(fact(number, name), "");
    if (is_control(number)) continue;
    ++kinds[fact(number, "kind")];
    ++verdicts[fact(number, "verdict")];
    EXPECT_NE(wgKind(fact(number, "kind")[0]), nullptr);
    for (const char* name : {"year", "wrong", "shows", "needs", "evidence"})
      EXPECT_NE(fact(number, name), "");
  }
  EXPECT_THAT(kinds, testing::ElementsAre(
                         testing::Pair("A", 21), testing::Pair("B", 6), testing::Pair("C", 5),
                         testing::Pair("D", 9), testing::Pair("E", 3), testing::Pair("F", 13),
                         testing::Pair("G", 6), testing::Pair("H", 6), testing::Pair("I", 11),
                         testing::Pair("J", 3), testing::Pair("K", 4), testing::Pair("L", 5),
                         testing::Pair("M", 5), testing::Pair("N", 4), testing::Pair("O", 5),
                         testing::Pair("P", 2), testing::Pair("Q", 1), testing::Pair("R", 4),
                         testing::Pair("S", 5), testing::Pair("U", 9)));
  EXPECT_THAT(verdicts,
              testing::ElementsAre(testing::Pair("blind", 37), testing::Pair("conditional", 50),
                                   testing::Pair("plain", 40)));
  EXPECT_EQ(wgFact(0, "colour"), nullptr);
  EXPECT_EQ(wgFact(-1, "id"), nullptr);
  EXPECT_EQ(wgFact(wgCount(), "id"), nullptr);
  EXPECT_EQ(wgKind('T'), nullptr);
}

TEST(Facts, OfTheExhibitsFollowTheirNumbers) {
  for (int number = 0; number < wgExhibits(); ++number) {
    EXPECT_EQ(fact(number, "id"), "WG-" +
                                      std::string(number < 9    ? "00"
                                                  : number < 99 ? "0"
                                                                : "") +
                                      std::to_string(number + 1));
  }
}

}  // namespace
}  // namespace aclgrad::museum
