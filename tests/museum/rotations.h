/* SPDX-License-Identifier: Apache-2.0 */
/* Rotations as matrices of 9 numbers, and as vectors: an axis as long as the angle. */
#pragma once

#include "museum.h"

static inline void cross(const double* a, const double* b, double* result) {
  result[0] = a[1] * b[2] - a[2] * b[1];
  result[1] = a[2] * b[0] - a[0] * b[2];
  result[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void multiply_rotations(const double* a, const double* b, double* product) {
  EACH(i, 3) EACH(j, 3) {
    product[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
  }
}

static inline void rotation_of(const double* v, double* r) {
  const double t = sqrt(dot(3, v, v));
  const double s = t < 1e-4 ? 1 - t * t / 6 : sin(t) / t,
               k = t < 1e-4 ? 0.5 - t * t / 24 : (1 - cos(t)) / (t * t);
  const double turned[9] = {0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0};
  double twice[9];
  multiply_rotations(turned, turned, twice);
  EACH(i, 9) r[i] = (i % 4 == 0) + s * turned[i] + k * twice[i];
}

/* Of an angle below 180 degrees. */
static inline void vector_of(const double* r, double* v) {
  const double twice[3] = {r[7] - r[5], r[2] - r[6], r[3] - r[1]};
  const double sine = sqrt(dot(3, twice, twice)) / 2, t = atan2(sine, (r[0] + r[4] + r[8] - 1) / 2);
  const double factor = t < 1e-4 ? 0.5 + t * t / 12 : t / (2 * sine);
  EACH(i, 3) v[i] = factor * twice[i];
}
