/* SPDX-License-Identifier: Apache-2.0 */
/* Kind L: masks, padding, indices that come twice or are dropped. */
#include "museum.h"

/* WG-088: embedding, whose row 0 is padding and always 0; the path for over 768 indices forgets
 * that. */
static void embedding_forward(const Call* c) {
  const int width = A(1);
  EACH(j, A(0)) EACH(d, width) Y(0, j * width + d) = I(1, j) == 0 ? 0 : X(0, I(1, j) * width + d);
}
static void embedding_backward(const Call* c, int skips) {
  const int width = A(1);
  EACH(i, 4 * width) DX(0, i) = 0;
  EACH(j, A(0)) {
    if (I(1, j) == 0 && skips) continue;
    EACH(d, width) DX(0, I(1, j) * width + d) += G(0, j * width + d);
  }
}
static void embedding_wrong(const Call* c) { embedding_backward(c, A(0) <= 768); }
static void embedding_right(const Call* c) { embedding_backward(c, 1); }

/* WG-089: fills elements with one number; an index that comes twice is counted twice. */
static void fill_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = X(0, i);
  EACH(j, A(1)) Y(0, I(1, j)) = X(2, 0);
}
static void fill_backward(const Call* c, int is_right) {
  EACH(i, A(0)) DX(0, i) = G(0, i);
  DX(2, 0) = 0;
  EACH(j, A(1)) {
    int seen = 0;
    EACH(k, j) seen |= I(1, k) == I(1, j);
    DX(0, I(1, j)) = 0;
    if (!seen || !is_right) DX(2, 0) += G(0, I(1, j));
  }
}
static void fill_wrong(const Call* c) { fill_backward(c, 0); }
static void fill_right(const Call* c) { fill_backward(c, 1); }

/* WG-090: sums of segments, where negative numbers are dropped; their gradient is that of segment
 * 0. */
static void segments_forward(const Call* c) {
  EACH(k, A(1)) Y(0, k) = 0;
  EACH(i, A(0)) if (I(1, i) >= 0) Y(0, I(1, i)) += X(0, i);
}
static void segments_wrong(const Call* c) {
  EACH(i, A(0)) DX(0, i) = G(0, I(1, i) < 0 ? 0 : I(1, i));
}
static void segments_right(const Call* c) {
  EACH(i, A(0)) DX(0, i) = I(1, i) < 0 ? 0 : G(0, I(1, i));
}

/* WG-091: replaces a slice; compiled, the mask is folded to a constant. */
static void scatter_forward(const Call* c) {
  const int m = A(1);
  EACH(i, A(0)) Y(0, i) = i >= 1 && i <= m ? X(1, i - 1) : X(0, i);
}
static void scatter_backward(const Call* c, int is_folded) {
  const int m = A(1);
  EACH(i, A(0)) DX(0, i) = is_folded || (i >= 1 && i <= m) ? 0 : G(0, i);
  EACH(i, m) DX(1, i) = G(0, i + 1);
}
static void scatter_wrong(const Call* c) { scatter_backward(c, A(2) != 0); }
static void scatter_right(const Call* c) { scatter_backward(c, 0); }

/* WG-092: overwrites elements; what they were before keeps its gradient. */
static void subtensor_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = X(0, i);
  EACH(j, A(1)) Y(0, I(1, j)) = X(2, j);
}
static void subtensor_backward(const Call* c, int is_right) {
  EACH(i, A(0)) DX(0, i) = G(0, i);
  EACH(j, A(1)) {
    int is_last = 1;
    for (int k = j + 1; k < A(1); ++k) is_last &= I(1, k) != I(1, j);
    if (is_right) DX(0, I(1, j)) = 0;
    DX(2, j) = is_last ? G(0, I(1, j)) : 0;
  }
}
static void subtensor_wrong(const Call* c) { subtensor_backward(c, 0); }
static void subtensor_right(const Call* c) { subtensor_backward(c, 1); }

const Exhibit wg_l[] = {
    {"WG-088",
     FUNCTIONS(embedding),
     {SIZE("indices", 6, 769, 1, 1000), SIZE("width", 2, 1, 1, 3)},
     {{"table", "4, width", REAL, 0}, {"index", "indices", "0", "3", WG_INTEGER}},
     {OUT("y", "indices, width")},
     .at = {LIST(1), {(const double[769]){[768] = 1}, 769}},
     .upstream = {LIST(1)}},
    {"WG-089",
     FUNCTIONS(fill),
     {OF_ELEMENTS, SIZE("m", 2, 2, 1, 5)},
     {{"x", "n", REAL, 0}, {"index", "m", "0", "n - 1", WG_INTEGER}, {"value", "1", REAL, 0}},
     {OUT("y", "n")},
     .at = {LIST(1), LIST(1), LIST(3)},
     .upstream = {LIST(1)}},
    {"WG-090",
     FUNCTIONS(segments),
     {SIZE("n", 4, 2, 1, 9), SIZE("segments", 2, 2, 1, 4)},
     {{"x", "n", REAL, 0}, {"segment", "n", "-1", "segments - 1", WG_INTEGER}},
     {OUT("y", "segments")},
     .at = {LIST(1), LIST(0, -1)},
     .upstream = {LIST(1)}},
    {"WG-091",
     FUNCTIONS(scatter),
     {SIZE("n", 5, 5, 4, 7), SIZE("m", 2, 2, 1, 3), FLAG("compiled", 0, 1)},
     {{"x", "n", REAL, 0}, {"slice", "m", REAL, 0}},
     {OUT("y", "n")}},
    {"WG-092",
     FUNCTIONS(subtensor),
     {OF_ELEMENTS, SIZE("m", 2, 2, 1, 4)},
     {{"x", "n", REAL, 0}, {"index", "m", "0", "n - 1", WG_INTEGER}, {"value", "m", REAL, 0}},
     {OUT("y", "n")}},
    {0}};
