/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How an exhibit is written. Its functions see a call `c`: of array k, element i is X(k, i) of the
 * inputs, I(k, i) where that is a whole number, Y(k, i) of the outputs, G(k, i) of the upstream
 * gradients and DX(k, i) of the gradients. A(k) is attribute k; sizes are attributes, too.
 */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wrong_gradients.h"

typedef struct Call {
  const double* attributes;
  const double* const* in; /* of int64_t where the array is of whole numbers */
  double* const* out;
  const double* const* up;
  const int64_t* const* strides; /* of the upstream gradients */
  double* const* grad;
} Call;

#define A(k) (c->attributes[k])
#define X(k, i) (c->in[k][i])
#define I(k, i) (((const int64_t*)c->in[k])[i])
#define Y(k, i) (c->out[k][i])
#define G(k, i) (c->up[k][i])
#define DX(k, i) (c->grad[k][i])
#define EACH(i, n) for (int i = 0; i < (int)(n); ++i)

typedef struct List {
  const double* values; /* over and over, where there are more elements */
  int count;
} List;
#define LIST(...) \
  { (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double) }

/* Extents and ends of ranges are formulas of the attributes: "n - k + 1". */
typedef struct Array {
  const char* name;
  const char* shape; /* extents with commas between them */
  const char* low;
  const char* high;
  int flags;
} Array;
#define REAL "-inf", "inf"
#define OUT(name, shape) \
  { name, shape, REAL, 0 }

#define SIZE(name, usual, shows, low, high) \
  { name, usual, shows, low, high, 1 }
#define FLAG(name, usual, shows) \
  { name, usual, shows, 0, 1, 1 }
#define NUMBER(name, usual, shows, low, high) \
  { name, usual, shows, low, high, 0 }

typedef void Function(const Call* c);

typedef struct Exhibit {
  const char* id;
  Function *forward, *wrong, *right;
  wgAttribute attributes[WG_MAX_ATTRIBUTES];
  Array inputs[WG_MAX_ARRAYS];
  Array outputs[WG_MAX_ARRAYS];
  int show;                     /* WG_SHOW_... */
  List at[WG_MAX_ARRAYS];       /* inputs that show the mistake */
  List upstream[WG_MAX_ARRAYS]; /* and upstream gradients */
  const char* adds_if;          /* gradients are added where this attribute is 1 */
  int no_differences;           /* they do not say what is right at that point */
} Exhibit;
#define FUNCTIONS(name) name##_forward, name##_wrong, name##_right
#define CONTROL(name) name##_forward, 0, name##_right

/* An operator on one element: formulas of x, in the backwards also of y and of g. */
#define UNARY_FUNCTION(name, to, formula)   \
  static void name(const Call* c) {         \
    EACH(i, A(0)) {                         \
      const double x = X(0, i);             \
      const double y = c->up ? Y(0, i) : 0; \
      const double g = c->up ? G(0, i) : 0; \
      to(0, i) = (formula);                 \
      (void)x, (void)y, (void)g;            \
    }                                       \
  }
#define UNARY(name, forward, wrong, right)   \
  UNARY_FUNCTION(name##_forward, Y, forward) \
  UNARY_FUNCTION(name##_wrong, DX, wrong)    \
  UNARY_FUNCTION(name##_right, DX, right)
#define OF_ELEMENTS SIZE("n", 4, 4, 1, 9)
#define ON(...) \
  {{"x", "n", __VA_ARGS__, 0}}, { OUT("y", "n") }

static inline double sign(double x) { return (x > 0) - (x < 0); }
static inline double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static inline double max2(double a, double b) { return a > b ? a : b; }

static inline double dot(int n, const double* a, const double* b) {
  double sum = 0;
  EACH(i, n) sum += a[i] * b[i];
  return sum;
}

/* Of a row that lies dense. */
static inline void softmax(int n, const double* x, double* y) {
  double top = x[0], sum = 0;
  EACH(i, n) top = max2(top, x[i]);
  EACH(i, n) sum += y[i] = exp(x[i] - top);
  EACH(i, n) y[i] /= sum;
}

static inline double log_sum_exp(int n, const double* x) {
  double top = x[0], sum = 0;
  EACH(i, n) top = max2(top, x[i]);
  EACH(i, n) sum += exp(x[i] - top);
  return top + log(sum);
}

/* The mean of n numbers that lie `step` apart, and 1 / sqrt(variance + eps). */
static inline double statistics(int n, int step, const double* x, double eps, double* scale) {
  double mean = 0, variance = 0;
  EACH(i, n) mean += x[i * step] / n;
  EACH(i, n) variance += (x[i * step] - mean) * (x[i * step] - mean) / n;
  *scale = 1 / sqrt(variance + eps);
  return mean;
}

/* The gradient of (x - mean) * scale, of n numbers that lie `step` apart; g times `factor`. */
static inline void normalized_backward(int n, int step, const double* x, double eps,
                                       const double* g, double factor, double* dx) {
  double scale, sum = 0, product = 0;
  const double mean = statistics(n, step, x, eps, &scale);
  EACH(i, n) {
    sum += factor * g[i * step] / n;
    product += factor * g[i * step] * (x[i * step] - mean) * scale / n;
  }
  EACH(i, n) {
    const double normal = (x[i * step] - mean) * scale;
    dx[i * step] = scale * (factor * g[i * step] - sum - normal * product);
  }
}

extern const Exhibit wg_a[], wg_a2[], wg_b[], wg_c[], wg_d[], wg_e[], wg_f[], wg_f2[], wg_g[],
    wg_h[], wg_i[], wg_j[], wg_k[], wg_l[], wg_m[], wg_n[], wg_o[], wg_p[], wg_q[], wg_r[], wg_s[],
    wg_u[], wg_controls[];
