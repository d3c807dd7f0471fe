/* SPDX-License-Identifier: Apache-2.0 */
/* As in libraries for pictures: windows, indices that the forward keeps, places that depend on
 * values, and a gradient that is spoilt on the way. */
#include "vision_types.h"

#include <math.h>

/* Windows that do not overlap; keeps where the largest is. */
void max_windows(const float* input, float* output, int* indices, int channels, int length,
                 int window) {
  const int count = length / window;
  for (int i = 0; i < channels * count; ++i) {
    const int first = i / count * length + i % count * window;
    indices[i] = first;
    for (int k = first; k < first + window; ++k) {
      if (input[k] > input[indices[i]]) indices[i] = k;
    }
    output[i] = input[indices[i]];
  }
}
void max_windows_backward(const int* indices, const float* output_delta, float* input_delta,
                          int channels, int length, int window) {
  for (int i = 0; i < channels * (length / window); ++i) {
    input_delta[indices[i]] += output_delta[i];
  }
}

/* A row of `picture` at places between its elements, counted from its end. */
static int left_of(double place, int width) {
  return (int)fmin(fmax(floor(width - 1 - place), 0), (double)(width - 2));
}
void sample(const double* picture, const double* places, double* samples, int width, int count) {
  for (int i = 0; i < count; ++i) {
    const int left = left_of(places[i], width);
    const double part = width - 1 - places[i] - left;
    samples[i] = picture[left] * (1 - part);
    if (part != 0) samples[i] += picture[left + 1] * part;
  }
}
void sample_backward(const double* grad_samples, const double* picture, const double* places,
                     double* grad_picture, double* grad_places, int width, int count) {
  for (int i = 0; i < count; ++i) {
    const int left = left_of(places[i], width);
    const double part = width - 1 - places[i] - left;
    grad_picture[left] += grad_samples[i] * (1 - part);
    grad_picture[left + 1] += grad_samples[i] * part;
    grad_places[i] = grad_samples[i] * (picture[left] - picture[left + 1]);
  }
}

/* The backward multiplies what arrives by the slope, in place, and goes on with it. */
void dense(const float* input, const float* weights, float* output, int inputs, int outputs,
           shape_activation activation) {
  for (int o = 0; o < outputs; ++o) {
    output[o] = 0;
    for (int i = 0; i < inputs; ++i) output[o] += input[i] * weights[o * inputs + i];
    output[o] = activation == RECTIFIED ? fmaxf(output[o], 0) : tanhf(output[o]);
  }
}
void dense_backward(const float* input, const float* weights, const float* output,
                    float* output_delta, float* input_delta, float* weight_updates, int inputs,
                    int outputs, shape_activation activation) {
  for (int o = 0; o < outputs; ++o) {
    const float y = output[o];
    output_delta[o] *= activation == RECTIFIED ? (float)(y > 0) : 1 - y * y;
    for (int i = 0; i < inputs; ++i) {
      input_delta[i] += output_delta[o] * weights[o * inputs + i];
      weight_updates[o * inputs + i] += output_delta[o] * input[i];
    }
  }
}

/* Windows as columns, and back: of what is linear the backward needs no value. */
void columns_of(const float* row, int length, int window, float* columns) {
  for (int i = 0; i + window <= length; ++i) {
    for (int k = 0; k < window; ++k) columns[i * window + k] = row[i + k];
  }
}
void row_of(const float* columns, int length, int window, float* row) {
  for (int i = 0; i + window <= length; ++i) {
    for (int k = 0; k < window; ++k) row[i + k] += columns[i * window + k];
  }
}

/* A smooth ReLU; the backward adds nothing where the result is 0. */
void smooth_relu(const float* src, float* dest, int n, float beta) {
  for (int i = 0; i < n; ++i) {
    const float x = src[i];
    dest[i] = x >= beta ? x : x <= -beta ? 0 : (x + beta) * (x + beta) / (4 * beta);
  }
}
void smooth_relu_gradient(const float* dest, const float* d_dest, float* d_src, int n, float beta) {
  for (int i = 0; i < n; ++i) {
    if (dest[i] == 0) continue;
    d_src[i] += dest[i] >= beta ? d_dest[i] : sqrtf(beta * dest[i]) / beta * d_dest[i];
  }
}

/* Slopes of 0.75 and 1 at 0. */
void bent(const float* src, float* dest, int n) {
  for (int i = 0; i < n; ++i) dest[i] = src[i] > 0 ? src[i] : 0.75f * (expf(src[i]) - 1);
}
void bent_gradient(const float* dest, const float* d_dest, float* d_src, int n) {
  for (int i = 0; i < n; ++i) d_src[i] += d_dest[i] * (dest[i] > 0 ? 1 : 0.75f + dest[i]);
}
