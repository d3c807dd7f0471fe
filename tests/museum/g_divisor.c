/* SPDX-License-Identifier: Apache-2.0 */
/* Kind G: a divisor or a count. */
#include "museum.h"

/* WG-058: the mean of an image; it is divided by the kernel's size, which this mode ignores. */
static void global_forward(const Call* c) {
  Y(0, 0) = 0;
  EACH(i, A(0) * A(1)) Y(0, 0) += X(0, i) / (A(0) * A(1));
}
static void global_wrong(const Call* c) { EACH(i, A(0) * A(1)) DX(0, i) = G(0, 0) / (A(2) * A(2)); }
static void global_right(const Call* c) { EACH(i, A(0) * A(1)) DX(0, i) = G(0, 0) / (A(0) * A(1)); }

/* WG-059: means of 3 neighbours; with ceil_mode the last window may hang over the edge. */
static int windows_of(const Call* c) {
  const int n = A(0), step = A(1), ceiling = A(2);
  return (n - 3 + ceiling * (step - 1)) / step + 1;
}
static int inside(const Call* c, int window) {
  const int n = A(0), step = A(1), rest = n - window * step;
  return rest < 3 ? rest : 3;
}
static void ragged_forward(const Call* c) {
  const int step = A(1);
  EACH(k, windows_of(c)) {
    Y(0, k) = 0;
    EACH(i, inside(c, k)) Y(0, k) += X(0, k * step + i) / inside(c, k);
  }
}
static void ragged_backward(const Call* c, int is_right) {
  const int step = A(1);
  EACH(i, A(0)) DX(0, i) = 0;
  EACH(k, windows_of(c)) EACH(i, inside(c, k)) {
    DX(0, k * step + i) += G(0, k) / (is_right ? inside(c, k) : 3);
  }
}
static void ragged_wrong(const Call* c) { ragged_backward(c, 0); }
static void ragged_right(const Call* c) { ragged_backward(c, 1); }

/* WG-060: half the mean squared error of a linear layer; the gradient forgets the number of
 * outputs. */
static double error_at(const Call* c, int i, int k) {
  const int features = A(1), outputs = A(2);
  double sum = -X(2, i * outputs + k);
  EACH(j, features) sum += X(0, i * features + j) * X(1, j * outputs + k);
  return sum;
}
static void regression_forward(const Call* c) {
  Y(0, 0) = 0;
  EACH(i, A(0)) EACH(k, A(2)) Y(0, 0) += error_at(c, i, k) * error_at(c, i, k) / (2 * A(0) * A(2));
}
static void regression_backward(const Call* c, double count) {
  const int features = A(1), outputs = A(2);
  EACH(j, features) EACH(k, outputs) {
    double sum = 0;
    EACH(i, A(0)) sum += X(0, i * features + j) * error_at(c, i, k);
    DX(1, j * outputs + k) = G(0, 0) * sum / count;
  }
}
static void regression_wrong(const Call* c) { regression_backward(c, A(0)); }
static void regression_right(const Call* c) { regression_backward(c, A(0) * A(2)); }

/* WG-061: cross-entropy, reduction 0 the mean, 1 the sum, 2 none; the backward knows the mean
 * alone. */
static void entropy_forward(const Call* c) {
  const int rows = A(0), n = A(1), reduction = A(2);
  if (reduction < 2) Y(0, 0) = 0;
  EACH(r, rows) {
    const double loss = log_sum_exp(n, c->in[0] + r * n) - X(0, r * n + I(1, r));
    if (reduction == 2) Y(0, r) = loss;
    if (reduction < 2) Y(0, 0) += reduction == 0 ? loss / rows : loss;
  }
}
static void entropy_backward(const Call* c, int is_right) {
  const int rows = A(0), n = A(1), reduction = A(2);
  EACH(r, rows) {
    const double g = is_right && reduction == 2 ? G(0, r) : G(0, 0);
    const double count = is_right && reduction > 0 ? 1 : rows;
    softmax(n, c->in[0] + r * n, c->grad[0] + r * n);
    DX(0, r * n + I(1, r)) -= 1;
    EACH(j, n) DX(0, r * n + j) *= g / count;
  }
}
static void entropy_wrong(const Call* c) { entropy_backward(c, 0); }
static void entropy_right(const Call* c) { entropy_backward(c, 1); }

/* WG-062: layer normalization; of [batch, steps, n] the rows are taken to be the batch's. */
static void layer_norm_forward(const Call* c) {
  const int rows = A(0) * A(1), n = A(2);
  EACH(r, rows) {
    double scale;
    const double mean = statistics(n, 1, c->in[0] + r * n, 1e-3, &scale);
    EACH(j, n) Y(0, r * n + j) = X(1, j) * (X(0, r * n + j) - mean) * scale;
  }
}
static void layer_norm_backward(const Call* c, int rows, int length) {
  const int n = A(2);
  EACH(j, n) DX(1, j) = 0;
  EACH(r, rows) {
    double scaled[12], scale;
    const double mean = statistics(length, 1, c->in[0] + r * length, 1e-3, &scale);
    EACH(j, length) {
      const int i = r * length + j;
      scaled[j] = G(0, i) * X(1, j % n);
      if (j < n) DX(1, j) += G(0, i) * (X(0, i) - mean) * scale; /* beyond n it was out of bounds */
    }
    normalized_backward(length, 1, c->in[0] + r * length, 1e-3, scaled, 1, c->grad[0] + r * length);
  }
}
static void layer_norm_wrong(const Call* c) { layer_norm_backward(c, A(0), A(1) * A(2)); }
static void layer_norm_right(const Call* c) { layer_norm_backward(c, A(0) * A(1), A(2)); }

/* WG-063: dropout of version 1, which scales when it evaluates; the backward divides there. */
static void dropout_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = A(2) != 0 ? (1 - A(1)) * X(0, i) : (double)I(1, i) * X(0, i);
}
static void dropout_wrong(const Call* c) {
  EACH(i, A(0)) DX(0, i) = A(2) != 0 ? G(0, i) / (1 - A(1)) : (double)I(1, i) * G(0, i);
}
static void dropout_right(const Call* c) {
  EACH(i, A(0)) DX(0, i) = A(2) != 0 ? G(0, i) * (1 - A(1)) : (double)I(1, i) * G(0, i);
}

const Exhibit wg_g[] = {
    {"WG-058",
     FUNCTIONS(global),
     {SIZE("h", 3, 3, 1, 4), SIZE("w", 3, 3, 1, 4), SIZE("kernel", 2, 2, 1, 3)},
     {{"x", "h, w", REAL, 0}},
     {OUT("mean", "1")}},
    {"WG-059",
     FUNCTIONS(ragged),
     {SIZE("n", 8, 8, 4, 9), SIZE("step", 3, 3, 1, 3), FLAG("ceil_mode", 0, 1)},
     {{"x", "n", REAL, 0}},
     {OUT("y", "(n - 3 + ceil_mode * (step - 1)) / step + 1")},
     .upstream = {LIST(1)}},
    {"WG-060",
     FUNCTIONS(regression),
     {SIZE("n", 3, 3, 1, 4), SIZE("features", 2, 2, 1, 3), SIZE("outputs", 1, 3, 1, 4)},
     {{"x", "n, features", REAL, WG_NO_GRADIENT},
      {"w", "features, outputs", REAL, 0},
      {"y", "n, outputs", REAL, WG_NO_GRADIENT}},
     {OUT("loss", "1")}},
    {"WG-061",
     FUNCTIONS(entropy),
     {SIZE("rows", 3, 3, 1, 4), SIZE("n", 4, 4, 1, 5), SIZE("reduction", 0, 1, 0, 2)},
     {{"x", "rows, n", REAL, 0}, {"label", "rows", "0", "n - 1", WG_INTEGER}},
     {OUT("loss", "1 + reduction / 2 * (rows - 1)")}},
    {"WG-062",
     FUNCTIONS(layer_norm),
     {SIZE("batch", 2, 2, 1, 3), SIZE("steps", 1, 3, 1, 3), SIZE("n", 4, 4, 2, 4)},
     {{"x", "batch, steps, n", "-9", "9", 0}, {"gamma", "n", REAL, 0}},
     {OUT("y", "batch, steps, n")}},
    {"WG-063",
     FUNCTIONS(dropout),
     {OF_ELEMENTS, NUMBER("p", 0.5, 0.5, 0, 0.9), FLAG("evaluates", 0, 1)},
     {{"x", "n", REAL, 0}, {"mask", "n", "0", "1", WG_INTEGER}},
     {OUT("y", "n")},
     .upstream = {LIST(1)}},
    {0}};
