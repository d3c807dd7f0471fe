// SPDX-License-Identifier: Apache-2.0
// Gradcheck of a pair of plain functions over arrays, as kernels in C are: no tensors, no formula.
// The forward itself is what is differentiated, by numbers.
//
//   const FunctionPair silu{.name = "silu",
//                           .inputs = {{.name = "x", .shape = {4, 6}}},
//                           .outputs = {{.name = "y", .shape = {4, 6}}},
//                           .forward = [](auto in, auto out) { my_silu(in[0], out[0], 24); },
//                           .backward = [](auto in, auto, auto d_out, auto d_in) {
//                             my_silu_backward(in[0], d_out[0], d_in[0], 24);
//                           }};
//   Report report = check_functions(silu);
//   if (!report.passed()) fmt::print("{}", report.to_string());
#ifndef ACLGRAD_GRADCHECK_FUNCTIONS_H_
#define ACLGRAD_GRADCHECK_FUNCTIONS_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradcheck_operator.h"

namespace aclgrad::gradcheck {

/// An array of a function: dense, row-major, of a shape that does not change.
struct FunctionArray {
  std::string name;
  Dims shape = {};               // {}: one element
  DType dtype = DType::float32;  // or float64; of inputs int32 and int64, too
  Number low = -4;               // of inputs: values are drawn from [low, high]
  Number high = 4;
  bool has_gradient = true;    // floating ones; statistics kept for the backward have none
  bool adds_gradient = false;  // of inputs: the backward adds to what is there
};

struct FunctionPair {
  std::string name;
  std::vector<FunctionArray> inputs;
  std::vector<FunctionArray> outputs;

  /// Reads the inputs and writes every element of every output.
  std::function<void(std::span<const void* const> inputs, std::span<void* const> outputs)> forward;

  /// Is given the inputs, what the forward makes of them, and the gradients that arrive at the
  /// outputs; writes those of the inputs. An array without a gradient has a null pointer among the
  /// gradients.
  std::function<void(std::span<const void* const> inputs, std::span<const void* const> outputs,
                     std::span<const void* const> output_gradients,
                     std::span<void* const> input_gradients)>
      backward;
};

/// The pair as check_operator takes it. Floating arrays have one dtype. Of float64 an error of
/// 1e-5 of an element is seen at least; in float32 the forward's own rounding hides what is
/// smaller than about a hundredth of an element.
///
/// Throws ValueError where a function, every differentiated input or every differentiated output is
/// missing, and for extents below 0; DTypeError for other dtypes, and for floating ones that
/// differ.
Candidate from_functions(FunctionPair pair);

/// check_operator on the pair, in its own dtype; of `options`, `dtypes` and `layouts` have no
/// effect.
Report check_functions(FunctionPair pair, Options options = {});

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_GRADCHECK_FUNCTIONS_H_
