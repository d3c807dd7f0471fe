// SPDX-License-Identifier: Apache-2.0
// What the tool does with a target: forward against the formula, backward against the forward's
// derivative, every argument that must be refused.
#pragma once

#include "gradcheck/tool/catalogue.h"

namespace aclgrad::gradcheck {

inline constexpr aclnnStatus kNullPointer = 161001;
inline constexpr aclnnStatus kInvalid = 161002;

/// "aclnnElu alpha=1.3 ...": a function with the target's attributes.
inline std::string with_attributes(const std::string& function, const Target& target) {
  const std::string attributes = target.candidate.attributes();
  return attributes.empty() ? function : function + " " + attributes;
}

/// One form of the forward in some of its dtypes and in every layout: all results in ulp of the
/// exact ones, memory around them untouched, the same bits in every layout, run and number of
/// threads.
Report check_forward(Library& library, const Target& target, const BoundCall& form,
                     const DTypes& dtypes, const Options& options);

/// Elementwise operators of one tensor, forward and backward, at all numbers of the 16-bit dtypes
/// and a sample of float32's, NaN and infinities among them.
Report check_every_input(Library& library, const Target& target, const DTypes& dtypes,
                         const Options& options);

/// The same bits for the same numbers, forward and backward, whatever the length, the place, the
/// address, the strides, the threads, the run.
Report check_same_bits(Library& library, const Target& target, const DTypes& dtypes,
                       const Options& options);

/// Every documented status of phase one: null pointers, dtypes by product, shapes, ranks, views
/// that leave their storage, attributes; and success for what is right.
Report check_statuses(const LibraryPointer& library, const Target& target, const BoundCall& bound);

/// Those of phase two: null executor, null and short workspace, executor used up; no stream is
/// fine.
Report check_phase_two(Library& library, const Target& target, const BoundCall& bound);

}  // namespace aclgrad::gradcheck
