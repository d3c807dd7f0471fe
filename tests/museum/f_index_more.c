/* SPDX-License-Identifier: Apache-2.0 */
/* Kind F, continued: which row, which column, which group, which way. */
#include "museum.h"

/*
 * WG-052: linear upsampling of n points to m with the ends aligned. The backward gathers from a
 * window about a point, which is as wide as m / n says and not (m - 1) / (n - 1).
 */
static double share(const Call* c, int out, int in) {
  const double at = A(1) == 1 ? 0 : out * (A(0) - 1) / (A(1) - 1);
  return max2(0, 1 - fabs(at - in));
}
static void linear_forward(const Call* c) {
  EACH(o, A(1)) {
    Y(0, o) = 0;
    EACH(i, A(0)) Y(0, o) += share(c, o, i) * X(0, i);
  }
}
static void linear_backward(const Call* c, int is_right) {
  const int n = A(0), m = A(1), width = is_right ? m : m / n + 2;
  EACH(i, n) {
    const int centre = (int)(i * (m - 1.0) / (n - 1) + 0.5);
    DX(0, i) = 0;
    EACH(o, m) if (abs(o - centre) <= width) DX(0, i) += share(c, o, i) * G(0, o);
  }
}
static void linear_wrong(const Call* c) { linear_backward(c, 0); }
static void linear_right(const Call* c) { linear_backward(c, 1); }

/* WG-053: a sparse matrix, or its transpose, times a dense one; the values' gradient ignores which.
 */
static void sparse_forward(const Call* c) {
  const int entries = A(0), n = A(1), m = A(2), is_transposed = A(3) != 0;
  EACH(i, n * m) Y(0, i) = 0;
  EACH(p, entries) EACH(j, m) {
    const int to = (int)I(is_transposed ? 2 : 1, p), from = (int)I(is_transposed ? 1 : 2, p);
    Y(0, to * m + j) += X(0, p) * X(3, from * m + j);
  }
}
static void sparse_backward(const Call* c, int is_right) {
  const int entries = A(0), n = A(1), m = A(2), is_transposed = A(3) != 0;
  EACH(i, n * m) DX(3, i) = 0;
  EACH(p, entries) {
    const int to = (int)I(is_transposed ? 2 : 1, p), from = (int)I(is_transposed ? 1 : 2, p);
    const int row = is_right ? to : (int)I(1, p), column = is_right ? from : (int)I(2, p);
    DX(0, p) = dot(m, c->up[0] + row * m, c->in[3] + column * m);
    EACH(j, m) DX(3, from * m + j) += X(0, p) * G(0, to * m + j);
  }
}
static void sparse_wrong(const Call* c) { sparse_backward(c, 0); }
static void sparse_right(const Call* c) { sparse_backward(c, 1); }

/* WG-054: group normalization, gradient of the channels' factors; which group a channel is in. */
static void group_norm_forward(const Call* c) {
  const int groups = A(0), each = A(1), n = A(2);
  EACH(k, groups) {
    double scale;
    const double* x = c->in[0] + k * each * n;
    const double mean = statistics(each * n, 1, x, 1e-3, &scale);
    EACH(i, each * n) Y(0, k * each * n + i) = X(1, k * each + i / n) * (x[i] - mean) * scale;
  }
}
static void group_norm_backward(const Call* c, int is_right) {
  const int groups = A(0), each = A(1), n = A(2);
  EACH(channel, groups * each) {
    const int group = is_right ? channel / each : channel % groups;
    double scale;
    const double mean = statistics(each * n, 1, c->in[0] + group * each * n, 1e-3, &scale);
    DX(1, channel) = 0;
    EACH(i, n) DX(1, channel) += G(0, channel * n + i) * (X(0, channel * n + i) - mean) * scale;
  }
}
static void group_norm_wrong(const Call* c) { group_norm_backward(c, 0); }
static void group_norm_right(const Call* c) { group_norm_backward(c, 1); }

/* WG-055: layer normalization that recovers what it normalized from its result; by the row's
 * factors. */
static void invertible_forward(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(r, rows) {
    double scale;
    const double mean = statistics(n, 1, c->in[0] + r * n, 1e-3, &scale);
    EACH(j, n) Y(0, r * n + j) = X(1, j) * (X(0, r * n + j) - mean) * scale + X(2, j);
  }
}
static void invertible_backward(const Call* c, int is_right) {
  const int rows = A(0), n = A(1);
  EACH(j, n) DX(1, j) = DX(2, j) = 0;
  EACH(r, rows) {
    double scaled[5];
    EACH(j, n) {
      const int i = r * n + j, k = is_right ? j : r;
      scaled[j] = G(0, i) * X(1, j);
      DX(1, j) += G(0, i) * (Y(0, i) - X(2, k)) / X(1, k);
      DX(2, j) += G(0, i);
    }
    normalized_backward(n, 1, c->in[0] + r * n, 1e-3, scaled, 1, c->grad[0] + r * n);
  }
}
static void invertible_wrong(const Call* c) { invertible_backward(c, 0); }
static void invertible_right(const Call* c) { invertible_backward(c, 1); }

/* WG-056: attention of some heads; its backward transposes keys and values that are transposed
 * already. Where there are as many heads as steps the shapes fit; else that fails loudly and is
 * left out here. */
typedef struct Attention {
  int heads, steps, width, is_transposed;
} Attention;
static double of_keys(const Call* c, const Attention* a, int array, int h, int s, int d) {
  return X(array, ((a->is_transposed ? s * a->heads + h : h * a->steps + s)) * a->width + d);
}
static void weights_of(const Call* c, const Attention* a, int h, int q, double* weights) {
  EACH(s, a->steps) {
    const int query = (h * a->steps + q) * a->width, key = (h * a->steps + s) * a->width;
    weights[s] = dot(a->width, c->in[0] + query, c->in[1] + key);
  }
  softmax(a->steps, weights, weights);
}
static void attention_forward(const Call* c) {
  const Attention a = {A(0), A(1), A(2), 0};
  EACH(h, a.heads) EACH(q, a.steps) EACH(d, a.width) {
    double weights[4], sum = 0;
    weights_of(c, &a, h, q, weights);
    EACH(s, a.steps) sum += weights[s] * of_keys(c, &a, 2, h, s, d);
    Y(0, (h * a.steps + q) * a.width + d) = sum;
  }
}
static void attention_backward(const Call* c, int is_transposed) {
  const Attention a = {A(0), A(1), A(2), is_transposed};
  EACH(k, 3) EACH(i, a.heads * a.steps * a.width) DX(k, i) = 0;
  EACH(h, a.heads) EACH(q, a.steps) {
    double weights[4], slopes[4] = {0}, sum = 0;
    const int query = (h * a.steps + q) * a.width;
    weights_of(c, &a, h, q, weights);
    EACH(s, a.steps) EACH(d, a.width) slopes[s] += G(0, query + d) * of_keys(c, &a, 2, h, s, d);
    EACH(s, a.steps) sum += weights[s] * slopes[s];
    EACH(s, a.steps) EACH(d, a.width) {
      const int key = (h * a.steps + s) * a.width + d;
      const double score = weights[s] * (slopes[s] - sum);
      DX(0, query + d) += score * of_keys(c, &a, 1, h, s, d);
      DX(1, key) += score * X(0, query + d);
      DX(2, key) += weights[s] * G(0, query + d);
    }
  }
}
static void attention_wrong(const Call* c) { attention_backward(c, A(0) == A(1)); }
static void attention_right(const Call* c) { attention_backward(c, 0); }

/* WG-057: sorts downwards, y_i = x_p(i); the gradient is gathered by p and not scattered. */
static void permutation_of(const Call* c, int* p) {
  EACH(i, A(0)) {
    int place = 0;
    EACH(k, A(0)) place += X(0, k) > X(0, i) || (X(0, k) == X(0, i) && k < i);
    p[place] = i;
  }
}
static void sort_forward(const Call* c) {
  int p[9];
  permutation_of(c, p);
  EACH(i, A(0)) Y(0, i) = X(0, p[i]);
}
static void sort_wrong(const Call* c) {
  int p[9];
  permutation_of(c, p);
  EACH(i, A(0)) DX(0, i) = G(0, p[i]);
}
static void sort_right(const Call* c) {
  int p[9];
  permutation_of(c, p);
  EACH(i, A(0)) DX(0, p[i]) = G(0, i);
}

const Exhibit wg_f2[] = {
    {"WG-052",
     FUNCTIONS(linear),
     {SIZE("n", 2, 2, 2, 4), SIZE("m", 4, 10, 4, 12)},
     {{"x", "n", REAL, 0}},
     {OUT("y", "m")},
     .upstream = {LIST(1)}},
    {"WG-053",
     FUNCTIONS(sparse),
     {SIZE("entries", 3, 3, 1, 5), SIZE("n", 3, 3, 1, 4), SIZE("m", 2, 2, 1, 3),
      FLAG("transpose", 0, 1)},
     {{"values", "entries", REAL, 0},
      {"rows", "entries", "0", "n - 1", WG_INTEGER},
      {"columns", "entries", "0", "n - 1", WG_INTEGER},
      {"dense", "n, m", REAL, 0}},
     {OUT("y", "n, m")},
     .at = {LIST(1, 2, 3), LIST(0, 1, 2), LIST(1, 2, 0)}},
    {"WG-054",
     FUNCTIONS(group_norm),
     {SIZE("groups", 1, 2, 1, 4), SIZE("each", 4, 4, 1, 4), SIZE("n", 3, 3, 1, 4)},
     {{"x", "groups * each, n", "-9", "9", WG_NO_GRADIENT}, {"factors", "groups * each", REAL, 0}},
     {OUT("y", "groups * each, n")}},
    {"WG-055",
     FUNCTIONS(invertible),
     {SIZE("rows", 2, 2, 1, 3), SIZE("n", 4, 4, 3, 5)},
     {{"x", "rows, n", "-9", "9", 0}, {"gamma", "n", "0.5", "2", 0}, {"beta", "n", "-2", "2", 0}},
     {OUT("y", "rows, n")}},
    {"WG-056",
     FUNCTIONS(attention),
     {SIZE("heads", 2, 2, 1, 3), SIZE("steps", 3, 2, 1, 4), SIZE("width", 2, 2, 1, 3)},
     {{"q", "heads, steps, width", "-3", "3", 0},
      {"k", "heads, steps, width", "-3", "3", 0},
      {"v", "heads, steps, width", "-3", "3", 0}},
     {OUT("y", "heads, steps, width")}},
    {"WG-057", FUNCTIONS(sort), {OF_ELEMENTS}, ON(REAL), .at = {LIST(1, 3, 2, 0)}},
    {0}};
