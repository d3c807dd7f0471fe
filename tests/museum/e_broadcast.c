/* SPDX-License-Identifier: Apache-2.0 */
/* Kind E: broadcasting is not undone, or a sum runs over the wrong axis. */
#include "museum.h"

/* WG-042: one matrix times each of a batch. Its gradient has a slice for each; a buffer keeps one.
 */
static void batched_forward(const Call* c) {
  const int batch = A(0), m = A(1), k = A(2), n = A(3);
  EACH(b, batch) EACH(i, m) EACH(j, n) {
    double sum = 0;
    EACH(l, k) sum += X(0, i * k + l) * X(1, (b * k + l) * n + j);
    Y(0, (b * m + i) * n + j) = sum;
  }
}
static void batched_backward(const Call* c, int is_right) {
  const int batch = A(0), m = A(1), k = A(2), n = A(3);
  EACH(b, batch) EACH(i, m) EACH(l, k) {
    double sum = 0;
    EACH(j, n) sum += G(0, (b * m + i) * n + j) * X(1, (b * k + l) * n + j);
    DX(0, i * k + l) = sum + (is_right && b > 0 ? DX(0, i * k + l) : 0);
  }
  EACH(b, batch) EACH(l, k) EACH(j, n) {
    double sum = 0;
    EACH(i, m) sum += X(0, i * k + l) * G(0, (b * m + i) * n + j);
    DX(1, (b * k + l) * n + j) = sum;
  }
}
static void batched_wrong(const Call* c) { batched_backward(c, 0); }
static void batched_right(const Call* c) { batched_backward(c, 1); }

/* WG-043: rows times numbers; the gradient of the numbers is summed over rows, not within them. */
static void row_scaling_forward(const Call* c) {
  const int n = A(0);
  EACH(i, n) EACH(j, n) Y(0, i * n + j) = X(0, i) * X(1, i * n + j);
}
static void row_scaling_backward(const Call* c, int is_right) {
  const int n = A(0);
  EACH(i, n) DX(0, i) = 0;
  EACH(i, n) EACH(j, n) {
    DX(0, is_right ? i : j) += G(0, i * n + j) * X(1, i * n + j);
    DX(1, i * n + j) = G(0, i * n + j) * X(0, i);
  }
}
static void row_scaling_wrong(const Call* c) { row_scaling_backward(c, 0); }
static void row_scaling_right(const Call* c) { row_scaling_backward(c, 1); }

/* WG-044: the sum of x_i y_i where y may have one element; the gradient of x then has one, too. */
static void einsum_forward(const Call* c) {
  Y(0, 0) = 0;
  EACH(i, A(0)) Y(0, 0) += X(0, i) * X(1, A(1) != 0 ? 0 : i);
}
static void einsum_backward(const Call* c, int written) {
  const int is_one = A(1) != 0;
  EACH(i, is_one ? 1 : A(0)) DX(1, i) = 0;
  EACH(i, A(0)) DX(1, is_one ? 0 : i) += G(0, 0) * X(0, i);
  EACH(i, written) DX(0, i) = G(0, 0) * X(1, is_one ? 0 : i);
}
static void einsum_wrong(const Call* c) { einsum_backward(c, A(1) != 0 ? 1 : A(0)); }
static void einsum_right(const Call* c) { einsum_backward(c, A(0)); }

const Exhibit wg_e[] = {{"WG-042",
                         FUNCTIONS(batched),
                         {SIZE("batch", 1, 2, 1, 3), SIZE("m", 2, 2, 1, 3), SIZE("k", 3, 3, 1, 3),
                          SIZE("n", 2, 2, 1, 3)},
                         {{"a", "m, k", REAL, 0}, {"b", "batch, k, n", REAL, 0}},
                         {OUT("y", "batch, m, n")}},
                        {"WG-043",
                         FUNCTIONS(row_scaling),
                         {SIZE("n", 3, 3, 1, 4)},
                         {{"s", "n", REAL, 0}, {"x", "n, n", REAL, 0}},
                         {OUT("y", "n, n")}},
                        {"WG-044",
                         FUNCTIONS(einsum),
                         {OF_ELEMENTS, FLAG("y_is_one_number", 0, 1)},
                         {{"x", "n", REAL, 0}, {"y", "n + y_is_one_number * (1 - n)", REAL, 0}},
                         {OUT("sum", "1")},
                         .show = WG_SHOW_PREFILLED},
                        {0}};
