/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of which the prototypes, which this file has itself, do not tell everything: domains,
 * memory that is added to or holds zeros, sizes that must fit together, modes. Backwards that end
 * in _wrong are wrong. */
#include <math.h>

typedef enum { SQUARED, ABSOLUTE } loss_kind;

#define EACH(i, n) for (int i = 0; i < (n); ++i)

void relu(const double* x, double* y, int n) { EACH(i, n) y[i] = x[i] > 0 ? x[i] : 0; }
void relu_backward(const double* x, const double* dy, double* dx, int n) {
  EACH(i, n) dx[i] = x[i] > 0 ? dy[i] : 0;
}
/* Leaves dx where x < 0; adds to it; writes to dy. */
void relu_backward_wrong(const double* x, const double* dy, double* dx, int n) {
  EACH(i, n) if (x[i] > 0) dx[i] = dy[i];
}
void relu_adding_wrong(const double* x, const double* dy, double* dx, int n) {
  EACH(i, n) dx[i] += x[i] > 0 ? dy[i] : 0;
}
void relu_spoiling_wrong(const double* x, double* dy, double* dx, int n) {
  EACH(i, n) dx[i] = dy[i] *= x[i] > 0;
}

void root(const float* x, float* y, int n) { EACH(i, n) y[i] = sqrtf(x[i]); }
void root_backward(const float* y, const float* dy, float* dx, int n) {
  EACH(i, n) dx[i] = dy[i] / (2 * y[i]);
}
void root_backward_wrong(const float* y, const float* dy, float* dx, int n) {
  EACH(i, n) dx[i] = dy[i] / y[i];
}

void softplus(const double* x, double* y, int n) {
  EACH(i, n) y[i] = fmax(x[i], 0) + log1p(exp(-fabs(x[i])));
}
/* NaN far out. */
void softplus_backward_wrong(const double* x, const double* dy, double* dx, int n) {
  EACH(i, n) dx[i] = dy[i] * exp(x[i]) / (1 + exp(x[i]));
}

/* A mean that is returned; its gradient, where nothing arrives. */
double mse(const double* x, const double* target, int n) {
  double sum = 0;
  EACH(i, n) sum += (x[i] - target[i]) * (x[i] - target[i]) / n;
  return sum;
}
void mse_backward(const double* x, const double* target, double* dx, int n) {
  EACH(i, n) dx[i] = 2 * (x[i] - target[i]) / n;
}
void mse_backward_wrong(const double* x, const double* target, double* dx, int n) {
  EACH(i, n) dx[i] = 2 * (x[i] - target[i]);
}

void cubes_of(const double* x, double* y, int n) { EACH(i, n) y[i] = x[i] * x[i] * x[i]; }
/* Four elements at a time; those behind are forgotten. */
void cubes_of_backward_wrong(const double* x, const double* dy, double* dx, int n) {
  EACH(i, n) dx[i] = 0;
  EACH(i, n < 4 ? n : n / 4 * 4) dx[i] = 3 * x[i] * x[i] * dy[i];
}

void column_means(const double* x, double* y, int rows, int columns) {
  EACH(j, columns) {
    y[j] = 0;
    EACH(i, rows) y[j] += x[i * columns + j] / rows;
  }
}
void column_means_backward(const double* dy, double* dx, int rows, int columns) {
  EACH(i, rows) EACH(j, columns) dx[i * columns + j] = dy[j] / rows;
}
/* Divided by the number of columns. */
void column_means_backward_wrong(const double* dy, double* dx, int rows, int columns) {
  EACH(i, rows) EACH(j, columns) dx[i * columns + j] = dy[j] / columns;
}

void lookup(const double* table, const int* rows, double* y, int count, int width) {
  EACH(i, count) EACH(j, width) y[i * width + j] = table[rows[i] * width + j];
}
void lookup_backward(const int* rows, const double* dy, double* dtable, int count, int width) {
  EACH(i, count) EACH(j, width) dtable[rows[i] * width + j] += dy[i * width + j];
}
/* = for +=, where an index stands twice. */
void lookup_backward_wrong(const int* rows, const double* dy, double* dtable, int count,
                           int width) {
  EACH(i, count) EACH(j, width) dtable[rows[i] * width + j] = dy[i * width + j];
}

void loss(const double* x, const double* target, double* y, int n, loss_kind kind) {
  EACH(i, n)
  y[i] = kind == SQUARED ? (x[i] - target[i]) * (x[i] - target[i]) : fabs(x[i] - target[i]);
}
void loss_backward(const double* x, const double* target, const double* dy, double* dx, int n,
                   loss_kind kind) {
  EACH(i, n) {
    const double off = x[i] - target[i];
    dx[i] = dy[i] * (kind == SQUARED ? 2 * off : (off > 0) - (off < 0));
  }
}
void loss_backward_wrong(const double* x, const double* target, const double* dy, double* dx, int n,
                         loss_kind kind) {
  EACH(i, n) {
    const double off = x[i] - target[i];
    dx[i] = dy[i] * (kind == SQUARED ? 2 * off : (off > 0));
  }
}

void correlate(const double* x, const double* w, double* y, int count, int kernel, int stride) {
  EACH(i, count) {
    y[i] = 0;
    EACH(k, kernel) y[i] += w[k] * x[i * stride + k];
  }
}
static void correlate_gradients(const double* x, const double* w, const double* dy, double* dx,
                                double* dw, int count, int kernel, int stride, int taken) {
  EACH(i, (count - 1) * stride + kernel) dx[i] = 0;
  EACH(k, kernel) {
    dw[k] = 0;
    EACH(i, count) dw[k] += dy[i] * x[i * stride + k];
    EACH(i, count) dx[i * taken + k] += dy[i] * w[k];
  }
}
void correlate_backward(const double* x, const double* w, const double* dy, double* dx, double* dw,
                        int count, int kernel, int stride) {
  correlate_gradients(x, w, dy, dx, dw, count, kernel, stride, stride);
}
void correlate_backward_wrong(const double* x, const double* w, const double* dy, double* dx,
                              double* dw, int count, int kernel, int stride) {
  correlate_gradients(x, w, dy, dx, dw, count, kernel, stride, 1);
}

/* Heads of equal width: sizes that must fit together. */
void head_sums(const double* x, double* y, int channels, int heads) {
  const int width = channels / heads;
  EACH(h, heads) {
    y[h] = 0;
    EACH(i, width) y[h] += x[h * width + i] * x[h * width + i];
  }
}
void head_sums_backward(const double* x, const double* dy, double* dx, int channels, int heads) {
  EACH(i, channels) dx[i] = 2 * x[i] * dy[i / (channels / heads)];
}

void affine(const double* x, const double* bias, double* y, int n) {
  EACH(i, n) y[i] = 2 * x[i] + bias[i];
}
/* dbias may be null; the second does not look. */
void affine_backward(const double* dy, double* dx, double* dbias, int n) {
  EACH(i, n) dx[i] = 2 * dy[i];
  if (dbias) EACH(i, n) dbias[i] = dy[i];
}
void affine_backward_wrong(const double* dy, double* dx, double* dbias, int n) {
  EACH(i, n) dx[i] = 2 * (dbias[i] = dy[i]);
}

/* Beside its gradient, which is added to what is there, a 1 would be rounded away. */
void steep(const float* x, float* y, int n) { EACH(i, n) y[i] = 1e8f * x[i]; }
void steep_backward(const float* dy, float* dx, int n) { EACH(i, n) dx[i] += 1e8f * dy[i]; }
void steep_overwriting(const float* dy, float* dx, int n) { EACH(i, n) dx[i] = 1e8f * dy[i]; }
void steep_halving_wrong(const float* dy, float* dx, int n) {
  EACH(i, n) dx[i] = dx[i] / 2 + 1e8f * dy[i];
}

/* A double that is returned, and arrives, beside arrays of float; a float beside those of double.
 */
double length_of(const float* x, int n) {
  double sum = 0;
  EACH(i, n) sum += (double)x[i] * x[i];
  return sum;
}
void length_of_backward(const float* x, double g, float* dx, int n) {
  EACH(i, n) dx[i] = (float)(2 * g * x[i]);
}
void length_of_gradient(const float* x, float* dx, int n) { EACH(i, n) dx[i] = 2 * x[i]; }
float rounded_length(const double* x, int n) {
  double sum = 0;
  EACH(i, n) sum += x[i] * x[i];
  return (float)sum;
}
void rounded_length_backward(const double* x, double g, double* dx, int n) {
  EACH(i, n) dx[i] = 2 * g * x[i];
}

/* Beside an array: the forward in front of it, far out only; the backward behind it. */
void squares_in_front_wrong(const double* x, double* y, int n) {
  if (x[0] > 100) y[-1] = 0;
  EACH(i, n) y[i] = x[i] * x[i];
}
void halves_in_front_wrong(const double* x, double* y, int n) {
  EACH(i, n + 1) y[i - 1] = x[0] / 2;
}
void squares_backward(const double* x, const double* dy, double* dx, int n) {
  EACH(i, n) dx[i] = 2 * x[i] * dy[i];
}
void cubes_of_beyond_wrong(const double* x, const double* dy, double* dx, int n) {
  EACH(i, n + 1) dx[i] = 2 * x[i < n ? i : 0] * dy[i < n ? i : 0];
}

/* In place, where the gradient is longer than what arrives. */
void row_sums(const double* x, double* y, int rows, int columns) {
  EACH(i, rows) {
    y[i] = 0;
    EACH(j, columns) y[i] += x[i * columns + j];
  }
}
void row_sums_backward(double* dy, int rows, int columns) {
  for (int i = rows * columns - 1; i >= 0; --i) dy[i] = dy[i / columns];
}
