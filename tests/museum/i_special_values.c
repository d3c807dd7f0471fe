/* SPDX-License-Identifier: Apache-2.0 */
/* Kind I: NaN, infinity, overflow, an epsilon. */
#include "museum.h"

/* WG-070: ELU by masks: where x is large, 0 times an infinity. */
UNARY(elu, x > 0 ? x : A(1) * expm1(x), g*((x > 0) + (x <= 0) * A(1) * exp(x)),
      x > 0 ? g : g * A(1) * exp(x))

/* WG-071: x^y; at 0 the exponent's gradient is 0 times log 0. */
static void power_forward(const Call* c) { EACH(i, A(0)) Y(0, i) = pow(X(0, i), X(1, i)); }
static void power_backward(const Call* c, int is_right) {
  EACH(i, A(0)) {
    DX(0, i) = G(0, i) * X(1, i) * pow(X(0, i), X(1, i) - 1);
    DX(1, i) = is_right && X(0, i) == 0 ? 0 : G(0, i) * Y(0, i) * log(X(0, i));
  }
}
static void power_wrong(const Call* c) { power_backward(c, 0); }
static void power_right(const Call* c) { power_backward(c, 1); }

/* WG-072: atan2(y, x) by way of |y|, whose slope is 0 at 0. */
static void atan2_forward(const Call* c) { EACH(i, A(0)) Y(0, i) = atan2(X(0, i), X(1, i)); }
static void atan2_backward(const Call* c, int is_right) {
  EACH(i, A(0)) {
    const double y = X(0, i), x = X(1, i), r2 = x * x + y * y;
    DX(0, i) = y == 0 && !is_right ? 0 : G(0, i) * x / r2;
    DX(1, i) = -G(0, i) * y / r2;
  }
}
static void atan2_wrong(const Call* c) { atan2_backward(c, 0); }
static void atan2_right(const Call* c) { atan2_backward(c, 1); }

/* WG-073: ReLU as (x + |x|) / 2, and the slope of |x| as x / |x|. */
UNARY(relu, (x + fabs(x)) / 2, g*(0.5 + 0.5 * (x / fabs(x))), g*(0.5 + 0.5 * sign(x)))

/* WG-074: products of the first i; divided by x_i, and 0 / 0 made 0. */
static void products_forward(const Call* c) {
  double product = 1;
  EACH(i, A(0)) Y(0, i) = product *= X(0, i);
}
static void products_wrong(const Call* c) {
  double sum = 0;
  for (int i = (int)A(0) - 1; i >= 0; --i) {
    sum += G(0, i) * Y(0, i);
    DX(0, i) = X(0, i) == 0 ? 0 : sum / X(0, i);
  }
}
static void products_right(const Call* c) {
  EACH(i, A(0)) {
    double product = 1;
    DX(0, i) = 0;
    EACH(j, A(0)) {
      if (j != i) product *= X(0, j);
      if (j >= i) DX(0, i) += G(0, j) * product;
    }
  }
}

/* WG-075: the product of all; divided by x_i. */
static void product_forward(const Call* c) {
  Y(0, 0) = 1;
  EACH(i, A(0)) Y(0, 0) *= X(0, i);
}
static void product_wrong(const Call* c) { EACH(i, A(0)) DX(0, i) = G(0, 0) * Y(0, 0) / X(0, i); }
static void product_right(const Call* c) {
  EACH(i, A(0)) {
    DX(0, i) = G(0, 0);
    EACH(j, A(0)) if (j != i) DX(0, i) *= X(0, j);
  }
}

/* WG-076: log(e^a + e^b); the slope e^(a - y) is made of y, which is rounded. */
static void log_sum_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = max2(X(0, i), X(1, i)) + log1p(exp(-fabs(X(0, i) - X(1, i))));
}
static void log_sum_wrong(const Call* c) {
  EACH(k, 2) EACH(i, A(0)) DX(k, i) = G(0, i) * exp(X(k, i) - Y(0, i));
}
static void log_sum_right(const Call* c) {
  EACH(k, 2) EACH(i, A(0)) DX(k, i) = G(0, i) * sigmoid(X(k, i) - X(1 - k, i));
}

/* WG-077: x, or sqrt(-x) below 0; the branch that is not taken is multiplied by 0. */
UNARY(branches, x >= 0 ? x : sqrt(-x), (x >= 0) * g + (1 - (x >= 0)) * g * -0.5 / sqrt(-x),
      x >= 0 ? g : -0.5 * g / sqrt(-x))

/* WG-078: the lower incomplete gamma function; at a = 1 and x = 0 the slope is 0 times log 0. */
static double incomplete_gamma(double a, double x) {
  double term = exp(-x - lgamma(a + 1)) * pow(x, a), sum = 0;
  for (int k = 1; k < 90; ++k) {
    sum += term;
    term *= x / (a + k);
  }
  return sum;
}
static double times_log(double a, double x) { return a == 0 ? 0 : a * log(x); }
UNARY(igamma, incomplete_gamma(A(1), x), g* exp(-x + (A(1) - 1) * log(x) - lgamma(A(1))),
      g* exp(-x + times_log(A(1) - 1, x) - lgamma(A(1))))

/* WG-079: (x - mean) / (deviation + eps); two divisors are exchanged. */
static double deviation_of(const Call* c, double* mean) {
  double scale;
  *mean = statistics(A(0), 1, c->in[0], 0, &scale);
  return 1 / scale;
}
static void standardize_forward(const Call* c) {
  double mean;
  const double deviation = deviation_of(c, &mean);
  EACH(i, A(0)) Y(0, i) = (X(0, i) - mean) / (deviation + A(1));
}
static void standardize_backward(const Call* c, int is_right) {
  const double n = A(0), eps = A(1);
  double mean, sum = 0, product = 0;
  const double deviation = deviation_of(c, &mean);
  EACH(i, n) {
    sum += G(0, i) / n;
    product += G(0, i) * (X(0, i) - mean);
  }
  const double whole = deviation + eps, square = is_right ? whole * whole : deviation * deviation;
  const double of_variance =
      deviation == 0 ? 0 : -product / square / 2 / (is_right ? deviation : whole);
  EACH(i, n) DX(0, i) = (G(0, i) - sum) / whole + of_variance * 2 * (X(0, i) - mean) / n;
}
static void standardize_wrong(const Call* c) { standardize_backward(c, 0); }
static void standardize_right(const Call* c) { standardize_backward(c, 1); }

/* WG-080: log of the sum of b e^a; where b is 0 its gradient is cut off. */
static double weighted_sum(const Call* c) {
  double sum = 0;
  EACH(i, A(0)) sum += X(1, i) * exp(X(0, i));
  return sum;
}
static void weighted_forward(const Call* c) { Y(0, 0) = log(weighted_sum(c)); }
static void weighted_backward(const Call* c, int is_right) {
  const double sum = weighted_sum(c);
  EACH(i, A(0)) {
    DX(0, i) = G(0, 0) * X(1, i) * exp(X(0, i)) / sum;
    DX(1, i) = X(1, i) == 0 && !is_right ? 0 : G(0, 0) * exp(X(0, i)) / sum;
  }
}
static void weighted_wrong(const Call* c) { weighted_backward(c, 0); }
static void weighted_right(const Call* c) { weighted_backward(c, 1); }

const Exhibit wg_i[] = {
    {"WG-070",
     FUNCTIONS(elu),
     {OF_ELEMENTS, NUMBER("alpha", 1, 1, 0.5, 2)},
     ON(REAL),
     .at = {LIST(800, 1)},
     .upstream = {LIST(1)}},
    {"WG-071",
     FUNCTIONS(power),
     {OF_ELEMENTS},
     {{"x", "n", "0", "9", 0}, {"y", "n", "1", "3", 0}},
     {OUT("z", "n")},
     .at = {LIST(0, 1), LIST(2)},
     .upstream = {LIST(1)}},
    {"WG-072",
     FUNCTIONS(atan2),
     {OF_ELEMENTS},
     {{"y", "n", "-3", "3", 0}, {"x", "n", "0.5", "3", 0}},
     {OUT("angle", "n")},
     .at = {LIST(0, 1), LIST(2)},
     .upstream = {LIST(1)}},
    {"WG-073", FUNCTIONS(relu), {OF_ELEMENTS}, ON(REAL), .at = {LIST(0, 1)}, .upstream = {LIST(1)}},
    {"WG-074",
     FUNCTIONS(products),
     {SIZE("n", 3, 3, 1, 6)},
     ON("-3", "3"),
     .at = {LIST(0, 2, 3)},
     .upstream = {LIST(1)}},
    {"WG-075",
     FUNCTIONS(product),
     {SIZE("n", 3, 2, 1, 6)},
     {{"x", "n", "-5", "5", 0}},
     {OUT("y", "1")},
     .at = {LIST(4, 0)},
     .upstream = {LIST(1)}},
    {"WG-076",
     FUNCTIONS(log_sum),
     {SIZE("n", 4, 2, 1, 9)},
     {{"a", "n", REAL, 0}, {"b", "n", REAL, 0}},
     {OUT("y", "n")},
     .at = {LIST(1e50, 1e10), LIST(1e50, 1e10)},
     .upstream = {LIST(1)},
     .no_differences = 1},
    {"WG-077",
     FUNCTIONS(branches),
     {OF_ELEMENTS},
     ON(REAL),
     .at = {LIST(1, -1)},
     .upstream = {LIST(1)}},
    {"WG-078",
     FUNCTIONS(igamma),
     {OF_ELEMENTS, NUMBER("a", 2, 1, 1, 4)},
     ON("0", "5"),
     .at = {LIST(0, 1)},
     .upstream = {LIST(1)}},
    {"WG-079",
     FUNCTIONS(standardize),
     {SIZE("n", 4, 4, 2, 9), NUMBER("eps", 1e-7, 0.5, 1e-7, 1)},
     ON("-9", "9")},
    {"WG-080",
     FUNCTIONS(weighted),
     {OF_ELEMENTS},
     {{"a", "n", "-3", "3", 0}, {"b", "n", "0", "2", 0}},
     {OUT("y", "1")},
     .at = {LIST(0.5, 1), LIST(0, 1)},
     .upstream = {LIST(1)}},
    {0}};
