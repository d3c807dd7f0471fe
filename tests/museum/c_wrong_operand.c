/* SPDX-License-Identifier: Apache-2.0 */
/* Kind C: the output for the input, the gradient for the value, what is inverted already. */
#include "museum.h"

/* WG-028: softplus, log(1 + e^kx) / k; the exponential is that of the gradient. */
static double softplus(double x) { return max2(x, 0) + log1p(exp(-fabs(x))); }
UNARY(softplus, softplus(A(1) * x) / A(1), g* exp(A(1) * g) / (1 + exp(A(1) * g)),
      g* sigmoid(A(1) * x))

/* WG-029: softsign; a rule for the input is given the output. */
UNARY(softsign, x / (1 + fabs(x)), g / ((1 + fabs(y)) * (1 + fabs(y))),
      g / ((1 + fabs(x)) * (1 + fabs(x))))

/* WG-030: batch normalization, which keeps 1 / sqrt(variance + eps); it is inverted once more. */
static void batch_norm_forward(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(j, n) {
    double scale;
    const double mean = statistics(rows, n, c->in[0] + j, A(2), &scale);
    EACH(r, rows) Y(0, r * n + j) = (X(0, r * n + j) - mean) * scale;
    Y(1, j) = scale;
  }
}
static void batch_norm_right(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(j, n) normalized_backward(rows, n, c->in[0] + j, A(2), c->up[0] + j, 1, c->grad[0] + j);
}
static void batch_norm_wrong(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(j, n) {
    const double scale = 1 / sqrt(Y(1, j) + A(2));
    double mean = 0, sum = 0, product = 0;
    EACH(r, rows) mean += X(0, r * n + j) / rows;
    EACH(r, rows) {
      sum += G(0, r * n + j) / rows;
      product += G(0, r * n + j) * (X(0, r * n + j) - mean) * scale / rows;
    }
    EACH(r, rows) {
      const double normal = (X(0, r * n + j) - mean) * scale;
      DX(0, r * n + j) = scale * (G(0, r * n + j) - sum - normal * product);
    }
  }
}

/* WG-031: leaky ReLU in place; of a negative slope the result no longer tells the input's sign. */
UNARY(leaky_in_place, x > 0 ? x : A(1) * x, y > 0 ? g : A(1) * g, x > 0 ? g : A(1) * g)

/* WG-032: leaky ReLU by its result, which is 0 everywhere below 0 where the slope is. */
UNARY(leaky, x > 0 ? x : A(1) * x, y >= 0 ? g : A(1) * g, x >= 0 ? g : A(1) * g)

const Exhibit wg_c[] = {
    {"WG-028", FUNCTIONS(softplus), {OF_ELEMENTS, NUMBER("k", 1, 1, 0.5, 10)}, ON(REAL)},
    {"WG-029",
     FUNCTIONS(softsign),
     {OF_ELEMENTS},
     ON(REAL),
     .at = {LIST(1, 3)},
     .upstream = {LIST(1)}},
    {"WG-030",
     FUNCTIONS(batch_norm),
     {SIZE("rows", 4, 4, 2, 6), SIZE("n", 2, 2, 1, 3), NUMBER("eps", 1e-3, 1e-3, 1e-3, 0.1)},
     {{"x", "rows, n", "-9", "9", 0}},
     {OUT("y", "rows, n"), {"scale", "n", REAL, WG_NO_GRADIENT}}},
    {"WG-031",
     FUNCTIONS(leaky_in_place),
     {OF_ELEMENTS, NUMBER("slope", 0.01, -0.5, -1, 1)},
     ON(REAL),
     .at = {LIST(-1, -2, 1, 2)}},
    {"WG-032",
     FUNCTIONS(leaky),
     {OF_ELEMENTS, NUMBER("slope", 0.2, 0, 0, 1)},
     ON(REAL),
     .at = {LIST(-1, -2, 1, 2)},
     .upstream = {LIST(1)}},
    {0}};
