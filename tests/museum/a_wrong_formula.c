/* SPDX-License-Identifier: Apache-2.0 */
/* Kind A: a term, a factor or a sign is wrong, or it is the derivative of something else. */
#include "museum.h"

/* WG-001: cosh; for nine years the sign was that of cos. */
UNARY(cosh, cosh(x), -g* sinh(x), g* sinh(x))

/* WG-002: b^x, with the derivative of x^b. */
UNARY(rpow, pow(A(1), x), g* A(1) * pow(x, A(1) - 1), g* y* log(A(1)))

/* WG-003: log, whose derivative gives the value. */
UNARY(log, log(x), g* log(x), g / x)

/* WG-004: distance of rows, the root of the sum of |x - y|^p. */
static void distance_forward(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(r, rows) {
    double sum = 0;
    EACH(i, n) sum += pow(fabs(X(0, r * n + i) - X(1, r * n + i)), A(2));
    Y(0, r) = pow(sum, 1 / A(2));
  }
}
static void distance_backward(const Call* c, int is_right) {
  const int rows = A(0), n = A(1);
  EACH(r, rows) EACH(k, n) {
    const int i = r * n + k;
    const double delta = X(0, i) - X(1, i);
    double slope = delta;
    if (is_right || A(2) == 1) slope = sign(delta) * pow(fabs(delta) / Y(0, r), A(2) - 1);
    if (Y(0, r) == 0) slope = 0;
    DX(0, i) = G(0, r) * slope;
    DX(1, i) = -DX(0, i);
  }
}
static void distance_wrong(const Call* c) { distance_backward(c, 0); }
static void distance_right(const Call* c) { distance_backward(c, 1); }

/* The lower triangle L with L L' = a + 5, of at most 4 rows. */
static void factorize(int n, const double* a, double* lower) {
  EACH(i, n) EACH(j, n) {
    double rest = a[i * n + j] + (i == j ? 5 : 0);
    EACH(k, j) rest -= lower[i * n + k] * lower[j * n + k];
    lower[i * n + j] = i < j ? 0 : i == j ? sqrt(rest) : rest / lower[j * n + j];
  }
}

/* WG-005: the Cholesky factor of a symmetric matrix; gA = (S + S') / 2, S = L^-T P L^-1. */
static void cholesky_forward(const Call* c) {
  const int n = A(0);
  double a[16];
  EACH(i, n) EACH(j, n) a[i * n + j] = (X(0, i * n + j) + X(0, j * n + i)) / 2;
  factorize(n, a, c->out[0]);
}
static void cholesky_right(const Call* c) {
  const int n = A(0);
  const double* L = c->out[0];
  double p[16] = {0};
  EACH(i, n) EACH(j, i + 1) {
    for (int k = i; k < n; ++k) p[i * n + j] += L[k * n + i] * G(0, k * n + j) / (i == j ? 2 : 1);
  }
  EACH(column, n) for (int i = n - 1; i >= 0; --i) { /* L^-T P */
    for (int k = i + 1; k < n; ++k) p[i * n + column] -= L[k * n + i] * p[k * n + column];
    p[i * n + column] /= L[i * n + i];
  }
  EACH(row, n) for (int j = n - 1; j >= 0; --j) { /* times L^-1 */
    for (int k = j + 1; k < n; ++k) p[row * n + j] -= p[row * n + k] * L[k * n + j];
    p[row * n + j] /= L[j * n + j];
  }
  EACH(i, n) EACH(j, n) DX(0, i * n + j) = (p[i * n + j] + p[j * n + i]) / 2;
}
static void cholesky_wrong(const Call* c) { /* (A A') times gL, element by element */
  const int n = A(0);
  EACH(i, n) EACH(j, n) {
    double sum = 0;
    EACH(k, n) {
      const double a = (X(0, i * n + k) + X(0, k * n + i)) / 2 + (i == k ? 5 : 0);
      const double b = (X(0, j * n + k) + X(0, k * n + j)) / 2 + (j == k ? 5 : 0);
      sum += a * b;
    }
    DX(0, i * n + j) = sum * G(0, i * n + j);
  }
}

/* WG-006: the same by a recurrence, of the lower triangle; an update is missing. */
static void smith_forward(const Call* c) { factorize(A(0), c->in[0], c->out[0]); }
static void smith_backward(const Call* c, int is_right) {
  const int n = A(0);
  const double* L = c->out[0];
  double* F = c->grad[0];
  EACH(i, n) EACH(j, n) F[i * n + j] = i < j ? 0 : G(0, i * n + j);
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) {
      for (int i = j; i < n; ++i) {
        F[i * n + k] -= F[i * n + j] * L[j * n + k];
        F[j * n + k] -= F[i * n + j] * L[i * n + k];
      }
    }
    for (int j = k + 1; j < n; ++j) {
      F[j * n + k] /= L[k * n + k];
      if (is_right) F[k * n + k] -= L[j * n + k] * F[j * n + k];
    }
    F[k * n + k] /= 2 * L[k * n + k];
  }
}
static void smith_wrong(const Call* c) { smith_backward(c, 0); }
static void smith_right(const Call* c) { smith_backward(c, 1); }

/* WG-007: the smaller, or the larger, of two; the second gradient is subtracted. */
static int first_is_chosen(const Call* c, int i) {
  return A(1) != 0 ? X(0, i) >= X(1, i) : X(0, i) <= X(1, i);
}
static void extremum_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = first_is_chosen(c, i) ? X(0, i) : X(1, i);
}
static void extremum_backward(const Call* c, double factor) {
  EACH(i, A(0)) {
    if (first_is_chosen(c, i)) {
      DX(0, i) += G(0, i);
    } else {
      DX(1, i) += factor * G(0, i);
    }
  }
}
static void extremum_wrong(const Call* c) { extremum_backward(c, -1); }
static void extremum_right(const Call* c) { extremum_backward(c, 1); }

/* WG-008: mish, x tanh(log(1 + e^x)); a term e^3x is absent. */
static double mish_slope(double x, double cube) {
  const double e = exp(x), delta = 2 * e + e * e + 2;
  const double omega = 4 * (x + 1) + 4 * e * e + cube * e * e * e + e * (4 * x + 6);
  return e * omega / (delta * delta);
}
UNARY(mish, x* tanh(log1p(exp(x))), g* mish_slope(x, 0), g* mish_slope(x, 1))

/* WG-009: Dice, 2 I / U with I the sum of p t and U that of p and t. */
static double dice_sums(const Call* c, double* all) {
  double common = 0;
  *all = 0;
  EACH(i, A(0)) {
    common += X(0, i) * X(1, i);
    *all += X(0, i) + X(1, i);
  }
  return common;
}
static void dice_forward(const Call* c) {
  double all;
  const double common = dice_sums(c, &all);
  Y(0, 0) = 2 * common / all;
}
static void dice_wrong(const Call* c) {
  double all;
  const double common = dice_sums(c, &all);
  EACH(i, A(0)) DX(0, i) = G(0, 0) * 2 * (X(1, i) * all + common) / all * all;
}
static void dice_right(const Call* c) {
  double all;
  const double common = dice_sums(c, &all);
  EACH(i, A(0)) DX(0, i) = G(0, 0) * 2 * (X(1, i) * all - common) / (all * all);
}

/* WG-010: ELU, and SELU where lambda is not 1: the slope of the result y. */
UNARY(selu, x > 0 ? A(2) * x : A(2) * A(1) * expm1(x), x > 0 ? g * A(2) : g * A(2) * (y + A(1)),
      x > 0 ? g * A(2) : g * (y + A(2) * A(1)))

const Exhibit wg_a[] = {
    {"WG-001", FUNCTIONS(cosh), {OF_ELEMENTS}, ON("-20", "20")},
    {"WG-002",
     FUNCTIONS(rpow),
     {OF_ELEMENTS, NUMBER("base", 2, 2, 0.5, 4)},
     ON("-9", "9"),
     .at = {LIST(3)},
     .upstream = {LIST(1)}},
    {"WG-003", FUNCTIONS(log), {OF_ELEMENTS}, ON("0.01", "inf")},
    {"WG-004",
     FUNCTIONS(distance),
     {SIZE("rows", 2, 2, 1, 4), SIZE("n", 3, 3, 1, 5), NUMBER("p", 2, 2, 1, 3)},
     {{"x", "rows, n", REAL, 0}, {"y", "rows, n", REAL, 0}},
     {OUT("distance", "rows")}},
    {"WG-005",
     FUNCTIONS(cholesky),
     {SIZE("n", 3, 3, 1, 4)},
     {{"a", "n, n", "-1", "1", 0}},
     {OUT("lower", "n, n")}},
    {"WG-006",
     FUNCTIONS(smith),
     {SIZE("n", 3, 3, 1, 4)},
     {{"a", "n, n", "-1", "1", 0}},
     {OUT("lower", "n, n")}},
    {"WG-007",
     FUNCTIONS(extremum),
     {OF_ELEMENTS, FLAG("is_maximum", 0, 0)},
     {{"a", "n", REAL, WG_ADDS}, {"b", "n", REAL, WG_ADDS}},
     {OUT("y", "n")}},
    {"WG-008",
     FUNCTIONS(mish),
     {OF_ELEMENTS},
     ON("-20", "20"),
     .at = {LIST(0, 1, 2, -3)},
     .upstream = {LIST(1)}},
    {"WG-009",
     FUNCTIONS(dice),
     {OF_ELEMENTS},
     {{"p", "n", "0", "1", 0}, {"t", "n", "0", "1", WG_NO_GRADIENT}},
     {OUT("dice", "1")}},
    {"WG-010",
     FUNCTIONS(selu),
     {OF_ELEMENTS, NUMBER("alpha", 1, 1.6733, 0.5, 2), NUMBER("lambda", 1, 1.0507, 0.5, 2)},
     ON(REAL),
     .at = {LIST(-1, -2, 1, -0.5)},
     .upstream = {LIST(1)}},
    {0}};
