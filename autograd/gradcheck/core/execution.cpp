// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/core/execution.h"

#include <fmt/format.h>

#include <deque>
#include <exception>

namespace aclgrad::gradcheck::detail {
namespace {

std::string call(const Operator& op, const BackwardCall& backward_call) {
  try {
    return op.backward(backward_call);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

Execution execute(const Operator& op, DType dtype, const Arrays& given, const Arrays& inputs,
                  const ExecutionOptions& options) {
  std::deque<Guarded> given_memory;
  std::vector<View> given_views;
  std::vector<std::vector<std::byte>> before;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Guarded& memory = given_memory.emplace_back(given_dtype(op, i, dtype), given[i],
                                                      options.layout, options.input_poison);
    given_views.push_back(memory.view());
    before.push_back(memory.bytes());
  }

  Execution result;
  std::deque<Guarded> own;
  std::vector<const Guarded*> outputs;
  std::vector<View> output_views;
  std::vector<bool> wanted;
  for (const std::size_t which : differentiable(op)) {
    const std::size_t k = outputs.size();
    wanted.push_back(options.wanted.empty() || options.wanted[k]);
    if (k == 0 && options.in_place) {
      outputs.push_back(&given_memory[*options.in_place]);
    } else {
      outputs.push_back(&own.emplace_back(gradient_dtype(op, k, dtype), inputs[which].shape,
                                          options.layout, options.output_poison));
    }
    output_views.push_back(outputs.back()->view());
    if (!wanted.back()) output_views.back().data = nullptr;
  }

  result.failure = call(op, {.inputs = given_views,
                             .outputs = output_views,
                             .threads = options.threads,
                             .poison = options.scratch_poison});
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

}  // namespace aclgrad::gradcheck::detail
