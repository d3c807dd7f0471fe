/* SPDX-License-Identifier: Apache-2.0 */
/* Kind K: more than one item, another rank, a second path through the code. */
#include "museum.h"

/* WG-084: convolution, "same" with zeros around; there the gradient stays in a buffer of its own.
 */
static double padded(const Call* c, int i, int margin) {
  return i < margin || i >= margin + A(0) ? 0 : X(0, i - margin);
}
static void same_forward(const Call* c) {
  const int n = A(0), is_same = A(1), m = is_same ? n : n - 2;
  EACH(i, m) {
    Y(0, i) = 0;
    EACH(k, 3) Y(0, i) += X(1, k) * padded(c, i + k, is_same);
  }
}
static void same_backward(const Call* c, int copies_back) {
  const int n = A(0), is_same = A(1), m = is_same ? n : n - 2;
  double buffer[11] = {0};
  EACH(k, 3) DX(1, k) = 0;
  EACH(i, m) EACH(k, 3) {
    buffer[i + k] += G(0, i) * X(1, k);
    DX(1, k) += G(0, i) * padded(c, i + k, is_same);
  }
  EACH(i, n) DX(0, i) = copies_back ? buffer[i + is_same] : 0;
}
static void same_wrong(const Call* c) { same_backward(c, A(1) == 0); }
static void same_right(const Call* c) { same_backward(c, 1); }

/* WG-085: x^2; of a vector without the factor 2. */
static void square_forward(const Call* c) { EACH(i, A(0) * A(1)) Y(0, i) = X(0, i) * X(0, i); }
static void square_wrong(const Call* c) {
  EACH(i, A(0) * A(1)) DX(0, i) = (A(0) == 1 ? 1 : 2) * G(0, i) * X(0, i);
}
static void square_right(const Call* c) { EACH(i, A(0) * A(1)) DX(0, i) = 2 * G(0, i) * X(0, i); }

/* WG-086: log probability that counts are at most n_i, with one alpha for all; only n_0 is seen. */
static double at_most(double alpha, int64_t n, double* slope) {
  double term = pow(0.5, alpha), sum = 0, digamma = 0;
  *slope = 0;
  for (int k = 0; k <= n; ++k) {
    sum += term;
    *slope += term * (digamma + log(0.5));
    digamma += 1 / (alpha + k);
    term *= (alpha + k) / (k + 1) / 2;
  }
  *slope /= sum;
  return log(sum);
}
static void counts_forward(const Call* c) {
  double slope;
  Y(0, 0) = 0;
  EACH(i, A(0)) Y(0, 0) += at_most(X(0, 0), I(1, i), &slope);
}
static void counts_backward(const Call* c, int count) {
  double slope;
  DX(0, 0) = 0;
  EACH(i, count) {
    at_most(X(0, 0), I(1, i), &slope);
    DX(0, 0) += G(0, 0) * slope;
  }
}
static void counts_wrong(const Call* c) { counts_backward(c, 1); }
static void counts_right(const Call* c) { counts_backward(c, A(0)); }

/* WG-087: convolution, gradient of the weights by patches; it returns within the loop. */
static void by_patches_forward(const Call* c) {
  const int m = A(0) - A(1) + 1;
  EACH(i, m) Y(0, i) = dot(A(1), c->in[1], c->in[0] + i);
}
static void by_patches_backward(const Call* c, int patches) {
  const int n = A(0), taps = A(1);
  EACH(i, n) DX(0, i) = 0;
  EACH(i, n - taps + 1) EACH(k, taps) DX(0, i + k) += G(0, i) * X(1, k);
  EACH(k, taps) DX(1, k) = 0;
  EACH(i, patches) EACH(k, taps) DX(1, k) += G(0, i) * X(0, i + k);
}
static void by_patches_wrong(const Call* c) { by_patches_backward(c, 1); }
static void by_patches_right(const Call* c) { by_patches_backward(c, A(0) - A(1) + 1); }

const Exhibit wg_k[] = {{"WG-084",
                         FUNCTIONS(same),
                         {SIZE("n", 5, 5, 3, 9), FLAG("same", 0, 1)},
                         {{"x", "n", REAL, 0}, {"w", "3", REAL, 0}},
                         {OUT("y", "n - 2 + 2 * same")}},
                        {"WG-085",
                         FUNCTIONS(square),
                         {SIZE("rows", 2, 1, 1, 3), SIZE("n", 3, 3, 1, 5)},
                         {{"x", "rows, n", REAL, 0}},
                         {OUT("y", "rows, n")}},
                        {"WG-086",
                         FUNCTIONS(counts),
                         {SIZE("n", 1, 3, 1, 5)},
                         {{"alpha", "1", "0.5", "5", 0}, {"n", "n", "0", "6", WG_INTEGER}},
                         {OUT("log_probability", "1")},
                         .at = {LIST(1.5), LIST(2, 1, 3)}},
                        {"WG-087",
                         FUNCTIONS(by_patches),
                         {SIZE("n", 5, 5, 3, 8), SIZE("taps", 3, 3, 1, 3)},
                         {{"x", "n", REAL, 0}, {"w", "taps", REAL, 0}},
                         {OUT("y", "n - taps + 1")}},
                        {0}};
