/* SPDX-License-Identifier: Apache-2.0 */
/* Kind R: a parameter or a branch is ignored, inverted, exchanged. */
#include "museum.h"

/* WG-110: a cross-entropy whose gradient is scaled; only by numbers below 1. */
static void scaled_forward(const Call* c) {
  Y(0, 0) = A(1) * (log_sum_exp(A(0), c->in[0]) - X(0, I(1, 0)));
}
static void scaled_backward(const Call* c, double scale) {
  softmax(A(0), c->in[0], c->grad[0]);
  DX(0, I(1, 0)) -= 1;
  EACH(i, A(0)) DX(0, i) *= G(0, 0) * scale;
}
static void scaled_wrong(const Call* c) { scaled_backward(c, A(1) < 1 ? A(1) : 1); }
static void scaled_right(const Call* c) { scaled_backward(c, A(1)); }

/* WG-111: layer normalization, whose gradients of factors and of summands are exchanged. */
static void layer_norm_forward(const Call* c) {
  const int n = A(1);
  EACH(r, A(0)) {
    double scale;
    const double mean = statistics(n, 1, c->in[0] + r * n, 1e-3, &scale);
    EACH(j, n) Y(0, r * n + j) = X(1, j) * (X(0, r * n + j) - mean) * scale + X(2, j);
  }
}
static void layer_norm_backward(const Call* c, int factors, int summands) {
  const int n = A(1);
  EACH(j, n) DX(1, j) = DX(2, j) = 0;
  EACH(r, A(0)) {
    double scaled[5], scale;
    const double mean = statistics(n, 1, c->in[0] + r * n, 1e-3, &scale);
    EACH(j, n) {
      const int i = r * n + j;
      scaled[j] = G(0, i) * X(1, j);
      DX(factors, j) += G(0, i) * (X(0, i) - mean) * scale;
      DX(summands, j) += G(0, i);
    }
    normalized_backward(n, 1, c->in[0] + r * n, 1e-3, scaled, 1, c->grad[0] + r * n);
  }
}
static void layer_norm_wrong(const Call* c) { layer_norm_backward(c, 2, 1); }
static void layer_norm_right(const Call* c) { layer_norm_backward(c, 1, 2); }

/* WG-112: clamps between numbers, or between tensors of bounds; there the mask is always empty. */
static double bound(const Call* c, int which, int i) { return X(which, A(1) != 0 ? i : 0); }
static void clamp_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = fmin(max2(X(0, i), bound(c, 1, i)), bound(c, 2, i));
}
static void clamp_right(const Call* c) {
  EACH(i, A(0)) DX(0, i) = X(0, i) >= bound(c, 1, i) && X(0, i) <= bound(c, 2, i) ? G(0, i) : 0;
}
static void clamp_wrong(const Call* c) {
  clamp_right(c);
  EACH(i, A(0))
  if (A(1) != 0) DX(0, i) = X(0, i) <= bound(c, 1, i) && X(0, i) >= bound(c, 2, i) ? G(0, i) : 0;
}

/* WG-113: points drawn on several pixels; a flag asks for the sum of magnitudes, and is inverted.
 */
static void raster_forward(const Call* c) {
  const int pixels = A(1);
  EACH(i, A(0)) EACH(p, pixels) Y(0, i * pixels + p) = exp(-(X(0, i) - p) * (X(0, i) - p) / 2);
}
static void raster_backward(const Call* c, int magnitudes) {
  const int pixels = A(1);
  EACH(i, A(0)) {
    DX(0, i) = 0;
    EACH(p, pixels) {
      const double d = -G(0, i * pixels + p) * (X(0, i) - p) * Y(0, i * pixels + p);
      DX(0, i) += magnitudes ? fabs(d) : d;
    }
  }
}
static void raster_wrong(const Call* c) { raster_backward(c, 1); }
static void raster_right(const Call* c) { raster_backward(c, 0); }

const Exhibit wg_r[] = {
    {"WG-110",
     FUNCTIONS(scaled),
     {OF_ELEMENTS, NUMBER("grad_scale", 1, 2, 0.1, 4)},
     {{"x", "n", REAL, 0}, {"label", "1", "0", "n - 1", WG_INTEGER}},
     {OUT("loss", "1")}},
    {"WG-111",
     FUNCTIONS(layer_norm),
     {SIZE("rows", 2, 2, 1, 3), SIZE("n", 3, 3, 2, 5)},
     {{"x", "rows, n", "-9", "9", 0}, {"gamma", "n", REAL, 0}, {"beta", "n", REAL, 0}},
     {OUT("y", "rows, n")}},
    {"WG-112",
     FUNCTIONS(clamp),
     {OF_ELEMENTS, FLAG("bounds_are_tensors", 0, 1)},
     {{"x", "n", REAL, 0},
      {"low", "n", "-2", "-0.5", WG_NO_GRADIENT},
      {"high", "n", "0.5", "2", WG_NO_GRADIENT}},
     {OUT("y", "n")},
     .at = {LIST(0.1, 3)}},
    {"WG-113",
     FUNCTIONS(raster),
     {OF_ELEMENTS, SIZE("pixels", 3, 3, 1, 4)},
     {{"x", "n", "-2", "5", 0}},
     {OUT("y", "n, pixels")}},
    {0}};
