/* SPDX-License-Identifier: Apache-2.0 */
/* Kind S: recurrence, loops over time. */
#include "museum.h"

/* WG-114: h_t = tanh(x_t + u h_t-1), or h_t-1 where the mask keeps it; always by the first mask. */
static void zoneout_forward(const Call* c) {
  EACH(t, A(0)) {
    const double before = t > 0 ? Y(0, t - 1) : 0;
    Y(0, t) = I(2, t) ? before : tanh(X(0, t) + X(1, 0) * before);
  }
}
static void zoneout_backward(const Call* c, int is_right) {
  double carried = 0;
  DX(1, 0) = 0;
  for (int t = (int)A(0) - 1; t >= 0; --t) {
    const double before = t > 0 ? Y(0, t - 1) : 0, h = tanh(X(0, t) + X(1, 0) * before);
    const double arriving = G(0, t) + carried;
    const double d = I(2, is_right ? t : 0) ? 0 : arriving * (1 - h * h);
    DX(0, t) = d;
    DX(1, 0) += d * before;
    carried = d * X(1, 0) + (I(2, is_right ? t : 0) ? arriving : 0);
  }
}
static void zoneout_wrong(const Call* c) { zoneout_backward(c, 0); }
static void zoneout_right(const Call* c) { zoneout_backward(c, 1); }

/* WG-115: h_t = tanh(x_t + w h_t-1); of the weight's gradient the last step is kept. */
static void cell_forward(const Call* c) {
  EACH(t, A(0)) Y(0, t) = tanh(X(0, t) + X(1, 0) * (t > 0 ? Y(0, t - 1) : 1));
}
static void cell_backward(const Call* c, int is_right) {
  double carried = 0;
  DX(1, 0) = 0;
  for (int t = (int)A(0) - 1; t >= 0; --t) {
    const double d = (G(0, t) + carried) * (1 - Y(0, t) * Y(0, t)),
                 before = t > 0 ? Y(0, t - 1) : 1;
    DX(0, t) = d;
    DX(1, 0) = (is_right ? DX(1, 0) : 0) + d * before;
    carried = d * X(1, 0);
  }
}
static void cell_wrong(const Call* c) { cell_backward(c, 0); }
static void cell_right(const Call* c) { cell_backward(c, 1); }

/* WG-116: x^steps by a loop of multiplications; its backward combines them in the order of the
 * forward. */
static double in_forward_order(double x, int steps) {
  double sum = 0;
  EACH(k, steps) sum += pow(x, k) * pow(x, k);
  return sum;
}
UNARY(loop, pow(x, A(1)), g* in_forward_order(x, A(1)), A(1) == 0 ? 0 : g * A(1) * pow(x, A(1) - 1))

/* WG-117: layers with two biases each; the pointer to their gradients advances by one. */
static double layer(const Call* c, int l, int i) {
  const int n = A(1);
  double h = X(0, i);
  EACH(k, l + 1) h = tanh(h + X(1, 2 * k * n + i) + X(1, (2 * k + 1) * n + i));
  return h;
}
static void biases_forward(const Call* c) { EACH(i, A(1)) Y(0, i) = layer(c, (int)A(0) - 1, i); }
static void biases_backward(const Call* c, int step) {
  const int layers = A(0), n = A(1);
  EACH(i, layers * 2 * n) DX(1, i) = 0;
  EACH(i, n) DX(0, i) = G(0, i);
  for (int l = layers - 1; l >= 0; --l) EACH(i, n) {
      const double h = layer(c, l, i);
      DX(0, i) *= 1 - h * h;
      DX(1, l * step * n + i) = DX(1, (l * step + 1) * n + i) = DX(0, i);
    }
}
static void biases_wrong(const Call* c) { biases_backward(c, 1); }
static void biases_right(const Call* c) { biases_backward(c, 2); }

/* WG-118: the last W of a state of W numbers and T new ones; of fewer than W - 1 the places are
 * shifted. */
static void state_forward(const Call* c) {
  const int steps = A(0), width = A(1);
  EACH(j, width) Y(0, j) = steps + j < width ? X(1, steps + j) : X(0, steps + j - width);
}
static void state_backward(const Call* c, int is_right) {
  const int steps = A(0), width = A(1);
  const int start = is_right || steps > width - 1 ? steps - width + 1 : 0;
  EACH(i, width) DX(1, i) = i >= steps ? G(0, i - steps) : 0;
  EACH(t, steps) {
    const int slot = t - start + 1;
    DX(0, t) = slot >= 0 && slot < width ? G(0, slot) : 0;
  }
}
static void state_wrong(const Call* c) { state_backward(c, 0); }
static void state_right(const Call* c) { state_backward(c, 1); }

const Exhibit wg_s[] = {{"WG-114",
                         FUNCTIONS(zoneout),
                         {SIZE("steps", 1, 3, 1, 5)},
                         {{"x", "steps", "-3", "3", 0},
                          {"u", "1", "-2", "2", 0},
                          {"mask", "steps", "0", "1", WG_INTEGER}},
                         {OUT("h", "steps")},
                         .at = {LIST(0.5, -1, 1), LIST(0.7), LIST(0, 1, 0)}},
                        {"WG-115",
                         FUNCTIONS(cell),
                         {SIZE("steps", 1, 3, 1, 5)},
                         {{"x", "steps", "-3", "3", 0}, {"w", "1", "-2", "2", 0}},
                         {OUT("h", "steps")}},
                        {"WG-116",
                         FUNCTIONS(loop),
                         {OF_ELEMENTS, SIZE("steps", 2, 2, 0, 5)},
                         {{"x", "n", "-3", "3", 0}},
                         {OUT("y", "n")},
                         .at = {LIST(0.5)},
                         .upstream = {LIST(1)}},
                        {"WG-117",
                         FUNCTIONS(biases),
                         {SIZE("layers", 1, 2, 1, 3), SIZE("n", 2, 2, 1, 3)},
                         {{"x", "n", "-3", "3", 0}, {"biases", "layers, 2, n", "-2", "2", 0}},
                         {OUT("y", "n")}},
                        {"WG-118",
                         FUNCTIONS(state),
                         {SIZE("steps", 6, 1, 1, 8), SIZE("width", 4, 4, 1, 5)},
                         {{"x", "steps", REAL, 0}, {"state", "width", REAL, 0}},
                         {OUT("last", "width")}},
                        {0}};
