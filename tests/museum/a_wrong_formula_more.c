/* SPDX-License-Identifier: Apache-2.0 */
/* Kind A, continued: sums, losses, and derivatives of something else. */
#include "museum.h"

/* WG-011: log softmax; the gradient's sum is taken for -1. */
static void log_softmax_forward(const Call* c) {
  const double total = log_sum_exp(A(0), c->in[0]);
  EACH(i, A(0)) Y(0, i) = X(0, i) - total;
}
static void log_softmax_wrong(const Call* c) { EACH(i, A(0)) DX(0, i) = G(0, i) + exp(Y(0, i)); }
static void log_softmax_right(const Call* c) {
  double sum = 0;
  EACH(i, A(0)) sum += G(0, i);
  EACH(i, A(0)) DX(0, i) = G(0, i) - exp(Y(0, i)) * sum;
}

/* WG-012: softmax; the diagonal of the Jacobian alone. */
static void softmax_forward(const Call* c) { softmax(A(0), c->in[0], c->out[0]); }
static void softmax_wrong(const Call* c) {
  EACH(i, A(0)) DX(0, i) = G(0, i) * Y(0, i) * (1 - Y(0, i));
}
static void softmax_right(const Call* c) {
  const double sum = dot(A(0), c->up[0], c->out[0]);
  EACH(i, A(0)) DX(0, i) = Y(0, i) * (G(0, i) - sum);
}

/* WG-013: every element r times; each gets the sum of all. */
static void repeat_forward(const Call* c) {
  const int n = A(0), times = A(1);
  EACH(i, n * times) Y(0, i) = X(0, i / times);
}
static void repeat_wrong(const Call* c) {
  const int n = A(0), times = A(1);
  double sum = 0;
  EACH(i, n * times) sum += G(0, i);
  EACH(i, n) DX(0, i) = sum;
}
static void repeat_right(const Call* c) {
  const int n = A(0), times = A(1);
  EACH(i, n) DX(0, i) = 0;
  EACH(i, n * times) DX(0, i / times) += G(0, i);
}

/* WG-014: patches of an image; the inverse, which assigns, stands for the adjoint, which adds. */
enum { kToPatches, kAssigned, kAdded };
static void walk_patches(const Call* c, int how) {
  const int h = A(0), w = A(1), size = A(2), step = A(3);
  int k = 0;
  for (int top = 0; top + size <= h; top += step) {
    for (int left = 0; left + size <= w; left += step) {
      EACH(i, size) EACH(j, size) {
        const int at = (top + i) * w + left + j;
        if (how == kToPatches) Y(0, k++) = X(0, at);
        if (how == kAssigned) DX(0, at) = G(0, k++);
        if (how == kAdded) DX(0, at) += G(0, k++);
      }
    }
  }
}
static void patches_forward(const Call* c) { walk_patches(c, kToPatches); }
static void patches_wrong(const Call* c) {
  EACH(i, A(0) * A(1)) DX(0, i) = 0;
  walk_patches(c, kAssigned);
}
static void patches_right(const Call* c) {
  EACH(i, A(0) * A(1)) DX(0, i) = 0;
  walk_patches(c, kAdded);
}

/* WG-015: (a - b)^2; the gradients are the inputs. */
static void squared_difference_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = (X(0, i) - X(1, i)) * (X(0, i) - X(1, i));
}
static void squared_difference_wrong(const Call* c) {
  EACH(i, A(0)) {
    DX(0, i) = X(0, i);
    DX(1, i) = X(1, i);
  }
}
static void squared_difference_right(const Call* c) {
  EACH(i, A(0)) {
    DX(0, i) = 2 * G(0, i) * (X(0, i) - X(1, i));
    DX(1, i) = -DX(0, i);
  }
}

/* WG-016: max(0, |z| - eps)^2 with z = y - p; the zone of width 2 eps is never reached. */
static void tube_forward(const Call* c) {
  EACH(i, A(0)) {
    const double beyond = max2(0, fabs(X(0, i) - X(1, i)) - A(1));
    Y(0, i) = beyond * beyond;
  }
}
static void tube_backward(const Call* c, double lower) {
  EACH(i, A(0)) {
    const double z = X(0, i) - X(1, i), eps = A(1);
    const double slope = z > eps ? -2 * (z - eps) : z < lower ? 2 * (-z - eps) : 0;
    DX(1, i) = G(0, i) * slope;
  }
}
static void tube_wrong(const Call* c) { tube_backward(c, A(1)); }
static void tube_right(const Call* c) { tube_backward(c, -A(1)); }

/* WG-017: exp(-s p), s = -1 or 1; what is called the negative gradient is the gradient. */
static double loss_slope(const Call* c, int i) {
  const double s = 2.0 * I(0, i) - 1;
  return -s * exp(-s * X(1, i));
}
static void exponential_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = exp(-(2.0 * I(0, i) - 1) * X(1, i));
}
static void exponential_wrong(const Call* c) {
  EACH(i, A(0)) {
    const double negative_gradient = loss_slope(c, i);
    DX(1, i) = -negative_gradient * G(0, i);
  }
}
static void exponential_right(const Call* c) {
  EACH(i, A(0)) {
    const double negative_gradient = -loss_slope(c, i);
    DX(1, i) = -negative_gradient * G(0, i);
  }
}

/* WG-018: ln, in a system that takes the slope of what is not on its list for 1. */
UNARY(unlisted, log(x), g, g / x)

/*
 * WG-019: CTC loss of log probabilities: -log of the sum over all paths that collapse to the
 * labels. The occupancy of a step and class is the part of that sum that goes through it.
 */
static int collapses(const Call* c, int path, int steps, int classes) {
  const int count = A(2);
  int found = 0, last = 0;
  EACH(t, steps) {
    const int k = path % classes;
    path /= classes;
    if (k != 0 && k != last && (found == count || k != I(1, found++))) return 0;
    last = k;
  }
  return found == count;
}
static double walk_paths(const Call* c, double* occupancy) {
  const int steps = A(0), classes = A(1);
  double sum = 0;
  EACH(i, steps * classes) occupancy[i] = 0;
  EACH(path, pow(classes, steps) + 0.5) {
    if (!collapses(c, path, steps, classes)) continue;
    double total = 0;
    for (int t = 0, rest = path; t < steps; ++t, rest /= classes)
      total += X(0, t * classes + rest % classes);
    sum += exp(total);
    for (int t = 0, rest = path; t < steps; ++t, rest /= classes)
      occupancy[t * classes + rest % classes] += exp(total);
  }
  EACH(i, steps * classes) occupancy[i] /= sum;
  return sum;
}
static void ctc_forward(const Call* c) {
  double occupancy[15];
  Y(0, 0) = -log(walk_paths(c, occupancy));
}
static void ctc_wrong(const Call* c) {
  double occupancy[15];
  walk_paths(c, occupancy);
  EACH(i, A(0) * A(1)) DX(0, i) = G(0, 0) * (exp(X(0, i)) - occupancy[i]);
}
static void ctc_right(const Call* c) {
  double occupancy[15];
  walk_paths(c, occupancy);
  EACH(i, A(0) * A(1)) DX(0, i) = -G(0, 0) * occupancy[i];
}

/* WG-020: log probability of n, 0 or 1, at a logit; s = -1 or 1. Beyond 20 the sign is lost. */
static void bernoulli_forward(const Call* c) {
  EACH(i, A(0)) {
    const double t = (2.0 * I(0, i) - 1) * X(1, i);
    Y(0, i) = t > 20 ? -exp(-t) : t < -20 ? t : -log1p(exp(-t));
  }
}
static void bernoulli_backward(const Call* c, int is_right) {
  EACH(i, A(0)) {
    const double s = 2.0 * I(0, i) - 1, t = s * X(1, i);
    const double slope = t < -20  ? s
                         : t > 20 ? (is_right ? s : -1) * exp(-t)
                                  : s * exp(-t) / (1 + exp(-t));
    DX(1, i) = G(0, i) * slope;
  }
}
static void bernoulli_wrong(const Call* c) { bernoulli_backward(c, 0); }
static void bernoulli_right(const Call* c) { bernoulli_backward(c, 1); }

/* WG-021: contrastive loss of a pair; in the older variant it depends on the squared distance. */
static double squared_distance(const Call* c) {
  double sum = 0;
  EACH(i, A(0)) sum += (X(0, i) - X(1, i)) * (X(0, i) - X(1, i));
  return sum;
}
static void contrastive_forward(const Call* c) {
  const double d2 = squared_distance(c), margin = A(1), beyond = max2(0, margin - sqrt(d2));
  const double apart = A(2) != 0 ? max2(0, margin - d2) : beyond * beyond;
  Y(0, 0) = (I(2, 0) ? d2 : apart) / 2;
}
static void contrastive_backward(const Call* c, int is_right) {
  const double d2 = squared_distance(c), d = sqrt(d2), margin = A(1);
  EACH(i, A(0)) {
    const double diff = X(0, i) - X(1, i);
    double slope = diff;
    if (!I(2, 0) && A(2) != 0) {
      const int is_broken = A(3) != 0 && !is_right; /* on the GPU */
      slope = margin - d2 > 0 ? (is_broken ? -1 : -diff) : 0;
    } else if (!I(2, 0)) {
      slope = margin - d > 0 && d > 0 ? -(margin - d) * diff / d : 0;
    }
    DX(0, i) = G(0, 0) * slope;
    DX(1, i) = -DX(0, i);
  }
}
static void contrastive_wrong(const Call* c) { contrastive_backward(c, 0); }
static void contrastive_right(const Call* c) { contrastive_backward(c, 1); }

const Exhibit wg_a2[] = {
    {"WG-011",
     FUNCTIONS(log_softmax),
     {SIZE("n", 4, 2, 1, 9)},
     ON(REAL),
     .at = {LIST(0.1, 0.9)},
     .upstream = {LIST(1)}},
    {"WG-012", FUNCTIONS(softmax), {OF_ELEMENTS}, ON(REAL)},
    {"WG-013",
     FUNCTIONS(repeat),
     {OF_ELEMENTS, SIZE("times", 2, 2, 1, 4)},
     {{"x", "n", REAL, 0}},
     {OUT("y", "n * times")}},
    {"WG-014",
     FUNCTIONS(patches),
     {SIZE("h", 4, 4, 2, 6), SIZE("w", 4, 4, 2, 6), SIZE("size", 2, 2, 1, 2),
      SIZE("step", 2, 1, 1, 2)},
     {{"image", "h, w", REAL, 0}},
     {OUT("patches", "((h - size) / step + 1) * ((w - size) / step + 1), size * size")}},
    {"WG-015",
     FUNCTIONS(squared_difference),
     {OF_ELEMENTS},
     {{"a", "n", REAL, 0}, {"b", "n", REAL, 0}},
     {OUT("y", "n")}},
    {"WG-016",
     FUNCTIONS(tube),
     {OF_ELEMENTS, NUMBER("eps", 0.1, 0.1, 0, 1)},
     {{"y", "n", REAL, WG_NO_GRADIENT}, {"p", "n", REAL, 0}},
     {OUT("loss", "n")},
     .at = {LIST(0), LIST(0, 0.05, 1, -0.05)},
     .upstream = {LIST(1)}},
    {"WG-017",
     FUNCTIONS(exponential),
     {OF_ELEMENTS},
     {{"y", "n", "0", "1", WG_INTEGER}, {"p", "n", "-20", "20", 0}},
     {OUT("loss", "n")}},
    {"WG-018", FUNCTIONS(unlisted), {OF_ELEMENTS}, ON("0.01", "inf")},
    {"WG-019",
     FUNCTIONS(ctc),
     {SIZE("steps", 4, 4, 3, 5), SIZE("classes", 3, 3, 3, 3), SIZE("labels", 1, 1, 1, 2)},
     {{"log_probabilities", "steps, classes", "-3", "3", 0},
      {"labels", "labels", "1", "classes - 1", WG_INTEGER}},
     {OUT("loss", "1")}},
    {"WG-020",
     FUNCTIONS(bernoulli),
     {OF_ELEMENTS},
     {{"n", "n", "0", "1", WG_INTEGER}, {"theta", "n", REAL, 0}},
     {OUT("log_probability", "n")},
     .at = {LIST(1), LIST(20.1, 21, 25, 30)},
     .upstream = {LIST(1)}},
    {"WG-021",
     FUNCTIONS(contrastive),
     {SIZE("n", 3, 3, 1, 5), NUMBER("margin", 4, 4, 1, 8), FLAG("legacy", 0, 1), FLAG("gpu", 0, 1)},
     {{"a", "n", "-1", "1", 0}, {"b", "n", "-1", "1", 0}, {"similar", "1", "0", "1", WG_INTEGER}},
     {OUT("loss", "1")},
     .at = {LIST(0.5, -0.25, 0.75), LIST(0), LIST(0)},
     .upstream = {LIST(1)}},
    {0}};
