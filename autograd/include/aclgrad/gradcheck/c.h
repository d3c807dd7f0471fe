/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gradcheck for C and for languages that call C: checks pairs of plain functions
 * (aclgradGradcheckRunPair), and operators of a library with the aclnn interface, as the program
 * aclgrad-gradcheck does. Library: aclgrad_gradcheck_c, which needs neither that interface's
 * libraries nor anything else of this project.
 *
 *   aclgradGradcheck* check = NULL;
 *   int status = aclgradGradcheckOpen("./libmine.so", &check);
 *   if (status == ACLGRAD_GRADCHECK_RIGHT) status = aclgradGradcheckSet(check, "dtype", "float32");
 *   if (status == ACLGRAD_GRADCHECK_RIGHT) status = aclgradGradcheckRun(check, "silu");
 *   if (status == ACLGRAD_GRADCHECK_WRONG) puts(aclgradGradcheckReport(check, "text"));
 *   if (status == ACLGRAD_GRADCHECK_USAGE) puts(aclgradGradcheckMessage());
 *   aclgradGradcheckClose(check);
 *
 * A check is for one thread at a time. No function throws, and null pointers are answered with
 * ACLGRAD_GRADCHECK_USAGE.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACLGRAD_GRADCHECK_API __attribute__((visibility("default")))

/* The exit statuses of aclgrad-gradcheck. */
enum {
  ACLGRAD_GRADCHECK_RIGHT = 0,
  ACLGRAD_GRADCHECK_WRONG = 1,
  ACLGRAD_GRADCHECK_INCONCLUSIVE = 2, /* nothing is wrong, but something could not be decided, or
                                         nothing was checked */
  ACLGRAD_GRADCHECK_USAGE = 3,        /* the call is wrong: see aclgradGradcheckMessage */
  ACLGRAD_GRADCHECK_LIBRARY = 4,      /* the library cannot be used, or lacks the operator */
  ACLGRAD_GRADCHECK_VACUOUS = 5,      /* all is right, but a gradient was mostly 0 */
  ACLGRAD_GRADCHECK_INEXACT = 6       /* nothing is wrong, but something is some units of the last
                                         place beyond the bound: "ulp-slack" allows for it */
};

typedef struct aclgradGradcheck aclgradGradcheck;

/*
 * Opens a shared library by path or name; null for the functions of the process itself, which are
 * looked for when the first operator is checked. *check is null unless the result is
 * ACLGRAD_GRADCHECK_RIGHT.
 */
ACLGRAD_GRADCHECK_API int aclgradGradcheckOpen(const char* library, aclgradGradcheck** check);

/*
 * Sets one of the program's options, without its dashes, for the runs that follow: "dtype" to
 * "float32,bf16", "layout" to "strided", "shape" to "4x6", "check" to "values,inputs,bits" (default
 * "values,statuses"), "seed", "ulp-slack", or an attribute, such as "alpha" to "1.3" and
 * "keep-dims" to "true". A null value takes the setting back.
 */
ACLGRAD_GRADCHECK_API int aclgradGradcheckSet(aclgradGradcheck* check, const char* option,
                                              const char* value);

/*
 * Checks operators, by names with commas between them; null: every operator with every combination
 * of attributes worth checking. An attribute that is set must be one of theirs.
 */
ACLGRAD_GRADCHECK_API int aclgradGradcheckRun(aclgradGradcheck* check, const char* operators);

/* Of the arrays of a pair of functions. */
enum {
  ACLGRAD_GRADCHECK_NO_GRADIENT = 1, /* of a floating array: no gradient, as of kept statistics */
  ACLGRAD_GRADCHECK_ADDS = 2,        /* of an input: its gradient is added to what is there */
  ACLGRAD_GRADCHECK_CONSUMED = 4,    /* the backward may use its memory: that of an input, or of the
                                        gradient that arrives at an output */
  ACLGRAD_GRADCHECK_SYMMETRIC = 8,   /* of an input of shape {n, n}: both triangles are moved
                                        together, so the gradient may be of either or shared */
  ACLGRAD_GRADCHECK_AT_ZERO = 16,    /* of an input: it is 0, as an increment to a rotation is; low
                                        and high are not looked at */
  ACLGRAD_GRADCHECK_RANGE = 512,     /* of a floating input: low and high are its range, even where
                                        both are 0 */
  /* Of families only: */
  ACLGRAD_GRADCHECK_OPTIONAL = 32, /* of an input: its gradient may be null, not wanted */
  ACLGRAD_GRADCHECK_STRIDED = 64,  /* of an output: its gradient may have any strides */
  ACLGRAD_GRADCHECK_OVER = 128,    /* of an output: the first input's gradient may lie over it, */
  ACLGRAD_GRADCHECK_OVER_GRADIENT = 256 /* or over its gradient */
};

/* An array of a function: dense, row-major. */
typedef struct aclgradGradcheckArray {
  const char* name;
  const int64_t* shape; /* its `rank` extents; of rank 0 it has one element */
  int rank;
  const char* dtype; /* "float32" or null, "float64", "float16", "bfloat16" (16-bit patterns, as
                        uint16_t); without a gradient "int32", "int64", too */
  double low, high;  /* of inputs: values are drawn from here; both 0: from -4 to 4 if they are
                        floating and `flags` has no ACLGRAD_GRADCHECK_RANGE, else 0; an infinity:
                        from 8 beside the other end, or  from  -4 to 4, and families are tried at
                        numbers far out, too */
  int flags;         /* ACLGRAD_GRADCHECK_NO_GRADIENT, ... */
} aclgradGradcheckArray;

/* Reads the inputs and writes every element of every output. */
typedef void aclgradGradcheckForward(const void* const* inputs, void* const* outputs,
                                     void* context);

/*
 * Is given the inputs, what the forward makes of them, and the gradients that arrive at the
 * outputs; writes those of the inputs. Of an array without a gradient that is null.
 */
typedef void aclgradGradcheckBackward(const void* const* inputs, const void* const* outputs,
                                      const void* const* output_gradients,
                                      void* const* input_gradients, void* context);

/*
 * A pair of functions. Members that are not named are 0. What is differentiated, by numbers, is
 * the forward or, where there is one, the reference: the same function on float64.
 *
 *   static void forward(const void* const* in, void* const* out, void* n) {
 *     silu_bf16(in[0], out[0], *(int*)n);
 *   }
 *   static void backward(const void* const* in, const void* const* out, const void* const* d_out,
 *                        void* const* d_in, void* n) {
 *     silu_backward_bf16(in[0], d_out[0], d_in[0], *(int*)n);
 *   }
 *   static void reference(const void* const* in, void* const* out, void* n) {
 *     const double* x = in[0];
 *     double* y = out[0];
 *     for (int i = 0; i < *(int*)n; ++i) y[i] = x[i] / (1 + exp(-x[i]));
 *   }
 *   ...
 *   int n = 24;
 *   int64_t shape[] = {4, 6};
 *   aclgradGradcheckArray x = {.name = "x", .shape = shape, .rank = 2, .dtype = "bfloat16"};
 *   aclgradGradcheckArray y = {.name = "y", .shape = shape, .rank = 2, .dtype = "bfloat16"};
 *   aclgradGradcheckPair silu = {.name = "silu", .inputs = &x, .input_count = 1, .outputs = &y,
 *                                .output_count = 1, .forward = forward, .backward = backward,
 *                                .reference = reference, .context = &n};
 *   status = aclgradGradcheckRunPair(check, &silu);
 */
typedef struct aclgradGradcheckPair {
  const char* name;
  const aclgradGradcheckArray* inputs;
  int input_count;
  const aclgradGradcheckArray* outputs;
  int output_count;
  aclgradGradcheckForward* forward; /* null beside a reference: its results, rounded */
  aclgradGradcheckBackward* backward;
  /*
   * The forward on float64: floating inputs are arrays of double that hold exactly what the dtype
   * stores, floating outputs are arrays of double, whole numbers stay what they are. It must be
   * there for 16 bits. An output that it leaves as it was is not compared.
   */
  aclgradGradcheckForward* reference;
  void* context;
  /*
   * What both functions round inside, beside what they write. The default is a kernel that
   * computes in float32 (in float64 for float64) from what it reads.
   */
  int roundings;            /* how often on its way to a result a number is stored in the dtype */
  const char* accumulation; /* the dtype that sums are kept in: "bfloat16", ...; null: float32 */
} aclgradGradcheckPair;

/*
 * Checks that `backward` is the derivative of `forward`, that with a reference the forward gives
 * what that gives, and that all keep to their arrays and repeat. The backward is given outputs as
 * the forward stored them.
 *
 * Without a reference floating arrays have one dtype, float32 or float64. In float64 all but the
 * last places are compared; in float32 the forward's rounding hides errors below about a hundredth
 * of the largest element. With one, floating arrays may have any dtypes, and each element of a
 * gradient may differ by the last rounding, by what stored outputs and `roundings` explain, and by
 * the rounding of sums, as a part of the sum of magnitudes. Since terms may cancel, in float32 and
 * 16 bits 2^-13 more: of the largest element or of a 64th (16 bits: an eighth) of what arrives,
 * among the elements that share results with it, directly or by way of others.
 *
 * Of the settings, "seed" and "ulp-slack" count. The report is there as "text", "json" and
 * "markdown".
 */
ACLGRAD_GRADCHECK_API int aclgradGradcheckRunPair(aclgradGradcheck* check,
                                                  const aclgradGradcheckPair* pair);

/* aclgradGradcheckRunPair without a reference. */
ACLGRAD_GRADCHECK_API int aclgradGradcheckFunctions(
    aclgradGradcheck* check, const char* name, const aclgradGradcheckArray* inputs, int input_count,
    const aclgradGradcheckArray* outputs, int output_count, aclgradGradcheckForward* forward,
    aclgradGradcheckBackward* backward, void* context);

/* A parameter of a family of pairs: a size, a slope, a switch (0 or 1). */
typedef struct aclgradGradcheckAttribute {
  const char* name;
  double usual;
  double low, high; /* what else it may be */
  int whole;        /* whole numbers only */
} aclgradGradcheckAttribute;

/* One call: the forward writes outputs; the backward reads all but input_gradients. */
typedef struct aclgradGradcheckCall {
  const double* attributes;
  const void* const* inputs;
  void* const* outputs;
  const void* const* output_gradients;
  const int64_t* const* strides; /* of output_gradients, in elements; null for one without */
  void* const* input_gradients;
} aclgradGradcheckCall;
typedef void aclgradGradcheckCallee(const aclgradGradcheckCall* call, void* context);

/* Writes what the arrays are under these attributes. Shapes stay until the next call. */
typedef void aclgradGradcheckDescribe(const double* attributes, aclgradGradcheckArray* inputs,
                                      aclgradGradcheckArray* outputs, void* context);

/* Whether the attributes fit together, as a window that is no larger than what it slides over; 0:
 * such attributes are not tried. */
typedef int aclgradGradcheckAllow(const double* attributes, void* context);

/* Functions that are a pair for any values of their attributes. */
typedef struct aclgradGradcheckFamily {
  const char* name;
  const aclgradGradcheckAttribute* attributes;
  int attribute_count;
  int input_count, output_count;
  aclgradGradcheckDescribe* describe;
  aclgradGradcheckCallee* forward;
  aclgradGradcheckCallee* backward;
  void* context;
  aclgradGradcheckAllow* allow; /* null: any */
  /* As those of a pair; null and 0: none. */
  aclgradGradcheckCallee* reference;
  int roundings;
  const char* accumulation;
} aclgradGradcheckFamily;

/*
 * aclgradGradcheckRunPair with the usual attributes, then with others (each at the ends of its
 * range and between, and random ones of all), the functions called in every way that the arrays'
 * flags allow, and at points that random numbers do not meet: zeros, ends of ranges, equal numbers,
 * equal indices, numbers far out. Ends with the first attributes under which something is wrong.
 */
ACLGRAD_GRADCHECK_API int aclgradGradcheckRunFamily(aclgradGradcheck* check,
                                                    const aclgradGradcheckFamily* family);

/*
 * What the last run found, as "text", "json", "markdown" or "html". It belongs to the check, until
 * the next call for it. Null before a run and for another format.
 */
ACLGRAD_GRADCHECK_API const char* aclgradGradcheckReport(aclgradGradcheck* check,
                                                         const char* format);

/* Null is allowed. The library stays loaded. */
ACLGRAD_GRADCHECK_API void aclgradGradcheckClose(aclgradGradcheck* check);

/* Why the calling thread's last call ended with USAGE or LIBRARY; "" where it did not. */
ACLGRAD_GRADCHECK_API const char* aclgradGradcheckMessage(void);

/* The names of the operators that can be checked, with commas between them. */
ACLGRAD_GRADCHECK_API const char* aclgradGradcheckOperators(void);

/* "0.1.0" */
ACLGRAD_GRADCHECK_API const char* aclgradGradcheckVersion(void);

#ifdef __cplusplus
}
#endif
