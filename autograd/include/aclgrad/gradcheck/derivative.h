// SPDX-License-Identifier: Apache-2.0
// Derivatives of functions given by their values, with an error estimate and without a distance h
// to choose: differences over falling h, extrapolated to h = 0 (Richardson 1911;
// Ridders 1982). Slopes from the left and from the right are estimated beside the central one, so
// that a corner is distinguished from a smooth point.
//
//   Slopes s = slopes_at([](long double x) { return std::max(x, 0.0L); }, 0);
//   s.kind == PointKind::corner, s.left.value == 0, s.right.value == 1
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace aclgrad::gradcheck {

/// A number and a bound on its error that is believed, not proved; infinite when nothing is known.
struct Estimate {
  long double value = 0;
  long double error = std::numeric_limits<long double>::infinity();
};

enum class PointKind {
  smooth,   // one slope
  corner,   // the slopes from both sides differ by more than their errors
  unknown,  // no estimate is any good; Slopes::reason says why
};

struct Slopes {
  PointKind kind = PointKind::unknown;
  Estimate left;
  Estimate right;
  Estimate best;      // of a smooth point: the estimate with the smallest error
  bool flat = false;  // all values were the same
  std::string reason = {};

  long double low() const;   // smallest slope that counts as right
  long double high() const;  // largest one
  long double error() const;
};

/// Relative error of one evaluation: of a function computed in double with a few operations, and of
/// one computed in long double.
inline constexpr long double kDoubleNoise = 0x1p-52L;
inline constexpr long double kLongDoubleNoise = 0x1p-62L;

/// Values of a function around a point, at centre +- h 2^-k for k = 0, 1, ...
struct Samples {
  long double h = 0;
  long double centre = 0;
  std::vector<long double> plus = {};
  std::vector<long double> minus = {};
  long double noise = kDoubleNoise;  // relative error of each value
  long double floor = 0;             // absolute error of each value beside it
};

/// How many values a Samples has on each side when this library takes them: h is halved in between.
inline constexpr int kHalvings = 10;

/// What the samples say.
Slopes analyse(const Samples& samples);

/// h worth trying at x, the next when the one before gave no clear answer: a large one, two
/// that go on where the one before ended, one below the distance to 0 (where corners like to be).
std::vector<long double> h_choices(long double x);

/// Whether a smaller h can give a better answer: the point is not smooth or its estimate is worse
/// than it should be.
bool wants_smaller_h(const Slopes& found);

/// The better one of what two h found. A corner seen with a large one that is smooth with a small
/// one lies beside the point.
Slopes better(const Slopes& a, const Slopes& b);

/// A function of one variable.
using Curve = std::function<long double(long double)>;

/// Slopes of a function of one variable.
Slopes slopes_at(const Curve& curve, long double x, long double noise = kDoubleNoise);

/// Those of several at once: `values` gives all of them at x + shift. Beside its relative error
/// each value has that of `largest`, the largest number that they are made of.
using Curves = std::function<std::vector<long double>(long double shift)>;
std::vector<Slopes> slopes_at(const Curves& values, long double x, long double noise,
                              long double largest);

/// Where the slope jumps between low and high, in ascending order: found by looking for second
/// differences that do not shrink, then narrowing down. Corners whose jump is small beside the
/// curvature around them may be missed.
std::vector<long double> find_corners(const Curve& curve, long double low, long double high,
                                      long double noise = kDoubleNoise, int grid = 2048);

}  // namespace aclgrad::gradcheck
