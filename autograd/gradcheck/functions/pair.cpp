// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <stdexcept>

#include "aclgrad/error.h"
#include "gradcheck/core/checkable.h"
#include "gradcheck/functions/points.h"

namespace aclgrad::gradcheck {
namespace {

using detail::is_differentiated;
using detail::symmetrized;

constexpr unsigned char kPoison = 0xFF;

std::vector<Number> values_of(const View& view) {
  std::vector<Number> values;
  for (std::int64_t i = 0; i < view.count(); ++i) values.push_back(view.get(i));
  return values;
}

// Arrays in memory that watches over itself, and their addresses as a function takes them.
class Memory {
 public:
  std::byte* add(const FunctionArray& array, const std::vector<Number>& values) {
    names_.push_back(array.name);
    return blocks_
        .emplace_back(array.dtype, Array{array.shape, values}, Layout::contiguous, kPoison)
        .view()
        .data;
  }

  std::vector<Number> values(std::size_t i) const { return blocks_[i].read().values; }

  // Throws where the backward wrote beside an array.
  void require_untouched() const {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      detail::require_untouched(blocks_[i], "the backward", names_[i]);
    }
  }

 private:
  std::deque<Guarded> blocks_;
  std::vector<std::string> names_;
};

class Functions {
 public:
  explicit Functions(FunctionPair pair) : pair_(std::move(pair)) {
    // The contract's inputs: those with a gradient first.
    for (const bool first : {true, false}) {
      for (std::size_t i = 0; i < pair_.inputs.size(); ++i) {
        if (is_differentiated(pair_.inputs[i]) == first) order_.push_back(i);
      }
    }
    for (const FunctionArray& output : pair_.outputs) {
      strides_.push_back(Guarded(output.dtype, output.shape, Layout::contiguous, 0).view().strides);
    }
  }

  const std::vector<std::size_t>& order() const { return order_; }
  const FunctionPair& pair() const { return pair_; }

  std::size_t differentiated_inputs() const {
    return static_cast<std::size_t>(std::ranges::count_if(pair_.inputs, is_differentiated));
  }

  // All elements that a gradient arrives at.
  Dims result_shape() const {
    std::int64_t count = 0;
    for (const FunctionArray& output : pair_.outputs) {
      if (is_differentiated(output)) count += count_of(output.shape);
    }
    return {count};
  }

  // What rounding of the forward's results does to every gradient, in the contract's order.
  Arrays rounding(const Arrays& inputs, const Array& cotangent) const {
    detail::FunctionPoint point{Arrays(pair_.inputs.size()), {}};
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const FunctionArray& array = pair_.inputs[order_[k]];
      point.inputs[order_[k]] = {array.shape, symmetrized(array, inputs[k].values)};
    }
    auto next = cotangent.values.begin();
    for (const FunctionArray& output : pair_.outputs) {
      const auto count = is_differentiated(output) ? count_of(output.shape) : 0;
      point.upstream.push_back({output.shape, {next, next + count}});
      next += count;
    }
    Arrays wanted(differentiated_inputs());
    if (cotangent.values.empty()) return wanted;
    Arrays all;
    try {
      all = detail::rounding_of_results(pair_, point);
    } catch (const detail::ForbiddenWrite&) {
      return wanted;  // a check of its own says so
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] = all[order_[k]];
    return wanted;
  }

  // The differentiated outputs, one behind the other. An element of an input that its dtype does
  // not have, as where it is moved by a small step, lies between two that it has: so does the
  // result.
  Array forward(const Arrays& inputs) const {
    struct Between {
      std::size_t input;
      std::size_t element;
      Number below;
      Number above;
      Number part;
    };
    std::vector<Between> moved;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const DType dtype = detail::exact_dtype(pair_, pair_.inputs[order_[k]]);
      for (std::size_t i = 0; i < inputs[k].values.size(); ++i) {
        const Number exact = inputs[k].values[i];
        const Number stored = round_to(exact, dtype);
        if (stored == exact || !is_float(dtype) || !std::isfinite(stored)) continue;
        const Number other =
            stored < exact ? next_above(stored, dtype) : -next_above(-stored, dtype);
        moved.push_back({k, i, stored, other, (exact - stored) / (other - stored)});
      }
    }
    // Of several, the nearest: writing them to memory rounds them.
    if (moved.size() != 1) return {result_shape(), results_of(inputs)};
    const auto& [input, element, below, above, part] = moved.front();
    Arrays beside = inputs;
    beside[input].values[element] = below;
    Array result{result_shape(), results_of(beside)};
    beside[input].values[element] = above;
    const std::vector<Number> next = results_of(beside);
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (next[i] != result.values[i]) result.values[i] += part * (next[i] - result.values[i]);
    }
    return result;
  }

  // Given the gradients of the outputs, one behind the other, then the inputs in the contract's
  // order.
  void backward(const BackwardCall& call) const {
    std::vector<const void*> inputs(pair_.inputs.size());
    Arrays values(pair_.inputs.size());
    Memory copies;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const View& view = call.inputs[k + 1];
      const FunctionArray& array = pair_.inputs[order_[k]];
      values[order_[k]] = {array.shape, symmetrized(array, values_of(view))};
      const bool is_copied = array.consumed || array.symmetric;
      inputs[order_[k]] =
          is_copied ? copies.add(array, values[order_[k]].values)
                    : view.data + static_cast<std::size_t>(view.offset) * bytes_of(view.dtype);
    }
    const Arrays results = detail::results_at(pair_, values);
    std::vector<const void*> made;
    Memory outputs;
    for (std::size_t k = 0; k < results.size(); ++k) {
      made.push_back(outputs.add(pair_.outputs[k], results[k].values));
    }
    Memory arrived;
    std::vector<const void*> gradients;
    std::int64_t next = 0;
    for (const FunctionArray& output : pair_.outputs) {
      std::vector<Number> upstream;
      for (std::int64_t i = 0; is_differentiated(output) && i < count_of(output.shape); ++i) {
        upstream.push_back(call.inputs[0].get(next++));
      }
      gradients.push_back(is_differentiated(output) ? arrived.add(output, upstream) : nullptr);
    }
    std::vector<void*> wanted(pair_.inputs.size(), nullptr);
    for (std::size_t k = 0; k < call.outputs.size(); ++k) {
      const View& view = call.outputs[k];
      wanted[order_[k]] = view.data;
      if (!pair_.inputs[order_[k]].adds_gradient) continue;
      for (std::int64_t i = 0; i < view.count(); ++i) view.set(i, 0);
    }
    if (pair_.backward_strided) {
      pair_.backward_strided(inputs, made, gradients, dense_strides(), wanted);
    } else {
      pair_.backward(inputs, made, gradients, wanted);
    }
    for (const Memory* memory : {&outputs, &arrived, &copies}) {
      memory->require_untouched();
    }
    require_upstream_kept(arrived, call.inputs[0]);
    for (std::size_t k = 0; k < call.outputs.size(); ++k) {
      const FunctionArray& array = pair_.inputs[order_[k]];
      if (!array.symmetric) continue;
      const std::vector<Number> gradient = symmetrized(array, values_of(call.outputs[k]));
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        call.outputs[k].set(static_cast<std::int64_t>(i), gradient[i]);
      }
    }
  }

 private:
  // Throws where the backward wrote to what arrives and may not.
  void require_upstream_kept(const Memory& arrived, const View& given) const {
    std::int64_t next = 0;
    std::size_t block = 0;
    for (const FunctionArray& output : pair_.outputs) {
      if (!is_differentiated(output)) continue;
      const bool may_change = output.consumed || output.overwritten_gradient;
      for (const Number value : arrived.values(block++)) {
        const Number before = given.get(next++);
        if (may_change || value == before || std::isnan(before)) continue;
        throw std::runtime_error(
            fmt::format("the backward wrote to the gradient that arrives at {}", output.name));
      }
    }
  }

  std::vector<const std::int64_t*> dense_strides() const {
    std::vector<const std::int64_t*> pointers;
    for (std::size_t k = 0; k < strides_.size(); ++k) {
      pointers.push_back(is_differentiated(pair_.outputs[k]) ? strides_[k].data() : nullptr);
    }
    return pointers;
  }

  std::vector<Number> results_of(const Arrays& arrays) const {
    Arrays inputs(pair_.inputs.size());
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const FunctionArray& array = pair_.inputs[order_[k]];
      inputs[order_[k]] = {array.shape, symmetrized(array, arrays[k].values)};
    }
    const Arrays results = detail::exact_results_at(pair_, inputs);
    std::vector<Number> all;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!is_differentiated(pair_.outputs[i])) continue;
      all.insert(all.end(), results[i].values.begin(), results[i].values.end());
    }
    return all;
  }

  FunctionPair pair_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<std::int64_t>> strides_;  // of dense outputs
};

// The other side of Candidate::resolution below.
constexpr const char* kHiddenInFloat =
    "float32 alone: errors below about 1 % of the largest element can hide in the forward's "
    "rounding; float64 shows them";

// That of all floating arrays or, with a reference, the one with the fewest digits.
DType dtype_of_pair(const FunctionPair& pair) {
  const auto first = std::ranges::find_if(pair.inputs, is_differentiated);
  if (first == pair.inputs.end()) {
    throw ValueError(pair.name + ": no input has a gradient");
  }
  if (std::ranges::none_of(pair.outputs, is_differentiated)) {
    throw ValueError(pair.name + ": no output has a gradient");
  }
  const auto require = [&](const FunctionArray& array, bool may_be_whole) {
    const bool is_whole = array.dtype == DType::int32 || array.dtype == DType::int64;
    const bool has_16_bits = array.dtype == DType::float16 || array.dtype == DType::bfloat16;
    const bool is_known =
        has_16_bits || array.dtype == DType::float32 || array.dtype == DType::float64;
    if (!is_known && !(is_whole && may_be_whole)) {
      throw DTypeError(
          fmt::format("{}: `{}` is {}; arrays of functions are float16, bfloat16, "
                      "float32 or float64{}",
                      pair.name, array.name, short_name(array.dtype),
                      may_be_whole ? ", without a gradient int32 or int64, too" : ""));
    }
    if (is_whole || pair.reference) return;
    if (has_16_bits) {
      throw ValueError(
          fmt::format("{}: `{}` is {}, whose steps are too large for differences; it "
                      "needs a reference, the forward in float64",
                      pair.name, array.name, short_name(array.dtype)));
    }
    if (array.dtype != first->dtype) {
      throw DTypeError(fmt::format(
          "{}: `{}` is {} and `{}` {}; floating arrays have one dtype "
          "unless there is a reference",
          pair.name, first->name, short_name(first->dtype), array.name, short_name(array.dtype)));
    }
  };
  for (const FunctionArray& input : pair.inputs) require(input, true);
  for (const FunctionArray& output : pair.outputs) require(output, !output.has_gradient);
  return detail::narrowest_dtype(pair);
}

}  // namespace

Candidate from_functions(FunctionPair pair) {
  if ((!pair.forward && !pair.reference) || (!pair.backward && !pair.backward_strided)) {
    throw ValueError(pair.name + ": the forward or the backward is missing");
  }
  if (pair.roundings < 0) {
    throw ValueError(fmt::format("{}: `roundings` is {}", pair.name, pair.roundings));
  }
  if (pair.accumulation && !is_float(*pair.accumulation)) {
    throw DTypeError(fmt::format("{}: `accumulation` is {}, which is no floating type", pair.name,
                                 short_name(*pair.accumulation)));
  }
  const DType dtype = dtype_of_pair(pair);
  for (const std::vector<FunctionArray>* arrays : {&pair.inputs, &pair.outputs}) {
    for (const FunctionArray& array : *arrays) {
      require_checkable(fmt::format("{}: `{}`", pair.name, array.name), array.shape);
      if (!array.symmetric || (array.shape.size() == 2 && array.shape[0] == array.shape[1]))
        continue;
      throw ValueError(
          fmt::format("{}: `{}` is symmetric, and its shape is {} and not of the form nxn",
                      pair.name, array.name, dims_text(array.shape)));
    }
  }
  const auto functions = std::make_shared<const Functions>(std::move(pair));
  contract::Operator op{
      .call = {.name = functions->pair().name},
      .results = {.reference = [functions](const contract::Arguments&, const Arrays& inputs) {
        return Arrays{functions->forward(inputs)};
      }}};
  for (const std::size_t i : functions->order()) {
    const FunctionArray& array = functions->pair().inputs[i];
    op.call.parameters.push_back(
        input(array.name, array.shape, array.low, array.high, array.dtype));
  }
  op.call.parameters.push_back(output("outputs", functions->result_shape(), dtype));

  Candidate candidate(std::move(op), [functions](const BackwardCall& call) {
    functions->backward(call);
    return std::string();
  });
  candidate.gradient.count = functions->differentiated_inputs();
  candidate.refusal = [dtype](DType other) {
    return other == dtype ? "" : fmt::format("the functions take {}", short_name(dtype));
  };
  candidate.strided = false;
  candidate.mixed = true;
  if (functions->pair().reference) {
    candidate.noise = 16 * kDoubleNoise;
    candidate.sparse = true;
    candidate.resolution = detail::resolution_of(functions->pair());
    candidate.rounding = [functions](const Arrays& inputs, const Array& cotangent, DType) {
      return functions->rounding(inputs, cotangent);
    };
    return candidate;
  }
  if (dtype == DType::float64) {
    candidate.noise = 16 * kDoubleNoise;
    candidate.resolution.of_zero = 4 * kDoubleNoise;
  } else {
    candidate.noise = 16 * 0x1p-24L;
    candidate.resolution = {.of_element = 1e-2L, .of_largest = 1e-2L, .of_zero = 0x1p-21L};
  }
  return candidate;
}

namespace detail {

// Sums are kept in float32, of float64 in float64, and terms that cancel may be some thousand times
// as large as what is left.
Resolution resolution_of(const FunctionPair& pair) {
  const DType dtype = narrowest_dtype(pair);
  const DType own = dtype == DType::float64 ? DType::float64 : DType::float32;
  const bool has_16_bits = roundoff(dtype) > roundoff(DType::float32);
  const Number stored = pair.roundings * roundoff(dtype);
  Number of_outputs = roundoff(dtype);
  for (const FunctionArray& output : pair.outputs) {
    if (is_float(output.dtype)) of_outputs = std::max(of_outputs, roundoff(output.dtype));
  }
  return {.of_largest = 1e-6L,
          .of_zero = 4 * kDoubleNoise,
          .of_sum = stored,
          .of_term = roundoff(pair.accumulation.value_or(own)),
          .of_scale = 0x1p11L * roundoff(own) + stored / 2,
          .of_cotangent = has_16_bits ? 0x1p-3L : 0x1p-6L,
          .of_results = (of_outputs > roundoff(DType::float32) ? 0x1p2L : 0x1p11L) * of_outputs};
}

Report check_pair(FunctionPair pair, Options options) {
  options.dtypes = {dtype_of_pair(pair)};
  const std::string name = pair.name;
  constexpr std::int64_t kMany = 400;  // elements, of which one draw says enough
  std::int64_t elements = 0;
  for (const FunctionArray& input : pair.inputs) elements += count_of(input.shape);
  if (pair.reference && elements > kMany) options.draws = 1;
  Report report = check_operator(from_functions(pair), options);
  for (int draw = 0; pair.reference && draw < options.draws; ++draw) {
    const std::uint64_t seed = options.seed * 1000 + static_cast<std::uint64_t>(draw);
    part_of(pair, report,
            [&] { check_values(pair, draw_point(pair, seed), options.ulp_slack, report); });
  }
  if (!pair.reference && options.dtypes.front() == DType::float32) {
    report.notes[kHiddenInFloat].insert(name);
  }
  return report;
}

void part_of(const FunctionPair& pair, Report& report, const std::function<void()>& part) {
  try {
    part();
  } catch (const std::exception& error) {
    report.findings.push_back(finding_of(pair, "call", error.what(), ""));
  }
}

}  // namespace detail

Report check_functions(FunctionPair pair, Options options) {
  Report report = detail::check_pair(pair, options);
  if (pair.reference) {
    detail::part_of(pair, report, [&] { detail::check_points(pair, options.seed, report); });
  }
  return report;
}

}  // namespace aclgrad::gradcheck
