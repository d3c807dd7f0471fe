/* SPDX-License-Identifier: Apache-2.0 */
#include "library_style.h"

#include <math.h>

void swish_forward(const float* input, float* output, size_t count) {
  for (size_t i = 0; i < count; ++i) output[i] = input[i] / (1 + expf(-input[i]));
}
void swish_backward(const float* grad_output, const float* input, float* grad_input, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const float s = 1 / (1 + expf(-input[i]));
    grad_input[i] = grad_output[i] * s * (1 + input[i] * (1 - s));
  }
}

void log_fwd(const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = log(x[i]);
}
void log_bwd(const double* x, const double* y_grad, double* x_grad, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x_grad[i] = y_grad[i] / x[i];
}

void cube_fwd(const double* v, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = v[i] * v[i] * v[i];
}
void cube_bwd(const double* v, const double* grad, double* grad_v, int64_t count) {
  for (int64_t i = 0; i < count; ++i) grad_v[i] = 3 * v[i] * v[i] * grad[i];
}

real_t distance(const real_t* a, const real_t* b, int n) {
  real_t sum = 0;
  for (int i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]) / 2;
  return sum;
}
void distance_gradient(const real_t* a, const real_t* b, real_t g, real_t* da, real_t* db, int n) {
  for (int i = 0; i < n; ++i) {
    da[i] = g * (a[i] - b[i]);
    db[i] = -da[i];
  }
}
void distance_gradient_wrong(const real_t* a, const real_t* b, real_t g, real_t* da, real_t* db,
                             int n) {
  distance_gradient(a, b, g, da, db, n);
  for (int i = 0; i < n; ++i) db[i] = da[i];
}

void scale_rows(const double* src, const double* factor, double* dst, int rows, int cols, int ld) {
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < cols; ++i) dst[r * ld + i] = factor[r] * src[r * ld + i];
  }
}
void scale_rows_diff(const double* src, const double* factor, const double* dst_diff,
                     double* src_diff, double* factor_diff, int rows, int cols, int ld) {
  for (int r = 0; r < rows; ++r) {
    factor_diff[r] = 0;
    for (int i = 0; i < cols; ++i) {
      src_diff[r * ld + i] = factor[r] * dst_diff[r * ld + i];
      factor_diff[r] += src[r * ld + i] * dst_diff[r * ld + i];
    }
  }
}

void scale_rows_clearing(const double* src, const double* factor, const double* dst_diff,
                         double* src_diff, double* factor_diff, int rows, int cols, int ld) {
  for (int i = 0; i < rows * ld; ++i) src_diff[i] = 0;
  scale_rows_diff(src, factor, dst_diff, src_diff, factor_diff, rows, cols, ld);
}

static int place_of_largest(const float* row, int width) {
  int place = 0;
  for (int i = 1; i < width; ++i) place = row[i] > row[place] ? i : place;
  return place;
}
void pool_forward(const float* bottom, float* top, int channels, int width) {
  for (int c = 0; c < channels; ++c) {
    top[c] = bottom[c * width + place_of_largest(bottom + c * width, width)];
  }
}
void pool_backward(const float* bottom, const float* top_diff, float* bottom_diff, int channels,
                   int width) {
  for (int c = 0; c < channels; ++c) {
    for (int i = 0; i < width; ++i) bottom_diff[c * width + i] = 0;
    bottom_diff[c * width + place_of_largest(bottom + c * width, width)] = top_diff[c];
  }
}
void pool_backward_beyond(const float* bottom, const float* top_diff, float* bottom_diff,
                          int channels, int width) {
  pool_backward(bottom, top_diff, bottom_diff, channels, width);
  bottom_diff[channels * width] = 0;
}
void pool_backward_forever(const float* bottom, const float* top_diff, float* bottom_diff,
                           int channels, int width) {
  pool_backward(bottom, top_diff, bottom_diff, channels, width);
  for (volatile int i = 0; bottom[0] != bottom[1]; ++i) {
  }
}
void pool_backward_crash(const float* bottom, const float* top_diff, float* bottom_diff,
                         int channels, int width) {
  pool_backward(bottom, top_diff, bottom_diff, channels, width);
  *(volatile int*)(intptr_t)(channels - channels) = 0;
}

void blend(const double* p, const double* q, double* r, int n) {
  for (int i = 0; i < n; ++i) r[i] = p[i] + 2 * q[i];
}

void blend_back(const double* t, double* u, double* v, int n) {
  for (int i = 0; i < n; ++i) {
    u[i] = 2 * t[i];
    v[i] = t[i];
  }
}
