/* SPDX-License-Identifier: Apache-2.0 */
/* Kind M: a path or an argument has no gradient; statistics are taken for constants. */
#include "museum.h"

/*
 * WG-093: log density of r under the precision matrix Q = 1 + theta T, T tridiagonal (2 and -1).
 * The eigenvalues of T are known. The gradient of log |Q| is lost.
 */
static double eigenvalue(int k, double n) { return 2 - 2 * cos((k + 1) * acos(-1) / (n + 1)); }
static double form(const Call* c) { /* r' T r */
  double sum = 0;
  EACH(i, A(0)) {
    const double before = i > 0 ? X(1, i - 1) : 0, after = i + 1 < A(0) ? X(1, i + 1) : 0;
    sum += X(1, i) * (2 * X(1, i) - before - after);
  }
  return sum;
}
static void density_forward(const Call* c) {
  Y(0, 0) = -0.5 * (dot(A(0), c->in[1], c->in[1]) + X(0, 0) * form(c));
  EACH(k, A(0)) Y(0, 0) += 0.5 * log(1 + X(0, 0) * eigenvalue(k, A(0)));
}
static void density_wrong(const Call* c) { DX(0, 0) = G(0, 0) * -0.5 * form(c); }
static void density_right(const Call* c) {
  double trace = 0;
  EACH(k, A(0)) trace += eigenvalue(k, A(0)) / (1 + X(0, 0) * eigenvalue(k, A(0)));
  DX(0, 0) = G(0, 0) * 0.5 * (trace - form(c));
}

/* WG-094: rotates pairs of numbers by angles; fused, without a backward. */
static void rotary_forward(const Call* c) {
  EACH(i, A(0)) {
    const double u = X(0, 2 * i), v = X(0, 2 * i + 1), angle = 0.5 * (i + 1);
    Y(0, 2 * i) = u * cos(angle) - v * sin(angle);
    Y(0, 2 * i + 1) = u * sin(angle) + v * cos(angle);
  }
}
static void rotary_wrong(const Call* c) { EACH(i, 2 * A(0)) DX(0, i) = 0; }
static void rotary_right(const Call* c) {
  EACH(i, A(0)) {
    const double u = G(0, 2 * i), v = G(0, 2 * i + 1), angle = 0.5 * (i + 1);
    DX(0, 2 * i) = u * cos(angle) + v * sin(angle);
    DX(0, 2 * i + 1) = -u * sin(angle) + v * cos(angle);
  }
}

/* WG-095: mean squared error; the target has no gradient. */
static void mse_forward(const Call* c) {
  Y(0, 0) = 0;
  EACH(i, A(0)) Y(0, 0) += (X(0, i) - X(1, i)) * (X(0, i) - X(1, i)) / A(0);
}
static void mse_backward(const Call* c, int is_right) {
  EACH(i, A(0)) {
    DX(0, i) = G(0, 0) * 2 * (X(0, i) - X(1, i)) / A(0);
    DX(1, i) = is_right ? -DX(0, i) : 0;
  }
}
static void mse_wrong(const Call* c) { mse_backward(c, 0); }
static void mse_right(const Call* c) { mse_backward(c, 1); }

/* WG-096, WG-097: batch normalization of columns, with a factor for each. */
static void batch_norm_forward(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(j, n) {
    double scale;
    const double mean = statistics(rows, n, c->in[0] + j, 1e-3, &scale);
    EACH(r, rows) Y(0, r * n + j) = X(1, j) * (X(0, r * n + j) - mean) * scale;
  }
}
static void batch_norm_right(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(j, n) {
    double scale;
    const double mean = statistics(rows, n, c->in[0] + j, 1e-3, &scale);
    normalized_backward(rows, n, c->in[0] + j, 1e-3, c->up[0] + j, X(1, j), c->grad[0] + j);
    DX(1, j) = 0;
    EACH(r, rows) DX(1, j) += G(0, r * n + j) * (X(0, r * n + j) - mean) * scale;
  }
}
/* The product of gradient and scale is formed before the gradient is multiplied by the factor. */
static void too_early_forward(const Call* c) { batch_norm_forward(c); }
static void too_early_right(const Call* c) { batch_norm_right(c); }
static void too_early_wrong(const Call* c) {
  const int rows = A(0), n = A(1);
  batch_norm_right(c);
  EACH(r, rows) EACH(j, n) DX(0, r * n + j) /= X(1, j);
}
/* Mean and variance are taken for constants. */
static void batch_norm_wrong(const Call* c) {
  const int rows = A(0), n = A(1);
  batch_norm_right(c);
  EACH(j, n) {
    double scale;
    statistics(rows, n, c->in[0] + j, 1e-3, &scale);
    EACH(r, rows) DX(0, r * n + j) = X(1, j) * scale * G(0, r * n + j);
  }
}

#define BATCH_NORM                                                       \
  {SIZE("rows", 4, 4, 2, 6), SIZE("n", 2, 2, 1, 3)},                     \
      {{"x", "rows, n", "-9", "9", 0}, {"gamma", "n", "0.5", "2", 0}}, { \
    OUT("y", "rows, n")                                                  \
  }
const Exhibit wg_m[] = {
    {"WG-093",
     FUNCTIONS(density),
     {OF_ELEMENTS},
     {{"theta", "1", "0.1", "3", 0}, {"r", "n", "-3", "3", WG_NO_GRADIENT}},
     {OUT("log_density", "1")}},
    {"WG-094", FUNCTIONS(rotary), {OF_ELEMENTS}, {{"x", "n, 2", REAL, 0}}, {OUT("y", "n, 2")}},
    {"WG-095",
     FUNCTIONS(mse),
     {OF_ELEMENTS},
     {{"x", "n", REAL, 0}, {"target", "n", REAL, 0}},
     {OUT("loss", "1")}},
    {"WG-096", FUNCTIONS(too_early), BATCH_NORM},
    {"WG-097", FUNCTIONS(batch_norm), BATCH_NORM},
    {0}};
