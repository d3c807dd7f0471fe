/* SPDX-License-Identifier: Apache-2.0 */
/* The controls: reported as wrong, and right. A checker that blames one is wrong itself. */
#include "museum.h"
#include "rotations.h"

/* WG-C01: batch normalization by the gradients of mean and variance, without the sum of x - mean.
 */
static void batch_norm_forward(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(j, n) {
    double scale;
    const double mean = statistics(rows, n, c->in[0] + j, 1e-3, &scale);
    EACH(r, rows) Y(0, r * n + j) = (X(0, r * n + j) - mean) * scale;
  }
}
static void batch_norm_right(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(j, n) {
    double scale, of_mean = 0, of_variance = 0;
    const double mean = statistics(rows, n, c->in[0] + j, 1e-3, &scale);
    EACH(r, rows) {
      of_mean -= G(0, r * n + j) * scale;
      of_variance -= G(0, r * n + j) * (X(0, r * n + j) - mean) * scale * scale * scale / 2;
    }
    EACH(r, rows) {
      const double off = X(0, r * n + j) - mean;
      DX(0, r * n + j) = G(0, r * n + j) * scale + of_variance * 2 * off / rows + of_mean / rows;
    }
  }
}

/* WG-C02: cross-entropy of sigmoid(x): sigmoid(x) - t, without the slope of sigmoid. */
static void yolo_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = max2(X(0, i), 0) - X(0, i) * X(1, i) + log1p(exp(-fabs(X(0, i))));
}
static void yolo_right(const Call* c) {
  EACH(i, A(0)) DX(0, i) = G(0, i) * (sigmoid(X(0, i)) - X(1, i));
}

/* WG-C03: the Cholesky factor of 2 by 2 reads one triangle; its gradient is that of symmetric
 * moves. */
static void cholesky_forward(const Call* c) {
  Y(0, 0) = sqrt(X(0, 0) + 5);
  Y(0, 1) = X(0, 2) / Y(0, 0);
  Y(0, 2) = sqrt(X(0, 3) + 5 - Y(0, 1) * Y(0, 1));
}
static void cholesky_right(const Call* c) {
  const double p = Y(0, 0), q = Y(0, 1), r = Y(0, 2), dr = G(0, 2) / (2 * r),
               dq = G(0, 1) - 2 * q * dr;
  DX(0, 3) = dr;
  DX(0, 1) = DX(0, 2) = dq / p / 2;
  DX(0, 0) = (G(0, 0) - dq * q / p) / (2 * p);
}

/* WG-C04: the squared distance of a and b: 2 (a - b). */
static void distance_forward(const Call* c) {
  Y(0, 0) = 0;
  EACH(i, A(0)) Y(0, 0) += (X(0, i) - X(1, i)) * (X(0, i) - X(1, i));
}
static void distance_right(const Call* c) {
  EACH(i, A(0)) {
    DX(0, i) = G(0, 0) * 2 * (X(0, i) - X(1, i));
    DX(1, i) = -DX(0, i);
  }
}

/* WG-C05: x_i (1 + the sum of squares of 3 neighbours / 3)^-beta. */
static double surroundings(const Call* c, int i) {
  double sum = 1;
  for (int k = i - 1; k <= i + 1; ++k) sum += k < 0 || k >= A(0) ? 0 : X(0, k) * X(0, k) / 3;
  return sum;
}
static void lrn_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = X(0, i) * pow(surroundings(c, i), -A(1));
}
static void lrn_right(const Call* c) {
  EACH(i, A(0)) {
    DX(0, i) = G(0, i) * pow(surroundings(c, i), -A(1));
    for (int k = i - 1; k <= i + 1; ++k) {
      if (k < 0 || k >= A(0)) continue;
      DX(0, i) -= 2 * A(1) / 3 * X(0, i) * G(0, k) * Y(0, k) / surroundings(c, k);
    }
  }
}

/* WG-C06: ELU by its result: y + alpha. WG-C07: tanh by its result. WG-C11: exp by its result. */
#define RIGHT_UNARY(name, forward, right)    \
  UNARY_FUNCTION(name##_forward, Y, forward) \
  UNARY_FUNCTION(name##_right, DX, right)
RIGHT_UNARY(elu, x > 0 ? x : A(1) * expm1(x), x > 0 ? g : g * (y + A(1)))
RIGHT_UNARY(tanh, tanh(x), g*(1 - y * y))
RIGHT_UNARY(exp, exp(x), g* y)

/* WG-C08: exp(-d^2 / (2 l^2)), for log l: k d^2 / l^2. */
static void rbf_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = exp(-X(1, i) * X(1, i) * exp(-2 * X(0, 0)) / 2);
}
static void rbf_right(const Call* c) {
  DX(0, 0) = 0;
  EACH(i, A(0)) DX(0, 0) += G(0, i) * Y(0, i) * X(1, i) * X(1, i) * exp(-2 * X(0, 0));
}

/* WG-C09: r^-12, and its force divided by r, which has r^-14. */
static void bond_forward(const Call* c) { Y(0, 0) = pow(dot(3, c->in[0], c->in[0]), -6); }
static void bond_right(const Call* c) {
  const double force_over_r = 12 * pow(dot(3, c->in[0], c->in[0]), -7);
  EACH(i, 3) DX(0, i) = -G(0, 0) * force_over_r * X(0, i);
}

/* WG-C10: the Fourier transform of 2 n real numbers, n + 1 frequencies. Its backward is the real
 * inverse, not normalized, which counts the inner frequencies twice: so they are halved before. */
static void fourier_forward(const Call* c) {
  const int n = A(0);
  EACH(k, n + 1) {
    Y(0, 2 * k) = Y(0, 2 * k + 1) = 0;
    EACH(j, 2 * n) {
      Y(0, 2 * k) += X(0, j) * cos(acos(-1) * k * j / n);
      Y(0, 2 * k + 1) -= X(0, j) * sin(acos(-1) * k * j / n);
    }
  }
}
static void fourier_right(const Call* c) {
  const int n = A(0);
  EACH(j, 2 * n) {
    DX(0, j) = 0;
    EACH(k, n + 1) {
      const int is_inner = k > 0 && k < n;
      const double halved = is_inner ? 0.5 : 1, counted = is_inner ? 2 : 1,
                   angle = acos(-1) * k * j / n;
      DX(0, j) += counted * halved * (G(0, 2 * k) * cos(angle) - G(0, 2 * k + 1) * sin(angle));
    }
  }
}

/* WG-C12: half the square of log1p(p) - log1p(t): the slope has p + 1. */
static void log_error_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = pow(log1p(X(0, i)) - log1p(X(1, i)), 2) / 2;
}
static void log_error_right(const Call* c) {
  EACH(i, A(0)) DX(0, i) = G(0, i) * (log1p(X(0, i)) - log1p(X(1, i))) / (X(0, i) + 1);
}

/* WG-C13: rotates a point; the gradient of the rotation is that of an increment from the left. */
static void rotate_forward(const Call* c) {
  double turn[9], step[9], product[9];
  rotation_of(c->in[1], turn);
  rotation_of(c->in[0], step);
  multiply_rotations(step, turn, product);
  EACH(i, 3) Y(0, i) = dot(3, product + 3 * i, c->in[2]);
}
static void rotate_right(const Call* c) { cross(c->out[0], c->up[0], c->grad[0]); }

/* WG-C14: a wave of many periods, of which a wide difference quotient is off by sin(h w) / (h w).
 */
RIGHT_UNARY(wave, sin(A(1) * x), g* A(1) * cos(A(1) * x))

/* WG-C15: silu(a) b. The backward keeps its results in the inputs' memory first, as it may. */
static void swiglu_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = X(0, i) * sigmoid(X(0, i)) * X(1, i);
}
static void swiglu_right(const Call* c) {
  EACH(i, A(0)) {
    const double a = X(0, i), b = X(1, i), s = sigmoid(a), g = G(0, i);
    ((double*)c->in[0])[i] = g * b * s * (1 + a * (1 - s));
    ((double*)c->in[1])[i] = g * a * s;
  }
  EACH(k, 2) EACH(i, A(0)) DX(k, i) = X(k, i);
}

const Exhibit wg_controls[] = {
    {"WG-C01",
     CONTROL(batch_norm),
     {SIZE("rows", 4, 4, 2, 6), SIZE("n", 2, 2, 1, 3)},
     {{"x", "rows, n", "-9", "9", 0}},
     {OUT("y", "rows, n")}},
    {"WG-C02",
     CONTROL(yolo),
     {OF_ELEMENTS},
     {{"x", "n", REAL, 0}, {"t", "n", "0", "1", WG_NO_GRADIENT}},
     {OUT("loss", "n")}},
    {"WG-C03",
     CONTROL(cholesky),
     {{0}},
     {{"a", "2, 2", "-1", "1", WG_SYMMETRIC}},
     {OUT("lower", "3")}},
    {"WG-C04",
     CONTROL(distance),
     {OF_ELEMENTS},
     {{"a", "n", REAL, 0}, {"b", "n", REAL, 0}},
     {OUT("distance", "1")}},
    {"WG-C05", CONTROL(lrn), {OF_ELEMENTS, NUMBER("beta", 0.75, 0.75, 0.25, 2)}, ON("-9", "9")},
    {"WG-C06", CONTROL(elu), {OF_ELEMENTS, NUMBER("alpha", 1, 1, 0.5, 2)}, ON(REAL)},
    {"WG-C07", CONTROL(tanh), {OF_ELEMENTS}, ON(REAL)},
    {"WG-C08",
     CONTROL(rbf),
     {OF_ELEMENTS},
     {{"log_length", "1", "-1", "1", 0}, {"d", "n", "-3", "3", WG_NO_GRADIENT}},
     {OUT("k", "n")}},
    {"WG-C09", CONTROL(bond), {{0}}, {{"d", "3", "0.5", "2", 0}}, {OUT("energy", "1")}},
    {"WG-C10",
     CONTROL(fourier),
     {SIZE("n", 3, 3, 1, 4)},
     {{"x", "2 * n", REAL, 0}},
     {OUT("frequencies", "n + 1, 2")}},
    {"WG-C11", CONTROL(exp), {OF_ELEMENTS}, ON(REAL)},
    {"WG-C12",
     CONTROL(log_error),
     {OF_ELEMENTS},
     {{"p", "n", "-0.5", "9", 0}, {"t", "n", "0", "9", WG_NO_GRADIENT}},
     {OUT("loss", "n")}},
    {"WG-C13",
     CONTROL(rotate),
     {{0}},
     {{"increment", "3", "0", "0", WG_AT_ZERO},
      {"rotation", "3", "-2", "2", WG_NO_GRADIENT},
      {"point", "3", REAL, WG_NO_GRADIENT}},
     {OUT("moved", "3")}},
    {"WG-C14", CONTROL(wave), {OF_ELEMENTS, NUMBER("w", 40, 40, 1, 90)}, ON("-3", "3")},
    {"WG-C15",
     CONTROL(swiglu),
     {OF_ELEMENTS},
     {{"a", "n", "-30", "30", WG_CONSUMED}, {"b", "n", REAL, WG_CONSUMED}},
     {OUT("y", "n")}},
    {0}};
