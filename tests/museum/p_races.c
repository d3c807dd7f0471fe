/* SPDX-License-Identifier: Apache-2.0 */
/* Kind P: races and work that is done more than once, in the order that loses. */
#include "museum.h"

/*
 * WG-107: zeros around the rows of an image. The threads take rows in turn and share the variable
 * that counts columns: in this order each of two writes every other element, and the rest stays as
 * it was.
 */
static void pad_forward(const Call* c) {
  const int n = A(1);
  EACH(r, A(0))
  EACH(j, n + 2) Y(0, r * (n + 2) + j) = j == 0 || j == n + 1 ? 0 : X(0, r * n + j - 1);
}
static void pad_wrong(const Call* c) {
  const int rows = A(0), n = A(1), threads = A(2);
  for (int first = 0; first < rows; first += threads) {
    const int at_once = rows - first < threads ? rows - first : threads;
    int shared = 0;
    for (int turn = 0; shared < n; ++turn, ++shared) {
      const int r = first + turn % at_once;
      DX(0, r * n + shared) = G(0, r * (n + 2) + shared + 1);
    }
  }
}
static void pad_right(const Call* c) {
  const int n = A(1);
  EACH(r, A(0)) EACH(j, n) DX(0, r * n + j) = G(0, r * (n + 2) + j + 1);
}

/*
 * WG-108: means of pairs of neighbours at 7 places of each region, added to the gradient atomically
 * by groups of 32 threads. Each group steps as if it were the only one, and all add everything.
 */
static void pool_forward(const Call* c) {
  EACH(k, 7 * A(0)) {
    const int at = (int)I(1, k / 7) + k % 7;
    Y(0, k) = (X(0, at) + X(0, at + 1)) / 2;
  }
}
static void pool_backward(const Call* c, int times) {
  EACH(i, 12) DX(0, i) = 0;
  EACH(k, 7 * A(0)) {
    const int at = (int)I(1, k / 7) + k % 7;
    DX(0, at) += times * G(0, k) / 2;
    DX(0, at + 1) += times * G(0, k) / 2;
  }
}
static void pool_wrong(const Call* c) { pool_backward(c, (7 * (int)A(0) + 31) / 32); }
static void pool_right(const Call* c) { pool_backward(c, 1); }

const Exhibit wg_p[] = {
    {"WG-107",
     FUNCTIONS(pad),
     {SIZE("rows", 2, 2, 1, 4), SIZE("n", 4, 4, 1, 5), SIZE("threads", 1, 2, 1, 4)},
     {{"x", "rows, n", REAL, 0}},
     {OUT("y", "rows, n + 2")},
     .show = WG_SHOW_PREFILLED},
    {"WG-108",
     FUNCTIONS(pool),
     {SIZE("regions", 4, 512, 1, 512)},
     {{"x", "12", REAL, 0}, {"first", "regions", "0", "4", WG_INTEGER}},
     {OUT("y", "regions, 7")},
     .upstream = {LIST(1)}},
    {0}};
