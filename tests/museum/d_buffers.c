/* SPDX-License-Identifier: Apache-2.0 */
/* Kind D: gradients are overwritten where they are to be added, or the reverse; old contents stay.
 */
#include "museum.h"

/* WG-033: nearest upsampling, which is to add to the gradient. */
static void upsample_forward(const Call* c) {
  const int n = A(0), times = A(1);
  EACH(i, n * times) Y(0, i) = X(0, i / times);
}
static double block_sum(const Call* c, int i) {
  const int times = A(1);
  double sum = 0;
  EACH(k, times) sum += G(0, i * times + k);
  return sum;
}
static void upsample_wrong(const Call* c) { EACH(i, A(0)) DX(0, i) = block_sum(c, i); }
static void upsample_right(const Call* c) { EACH(i, A(0)) DX(0, i) += block_sum(c, i); }

/* WG-034: alpha times a convolution; its gradient is added to beta times what is there. */
static void convolution_forward(const Call* c) {
  const int n = A(0), k = A(1);
  EACH(i, n - k + 1) {
    Y(0, i) = 0;
    EACH(j, k) Y(0, i) += A(2) * X(1, j) * X(0, i + j);
  }
}
static void convolution_backward(const Call* c, double beta) {
  const int n = A(0), k = A(1);
  EACH(i, n) DX(0, i) = beta == 0 ? 0 : beta * DX(0, i);
  EACH(i, n - k + 1) EACH(j, k) DX(0, i + j) += A(2) * X(1, j) * G(0, i);
}
static void convolution_wrong(const Call* c) { convolution_backward(c, 0); }
static void convolution_right(const Call* c) { convolution_backward(c, A(3)); }

/* WG-035: a variable that is used several times; more than 4 terms go through a loop of their own.
 */
static void used_forward(const Call* c) {
  const int n = A(0), uses = A(1);
  EACH(k, uses) EACH(i, n) Y(0, k * n + i) = X(0, i);
}
static void used_wrong(const Call* c) {
  const int n = A(0), uses = A(1);
  EACH(i, n) {
    double sum = DX(0, i) + G(0, i);
    for (int k = 1; k < uses; ++k) sum += (uses > 4 ? sum : 0) + G(0, k * n + i);
    DX(0, i) = sum;
  }
}
static void used_right(const Call* c) {
  const int n = A(0), uses = A(1);
  EACH(k, uses) EACH(i, n) DX(0, i) += G(0, k * n + i);
}

/* WG-036: takes rows, or columns; for columns nothing clears the gradient. */
static int taken(const Call* c, int i) {
  const int n = A(1), m = A(2);
  return A(3) == 0 ? (int)I(1, i / n) * n + i % n : i / m * n + (int)I(1, i % m);
}
static int count_taken(const Call* c) { return A(3) == 0 ? A(2) * A(1) : A(0) * A(2); }
static void take_forward(const Call* c) { EACH(i, count_taken(c)) Y(0, i) = X(0, taken(c, i)); }
static void take_backward(const Call* c, int clears) {
  EACH(i, A(0) * A(1)) if (clears) DX(0, i) = 0;
  EACH(i, count_taken(c)) DX(0, taken(c, i)) += G(0, i);
}
static void take_wrong(const Call* c) { take_backward(c, A(3) == 0); }
static void take_right(const Call* c) { take_backward(c, 1); }

/* WG-037: a loss of weight 0, whose backward is skipped: the gradient's memory stays as it is. */
static void weighted_forward(const Call* c) {
  Y(0, 0) = A(1) * (log_sum_exp(A(0), c->in[0]) - X(0, I(1, 0)));
}
static void weighted_right(const Call* c) {
  softmax(A(0), c->in[0], c->grad[0]);
  DX(0, I(1, 0)) -= 1;
  EACH(i, A(0)) DX(0, i) *= G(0, 0) * A(1);
}
static void weighted_wrong(const Call* c) {
  if (A(1) != 0) weighted_right(c);
}

/* WG-038: the first rows of a tensor; of no rows the backward returns at once. */
static void slice_forward(const Call* c) { EACH(i, A(1)) Y(0, i) = X(0, i); }
static void slice_right(const Call* c) { EACH(i, A(0)) DX(0, i) = i < A(1) ? G(0, i) : 0; }
static void slice_wrong(const Call* c) {
  if (A(1) > 0) slice_right(c);
}

/* WG-039: three ordered classes with two cut points for all observations; only the last one counts.
 */
static double at_least(const Call* c, int i,
                       int k) { /* the probability of class k or a higher one */
  return k == 0 ? 1 : k == 3 ? 0 : sigmoid(X(0, i) - X(k, 0));
}
static void ordered_forward(const Call* c) {
  Y(0, 0) = 0;
  EACH(i, A(0)) {
    const int k = (int)I(3, i);
    Y(0, 0) += log(at_least(c, i, k) - at_least(c, i, k + 1));
  }
}
static void ordered_backward(const Call* c, int is_right) {
  DX(1, 0) = DX(2, 0) = 0;
  EACH(i, A(0)) {
    const int k = (int)I(3, i);
    const double p = at_least(c, i, k), q = at_least(c, i, k + 1);
    const double above = p * (1 - p) / (p - q), below = q * (1 - q) / (p - q);
    DX(0, i) = G(0, 0) * (above - below);
    if (!is_right) DX(1, 0) = DX(2, 0) = 0;
    if (k > 0) DX(k, 0) -= G(0, 0) * above;
    if (k < 2) DX(k + 1, 0) += G(0, 0) * below;
  }
}
static void ordered_wrong(const Call* c) { ordered_backward(c, 0); }
static void ordered_right(const Call* c) { ordered_backward(c, 1); }

/* WG-040: a - b, whose backward finds the place of an operand by which array it is. */
static void subtract_forward(const Call* c) { EACH(i, A(0)) Y(0, i) = X(0, i) - X(1, i); }
static void subtract_wrong(const Call* c) {
  EACH(operand, 2) {
    const int place = c->in[operand] == c->in[0] ? 0 : 1;
    EACH(i, A(0)) DX(operand, i) = place == 0 ? G(0, i) : -G(0, i);
  }
}
static void subtract_right(const Call* c) {
  EACH(i, A(0)) {
    DX(0, i) = G(0, i);
    DX(1, i) = -G(0, i);
  }
}

/* WG-041: gather; of an index that comes twice the last one wins. */
static void gather_forward(const Call* c) { EACH(j, A(1)) Y(0, j) = X(0, I(1, j)); }
static void gather_wrong(const Call* c) {
  EACH(i, A(0)) DX(0, i) = 0;
  EACH(j, A(1)) DX(0, I(1, j)) = G(0, j);
}
static void gather_right(const Call* c) {
  EACH(i, A(0)) DX(0, i) = 0;
  EACH(j, A(1)) DX(0, I(1, j)) += G(0, j);
}

const Exhibit wg_d[] = {
    {"WG-033",
     FUNCTIONS(upsample),
     {OF_ELEMENTS, SIZE("times", 2, 2, 1, 3)},
     {{"x", "n", REAL, WG_ADDS}},
     {OUT("y", "n * times")},
     .show = WG_SHOW_PREFILLED},
    {"WG-034",
     FUNCTIONS(convolution),
     {SIZE("n", 6, 6, 4, 9), SIZE("k", 3, 3, 1, 4), NUMBER("alpha", 1, 1, 0.5, 2),
      FLAG("beta", 0, 1)},
     {{"x", "n", REAL, 0}, {"w", "k", REAL, WG_NO_GRADIENT}},
     {OUT("y", "n - k + 1")},
     .show = WG_SHOW_PREFILLED,
     .adds_if = "beta"},
    {"WG-035",
     FUNCTIONS(used),
     {OF_ELEMENTS, SIZE("uses", 2, 5, 1, 8)},
     {{"x", "n", REAL, WG_ADDS}},
     {OUT("y", "uses, n")},
     .upstream = {LIST(2)}},
    {"WG-036",
     FUNCTIONS(take),
     {SIZE("rows", 3, 3, 1, 4), SIZE("n", 4, 4, 1, 5), SIZE("m", 2, 2, 1, 4), FLAG("axis", 0, 1)},
     {{"x", "rows, n", REAL, 0}, {"index", "m", "0", "rows - 1 + axis * (n - rows)", WG_INTEGER}},
     {OUT("y", "m + axis * (rows - m), n + axis * (m - n)")},
     .show = WG_SHOW_PREFILLED},
    {"WG-037",
     FUNCTIONS(weighted),
     {OF_ELEMENTS, NUMBER("loss_weight", 1, 0, 0, 2)},
     {{"x", "n", REAL, 0}, {"label", "1", "0", "n - 1", WG_INTEGER}},
     {OUT("loss", "1")},
     .show = WG_SHOW_PREFILLED},
    {"WG-038",
     FUNCTIONS(slice),
     {OF_ELEMENTS, SIZE("taken", 1, 0, 0, 1)},
     {{"x", "n", REAL, 0}},
     {OUT("y", "taken")},
     .show = WG_SHOW_PREFILLED},
    {"WG-039",
     FUNCTIONS(ordered),
     {SIZE("n", 1, 3, 1, 5)},
     {{"x", "n", "-4", "4", 0},
      {"cut_1", "1", "-2", "-0.5", 0},
      {"cut_2", "1", "0.5", "2", 0},
      {"class", "n", "0", "2", WG_INTEGER}},
     {OUT("log_probability", "1")}},
    {"WG-040",
     FUNCTIONS(subtract),
     {OF_ELEMENTS},
     {{"a", "n", REAL, 0}, {"b", "n", REAL, 0}},
     {OUT("y", "n")},
     .show = WG_SHOW_SAME_INPUT},
    {"WG-041",
     FUNCTIONS(gather),
     {OF_ELEMENTS, SIZE("m", 3, 2, 1, 6)},
     {{"x", "n", REAL, 0}, {"index", "m", "0", "n - 1", WG_INTEGER}},
     {OUT("y", "m")},
     .at = {LIST(1), LIST(0)},
     .upstream = {LIST(0.2, 0.3)}},
    {0}};
