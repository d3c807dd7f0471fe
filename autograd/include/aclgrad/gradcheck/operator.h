// SPDX-License-Identifier: Apache-2.0
// check_operator: is this backward the derivative of that forward, in every dtype and layout, and
// does it behave? Both may be user-written. The forward is a formula, evaluated in long double and
// differentiated numerically (gradcheck/derivative.h) at inputs as the dtype stores them; the
// backward is whatever can be called on tensors in memory: functions over spans, a pair of
// two-phase executors (gradcheck/two_phase.h), nodes of a graph (gradcheck/graph.h).
//
//   Candidate softplus(elementwise("softplus", [](auto x) { return log1p(exp(x)); }, -6, 6),
//                      from_spans<2, 1, float>([](auto g, auto x, auto dx) { ... }));
//   Report report = check_operator(softplus);
//   if (!report.passed()) fmt::print("{}", report.to_string());
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/derivative.h"
#include "aclgrad/gradcheck/dual.h"
#include "aclgrad/gradcheck/memory.h"
#include "aclgrad/gradcheck/report.h"
#include "aclgrad_contract/operator.h"

namespace aclgrad::gradcheck {

/// The dtypes of contracts are the C interface's; the values are the same.
inline aclDataType acl_dtype(DType dtype) { return static_cast<aclDataType>(dtype); }
inline DType dtype_of(aclDataType dtype) { return static_cast<DType>(dtype); }

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

/// What a backward of one's own may lose to rounding, unless it says otherwise.
inline constexpr contract::Bound kOwnBound{.of_float = 0.5, .of_16_bits = 0.5, .inner = 8};

/// An error bar of the numeric derivative is no reason to leave an element undecided where it is
/// below these parts of the element, or of the largest of its tensor.
struct Resolution {
  Number of_element = 1e-5L;
  Number of_largest = 1e-9L;
  Number of_zero = 0;  // part of the largest that rounding may leave where nothing depends
  // What a correct implementation may lose beside its bound: of the sum of magnitudes, of that for
  // each of its terms, and of the largest element.
  Number of_sum = 0;
  Number of_term = 0;
  Number of_scale = 0;
  Number of_cotangent = 1;  // no gradient is smaller than this part of what arrives
  // The most that may be allowed to a backward for results that are stored, where that is seen by
  // its own gradients: of the sum of magnitudes, and of the largest element and what arrives.
  std::optional<Number> of_results = {};
};

/// A backward under test: the contracts that it is held to, the function that is called, and what
/// that function can do. The forward's contract says inputs, their domains and the results, that of
/// the backward the tensors that it is given and gives, and its formula.
struct Candidate {
  /// A backward of one's own, which is given the gradient of the first result, then the forward's
  /// inputs, and writes a gradient for every floating one of them.
  Candidate(contract::Operator forward, Backward function);

  /// One with a contract of its own, whose `gradient` says what it is given.
  Candidate(contract::Operator forward, contract::Operator backward, Backward function);

  /// With the attributes and shapes of these calls.
  Candidate(contract::Arguments forward, std::optional<contract::Arguments> backward,
            Backward function);

  contract::Arguments forward;
  long double noise = kLongDoubleNoise;  // relative error of the forward's values
  Resolution resolution = {};

  /// Writes one gradient for every differentiable input.
  Backward function;
  std::optional<contract::Arguments> backward;

  /// How the backward is the derivative: which inputs have a gradient, what it is given, which
  /// slope it takes at corners.
  contract::Gradient gradient = {};

  /// What a correct implementation may lose to rounding.
  contract::Bound bound = kOwnBound;

  /// "", or why the function takes no tensors of a dtype: then it is left out (Report::left_out).
  std::function<std::string(DType dtype)> refusal = {};

  /// What roundings inside the backward, or in what it is given, may do to every gradient element,
  /// where that can be computed, or arrays without values; in 16 bits it stands for `bound.stored`.
  /// Inputs and cotangent are as the dtype stores them.
  std::function<Arrays(const Arrays& inputs, const Array& cotangent, DType dtype)> rounding = {};

  bool mixed = false;   // each gradient has its input's own dtype
  bool sparse = false;  // the forward is called less where its results are made of few elements
  bool strided = true;  // the backward honours strides and offsets
  std::vector<std::size_t> in_place = {};  // inputs that the first gradient may overwrite
  bool masks = false;                      // outputs may be left out
  bool nan_goes_through = true;            // a NaN in gives a NaN out
  bool empty_and_scalar = true;            // shapes of rank 0 and with an extent of 0 work
  std::string reproduce = {};              // a command, completed by dtype, layout and shape
  std::optional<Dims> command_shape = {};  // its --shape, when that is not the first input's

  const std::string& name() const;  // of the backward, where it has a contract
  std::string attributes() const;   // "alpha=1.3", for reports
  std::string title() const;        // both
  std::vector<const contract::Parameter*> inputs() const { return inputs_of(forward); }
  const Dims& shape() const;  // of the first input
  /// By its place among inputs(): a floating one, among the first `gradient.count`, or one that
  /// `gradient.order` names.
  bool is_differentiable(std::size_t input) const;
  /// One element of one of every input makes one of the result.
  bool is_elementwise() const;
  /// This operator on tensors of another shape; elementwise operators only.
  Candidate of_shape(const Dims& shape) const;
};

struct Options {
  std::vector<DType> dtypes = {DType::float32, DType::float16, DType::bfloat16};  // one or more
  std::vector<Layout> layouts = {std::begin(kLayouts), std::end(kLayouts)};       // one or more
  std::uint64_t seed = 1;
  int draws = 2;            // random inputs and cotangents for every dtype, 1 or more
  bool behaviour = true;    // beside the values: memory, repeatability, masks, aliasing, NaN, ...
  bool every_shape = true;  // elementwise operators on sizes around vector lengths, empty, rank 0
  /// Added to the bound's last places, finite and 0 or more: for implementations that promise less.
  double ulp_slack = 0;
  bool stop_at_first = false;  // return as soon as something is wrong
};

/// Checks everything that applies. What the operator's functions throw, and a text that the
/// backward returns, is a finding, "call", in whichever call it happens: of which shape, layout,
/// number of threads. Elementwise operators are tried with up to 20011 elements, others with the
/// shapes of their inputs.
///
/// Throws ValueError, which names the member and its range, for an operator that is incomplete or
/// refuses every dtype, for one without an input that is differentiated, shapes with a negative
/// extent, more than 8 dimensions or more than 2^22 elements, and for options and numbers
/// out of their range; DTypeError for dtypes of options and gradients that are not floating.
Report check_operator(const Candidate& candidate, const Options& options = {});

/// Parameters of contracts of one's own: tensors whose values are drawn from [low, high], which are
/// finite. Without a dtype they have the one under test.
contract::Parameter input(std::string name, Dims shape = {4, 6}, Number low = -4, Number high = 4,
                          std::optional<DType> dtype = std::nullopt);
contract::Parameter output(std::string name, Dims shape = {4, 6},
                           std::optional<DType> dtype = std::nullopt);

/// The contract of an operator of one input that is a formula for one element, callable with long
/// double and with Dual.
template <class Formula>
contract::Operator elementwise(std::string name, Formula formula, Number low = -4,
                               Number high = 4) {
  return {
      .call = {.name = std::move(name), .parameters = {input("x", {4, 6}, low, high), output("y")}},
      .results = {.formula = contract::of_one(std::move(formula))}};
}

/// A backward over contiguous spans of T: function(inputs as spans of const T..., outputs as spans
/// of T...), with kInputs inputs first. Other dtypes than T's are refused, so check it with
/// Options::dtypes set to its own; Candidate::strided must be false.
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
