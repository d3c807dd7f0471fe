// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "gradcheck/core/failure.h"

namespace aclgrad::gradcheck::detail {
namespace {

void call(const Candidate& candidate, const BackwardCall& call, const ExecutionOptions& options) {
  const std::string failure = candidate.function(call);
  if (failure.empty()) return;
  std::string place;
  for (const View& view : call.inputs) {
    place += fmt::format("{}[{}]", place.empty() ? "" : ", ", fmt::join(view.shape, ", "));
  }
  if (options.layout != Layout::contiguous) place += fmt::format(", {}", to_string(options.layout));
  if (call.threads > 0) place += fmt::format(", threads: {}", call.threads);
  if (options.in_place) place += fmt::format(", over input {}", *options.in_place);
  throw Failure(fmt::format("the backward failed, given {}; {}", place, failure),
                "the backward, or how it is called");
}

}  // namespace

Execution execute(const Candidate& candidate, DType dtype, const Arrays& given,
                  const Arrays& inputs, const ExecutionOptions& options) {
  std::deque<Guarded> given_memory;
  std::vector<View> given_views;
  std::vector<std::vector<std::byte>> before;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Guarded& memory = given_memory.emplace_back(given_dtype(candidate, i, dtype), given[i],
                                                      options.layout, options.input_poison);
    given_views.push_back(memory.view());
    before.push_back(memory.bytes());
  }

  Execution result;
  std::deque<Guarded> own;
  std::vector<const Guarded*> outputs;
  std::vector<View> output_views;
  std::vector<bool> wanted;
  for (const std::size_t which : differentiable(candidate)) {
    const std::size_t k = outputs.size();
    wanted.push_back(options.wanted.empty() || options.wanted[k]);
    if (k == 0 && options.in_place) {
      outputs.push_back(&given_memory[*options.in_place]);
    } else {
      outputs.push_back(&own.emplace_back(gradient_dtype(candidate, k, dtype), inputs[which].shape,
                                          options.layout, options.output_poison));
    }
    output_views.push_back(outputs.back()->view());
    if (!wanted.back()) output_views.back().data = nullptr;
  }

  call(candidate,
       {.inputs = given_views,
        .outputs = output_views,
        .threads = options.threads,
        .poison = options.scratch_poison},
       options);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    result.gradients.push_back(outputs[k]->read());
    result.bits.push_back(outputs[k]->element_bytes());
    std::string where;
    if (outputs[k]->changed_outside(&where) > 0) {
      result.outside = fmt::format("gradient {} was written {}", k, where);
    }
    if (!wanted[k]) {
      const std::byte poison{options.output_poison};
      for (const std::byte value : result.bits[k]) {
        if (value != poison) result.outside = fmt::format("gradient {} was not wanted", k);
      }
    }
  }
  for (std::size_t i = 0; i < given_memory.size(); ++i) {
    if (options.in_place == i || given_memory[i].bytes() == before[i]) continue;
    result.changed_inputs +=
        fmt::format("{}input {}", result.changed_inputs.empty() ? "" : ", ", i);
  }
  return result;
}

void require_numbers(const Problem& problem, const Execution& execution) {
  const auto is_nan = [](Number value) { return std::isnan(value); };
  const auto is_known = [](const Expected& e) { return e.kind != PointKind::unknown; };
  for (std::size_t k = 0; k < problem.expected.size(); ++k) {
    const std::vector<Number>& values = execution.gradients[k].values;
    if (values.empty() || !std::ranges::all_of(values, is_nan)) continue;
    if (std::ranges::none_of(problem.expected[k], is_known)) continue;
    throw Failure(fmt::format("all of gradient {} is NaN in one of the calls", k),
                  "the backward: state kept between calls, or numbers near those of the forward");
  }
}

}  // namespace aclgrad::gradcheck::detail
