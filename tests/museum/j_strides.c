/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kind J: the upstream gradient is not dense. Right backwards here read it by its strides; wrong
 * ones read it as if it were dense, and what lies beyond its memory is 0 for them.
 */
#include "museum.h"

/* Element i of an upstream gradient of rank 2, n to a row. */
static double by_strides(const Call* c, int i, int n) {
  return G(0, i / n * c->strides[0][0] + i % n * c->strides[0][1]);
}
static double by_memory(const Call* c, int64_t i, int rows, int n) {
  const int64_t size = 1 + (rows - 1) * c->strides[0][0] + (n - 1) * c->strides[0][1];
  return i < size ? G(0, i) : 0;
}

/* WG-081: means over the last dimension; two in a row give the first one an expanded gradient. */
static void mean_forward(const Call* c) {
  const int rows = A(0), n = A(1), length = A(2);
  EACH(i, rows * n) {
    Y(0, i) = 0;
    EACH(k, length) Y(0, i) += X(0, i * length + k) / length;
  }
}
static void mean_wrong(const Call* c) {
  const int rows = A(0), n = A(1), length = A(2);
  EACH(i, rows * n * length) DX(0, i) = by_memory(c, i / length, rows, n) / length;
}
static void mean_right(const Call* c) {
  const int n = A(1), length = A(2);
  EACH(i, A(0) * n * length) DX(0, i) = by_strides(c, i / length, n) / length;
}

/* WG-082: attention, of [steps, width]. */
static void attention_weights(const Call* c, int q, double* weights) {
  const int steps = A(0), width = A(1);
  EACH(s, steps) weights[s] = dot(width, c->in[0] + q * width, c->in[1] + s * width);
  softmax(steps, weights, weights);
}
static void attention_forward(const Call* c) {
  const int steps = A(0), width = A(1);
  EACH(q, steps) {
    double weights[4];
    attention_weights(c, q, weights);
    EACH(d, width) {
      Y(0, q * width + d) = 0;
      EACH(s, steps) Y(0, q * width + d) += weights[s] * X(2, s * width + d);
    }
  }
}
static void attention_backward(const Call* c, int is_right) {
  const int steps = A(0), width = A(1);
  EACH(k, 3) EACH(i, steps * width) DX(k, i) = 0;
  EACH(q, steps) {
    double weights[4], slopes[4] = {0}, g[4], sum = 0;
    attention_weights(c, q, weights);
    EACH(d, width) {
      const int i = q * width + d;
      g[d] = is_right ? by_strides(c, i, width) : by_memory(c, i, steps, width);
    }
    EACH(s, steps) slopes[s] = dot(width, g, c->in[2] + s * width);
    EACH(s, steps) sum += weights[s] * slopes[s];
    EACH(s, steps) EACH(d, width) {
      DX(0, q * width + d) += weights[s] * (slopes[s] - sum) * X(1, s * width + d);
      DX(1, s * width + d) += weights[s] * (slopes[s] - sum) * X(0, q * width + d);
      DX(2, s * width + d) += weights[s] * g[d];
    }
  }
}
static void attention_wrong(const Call* c) { attention_backward(c, 0); }
static void attention_right(const Call* c) { attention_backward(c, 1); }

/*
 * WG-083: silu of a causal convolution of [steps, width] with 2 taps, which begins with a state.
 * The backward computes the sums before silu again; for the state's gradient it reads them, which
 * are dense, by the strides of the upstream gradient.
 */
static double before_silu(const Call* c, int t, int d) {
  const int width = A(1);
  const double last = t > 0 ? X(0, (t - 1) * width + d) : X(1, d);
  return X(2, d) * X(0, t * width + d) + X(2, width + d) * last;
}
static double silu_slope(double z) { return sigmoid(z) * (1 + z * (1 - sigmoid(z))); }
static void causal_forward(const Call* c) {
  EACH(t, A(0)) EACH(d, A(1)) {
    const double z = before_silu(c, t, d);
    Y(0, t * (int)A(1) + d) = z * sigmoid(z);
  }
}
static void causal_backward(const Call* c, int is_right) {
  const int steps = A(0), width = A(1);
  double sums[20];
  EACH(i, steps * width) sums[i] = before_silu(c, i / width, i % width);
  EACH(i, steps * width) DX(0, i) = 0;
  EACH(i, 2 * width) DX(2, i) = 0;
  EACH(t, steps) EACH(d, width) {
    const int i = t * width + d;
    const double g = by_strides(c, i, width) * silu_slope(sums[i]);
    DX(0, i) += g * X(2, d);
    if (t > 0) DX(0, i - width) += g * X(2, width + d);
    DX(2, d) += g * X(0, i);
    DX(2, width + d) += g * (t > 0 ? X(0, i - width) : X(1, d));
  }
  EACH(d, width) {
    const int64_t at = is_right ? d : d * c->strides[0][1];
    const double z = at < steps * width ? sums[at] : 0;
    DX(1, d) = by_strides(c, d, width) * silu_slope(z) * X(2, width + d);
  }
}
static void causal_wrong(const Call* c) { causal_backward(c, 0); }
static void causal_right(const Call* c) { causal_backward(c, 1); }

const Exhibit wg_j[] = {
    {"WG-081",
     FUNCTIONS(mean),
     {SIZE("rows", 2, 2, 1, 3), SIZE("n", 3, 3, 1, 4), SIZE("length", 2, 2, 1, 3)},
     {{"x", "rows, n, length", REAL, 0}},
     {{"mean", "rows, n", REAL, WG_STRIDED}},
     .show = WG_SHOW_EXPANDED},
    {"WG-082",
     FUNCTIONS(attention),
     {SIZE("steps", 3, 3, 1, 4), SIZE("width", 2, 2, 1, 4)},
     {{"q", "steps, width", "-3", "3", 0},
      {"k", "steps, width", "-3", "3", 0},
      {"v", "steps, width", "-3", "3", 0}},
     {{"y", "steps, width", REAL, WG_STRIDED}},
     .show = WG_SHOW_TRANSPOSED},
    {"WG-083",
     FUNCTIONS(causal),
     {SIZE("steps", 3, 3, 1, 4), SIZE("width", 2, 2, 1, 4)},
     {{"x", "steps, width", "-9", "9", 0},
      {"state", "width", "-9", "9", 0},
      {"w", "2, width", "-3", "3", 0}},
     {{"y", "steps, width", REAL, WG_STRIDED}},
     .show = WG_SHOW_TRANSPOSED},
    {0}};
