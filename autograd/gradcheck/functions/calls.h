// SPDX-License-Identifier: Apache-2.0
// Pairs of plain functions: one call of the backward with its arrays, and every other way in which
// it may be called.
#pragma once

#include <stdexcept>
#include <vector>

#include "aclgrad/gradcheck/functions.h"

namespace aclgrad::gradcheck::detail {

inline bool is_differentiated(const FunctionArray& array) {
  return is_float(array.dtype) && array.has_gradient;
}

/// What the reference has of an array, where there is one: float64 of floating ones.
inline DType exact_dtype(const FunctionPair& pair, const FunctionArray& array) {
  return pair.reference && is_float(array.dtype) ? DType::float64 : array.dtype;
}

/// The dtype with the fewest digits of those that differentiated arrays have.
DType narrowest_dtype(const FunctionPair& pair);

/// Half of the distance between numbers around 1.
Number roundoff(DType dtype);

/// What a correct pair may lose beside its bound.
Resolution resolution_of(const FunctionPair& pair);

/// The largest magnitude of those that are finite; 0 where there are none.
Number largest_of(const Array& array);

/// Of a symmetric array the mean of the matrix and its transpose: moved by one element, both move
/// by half of that. Of others what is given.
std::vector<Number> symmetrized(const FunctionArray& array, std::vector<Number> values);

/// What a backward is given, by the pair's own order; no upstream gradient for outputs without one.
struct FunctionPoint {
  Arrays inputs;
  Arrays upstream;
};
FunctionPoint draw_point(const FunctionPair& pair, std::uint64_t seed);

/// A function wrote where it may not.
struct ForbiddenWrite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The backward wrote to a gradient that arrives, which is not `consumed`.
struct UpstreamWritten : ForbiddenWrite {
  using ForbiddenWrite::ForbiddenWrite;
};

/// Throws ForbiddenWrite where the forward wrote beside an array, or to an input. Without a forward
/// they are the reference's.
Arrays results_at(const FunctionPair& pair, const Arrays& inputs);

/// Those of what is differentiated, the reference or else the forward. Of an element that the
/// reference leaves as it was NaN, or of whole numbers anything. Throws as results_at().
Arrays exact_results_at(const FunctionPair& pair, const Arrays& inputs);

/// Throws ForbiddenWrite where a function wrote beside an array.
void require_untouched(const Guarded& memory, const char* function, const std::string& array);

/// How a call differs from the plain one, whose arrays are dense and apart.
struct FunctionCall {
  std::vector<Number> prefilled = {};             // by inputs: what is added to; none: zeros
  Layout layout = Layout::contiguous;             // of the upstream gradients that may be strided
  std::optional<std::size_t> over_output = {};    // the first gradient lies over this output,
  std::optional<std::size_t> over_upstream = {};  // or over this upstream gradient
  std::optional<std::size_t> unwanted = {};       // this input's gradient is a null pointer
  bool same_inputs = false;                       // the first two inputs of one kind are one array
  const Arrays* results = nullptr;                // in place of the forward's
};

/// The inputs' gradients, empty for those without one or unwanted. Throws UpstreamWritten, and what
/// results_at() throws.
Arrays gradients_of(const FunctionPair& pair, const FunctionPoint& point,
                    const FunctionCall& call = {});

/// What it does to every gradient that the forward's results are stored as they are, and not
/// exact: of a pair with a reference.
Arrays rounding_of_results(const FunctionPair& pair, const FunctionPoint& point);

/// Whether the forward gives what the reference gives at a point.
void check_values(const FunctionPair& pair, const FunctionPoint& point, double ulp_slack,
                  Report& report);

Finding finding_of(const FunctionPair& pair, const char* check, std::string text,
                   std::string diagnosis);

/// Every other way of calling that the arrays' flags allow.
void check_calls(const FunctionPair& pair, std::uint64_t seed, Report& report);

}  // namespace aclgrad::gradcheck::detail
