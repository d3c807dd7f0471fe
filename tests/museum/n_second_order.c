/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kind N: the backward of a backward. The forward of such an exhibit is the right first-order
 * backward of an operator, a function of its inputs and of the gradient g that arrives; its outputs
 * are gradients.
 */
#include "museum.h"

/* WG-098: of log, g / x; the factor g is lost. */
static void log_forward(const Call* c) { EACH(i, A(0)) Y(0, i) = X(1, i) / X(0, i); }
static void log_backward(const Call* c, int is_right) {
  EACH(i, A(0)) {
    DX(0, i) = -G(0, i) * (is_right ? X(1, i) : 1) / (X(0, i) * X(0, i));
    DX(1, i) = G(0, i) / X(0, i);
  }
}
static void log_wrong(const Call* c) { log_backward(c, 0); }
static void log_right(const Call* c) { log_backward(c, 1); }

/* WG-099: of the product of all; with two zeros the second derivative is said to be 0. */
static double product_without(const Call* c, int i, int k) {
  double product = 1;
  EACH(j, A(0)) if (j != i && j != k) product *= X(0, j);
  return product;
}
static void product_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = X(1, 0) * product_without(c, i, i);
}
static void product_right(const Call* c) {
  DX(1, 0) = 0;
  EACH(k, A(0)) {
    DX(0, k) = 0;
    DX(1, 0) += G(0, k) * product_without(c, k, k);
    EACH(i, A(0)) if (i != k) DX(0, k) += X(1, 0) * G(0, i) * product_without(c, i, k);
  }
}
static void product_wrong(const Call* c) {
  int zeros = 0;
  product_right(c);
  EACH(i, A(0)) zeros += X(0, i) == 0;
  EACH(k, A(0)) if (zeros >= 2) DX(0, k) = 0;
}

/* WG-100: of sin(pi x) / (pi x), which is 1 at 0 by a branch; there its second derivative is that
 * of 1. */
static double sinc(double t) { return t == 0 ? 1 : sin(t) / t; }
static double sinc_slope(double t) {
  if (fabs(t) < 0.05) return -t / 3 * (1 - t * t / 10 * (1 - t * t / 28));
  return (cos(t) - sinc(t)) / t;
}
static double sinc_second(double t) { return t == 0 ? -1.0 / 3 : -sinc(t) - 2 * sinc_slope(t) / t; }
static void sinc_forward(const Call* c) {
  const double pi = acos(-1);
  EACH(i, A(0)) Y(0, i) = X(1, i) * pi * sinc_slope(pi * X(0, i));
}
static void sinc_backward(const Call* c, int is_right) {
  const double pi = acos(-1);
  EACH(i, A(0)) {
    const double second = X(0, i) == 0 && !is_right ? 0 : pi * pi * sinc_second(pi * X(0, i));
    DX(0, i) = G(0, i) * X(1, i) * second;
    DX(1, i) = G(0, i) * pi * sinc_slope(pi * X(0, i));
  }
}
static void sinc_wrong(const Call* c) { sinc_backward(c, 0); }
static void sinc_right(const Call* c) { sinc_backward(c, 1); }

/* WG-101: of the length r of (x, y); r is a plain number in it. */
static void hypot_forward(const Call* c) {
  EACH(k, 2) EACH(i, A(0)) Y(k, i) = X(2, i) * X(k, i) / hypot(X(0, i), X(1, i));
}
static void hypot_backward(const Call* c, int is_right) {
  EACH(i, A(0)) {
    const double x = X(0, i), y = X(1, i), r = hypot(x, y), g = X(2, i), u = G(0, i), v = G(1, i);
    DX(0, i) = is_right ? g * (u * y * y - v * x * y) / (r * r * r) : g * u / r;
    DX(1, i) = is_right ? g * (v * x * x - u * x * y) / (r * r * r) : g * v / r;
    DX(2, i) = (u * x + v * y) / r;
  }
}
static void hypot_wrong(const Call* c) { hypot_backward(c, 0); }
static void hypot_right(const Call* c) { hypot_backward(c, 1); }

const Exhibit wg_n[] = {
    {"WG-098",
     FUNCTIONS(log),
     {OF_ELEMENTS},
     {{"x", "n", "0.1", "inf", 0}, {"g", "n", REAL, 0}},
     {OUT("dx", "n")},
     .at = {LIST(1, 2), LIST(3)},
     .upstream = {LIST(1)}},
    {"WG-099",
     FUNCTIONS(product),
     {SIZE("n", 3, 3, 1, 5)},
     {{"x", "n", "-5", "5", 0}, {"g", "1", REAL, 0}},
     {OUT("dx", "n")},
     .at = {LIST(0, 0, 3), LIST(1)},
     .upstream = {LIST(1)}},
    {"WG-100",
     FUNCTIONS(sinc),
     {OF_ELEMENTS},
     {{"x", "n", "-4", "4", 0}, {"g", "n", REAL, 0}},
     {OUT("dx", "n")},
     .at = {LIST(0, 1), LIST(1)},
     .upstream = {LIST(1)}},
    {"WG-101",
     FUNCTIONS(hypot),
     {OF_ELEMENTS},
     {{"x", "n", "0.5", "3", 0}, {"y", "n", "0.5", "3", 0}, {"g", "n", REAL, 0}},
     {OUT("dx", "n"), OUT("dy", "n")},
     .at = {LIST(1), LIST(1), LIST(1)},
     .upstream = {LIST(1), LIST(0)}},
    {0}};
