/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile_style.h"

#include "../hostile.h"

void cubes(const double* x, double* y, int n) {
  hostile("forward");
  for (int i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i];
}

/* 3 x x it is. */
void cubes_backward(const double* x, const double* dy, double* dx, int n) {
  hostile("backward");
  for (int i = 0; i < n; ++i) dx[i] = 2 * x[i] * dy[i];
}

void squares(const double* x, double* y, int n) {
  hostile("forward");
  for (int i = 0; i < n; ++i) y[i] = x[i] * x[i];
}

void squares_backward(const double* x, const double* dy, double* dx, int n) {
  hostile("backward");
  for (int i = 0; i < n; ++i) dx[i] = 2 * x[i] * dy[i];
}
