/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libgradcheck_mutants.so: the mutants, and operators that are right, for checkers in any language.
 * For checkers of libraries it also has the functions of the C interface: those of this project,
 * but for the one whose mutant the environment variable ACLGRAD_MUTANT names, or numbers. Tensors
 * are contiguous arrays of double, whatever the dtype: numbers are rounded to it where the operator
 * stores them. Numbers count from 0; the mutants come first.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ACLGRAD_MUTANTS_API __attribute__((visibility("default")))

typedef struct aclgradMutant aclgradMutant;

/* How many there are, and how many of them are wrong. */
ACLGRAD_MUTANTS_API int aclgradMutantCount(void);
ACLGRAD_MUTANTS_API int aclgradMutantWrong(void);

/*
 * What it is called, "selu: sign reversed"; the function whose place it takes, "graph" for a
 * gradient rule; and how aclgrad-gradcheck checks that function with the mutant's attributes: "--op
 * selu".
 */
ACLGRAD_MUTANTS_API const char* aclgradMutantName(int number);
ACLGRAD_MUTANTS_API const char* aclgradMutantFunction(int number);
ACLGRAD_MUTANTS_API const char* aclgradMutantCommand(int number);

/* In float64 (bits 64) or float32 (32); null for another number. */
ACLGRAD_MUTANTS_API aclgradMutant* aclgradMutantOpen(int number, int bits);
ACLGRAD_MUTANTS_API void aclgradMutantClose(aclgradMutant* mutant);

/* Inputs: their number, whether one has a gradient, its rank (at most 8), its shape, a random
 * value. */
ACLGRAD_MUTANTS_API int aclgradMutantInputs(aclgradMutant* mutant);
ACLGRAD_MUTANTS_API int aclgradMutantHasGradient(aclgradMutant* mutant, int input);
ACLGRAD_MUTANTS_API int aclgradMutantShape(aclgradMutant* mutant, int input, int64_t shape[8]);
ACLGRAD_MUTANTS_API void aclgradMutantDraw(aclgradMutant* mutant, uint64_t seed, int input,
                                           double* values);

/* The result's rank and shape. */
ACLGRAD_MUTANTS_API int aclgradMutantResultShape(aclgradMutant* mutant, int64_t shape[8]);

ACLGRAD_MUTANTS_API void aclgradMutantForward(aclgradMutant* mutant, double* const* inputs,
                                              double* result);

/*
 * Gradients of the inputs that have one, in their order; null for one that is not wanted. A mutant
 * may write to its inputs. Returns "" or what went wrong, until the next call.
 */
ACLGRAD_MUTANTS_API const char* aclgradMutantBackward(aclgradMutant* mutant, double* const* inputs,
                                                      double* upstream, double* const* gradients);

#ifdef __cplusplus
}
#endif
