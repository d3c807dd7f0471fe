// SPDX-License-Identifier: Apache-2.0
// Gradcheck of a pair of plain functions over arrays, as kernels in C are: no tensors, no formula.
// The forward itself is what is differentiated, by numbers, or a reference: the same in float64.
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
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/operator.h"

namespace aclgrad::gradcheck {

/// An array of a function: dense, row-major, of a shape that does not change.
struct FunctionArray {
  std::string name;
  Dims shape = {};               // {}: one element
  DType dtype = DType::float32;  // or another floating one; without a gradient int32, int64, too
  Number low = -4;               // of inputs: values are drawn from [low, high]
  Number high = 4;
  bool has_gradient = true;    // floating ones; statistics kept for the backward have none
  bool adds_gradient = false;  // of inputs: the backward adds to what is there
  bool consumed = false;     // the backward may use its memory for other things: that of an input,
                             // or of the gradient that arrives at an output
  bool symmetric = false;    // of inputs of shape {n, n}: both triangles are moved together
  bool optional = false;     // of inputs: the gradient may be not wanted, a null pointer
  bool strided = false;      // of outputs: what arrives there may have strides
  bool overwritten = false;  // of outputs: the first gradient may lie over it,
  bool overwritten_gradient = false;  // or over what arrives there
  bool unbounded_below = false;       // of inputs: beside [low, high] numbers far out are tried
  bool unbounded_above = false;
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

  /// The same for one that reads the gradients of outputs by strides, in elements; it is called
  /// where there is one. Of an output without a gradient those are null.
  std::function<void(std::span<const void* const> inputs, std::span<const void* const> outputs,
                     std::span<const void* const> output_gradients,
                     std::span<const std::int64_t* const> strides,
                     std::span<void* const> input_gradients)>
      backward_strided = {};

  /// The forward on float64: floating arrays are of double, inputs hold exactly what their dtype
  /// stores, whole numbers stay what they are. Must be there for 16 bits and mixed dtypes. With it
  /// the forward may be missing: its results are the reference's, rounded. An output that it leaves
  /// as it was is not compared.
  std::function<void(std::span<const void* const> inputs, std::span<void* const> outputs)>
      reference = {};

  /// What is rounded inside, beside what is written: how often on its way to a result a number is
  /// stored in the dtype, and the dtype that sums are kept in; none: float32, of float64 float64.
  int roundings = 0;
  std::optional<DType> accumulation = {};
};

/// A parameter of a family of pairs, such as a size, a slope, a switch.
struct FunctionAttribute {
  std::string name;
  double usual = 0;
  double low = 0;
  double high = 0;
  bool whole = false;
};

/// A pair for any values of its attributes.
struct FunctionFamily {
  std::string name;
  std::vector<FunctionAttribute> attributes = {};
  /// Whether the attributes fit together, as where a window is no larger than what it slides over;
  /// none: they always do. Others are not tried.
  std::function<bool(std::span<const double> attributes)> allows = {};
  std::function<FunctionPair(std::span<const double> attributes)> make;
};

/// The pair as check_operator takes it. Without a reference floating arrays have one dtype. Of
/// float64 an error of 1e-5 of an element is seen at least; in float32 the forward's own rounding
/// hides what is smaller than about a hundredth of an element. With a reference each element may
/// differ by the last rounding, by what stored outputs and `roundings` explain, and by the rounding
/// of sums, as a part of the sum of magnitudes.
///
/// Throws ValueError where a function, every differentiated input or every differentiated output is
/// missing, for extents below 0, and for 16 bits without a reference; DTypeError for other dtypes,
/// and for floating ones that differ without a reference.
Candidate from_functions(FunctionPair pair);

/// check_operator on the pair, in its own dtypes; with a reference also the forward's results
/// beside its results, and points that random numbers do not meet. Of `options`, `dtypes` and
/// `layouts` have no effect.
Report check_functions(FunctionPair pair, Options options = {});

/// check_functions with the usual attributes; then calls as the arrays' flags allow them, points
/// that random numbers do not meet (zeros, ends of ranges, equal numbers, numbers far out), and all
/// of that with other attributes: each at the ends of its range and between, the others as usual,
/// and random ones of all. Sizes whose Jacobian would be large are checked along random directions.
/// Elements that cannot be decided count with the usual attributes only. Ends with the first
/// setting that is wrong.
///
/// Throws as check_functions, and ValueError for attributes whose usual value is not within their
/// range, or not allowed.
Report check_family(const FunctionFamily& family, Options options = {});

}  // namespace aclgrad::gradcheck
