/* SPDX-License-Identifier: Apache-2.0 */
/* As in libraries with const and long names; double, returned losses, rows that are further apart
 * than they are long; and functions that do what no function should. */
#ifndef LIBRARY_STYLE_H
#define LIBRARY_STYLE_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#define KERNEL_API __attribute__((visibility("default")))
typedef double real_t;

KERNEL_API void swish_forward(const float* __restrict input, float* __restrict output,
                              size_t count);
KERNEL_API void swish_backward(const float* __restrict grad_output, const float* __restrict input,
                               float* __restrict grad_input, size_t count);

// The logarithm: numbers below 0 have none.
KERNEL_API void log_fwd(const double* x, double* y, int64_t n);
KERNEL_API void log_bwd(const double* x, const double* y_grad, double* x_grad, int64_t n);

/* Without names; with others. */
KERNEL_API void cube_fwd(const double*, double*, int64_t);
KERNEL_API void cube_bwd(const double* v, const double* grad, double* grad_v, int64_t count);

/* Half the squared distance, and its gradient times g. */
KERNEL_API real_t distance(const real_t* a, const real_t* b, int n);
KERNEL_API void distance_gradient(const real_t* a, const real_t* b, real_t g, real_t* da,
                                  real_t* db, int n);
KERNEL_API void distance_gradient_wrong(const real_t* a, const real_t* b, real_t g, real_t* da,
                                        real_t* db, int n);

/* Rows of `cols` numbers, ld apart. */
KERNEL_API void scale_rows(const double* src, const double* factor, double* dst, int rows, int cols,
                           int ld);
KERNEL_API void scale_rows_diff(const double* src, const double* factor, const double* dst_diff,
                                double* src_diff, double* factor_diff, int rows, int cols, int ld);

/* The same; clears what lies between the rows, and behind the last one. */
KERNEL_API void scale_rows_clearing(const double* src, const double* factor, const double* dst_diff,
                                    double* src_diff, double* factor_diff, int rows, int cols,
                                    int ld);

KERNEL_API void pool_forward(const float* bottom, float* top, int channels, int width);
KERNEL_API void pool_backward(const float* bottom, const float* top_diff, float* bottom_diff,
                              int channels, int width);
/* Beyond the end; not through; into nothing. */
KERNEL_API void pool_backward_beyond(const float* bottom, const float* top_diff, float* bottom_diff,
                                     int channels, int width);
KERNEL_API void pool_backward_forever(const float* bottom, const float* top_diff,
                                      float* bottom_diff, int channels, int width);
KERNEL_API void pool_backward_crash(const float* bottom, const float* top_diff, float* bottom_diff,
                                    int channels, int width);

/* r = p + 2 q; names that say nothing, and the gradient of q first. */
void blend(const double* p, const double* q, double* r, int n);
void blend_back(const double* t, double* u, double* v, int n);

#ifdef __cplusplus
}
#endif

#endif
