/* SPDX-License-Identifier: Apache-2.0 */
/* Kind B: the upstream gradient, or the slope of an inner function, is ignored. */
#include "museum.h"

/* WG-022: GELU. */
static double gelu_slope(double x) {
  return erfc(-x * sqrt(0.5)) / 2 + x * exp(-x * x / 2) / sqrt(2 * acos(-1));
}
UNARY(gelu, x* erfc(-x* sqrt(0.5)) / 2, gelu_slope(x), g* gelu_slope(x))

/* WG-023: cross-entropy of softmax and soft targets, which are scaled to a sum of 1. */
static void soft_targets_forward(const Call* c) {
  const int n = A(0);
  const double total = log_sum_exp(n, c->in[0]);
  double weight = 0;
  Y(0, 0) = 0;
  EACH(i, n) weight += X(1, i);
  EACH(i, n) Y(0, 0) -= X(1, i) / weight * (X(0, i) - total) / n;
}
static void soft_targets_backward(const Call* c, double g) {
  const int n = A(0);
  double weight = 0, p[9];
  softmax(n, c->in[0], p);
  EACH(i, n) weight += X(1, i);
  EACH(i, n) DX(0, i) = g / n * (p[i] - X(1, i) / weight);
}
static void soft_targets_wrong(const Call* c) { soft_targets_backward(c, 1); }
static void soft_targets_right(const Call* c) { soft_targets_backward(c, G(0, 0)); }

/* WG-024: zeros in front and behind. */
static void pad_forward(const Call* c) {
  const int n = A(0), before = A(1), after = A(2);
  EACH(i, before + n + after) Y(0, i) = i < before || i >= before + n ? 0 : X(0, i - before);
}
static void pad_wrong(const Call* c) { EACH(i, A(0)) DX(0, i) = 1; }
static void pad_right(const Call* c) {
  const int before = A(1);
  EACH(i, A(0)) DX(0, i) = G(0, i + before);
}

/* WG-025: scores of lattices: log of the sum over all paths, each with one of the arcs at every
 * place. */
static void lattice_forward(const Call* c) {
  const int lattices = A(0), places = A(1), arcs = A(2);
  EACH(b, lattices) {
    Y(0, b) = 0;
    EACH(p, places) Y(0, b) += log_sum_exp(arcs, c->in[0] + (b * places + p) * arcs);
  }
}
static void lattice_backward(const Call* c, int is_right) {
  const int lattices = A(0), places = A(1), arcs = A(2);
  EACH(b, lattices) EACH(p, places) {
    const int first = (b * places + p) * arcs;
    softmax(arcs, c->in[0] + first, c->grad[0] + first);
    EACH(i, arcs) DX(0, first + i) *= is_right ? G(0, b) : 1;
  }
}
static void lattice_wrong(const Call* c) { lattice_backward(c, 0); }
static void lattice_right(const Call* c) { lattice_backward(c, 1); }

/* WG-026: a product with a row that is broadcast; without broadcasting it is right. */
static void multiply_forward(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(i, rows * n) Y(0, i) = X(0, i) * X(1, i % n);
}
static void multiply_backward(const Call* c, int is_right) {
  const int rows = A(0), n = A(1);
  EACH(i, n) DX(1, i) = 0;
  EACH(i, rows * n) {
    const double g = is_right || rows == 1 ? G(0, i) : 1;
    DX(0, i) = g * X(1, i % n);
    DX(1, i % n) += g * X(0, i);
  }
}
static void multiply_wrong(const Call* c) { multiply_backward(c, 0); }
static void multiply_right(const Call* c) { multiply_backward(c, 1); }

/* WG-027: atanh of k x by Taylor coefficients; that of k x itself is forgotten. */
UNARY(atanh, atanh(A(1) * x), g / (1 - A(1) * A(1) * x * x), g* A(1) / (1 - A(1) * A(1) * x * x))

const Exhibit wg_b[] = {
    {"WG-022", FUNCTIONS(gelu), {OF_ELEMENTS}, ON(REAL)},
    {"WG-023",
     FUNCTIONS(soft_targets),
     {OF_ELEMENTS},
     {{"x", "n", REAL, 0}, {"t", "n", "0.1", "1", WG_NO_GRADIENT}},
     {OUT("loss", "1")}},
    {"WG-024",
     FUNCTIONS(pad),
     {OF_ELEMENTS, SIZE("before", 1, 1, 0, 3), SIZE("after", 2, 2, 0, 3)},
     {{"x", "n", REAL, 0}},
     {OUT("y", "before + n + after")}},
    {"WG-025",
     FUNCTIONS(lattice),
     {SIZE("lattices", 2, 2, 1, 3), SIZE("places", 2, 2, 1, 3), SIZE("arcs", 3, 3, 1, 4)},
     {{"scores", "lattices, places, arcs", REAL, 0}},
     {OUT("total", "lattices")}},
    {"WG-026",
     FUNCTIONS(multiply),
     {SIZE("rows", 1, 3, 1, 4), SIZE("n", 4, 4, 1, 5)},
     {{"a", "rows, n", REAL, 0}, {"b", "n", REAL, 0}},
     {OUT("y", "rows, n")}},
    {"WG-027",
     FUNCTIONS(atanh),
     {OF_ELEMENTS, NUMBER("k", 1, 2, 0.5, 3)},
     ON("-0.3", "0.3"),
     .at = {LIST(0.25)},
     .upstream = {LIST(1)}},
    {0}};
