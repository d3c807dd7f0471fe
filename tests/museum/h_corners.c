/* SPDX-License-Identifier: Apache-2.0 */
/* Kind H: ties, kinks and single points. */
#include "museum.h"

/* WG-064: the largest of each row; all that are equal to it get the whole gradient. */
static void max_forward(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(r, rows) {
    Y(0, r) = X(0, r * n);
    EACH(i, n) Y(0, r) = max2(Y(0, r), X(0, r * n + i));
  }
}
static void max_backward(const Call* c, int only_the_first) {
  const int rows = A(0), n = A(1);
  EACH(r, rows) {
    int found = 0;
    EACH(i, n) {
      const int is_largest = X(0, r * n + i) == Y(0, r) && !(found && only_the_first);
      DX(0, r * n + i) = is_largest ? G(0, r) : 0;
      found |= is_largest;
    }
  }
}
static void max_wrong(const Call* c) { max_backward(c, 0); }
static void max_right(const Call* c) { max_backward(c, 1); }

/* WG-065: samples a row between its pixels, beyond the border the last one; on it the neighbour is
 * 0. */
static double pixel(const Call* c, double at) {
  const double last = A(0) - 1;
  return at < 0 ? 0 : at > last ? last : at;
}
static void sample_forward(const Call* c) {
  EACH(k, A(1)) {
    const double at = pixel(c, X(1, k));
    const int left = at >= A(0) - 1 ? A(0) - 2 : at;
    Y(0, k) = X(0, left) + (at - left) * (X(0, left + 1) - X(0, left));
  }
}
static void sample_backward(const Call* c, int is_right) {
  const double last = A(0) - 1;
  EACH(i, A(0)) DX(0, i) = 0;
  EACH(k, A(1)) {
    const double at = pixel(c, X(1, k));
    const int left = at >= last ? last - 1 : at, is_inside = X(1, k) >= 0 && X(1, k) < last;
    DX(0, left) += G(0, k) * (1 - (at - left));
    DX(0, left + 1) += G(0, k) * (at - left);
    DX(1, k) = is_inside ? G(0, k) * (X(0, left + 1) - X(0, left)) : 0;
    if (!is_right && X(1, k) == last) DX(1, k) = G(0, k) * (0 - X(0, left + 1));
  }
}
static void sample_wrong(const Call* c) { sample_backward(c, 0); }
static void sample_right(const Call* c) { sample_backward(c, 1); }

/*
 * WG-066: quantization, y = clamp(round(x / s), low, high), trained as if rounding were none: the
 * gradient is that of clamping x / s at low - 1/2 and high + 1/2, which is what is differentiated
 * here. The values that are rounded to one of the bounds lose theirs.
 */
static double level(const Call* c, double x) { return nearbyint(x / A(1)); }
static double clamped(const Call* c, double x) {
  const double low = A(2) - 0.5, high = A(3) + 0.5, q = x / A(1);
  return q < low ? low : q > high ? high : q;
}
UNARY(quantize, clamped(c, x), level(c, x) > A(2) && level(c, x) < A(3) ? g / A(1) : 0,
      x / A(1) >= A(2) - 0.5 && x / A(1) <= A(3) + 0.5 ? g / A(1) : 0)

/* WG-067: softplus as max(x, 0) + log1p(e^-|x|); at 0 both terms take 0 for their slope. */
static double exponential_of(double x) { return exp(-fabs(x)); }
UNARY(softplus, max2(x, 0) + log1p(exponential_of(x)),
      g*((x > 0) - sign(x) * exponential_of(x) / (1 + exponential_of(x))), g* sigmoid(x))

/* WG-068: hardswish, x min(max(x + 3, 0), 6) / 6; a constant of four digits and both corners. */
UNARY(hardswish,
      x <= -3  ? 0
      : x >= 3 ? x
               : x * (x + 3) / 6,
      x < -3   ? 0
      : x <= 3 ? g * (0.3333 * x + 0.5)
               : g,
      x <= -3 ? 0
      : x < 3 ? g * (x / 3 + 0.5)
              : g)

/* WG-069: the Bessel function I1; its slope I0 - I1 / x, where 0 / 0 is made 0 and not 1/2. */
static double bessel(int order, double x) {
  double term = order == 0 ? 1 : x / 2, sum = 0;
  for (int k = 0; k < 60; ++k) {
    sum += term;
    term *= x * x / 4 / ((k + 1) * (k + 1 + order));
  }
  return sum;
}
UNARY(bessel_i1, bessel(1, x), g*(bessel(0, x) - (x == 0 ? 0 : bessel(1, x) / x)),
      g*(bessel(0, x) - (x == 0 ? 0.5 : bessel(1, x) / x)))

const Exhibit wg_h[] = {{"WG-064",
                         FUNCTIONS(max),
                         {SIZE("rows", 2, 1, 1, 3), SIZE("n", 4, 4, 1, 5)},
                         {{"x", "rows, n", REAL, 0}},
                         {OUT("y", "rows")},
                         .at = {LIST(1)},
                         .upstream = {LIST(1)}},
                        {"WG-065",
                         FUNCTIONS(sample),
                         {SIZE("n", 4, 4, 2, 6), SIZE("m", 3, 1, 1, 5)},
                         {{"x", "n", REAL, 0}, {"at", "m", "-1", "n", 0}},
                         {OUT("y", "m")},
                         .at = {LIST(2, 4, 6, 8), LIST(3)},
                         .upstream = {LIST(1)}},
                        {"WG-066",
                         FUNCTIONS(quantize),
                         {OF_ELEMENTS, NUMBER("scale", 0.5, 0.5, 0.25, 2),
                          SIZE("low", -8, -8, -8, -1), SIZE("high", 7, 7, 1, 7)},
                         ON(REAL),
                         .at = {LIST(3.4, 3.6, 1, -4.1)},
                         .upstream = {LIST(1)}},
                        {"WG-067",
                         FUNCTIONS(softplus),
                         {OF_ELEMENTS},
                         ON(REAL),
                         .at = {LIST(0, 1)},
                         .upstream = {LIST(1)}},
                        {"WG-068",
                         FUNCTIONS(hardswish),
                         {OF_ELEMENTS},
                         ON(REAL),
                         .at = {LIST(-3, 3, 1)},
                         .upstream = {LIST(1)}},
                        {"WG-069",
                         FUNCTIONS(bessel_i1),
                         {OF_ELEMENTS},
                         ON("-10", "10"),
                         .at = {LIST(0, 1)},
                         .upstream = {LIST(1)}},
                        {0}};
