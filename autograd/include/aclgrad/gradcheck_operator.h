// SPDX-License-Identifier: Apache-2.0
// check_operator: is this backward the derivative of that forward, in every dtype and layout, and
// does it behave? Both may be user-written. The forward is a formula, evaluated in long double and
// differentiated numerically (gradcheck_derivative.h) at inputs as the dtype stores them; the
// backward is whatever can be called on tensors in memory: functions over spans, a pair of
// two-phase executors (gradcheck_two_phase.h), nodes of a graph (gradcheck_graph.h).
//
//   Operator op = elementwise("softplus", [](auto x) { return log1p(exp(x)); }, {-6, 6});
//   op.backward = from_spans([](auto g, auto x, auto dx) { ... });
//   Report report = check_operator(op);
//   if (!report.passed()) fmt::print("{}", report.to_string());
#ifndef ACLGRAD_GRADCHECK_OPERATOR_H_
#define ACLGRAD_GRADCHECK_OPERATOR_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradcheck_derivative.h"
#include "aclgrad/gradcheck_dual.h"
#include "aclgrad/gradcheck_memory.h"
#include "aclgrad/gradcheck_report.h"

namespace aclgrad::gradcheck {

/// One call of a backward. Outputs with null data are not wanted and must be left alone.
struct BackwardCall {
  std::span<const View> inputs;
  std::span<const View> outputs;
  int threads = 0;              // 0: as many as there are; for implementations that can choose
  unsigned char poison = 0xFF;  // what scratch memory is to hold beforehand
  bool replayed = false;        // recorded first; for executors of libraries that can
};

/// Returns "" or what went wrong. Whatever is thrown is caught and reported too.
using Backward = std::function<std::string(const BackwardCall&)>;

struct Input {
  std::string name = "x";
  Dims shape = {4, 6};
  Number low = -4;  // values are drawn from here, low <= high, both finite
  Number high = 4;
  bool differentiable = true;       // the backward gives a gradient for it
  std::optional<DType> dtype = {};  // when it is not the dtype under test: targets, indices
};

/// What a correct implementation may lose to rounding. A gradient element may differ from the
/// derivative by `final_ulp` units of its own last place, plus `inner` roundings in float32 (in
/// double for float64) of the sum of the magnitudes it is made of, plus `terms` roundings in the
/// dtype itself of that sum, plus `stored` roundings in the dtype of the largest element of the
/// gradient, plus what rounding the saved outputs of the forward to the dtype does to it.
struct ErrorModel {
  double final_ulp_16bit = 0.5;
  double final_ulp = 0.5;
  double inner = 8;
  double terms = 0;   // for sums of terms that are stored in the dtype before they are added
  double stored = 0;  // for results made by several operators with tensors of the dtype in between
  std::optional<double> final_ulp_double = {};  // where a float64 result is another matter
};

/// Which slope a corner's documentation promises; `any` takes everything between both.
enum class Convention { any, left, right, inside, outside };

struct Operator {
  std::string name;
  std::string attributes = {};  // "alpha=1.3", for reports
  std::vector<Input> inputs = {Input{}};

  /// The forward: all outputs for inputs that are taken as exact.
  std::function<Arrays(const Arrays& inputs)> forward = {};
  long double noise = kLongDoubleNoise;  // relative error of its values

  /// For elementwise operators, instead of `forward`: one element from one element of each input
  /// (all of one shape). Found by `elementwise`, with `dual`, the same over dual numbers.
  std::function<Number(std::span<const Number>)> scalar = {};
  std::function<Dual(std::span<const Dual>)> dual = {};

  /// What the backward is given, of the forward's inputs, its exact outputs and the cotangent (the
  /// gradient of the first output); the cotangent and all inputs when empty.
  std::function<Arrays(const Arrays& inputs, const Arrays& outputs, const Array& cotangent)> saved =
      {};
  std::vector<std::optional<DType>> saved_dtypes = {};  // by position; empty: the dtype under test
  std::vector<std::string> saved_names = {};            // by position, for the report

  /// Writes one gradient for every differentiable input.
  Backward backward = {};
  std::vector<std::optional<DType>> gradient_dtypes = {};  // by position, as saved_dtypes

  /// The backward's own formula, exact, of what it is given, whatever that is: tells what rounding
  /// saved outputs does, and what must come of saved outputs that the forward would not give. A
  /// result without values is not compared. Without the formula the backward under test is asked,
  /// with these outputs one unit in the last place away.
  std::function<Arrays(const Arrays& backward_inputs)> exact_backward = {};
  /// The sums of the magnitudes that its results are made of; the results' own when empty.
  std::function<Arrays(const Arrays& backward_inputs)> backward_magnitude = {};

  ErrorModel model = {};

  /// "", or why the operator takes no tensors of a dtype: then it is left out
  /// (Report::left_out).
  std::function<std::string(DType dtype)> refusal = {};

  /// What roundings inside a 16-bit backward may do to every gradient element, where that can be
  /// computed; it stands for `model.stored` then. Inputs and cotangent are as the dtype stores
  /// them.
  std::function<Arrays(const Arrays& inputs, const Array& cotangent, DType dtype)> rounding = {};
  Convention convention = Convention::any;

  bool strided = true;                     // the backward honours strides and offsets
  std::vector<std::size_t> in_place = {};  // inputs that the first gradient may overwrite
  bool masks = false;                      // outputs may be left out
  bool nan_goes_through = true;            // a NaN in gives a NaN out
  bool empty_and_scalar = true;            // shapes of rank 0 and with an extent of 0 work
  std::string reproduce = {};              // a command, completed by dtype, layout and shape
  std::optional<Dims> command_shape = {};  // its --shape, when that is not the first input's

  bool is_elementwise() const { return static_cast<bool>(scalar); }
  std::string title() const { return attributes.empty() ? name : name + " " + attributes; }
  /// The same operator on tensors of another shape; elementwise operators only.
  Operator with_shape(const Dims& shape) const;
};

struct Options {
  std::vector<DType> dtypes = {DType::float32, DType::float16, DType::bfloat16};  // one or more
  std::vector<Layout> layouts = {std::begin(kLayouts), std::end(kLayouts)};       // one or more
  std::uint64_t seed = 1;
  int draws = 2;            // random inputs and cotangents for every dtype, 1 or more
  bool behaviour = true;    // beside the values: memory, repeatability, masks, aliasing, NaN, ...
  bool every_shape = true;  // elementwise operators on sizes around vector lengths, empty, rank 0
  /// Added to the model's last places, finite and 0 or more: for implementations that promise less.
  double ulp_slack = 0;
  bool stop_at_first = false;  // return as soon as something is wrong
};

/// Checks everything that applies. What the operator's functions throw, and a text that the
/// backward returns, is a finding, "call", in whichever call it happens: of which shape, layout,
/// number of threads. Elementwise operators are tried with up to 20011 elements, others with the
/// shapes of their inputs.
///
/// Throws ValueError, which names the member and its range, for an operator that is incomplete or
/// refuses every dtype, for inputs of integers that are said to be differentiable, shapes with a
/// negative extent, more than 8 dimensions or more than 2^22 elements, and for options and numbers
/// out of their range; DTypeError for dtypes of options and gradients that are not floating.
Report check_operator(const Operator& op, const Options& options = {});

/// An operator of one input whose forward is a formula for one element, callable with long double
/// and with Dual.
template <class Formula>
Operator elementwise(std::string name, Formula formula, Number low = -4, Number high = 4) {
  Operator op;
  op.name = std::move(name);
  op.inputs = {Input{.low = low, .high = high}};
  op.scalar = [formula](std::span<const Number> x) { return formula(x[0]); };
  op.dual = [formula](std::span<const Dual> x) { return Dual(formula(x[0])); };
  return op;
}

/// A backward over contiguous spans of T: function(inputs as spans of const T..., outputs as spans
/// of T...), with kInputs inputs first. Other dtypes than T's are refused, so check it with
/// Options::dtypes set to its own; Operator::strided must be false.
template <std::size_t kInputs, std::size_t kOutputs, class T, class Function>
Backward from_spans(Function function) {
  return [function](const BackwardCall& call) -> std::string {
    if (call.inputs.size() != kInputs || call.outputs.size() != kOutputs) {
      return "the function takes another number of tensors";
    }
    const auto span_of = [](const View& view) {
      auto* first = reinterpret_cast<T*>(view.data);
      const auto count = view.data == nullptr ? 0 : static_cast<std::size_t>(view.count());
      return std::span<T>(first, count);
    };
    for (const View& view : call.inputs) {
      if (view.dtype == kDTypeOf<T>) continue;
      return "the function takes spans of " + std::string(short_name(kDTypeOf<T>)) +
             " (set Options::dtypes to that)";
    }
    [&]<std::size_t... i, std::size_t... k>(std::index_sequence<i...>, std::index_sequence<k...>) {
      function(std::span<const T>(span_of(call.inputs[i]))..., span_of(call.outputs[k])...);
    }
    (std::make_index_sequence<kInputs>(), std::make_index_sequence<kOutputs>());
    return "";
  };
}

}  // namespace aclgrad::gradcheck

#endif  // ACLGRAD_GRADCHECK_OPERATOR_H_
