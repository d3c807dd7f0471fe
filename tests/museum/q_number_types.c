/* SPDX-License-Identifier: Apache-2.0 */
/* Kind Q: numbers of 16 bits. */
#include "museum.h"

/* A number of 16 bits: 11 digits, up to 65504. */
static double half(double x) {
  int exponent;
  frexp(x, &exponent);
  const double step = ldexp(1, exponent - 11), rounded = nearbyint(x / step) * step;
  return rounded > 65504 ? INFINITY : rounded;
}

/* WG-109: the largest number, whose gradient all that are equal share; they are counted in 16 bits.
 */
static void max_forward(const Call* c) {
  Y(0, 0) = X(0, 0);
  EACH(i, A(0)) Y(0, 0) = max2(Y(0, 0), X(0, i));
}
static double count_ties(const Call* c) {
  double count = 0;
  EACH(i, A(0)) count += X(0, i) == Y(0, 0);
  return count;
}
static void max_backward(const Call* c, double count) {
  EACH(i, A(0)) DX(0, i) = X(0, i) == Y(0, 0) ? G(0, 0) / count : 0;
}
static void max_wrong(const Call* c) { max_backward(c, half(count_ties(c))); }
static void max_right(const Call* c) { max_backward(c, count_ties(c)); }

const Exhibit wg_q[] = {{"WG-109",
                         FUNCTIONS(max),
                         {SIZE("n", 4, 70000, 1, 70000)},
                         {{"x", "n", REAL, 0}},
                         {OUT("y", "1")},
                         .at = {LIST(1)},
                         .upstream = {LIST(1)}},
                        {0}};
