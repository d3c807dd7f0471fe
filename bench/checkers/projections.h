// SPDX-License-Identifier: Apache-2.0
// With what probability random directions show a wrong gradient: a formula, and a measurement.
#pragma once

#include <cstdint>
#include <vector>

namespace aclgrad::bench {

/// How the error of a gradient lies over its elements.
enum class Spread { one_element, all_elements };

/// One direction d shows an error e where |<e, d>| is above the tolerance t. The elements of a
/// direction of check_gradients have random signs and magnitudes spread evenly over [0.5, 1], so
/// that for one wrong element |<e, d>| is spread evenly over [|e| / 2, |e|], and for many it is
/// nearly normal with a variance of 7/12 |e|^2. Of `directions`, one is enough. `ratio` is |e| / t.
double detection_by_signs(Spread spread, int directions, double ratio);

/// detection_by_signs() with normal directions, as others take them: 1 - erf(t / (sqrt(2)
/// |e|))^directions.
double detection_by_normals(int directions, double ratio);

/// Parts of `seeds` runs that show a planted error: of check_gradients in its projection mode, and
/// of normal directions.
struct Measured {
  double by_signs = 0;
  double by_normals = 0;
};
Measured measure_detection(Spread spread, int directions, double ratio, int seeds);

}  // namespace aclgrad::bench
