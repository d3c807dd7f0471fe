// SPDX-License-Identifier: Apache-2.0
// Compares gradients with what they must be.
#pragma once

#include "gradcheck/core/execution.h"
#include "gradcheck/core/problem.h"

namespace aclgrad::gradcheck::detail {

/// What rounding the saved outputs of the forward to the dtype may do to every gradient element,
/// and what Candidate::rounding says. Throws Failure.
Arrays unavoidable_rounding(const Candidate& candidate, const Problem& problem);

/// What a function of the operator says of every gradient: the same, where it has a number for
/// every element or none at all. Throws Failure.
Arrays of_gradients(const Problem& problem, Arrays arrays, const char* what);

/// The bound beside the sizes of the terms that the backward's contract names. In float64 nothing
/// inside has more digits than the result: roundings of the terms are promised, not of their sum.
contract::Bound bound_of_terms(const Candidate& candidate, DType dtype);

/// One element. `scale` is the size of the whole gradient, below which an error bar does not
/// matter.
Element compare(const Expected& expected, Number actual, Number slack, Number scale, DType dtype,
                const contract::Bound& bound, double ulp_slack, const Resolution& resolution = {});

/// What a difference of so many units of the last place is that no bound allows: inexact where
/// roundings of a computation in float32, or in float64 for float64, can make it; else wrong.
Verdict verdict_beyond_bound(double ulp, DType dtype);

/// Counts the elements of one gradient, and adds a finding for those that are wrong, one for the
/// inexact ones and one for those that cannot be decided, made of `like`, with the worst of them.
/// Returns how many are wrong or inexact.
std::int64_t report_elements(const std::vector<Element>& compared, const Finding& like,
                             Report& report);

/// All elements of one execution. Adds to the report counts, corners, ties, and for each gradient a
/// finding of its wrong elements, of the inexact ones and of those that cannot be decided: the
/// worst, and what their pattern suggests. Verdicts that single elements cannot have are given
/// here: undecided beside a corner, inexact beside others of that kind, right within the noise.
/// Returns how many are wrong or inexact.
std::int64_t compare_all(const Candidate& candidate, const Problem& problem,
                         const Execution& execution, const Arrays& slack,
                         const ExecutionOptions& how, const Options& options, Report& report);

/// Notes which slope was taken where an element lies at a corner; "", or how that is not the one
/// that the contract promises.
std::string visit_corner(const Candidate& candidate, const Problem& problem, const Element& e,
                         const Expected& expected, Report& report);

/// Of the elements of gradient k that are off, calls those right that are all rounding.
void find_noise(const Candidate& candidate, const Problem& problem, std::size_t k,
                std::vector<Element>& compared);

/// Fills in Expected::beside and Expected::arriving of gradient k.
void find_neighbours(const Problem& problem, std::size_t k, std::vector<Expected>& expected);

/// A finding with everything but its text and element filled in.
Finding finding_for(const Candidate& candidate, DType dtype, Layout layout, std::string check);

/// What the gradient looks like in place of the derivative: "zeros", "constant", "copies an input",
/// "copies what arrives", "ignores what arrives"; "": none of these.
std::string pattern_of(const Candidate& candidate, const Problem& problem,
                       const std::vector<Element>& compared);

/// Who is to blame for these elements and why; `compared` holds all elements of the gradient.
std::string diagnosis(const Candidate& candidate, const Problem& problem,
                      const std::vector<Element>& compared);

}  // namespace aclgrad::gradcheck::detail
