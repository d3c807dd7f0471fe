// SPDX-License-Identifier: Apache-2.0
// What a backward must do beside giving the right numbers.
#pragma once

#include "gradcheck/core/compare.h"

namespace aclgrad::gradcheck::detail {

/// Writes all of its outputs and nothing else, whatever lay in memory before; leaves its inputs
/// alone; gives the same bits in every run, with any number of threads.
void check_memory(const Candidate& candidate, const Problem& problem, Layout layout,
                  Report& report);

/// Gives the same bits as when contiguous.
void check_layout(const Candidate& candidate, const Problem& problem, Layout layout,
                  Report& report);

/// Gives the same bits when the gradient overwrites an input.
void check_in_place(const Candidate& candidate, const Problem& problem, Layout layout,
                    Report& report);

/// Gives the same bits for what is wanted, nothing for what is not.
void check_masks(const Candidate& candidate, const Problem& problem, Report& report);

/// A cotangent of one element, or with holes, gives that row of the Jacobian, or holes.
void check_rows(const Candidate& candidate, Problem problem, const Options& options,
                Report& report);

/// Saved tensors other than the forward's are used as they are given.
void check_saved(const Candidate& candidate, const Problem& problem, const Options& options,
                 Report& report);

/// NaN in an input comes out, and of elementwise operators nowhere else.
void check_nan(const Candidate& candidate, const Problem& problem, Report& report);

/// Empty tensors, rank 0, sizes around vector lengths, and a large tensor, whose elements must not
/// depend on where they are.
void check_shapes(const Candidate& candidate, const Options& options,
                  std::span<const Number> corners, Report& report);

}  // namespace aclgrad::gradcheck::detail
