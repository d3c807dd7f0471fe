/* SPDX-License-Identifier: Apache-2.0 */
/* As in libraries for pictures: windows, indices that the forward keeps, places that depend on
 * values, and a gradient that is spoilt on the way. */
#ifndef VISION_STYLE_H
#define VISION_STYLE_H
#include "vision_types.h"

/* Windows that do not overlap; keeps where the largest is. */
void max_windows(const float* input, float* output, int* indices, int channels, int length,
                 int window);
void max_windows_backward(const int* indices, const float* output_delta, float* input_delta,
                          int channels, int length, int window);

/* A row of `picture` at places between its elements, counted from its end. */
void sample(const double* picture, const double* places, double* samples, int width, int count);
void sample_backward(const double* grad_samples, const double* picture, const double* places,
                     double* grad_picture, double* grad_places, int width, int count);

/* The backward multiplies what arrives by the slope, in place, and goes on with it. */
void dense(const float* input, const float* weights, float* output, int inputs, int outputs,
           shape_activation activation);
void dense_backward(const float* input, const float* weights, const float* output,
                    float* output_delta, float* input_delta, float* weight_updates, int inputs,
                    int outputs, shape_activation activation);

/* Windows as columns, and back: of what is linear the backward needs no value. */
void columns_of(const float* row, int length, int window, float* columns);
void row_of(const float* columns, int length, int window, float* row);

/* A smooth ReLU; the backward adds nothing where the result is 0. */
void smooth_relu(const float* src, float* dest, int n, float beta);
void smooth_relu_gradient(const float* dest, const float* d_dest, float* d_src, int n, float beta);

/* Slopes of 0.75 and 1 at 0. */
void bent(const float* src, float* dest, int n);
void bent_gradient(const float* dest, const float* d_dest, float* d_src, int n);

#endif
