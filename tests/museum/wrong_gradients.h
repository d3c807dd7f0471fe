/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libwrong_gradients.so: a museum of gradients that were wrong and shipped. Each of the 127
 * exhibits is a small operator with three functions on arrays: its forward, the wrong backward and
 * the right one. Behind them are 15 controls, which were reported as wrong and are right: those
 * have no wrong backward. The library scores gradient checkers: one that finds an exhibit blames
 * its wrong backward and not its right one. docs/museum.md says what they are and how to score one.
 *
 *   for (int e = 0; e < wgCount(); ++e) {
 *     wgAttribute attributes[WG_MAX_ATTRIBUTES];
 *     double values[WG_MAX_ATTRIBUTES];
 *     int count = wgAttributes(e, attributes);
 *     for (int k = 0; k < count; ++k) values[k] = attributes[k].usual;
 *     wgArray inputs[WG_MAX_ARRAYS], outputs[WG_MAX_ARRAYS];
 *     int input_count, output_count;
 *     wgDescribe(e, values, inputs, &input_count, outputs, &output_count);
 *     ... allocate; wgDraw(e, values, seed, k, memory of input k); wgForward(...); wgBackward(...)
 *   }
 *
 * Numbers of exhibits count from 0. Arrays are dense and row-major, of float64, or of int64 where
 * WG_INTEGER is set. Nothing here allocates memory that the caller frees, and nothing keeps state.
 * Numbers out of range are answered with null, 0 or nothing.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WG_API __attribute__((visibility("default")))

enum { WG_MAX_ATTRIBUTES = 6, WG_MAX_ARRAYS = 6, WG_MAX_RANK = 4 };

/* Of an array. Unless a flag says otherwise, a backward reads inputs, outputs and upstream
 * gradients that lie apart and are dense, leaves them alone, and writes every element of its
 * gradients. */
enum {
  WG_INTEGER = 1, /* of int64, such as indices: without a gradient */
  WG_NO_GRADIENT =
      2,           /* an input that is a constant; an output that is kept for the backward only */
  WG_ADDS = 4,     /* of an input: its gradient is added to what its memory holds */
  WG_OPTIONAL = 8, /* of an input: its gradient may be a null pointer: not wanted */
  WG_STRIDED = 16, /* of an output: its upstream gradient may have any strides, also of 0 */
  WG_OVER_UPSTREAM =
      32,       /* of an output: the first input's gradient may lie over its upstream gradient */
  WG_OVER = 64, /* of an array: the first input's gradient may lie over it */
  WG_CONSUMED = 128,  /* of an input: the backward may use its memory for other things */
  WG_SYMMETRIC = 256, /* of an input: a symmetric matrix; elements are moved in pairs */
  WG_AT_ZERO = 512    /* of an input: an increment, always 0, as of a point on a manifold */
};

typedef struct wgArray {
  const char* name;
  int flags;
  double low, high; /* where the operator is defined: from -INFINITY to INFINITY for all numbers */
  int rank;
  int64_t shape[WG_MAX_RANK];
} wgArray;

/* A parameter of an operator, or a size. The exhibits are right at more of the range than not. */
typedef struct wgAttribute {
  const char* name;
  double usual; /* the default, and where that is known, what the project's own tests had */
  double shows; /* where the mistake shows */
  double low, high;
  int whole; /* whole numbers only: sizes, numbers of things, 0 or 1 */
} wgAttribute;

/* What is done to show a mistake, beside attributes and inputs. */
enum {
  WG_SHOW_PREFILLED = 1,     /* the gradients' memory holds numbers */
  WG_SHOW_EXPANDED = 2,      /* the upstream gradient is one number with strides of 0 */
  WG_SHOW_TRANSPOSED = 4,    /* the upstream gradient is a transposed view */
  WG_SHOW_OVER_UPSTREAM = 8, /* the first gradient lies over the first upstream gradient */
  WG_SHOW_OVER_OUTPUT = 16,  /* over the first output */
  WG_SHOW_SAME_INPUT = 32,   /* the first two inputs are one array */
  WG_SHOW_UNWANTED = 64,     /* the first gradient is not wanted */
  WG_SHOW_UPSTREAM = 128     /* the upstream gradient itself is damaged */
};

/* How many there are, and how many of them are exhibits: the first ones. */
WG_API int wgCount(void);
WG_API int wgExhibits(void);

/*
 * A fact: "id" (WG-001), "kind" (A to U), "project", "source", "year", "operator", "wrong",
 * "right", "shows", "needs", "verdict" (of the plain gradient check: plain, conditional, blind),
 * "gradcheck", "evidence"; "reconstructed" is not empty where the formula was made to fit the
 * symptoms. Null for another name.
 */
WG_API const char* wgFact(int exhibit, const char* fact);

/* What a letter stands for: "Wrong formula". Null for another one. */
WG_API const char* wgKind(char kind);

/* Writes the attributes, at most WG_MAX_ATTRIBUTES, and returns their number. */
WG_API int wgAttributes(int exhibit, wgAttribute* attributes);

/* Writes what the arrays are under these attributes; the numbers of arrays do not depend on them.
 */
WG_API void wgDescribe(int exhibit, const double* attributes, wgArray* inputs, int* input_count,
                       wgArray* outputs, int* output_count);

/* Writes an input as a plain test has it: normal numbers, no further out than the range, where that
 * reaches from -4 to 4; else evenly distributed ones, or, where the range has one end, ones whose
 * distance from it is the magnitude of a normal number; whole numbers at random, which may repeat.
 */
WG_API void wgDraw(int exhibit, const double* attributes, uint64_t seed, int input, void* values);

/*
 * The inputs, and the upstream gradients of an output, that show the mistake, under the attributes'
 * values that do: numbers of the report where it has them, else as wgDraw has them (and upstream
 * gradients normal). Returns the set of WG_SHOW_....
 */
WG_API int wgShow(int exhibit);
WG_API void wgShowInput(int exhibit, uint64_t seed, int input, void* values);
WG_API void wgShowUpstream(int exhibit, uint64_t seed, int output, double* values);

/* Whether differences of the forward say what the gradient is at the point that shows the mistake.
 */
WG_API int wgShowsByDifferences(int exhibit);

/* Writes the outputs. */
WG_API void wgForward(int exhibit, const double* attributes, const void* const* inputs,
                      double* const* outputs);

/*
 * Writes or adds the gradients of the inputs: a null pointer for an input without one. An output
 * without a gradient has a null pointer as its upstream gradient. strides: for every output those
 * of its upstream gradient, in elements, or null for dense ones. The wrong backward writes to no
 * memory that is not in one of the arrays, and reads none.
 */
WG_API void wgBackward(int exhibit, int is_right, const double* attributes,
                       const void* const* inputs, double* const* outputs,
                       const double* const* upstream, const int64_t* const* strides,
                       double* const* gradients);

#ifdef __cplusplus
}
#endif
