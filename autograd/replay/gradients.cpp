// SPDX-License-Identifier: Apache-2.0
// Recorded backwards beside the numeric derivative of their forward, at the recorded inputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclgrad_contract/numbers.h"
#include "gradcheck/tool/catalogue.h"
#include "replay/replay.h"

namespace aclgrad::replay {
namespace {

using contract::Array;
using contract::Arrays;
using contract::Number;

constexpr std::int64_t kMostEvaluations = 262'144;  // of elements of the forward, for one gradient
constexpr std::int64_t kMostElements = 8;           // of a gradient
constexpr Number kStep = 1e-5L;                     // times the size of the number that is moved
constexpr Number kKink = 1e-2L;  // slopes on both sides that differ by more of their size

// A forward with the attributes and inputs of a recorded backward.
struct Forward {
  contract::Arguments arguments;
  Arrays inputs;
  Array arriving;
  std::vector<std::size_t>
      differentiated;  // places among the inputs, in the order of the gradients
};

std::optional<Forward> forward_of(const contract::Arguments& backward, const Task& task) {
  const contract::Gradient& gradient = *backward.op().gradient;
  if (gradient.inputs || gradient.is_zero)
    return std::nullopt;  // what it keeps of the forward is not its inputs
  const contract::Operator& op = contract::find_contract(gradient.of);
  contract::Sample sample;
  for (const auto& [name, setting] : backward.settings()) {
    const bool has = std::ranges::any_of(op.call.parameters,
                                         [&, &wanted = name](const contract::Parameter& each) {
                                           return each.name == wanted && each.tensor() == nullptr;
                                         });
    if (has) sample.settings.emplace_back(name, setting);
  }
  Arrays given;
  for (const contract::Parameter* const each : inputs_of(backward)) {
    const auto tensor = std::ranges::find(task.tensors, each->name, &TensorArgument::name);
    if (tensor == task.tensors.end()) return std::nullopt;
    given.push_back(
        array_of(*tensor, task.before[static_cast<std::size_t>(tensor - task.tensors.begin())]));
  }
  Forward forward{contract::Arguments(op, sample).in(backward.dtype()),
                  {given.begin() + 1, given.end()},
                  given[0],
                  {}};
  std::size_t next = 0;
  std::vector<std::string> names;
  for (contract::Parameter& parameter : forward.arguments.parameters()) {
    auto* const spec = std::get_if<contract::TensorSpec>(&parameter.spec);
    if (spec == nullptr) continue;
    if (spec->role == contract::Role::kOutput) {
      spec->shape = forward.arriving.shape;
      continue;
    }
    if (spec->optional || next == forward.inputs.size()) continue;
    spec->shape = forward.inputs[next++].shape;
    names.push_back(parameter.name);
  }
  if (next != forward.inputs.size()) return std::nullopt;
  if (gradient.order.empty()) {
    for (std::size_t i = 0; i < std::min(gradient.count, names.size()); ++i)
      forward.differentiated.push_back(i);
  }
  for (const std::string& name : gradient.order) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    forward.differentiated.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return forward;
}

struct Slope {
  Number value = 0;
  Number error = 0;  // of the numeric derivative
  Number terms = 0;  // sum of the magnitudes that are added up
  bool has_kink = false;
};

class Derivative {
 public:
  Derivative(const Forward& forward, const contract::Gradient& gradient)
      : forward_(forward), gradient_(gradient) {
    middle_ = result(forward.inputs);
  }

  bool fits() const { return middle_.values.size() == forward_.arriving.values.size(); }

  Slope at(std::size_t input, std::size_t element) const {
    const Number x = forward_.inputs[input].values[element];
    const Number step = kStep * std::max<Number>(1, std::abs(x));
    const Slope coarse = difference(input, element, step);
    Slope fine = difference(input, element, step / 2);
    fine.error = std::abs(fine.value - coarse.value);
    return fine;
  }

 private:
  Array result(const Arrays& inputs) const {
    const Arrays results = gradient_.differentiated
                               ? gradient_.differentiated(forward_.arguments, inputs)
                               : contract::results_of(forward_.arguments, inputs);
    return results[contract::differentiated_result(forward_.arguments)];
  }

  Slope difference(std::size_t input, std::size_t element, Number step) const {
    Arrays moved = forward_.inputs;
    Number& x = moved[input].values[element];
    const Number middle = x;
    x = middle + step;
    const Array up = result(moved);
    const Number width = x;
    x = middle - step;
    const Array down = result(moved);
    const Number both = width - x;
    Slope slope;
    Number right = 0;
    Number left = 0;
    for (std::size_t i = 0; i < middle_.values.size(); ++i) {
      const Number arriving = forward_.arriving.values[i];
      const Number term = arriving * ((up.values[i] - down.values[i]) / both);
      slope.value += term;
      slope.terms += std::abs(term);
      right += arriving * ((up.values[i] - middle_.values[i]) / step);
      left += arriving * ((middle_.values[i] - down.values[i]) / step);
    }
    slope.has_kink =
        std::abs(right - left) > kKink * std::max({std::abs(right), std::abs(left), kStep});
    return slope;
  }

  const Forward& forward_;
  const contract::Gradient& gradient_;
  Array middle_;
};

}  // namespace

std::vector<std::string> wrong_gradients(const Task& task, const std::vector<Content>& after,
                                         std::int64_t& checked) {
  if (!task.op->gradient) return {};
  try {
    const auto backward = contract_arguments(task);
    const auto forward = backward ? forward_of(*backward, task) : std::nullopt;
    if (!forward || !contract::is_float(backward->dtype())) return {};
    const Derivative derivative(*forward, *task.op->gradient);
    if (!derivative.fits()) return {};
    const auto outputs = outputs_of(*backward);
    std::vector<std::string> wrong;
    for (std::size_t k = 0; k < std::min(outputs.size(), forward->differentiated.size()); ++k) {
      const auto tensor = std::ranges::find(task.tensors, outputs[k]->name, &TensorArgument::name);
      if (tensor == task.tensors.end()) continue;
      const auto& bytes = after[static_cast<std::size_t>(tensor - task.tensors.begin())];
      const std::size_t input = forward->differentiated[k];
      if (bytes.empty() || !contract::is_float(tensor->dtype)) continue;
      const Array gradient = array_of(*tensor, bytes);
      const auto count = static_cast<std::int64_t>(gradient.values.size());
      if (count == 0 || gradient.values.size() != forward->inputs[input].values.size()) continue;
      const auto samples =
          std::min(count, std::clamp<std::int64_t>(kMostEvaluations / count, 1, kMostElements));
      const double units = gradcheck::promised(*backward, static_cast<DType>(tensor->dtype));
      for (std::int64_t s = 0; s < samples; ++s) {
        const auto element = static_cast<std::size_t>(s * count / samples);
        const Slope slope = derivative.at(input, element);
        const Number got = gradient.values[element];
        if (slope.has_kink || !std::isfinite(slope.value) || !std::isfinite(slope.error)) continue;
        ++checked;
        const Number allowed =
            units * contract::unit_at(std::max(std::abs(slope.value), slope.terms), tensor->dtype) +
            2 * slope.error;
        if (std::abs(got - slope.value) <= allowed) continue;
        wrong.push_back(
            fmt::format("element {} of {} is {:.9g}, the derivative of {} there is {:.9g} ± {:.1g}",
                        element, tensor->name, static_cast<double>(got), task.op->gradient->of,
                        static_cast<double>(slope.value), static_cast<double>(slope.error)));
        break;  // one of a gradient says it
      }
    }
    return wrong;
  } catch (const std::exception&) {
    return {};  // arguments of which the forward's contract does not speak
  }
}

}  // namespace aclgrad::replay
