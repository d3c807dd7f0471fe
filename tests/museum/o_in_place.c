/* SPDX-License-Identifier: Apache-2.0 */
/* Kind O: a result lies over what is still needed. Pointers that are said to coincide may do so
 * here. */
#include "museum.h"

/* WG-102: x / rms(x), whose gradient may lie over the upstream gradient: by whole-array steps. */
static double mean_square(const Call* c) { return dot(A(0), c->in[0], c->in[0]) / A(0) + 1e-4; }
static void rms_forward(const Call* c) { EACH(i, A(0)) Y(0, i) = X(0, i) / sqrt(mean_square(c)); }
static void rms_wrong(const Call* c) {
  const double r = 1 / sqrt(mean_square(c)),
               share = dot(A(0), c->in[0], c->up[0]) / (A(0) * mean_square(c));
  EACH(i, A(0)) DX(0, i) = X(0, i);
  EACH(i, A(0)) DX(0, i) *= -share;
  EACH(i, A(0)) DX(0, i) += G(0, i);
  EACH(i, A(0)) DX(0, i) *= r;
}
static void rms_right(const Call* c) {
  const double r = 1 / sqrt(mean_square(c)),
               share = dot(A(0), c->in[0], c->up[0]) / (A(0) * mean_square(c));
  EACH(i, A(0)) DX(0, i) = r * (G(0, i) - share * X(0, i));
}

/* WG-103: softmax, whose gradient may lie over the result y. */
static void softmax_forward(const Call* c) { softmax(A(0), c->in[0], c->out[0]); }
static void softmax_wrong(const Call* c) {
  EACH(i, A(0)) DX(0, i) = G(0, i);
  const double sum = dot(A(0), c->out[0], c->up[0]);
  EACH(i, A(0)) DX(0, i) -= sum;
  EACH(i, A(0)) DX(0, i) *= Y(0, i);
}
static void softmax_right(const Call* c) {
  const double sum = dot(A(0), c->out[0], c->up[0]);
  EACH(i, A(0)) DX(0, i) = Y(0, i) * (G(0, i) - sum);
}

/*
 * WG-104: layers that read a sequence in both directions and add what they make of it. In inner
 * layers the gradient of one direction is written over the upstream gradient, which the other one
 * then reads.
 */
enum { kMaxLayers = 4, kMaxSteps = 4 };
static void read_both_ways(const Call* c, double h[kMaxLayers + 1][2][kMaxSteps],
                           double x[kMaxLayers + 1][kMaxSteps]) {
  const int layers = A(0), steps = A(1);
  EACH(t, steps) x[0][t] = X(0, t);
  EACH(l, layers) {
    for (int t = 0; t < steps; ++t)
      h[l][0][t] = tanh(0.8 * x[l][t] + (t > 0 ? h[l][0][t - 1] : 0) / 2);
    for (int t = steps - 1; t >= 0; --t)
      h[l][1][t] = tanh(0.6 * x[l][t] - (t + 1 < steps ? h[l][1][t + 1] : 0) / 2);
    EACH(t, steps) x[l + 1][t] = h[l][0][t] + h[l][1][t];
  }
}
static void both_ways_forward(const Call* c) {
  double h[kMaxLayers + 1][2][kMaxSteps], x[kMaxLayers + 1][kMaxSteps];
  read_both_ways(c, h, x);
  EACH(t, A(1)) Y(0, t) = x[(int)A(0)][t];
}
static void both_ways_backward(const Call* c, int is_right) {
  const int layers = A(0), steps = A(1);
  double h[kMaxLayers + 1][2][kMaxSteps], x[kMaxLayers + 1][kMaxSteps], dy[kMaxSteps],
      dx[kMaxSteps];
  read_both_ways(c, h, x);
  EACH(t, steps) dy[t] = G(0, t);
  for (int l = layers - 1; l >= 0; --l) {
    double carried = 0;
    for (int t = steps - 1; t >= 0; --t) {
      const double d = (dy[t] + carried) * (1 - h[l][0][t] * h[l][0][t]);
      carried = d / 2;
      dx[t] = 0.8 * d;
    }
    if (!is_right && l > 0 && l < layers - 1) memcpy(dy, dx, sizeof dy);
    carried = 0;
    for (int t = 0; t < steps; ++t) {
      const double d = (dy[t] + carried) * (1 - h[l][1][t] * h[l][1][t]);
      carried = -d / 2;
      dx[t] += 0.6 * d;
    }
    memcpy(dy, dx, sizeof dy);
  }
  EACH(t, steps) DX(0, t) = dy[t];
}
static void both_ways_wrong(const Call* c) { both_ways_backward(c, 0); }
static void both_ways_right(const Call* c) { both_ways_backward(c, 1); }

/* WG-105: softmax of scaled numbers; the result is also written over the upstream gradient. */
static void scaled_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = A(1) * X(0, i);
  softmax(A(0), c->out[0], c->out[0]);
}
static void scaled_right(const Call* c) {
  const double sum = dot(A(0), c->out[0], c->up[0]);
  EACH(i, A(0)) DX(0, i) = A(1) * Y(0, i) * (G(0, i) - sum);
}
static void scaled_wrong(const Call* c) {
  scaled_right(c);
  EACH(i, A(0))((double*)c->up[0])[i] = DX(0, i);
}

/* WG-106: a product; the first gradient may lie over the upstream gradient, of which the second is
 * made. */
static void multiply_forward(const Call* c) { EACH(i, A(0)) Y(0, i) = X(0, i) * X(1, i); }
static void multiply_wrong(const Call* c) {
  EACH(i, A(0)) DX(0, i) = G(0, i) * X(1, i);
  EACH(i, A(0)) DX(1, i) = G(0, i) * X(0, i);
}
static void multiply_right(const Call* c) {
  EACH(i, A(0)) {
    const double g = G(0, i);
    DX(0, i) = g * X(1, i);
    DX(1, i) = g * X(0, i);
  }
}

const Exhibit wg_o[] = {{"WG-102",
                         FUNCTIONS(rms),
                         {OF_ELEMENTS},
                         {{"x", "n", "-9", "9", 0}},
                         {{"y", "n", REAL, WG_OVER_UPSTREAM}},
                         .show = WG_SHOW_OVER_UPSTREAM,
                         .at = {LIST(1, 0, 0, 0)},
                         .upstream = {LIST(1, 0, 0, 0)}},
                        {"WG-103",
                         FUNCTIONS(softmax),
                         {OF_ELEMENTS},
                         {{"x", "n", REAL, 0}},
                         {{"y", "n", REAL, WG_OVER}},
                         .show = WG_SHOW_OVER_OUTPUT},
                        {"WG-104",
                         FUNCTIONS(both_ways),
                         {SIZE("layers", 2, 3, 1, 4), SIZE("steps", 3, 3, 1, 4)},
                         {{"x", "steps", "-3", "3", 0}},
                         {OUT("y", "steps")}},
                        {"WG-105",
                         FUNCTIONS(scaled),
                         {OF_ELEMENTS, NUMBER("scale", 0.5, 0.5, 0.1, 2)},
                         ON(REAL),
                         .show = WG_SHOW_UPSTREAM},
                        {"WG-106",
                         FUNCTIONS(multiply),
                         {OF_ELEMENTS},
                         {{"x", "n", REAL, 0}, {"y", "n", REAL, 0}},
                         {{"z", "n", REAL, WG_OVER_UPSTREAM}},
                         .show = WG_SHOW_OVER_UPSTREAM},
                        {0}};
