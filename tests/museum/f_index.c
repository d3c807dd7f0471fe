/* SPDX-License-Identifier: Apache-2.0 */
/* Kind F: an index, a layout, a window, an offset. */
#include "museum.h"

/* WG-045: depthwise convolution, every channel with its own taps; the weights' gradient is
 * transposed. */
static void depthwise_forward(const Call* c) {
  const int channels = A(0), n = A(1), taps = A(2), m = n - taps + 1;
  EACH(d, channels) EACH(i, m) {
    Y(0, d * m + i) = 0;
    EACH(k, taps) Y(0, d * m + i) += X(0, d * n + i + k) * X(1, d * taps + k);
  }
}
static void depthwise_backward(const Call* c, int is_right) {
  const int channels = A(0), n = A(1), taps = A(2), m = n - taps + 1;
  EACH(i, channels * n) DX(0, i) = 0;
  EACH(d, channels) EACH(k, taps) {
    const int at = is_right ? d * taps + k : k * channels + d;
    DX(1, at) = 0;
    EACH(i, m) {
      DX(1, at) += G(0, d * m + i) * X(0, d * n + i + k);
      DX(0, d * n + i + k) += G(0, d * m + i) * X(1, d * taps + k);
    }
  }
}
static void depthwise_wrong(const Call* c) { depthwise_backward(c, 0); }
static void depthwise_right(const Call* c) { depthwise_backward(c, 1); }

/* WG-046: three arrays one behind the other; the offset skips those whose gradient is not wanted.
 */
static void concat_forward(const Call* c) {
  int offset = 0;
  EACH(k, 3) EACH(i, A(k)) Y(0, offset++) = X(k, i);
}
static void concat_backward(const Call* c, int is_right) {
  int offset = 0;
  EACH(k, 3) {
    EACH(i, c->grad[k] ? A(k) : 0) DX(k, i) = G(0, offset + i);
    if (is_right || c->grad[k]) offset += A(k);
  }
}
static void concat_wrong(const Call* c) { concat_backward(c, 0); }
static void concat_right(const Call* c) { concat_backward(c, 1); }

/* WG-047: spherical harmonics of directions; every dimension reads the next row of the gradient. */
static void harmonics_forward(const Call* c) {
  EACH(r, A(0)) {
    const double x = X(0, 3 * r), y = X(0, 3 * r + 1), z = X(0, 3 * r + 2);
    const double values[4] = {-0.4886 * y, 0.4886 * z, 1.0925 * x * y, 0.3154 * (3 * z * z - 1)};
    EACH(k, 4) Y(0, 4 * r + k) = values[k];
  }
}
static void harmonics_backward(const Call* c, int stride) {
  const int rows = A(0);
  EACH(r, rows) {
    const double x = X(0, 3 * r), y = X(0, 3 * r + 1), z = X(0, 3 * r + 2);
    const double slopes[3][4] = {
        {0, 0, 1.0925 * y, 0}, {-0.4886, 0, 1.0925 * x, 0}, {0, 0.4886, 0, 1.8924 * z}};
    EACH(j, 3) {
      DX(0, 3 * r + j) = 0;
      /* What lies beyond the last row is taken for the first. */
      EACH(k, 4) DX(0, 3 * r + j) += G(0, (4 * r + j * stride + k) % (4 * rows)) * slopes[j][k];
    }
  }
}
static void harmonics_wrong(const Call* c) { harmonics_backward(c, 4); }
static void harmonics_right(const Call* c) { harmonics_backward(c, 0); }

/* WG-048: zeros in front and behind; the slice [before : -after] is empty where after is 0. */
static void pad_forward(const Call* c) {
  const int n = A(0), before = A(1), after = A(2);
  EACH(i, before + n + after) Y(0, i) = i < before || i >= before + n ? 0 : X(0, i - before);
}
static void pad_right(const Call* c) {
  const int before = A(1);
  EACH(i, A(0)) DX(0, i) = G(0, i + before);
}
static void pad_wrong(const Call* c) {
  const int before = A(1);
  EACH(i, A(0)) DX(0, i) = A(2) == 0 ? 0 : G(0, i + before);
}

/* WG-049: convolution of channels with channels; the input's gradient goes to the output's channel.
 */
static void channels_forward(const Call* c) {
  const int channels = A(0), n = A(1), taps = A(2), m = n - taps + 1;
  EACH(o, channels) EACH(i, m) {
    Y(0, o * m + i) = 0;
    EACH(d, channels)
    EACH(k, taps) Y(0, o * m + i) += X(1, (o * channels + d) * taps + k) * X(0, d * n + i + k);
  }
}
static void channels_backward(const Call* c, int is_right) {
  const int channels = A(0), n = A(1), taps = A(2), m = n - taps + 1;
  EACH(i, channels * n) DX(0, i) = 0;
  EACH(o, channels) EACH(d, channels) EACH(k, taps) {
    const int weight = (o * channels + d) * taps + k;
    DX(1, weight) = 0;
    EACH(i, m) {
      DX(0, (is_right ? d : o) * n + i + k) += X(1, weight) * G(0, o * m + i);
      DX(1, weight) += X(0, d * n + i + k) * G(0, o * m + i);
    }
  }
}
static void channels_wrong(const Call* c) { channels_backward(c, 0); }
static void channels_right(const Call* c) { channels_backward(c, 1); }

/* WG-050: gate times silu(a) b, row by row; the pointers to two gradients stay at the first row. */
static void swiglu_forward(const Call* c) {
  const int rows = A(0), n = A(1);
  EACH(i, rows * n) Y(0, i) = X(2, i / n) * X(0, i) * sigmoid(X(0, i)) * X(1, i);
}
static void swiglu_backward(const Call* c, int is_right) {
  const int rows = A(0), n = A(1);
  EACH(r, rows) {
    DX(2, r) = 0;
    EACH(j, n) {
      const int i = r * n + j, to = is_right ? i : j;
      const double a = X(0, i), b = X(1, i), s = sigmoid(a), g = G(0, i) * X(2, r);
      DX(0, to) = g * b * s * (1 + a * (1 - s));
      DX(1, to) = g * a * s;
      DX(2, r) += G(0, i) * a * s * b;
    }
  }
}
static void swiglu_wrong(const Call* c) { swiglu_backward(c, 0); }
static void swiglu_right(const Call* c) { swiglu_backward(c, 1); }

/*
 * WG-051: bilinear upsampling by a whole number. The backward gathers from a window of columns,
 * whose beginning is computed with the height: of images at least twice as high as wide it lies too
 * far left.
 */
static double hat(int out, int in, int scale,
                  int count) { /* how much of pixel `in` is in pixel `out` */
  double at = (out + 0.5) / scale - 0.5;
  at = at < 0 ? 0 : at > count - 1 ? count - 1 : at;
  return max2(0, 1 - fabs(at - in));
}
static void bilinear_forward(const Call* c) {
  const int h = A(0), w = A(1), s = A(2);
  EACH(i, h * s) EACH(j, w * s) {
    double sum = 0;
    EACH(p, h) EACH(q, w) sum += hat(i, p, s, h) * hat(j, q, s, w) * X(0, p * w + q);
    Y(0, i * w * s + j) = sum;
  }
}
static void bilinear_backward(const Call* c, int extent) {
  const int h = A(0), w = A(1), s = A(2);
  EACH(p, h) EACH(q, w) {
    const int first = (q - 1) * s + (q - extent) / (2 * w) * s;
    double sum = 0;
    EACH(i, h * s) EACH(k, 3 * s) {
      const int j = first + k;
      if (j >= 0 && j < w * s) sum += hat(i, p, s, h) * hat(j, q, s, w) * G(0, i * w * s + j);
    }
    DX(0, p * w + q) = sum;
  }
}
static void bilinear_wrong(const Call* c) { bilinear_backward(c, A(0)); }
static void bilinear_right(const Call* c) { bilinear_backward(c, A(1)); }

const Exhibit wg_f[] = {
    {"WG-045",
     FUNCTIONS(depthwise),
     {SIZE("channels", 2, 2, 1, 3), SIZE("n", 5, 5, 3, 6), SIZE("taps", 3, 3, 1, 3)},
     {{"x", "channels, n", REAL, 0}, {"w", "channels, taps", REAL, 0}},
     {OUT("y", "channels, n - taps + 1")}},
    {"WG-046",
     FUNCTIONS(concat),
     {SIZE("n_1", 3, 3, 1, 4), SIZE("n_2", 2, 2, 1, 4), SIZE("n_3", 2, 2, 1, 4)},
     {{"x_1", "n_1", REAL, WG_OPTIONAL},
      {"x_2", "n_2", REAL, WG_OPTIONAL},
      {"x_3", "n_3", REAL, WG_OPTIONAL}},
     {OUT("y", "n_1 + n_2 + n_3")},
     .show = WG_SHOW_UNWANTED},
    {"WG-047",
     FUNCTIONS(harmonics),
     {SIZE("rows", 3, 3, 1, 4)},
     {{"directions", "rows, 3", "-1", "1", 0}},
     {OUT("y", "rows, 4")}},
    {"WG-048",
     FUNCTIONS(pad),
     {OF_ELEMENTS, SIZE("before", 1, 1, 0, 3), SIZE("after", 1, 0, 0, 3)},
     {{"x", "n", REAL, 0}},
     {OUT("y", "before + n + after")}},
    {"WG-049",
     FUNCTIONS(channels),
     {SIZE("channels", 2, 2, 1, 3), SIZE("n", 5, 5, 3, 6), SIZE("taps", 2, 2, 1, 3)},
     {{"x", "channels, n", REAL, 0}, {"w", "channels, channels, taps", REAL, 0}},
     {OUT("y", "channels, n - taps + 1")}},
    {"WG-050",
     FUNCTIONS(swiglu),
     {SIZE("rows", 2, 2, 1, 3), SIZE("n", 3, 3, 1, 5)},
     {{"a", "rows, n", "-30", "30", 0}, {"b", "rows, n", REAL, 0}, {"gate", "rows", REAL, 0}},
     {OUT("y", "rows, n")},
     .show = WG_SHOW_PREFILLED},
    {"WG-051",
     FUNCTIONS(bilinear),
     {SIZE("h", 3, 6, 1, 6), SIZE("w", 3, 2, 1, 6), SIZE("scale", 2, 2, 1, 3)},
     {{"x", "h, w", REAL, 0}},
     {OUT("y", "h * scale, w * scale")}},
    {0}};
