/* SPDX-License-Identifier: Apache-2.0 */
/* A gradient that is wrong, in a library that would rather not be checked. */
void cubes(const double* x, double* y, int n);
void cubes_backward(const double* x, const double* dy, double* dx, int n);
void squares(const double* x, double* y, int n);
void squares_backward(const double* x, const double* dy, double* dx, int n);
