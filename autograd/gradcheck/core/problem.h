// SPDX-License-Identifier: Apache-2.0
// One problem to put to a backward: inputs as a dtype stores them, a cotangent, and what the
// gradient must be.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/operator.h"

namespace aclgrad::gradcheck::detail {

/// What an element of a gradient must be.
struct Expected {
  Number low = 0;  // an interval at corners
  Number high = 0;
  Number left = 0;  // of a corner of an elementwise operator: cotangent times slope
  Number right = 0;
  Number error = 0;
  Number magnitude = 0;  // sum of the magnitudes it is made of
  int terms = 0;         // how many of them are not 0
  // The largest magnitude, and the most that arrives, among what depends on a result that it
  // changes, or on one that such another one changes: nothing else can cancel in it.
  Number beside = INFINITY;
  Number arriving = INFINITY;
  PointKind kind = PointKind::smooth;
  std::string reason = {};
};

/// Derivatives of the first output with respect to the differentiable inputs. Elementwise: one
/// entry per element; otherwise a row per element of the input, with a column per element of the
/// output.
struct Jacobian {
  std::vector<std::vector<Slopes>> of_input;  // by position among the differentiable inputs
  std::size_t columns = 1;
};

struct Problem {
  DType dtype = DType::float32;
  Arrays inputs;   // of the forward, rounded to the dtype
  Arrays outputs;  // of the forward, exact
  Array cotangent;
  Arrays given;  // to the backward, exact: rounding happens when they are stored
  Jacobian jacobian;
  std::vector<std::vector<Expected>> expected;  // by differentiable input, by element
};

// What the contracts say. All of these throw Failure where a function of a contract does not give a
// result.

/// The forward's results, of which the first is the one that is differentiated.
Arrays forward_of(const Candidate& candidate, const Arrays& inputs);

/// What is differentiated: the first of them, or what the gradient says in its place.
Array differentiated(const Candidate& candidate, const Arrays& inputs);

/// What the backward is given, of such results.
Arrays given_to(const Candidate& candidate, const Arrays& inputs, const Arrays& outputs,
                const Array& cotangent);

/// The gradients by the contract of the backward, where there is one: exact, of what it is given,
/// whatever that is. It tells what rounding saved results does, and what must come of saved results
/// that the forward would not give. One without values is not compared.
Arrays exact_backward(const Candidate& candidate, const Arrays& given);
/// The sums of the magnitudes that they are made of; their own without such a promise.
Arrays backward_magnitude(const Candidate& candidate, const Arrays& given);

/// By their places among the inputs, in the order of their gradients.
std::vector<std::size_t> differentiable(const Candidate& candidate);
inline const contract::TensorSpec& input_of(const Candidate& candidate, std::size_t i) {
  return *candidate.inputs()[i]->tensor();
}
inline DType stored_dtype(const contract::TensorSpec& tensor, DType dtype) {
  return dtype_of(tensor.dtype.value_or(acl_dtype(dtype)));
}

/// The dtype that a backward input is stored in.
DType given_dtype(const Candidate& candidate, std::size_t position, DType dtype);
DType gradient_dtype(const Candidate& candidate, std::size_t position, DType dtype);

/// An elementwise operator's result for one element of every input. Throws Failure.
Number number_at(const Candidate& candidate, std::span<const Number> x);

/// Where the slope of an elementwise operator jumps within the domain of its first input.
std::vector<Number> corners_of(const Candidate& candidate);

/// The number of a dtype that is nearest to x of those in [low, high]; where none is, the nearest.
Number round_within(Number x, Number low, Number high, DType dtype);

/// Random inputs, of elementwise operators with corners, their neighbours, 0 and the domain's ends
/// among them.
Arrays draw_inputs(const Candidate& candidate, DType dtype, std::uint64_t seed,
                   std::span<const Number> corners);
Array draw_cotangent(const Dims& shape, DType dtype, std::uint64_t seed);

/// A row of the Jacobian: how every output changes with one element of an input, which is moved
/// and put back.
std::vector<Slopes> row_of_slopes(const Candidate& candidate, Arrays& inputs, std::size_t which,
                                  std::size_t i, const Array& centre);

/// All of them, by input and element, with fewer calls of the forward where results are made of few
/// elements.
std::vector<std::vector<std::vector<Slopes>>> sparse_slopes(const Candidate& candidate,
                                                            const Arrays& inputs,
                                                            const Array& centre);

Jacobian differentiate(const Candidate& candidate, const Arrays& inputs);

/// What arrives at an output times the slope there; several of them add up.
void add(Expected& expected, const Slopes& slopes, Number weight);

std::vector<std::vector<Expected>> project(const Jacobian& jacobian, const Array& cotangent,
                                           bool elementwise);

/// Moves elements of an operator that mixes them to where its slope jumps, if `lines` searches,
/// each along one element, find such places; returns how many they found. Does nothing for
/// operators whose corners are known.
std::size_t put_on_corners(const Candidate& candidate, DType dtype, std::uint64_t seed, int lines,
                           Arrays& inputs);

/// The numbers of one place along some dimensions, chosen by the seed, for all places there.
Array repeated(Array array, std::uint64_t seed);

/// Everything together. With `repeat` the numbers of every tensor repeat along some dimensions, as
/// Layout::broadcast wants it.
Problem make_problem(const Candidate& candidate, DType dtype, std::uint64_t seed,
                     std::span<const Number> corners, bool repeat = false);

/// The same problem with another cotangent.
void set_cotangent(const Candidate& candidate, Problem& problem, Array cotangent);

}  // namespace aclgrad::gradcheck::detail
