// SPDX-License-Identifier: Apache-2.0
// Recorded backwards beside the numeric derivative of their forward, at the recorded inputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aclgrad_contract/numbers.h"
#include "gradcheck/tool/catalogue.h"
#include "replay/gradients.h"

namespace aclgrad::replay {
namespace {

using contract::Array;
using contract::Arrays;
using contract::Number;

constexpr double kMostOperations = 262'144;     // that are asked of the forward for one gradient
constexpr double kTooManyOperations = 1 << 25;  // of one evaluation of it
constexpr std::int64_t kMostElements = 8;       // of a gradient
constexpr Number kStep = 1e-5L;                 // times the size of the number that is moved
constexpr Number kKink = 1e-2L;  // slopes on both sides that differ by more of their size
constexpr const char* kOtherCall = "the contract does not speak of such a call";
constexpr Number kRounding = 64 * std::numeric_limits<Number>::epsilon();  // of exact results

// A forward with the attributes and inputs of a recorded backward, which is given all of them.
std::optional<Forward> forward_of(const contract::Arguments& backward, const Arrays& given) {
  const contract::Gradient& gradient = *backward.op().gradient;
  const contract::Operator& op = contract::find_contract(gradient.of);
  contract::Sample sample;
  for (const auto& [name, setting] : backward.settings()) {
    const bool has = std::ranges::any_of(op.call.parameters,
                                         [&, &wanted = name](const contract::Parameter& each) {
                                           return each.name == wanted && each.tensor() == nullptr;
                                         });
    if (has) sample.settings.emplace_back(name, setting);
  }
  Forward forward{contract::Arguments(op, sample).in(backward.dtype()),
                  {given.begin() + 1, given.end()},
                  given[0]};
  std::size_t next = 0;
  for (contract::Parameter& parameter : forward.arguments.parameters()) {
    auto* const spec = std::get_if<contract::TensorSpec>(&parameter.spec);
    if (spec == nullptr) continue;
    if (spec->role == contract::Role::kOutput) {
      spec->shape = forward.arriving.shape;
      continue;
    }
    if (spec->optional || next == forward.inputs.size()) continue;
    spec->shape = forward.inputs[next++].shape;
  }
  if (next != forward.inputs.size()) return std::nullopt;
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
      : forward_(forward), gradient_(gradient), moved_(forward.inputs), middle_(result()) {}

  bool fits() const { return middle_.values.size() == forward_.arriving.values.size(); }

  Slope at(std::size_t input, std::size_t element) {
    const Number x = forward_.inputs[input].values[element];
    const Number step = kStep * std::max<Number>(1, std::abs(x));
    const Slope coarse = difference(input, element, step);
    Slope fine = difference(input, element, step / 2);
    fine.error += std::abs(fine.value - coarse.value);
    return fine;
  }

 private:
  Array result() const {
    const Arrays results = gradient_.differentiated
                               ? gradient_.differentiated(forward_.arguments, moved_)
                               : contract::results_of(forward_.arguments, moved_);
    return results.at(
        gradient_.differentiated ? 0 : contract::differentiated_result(forward_.arguments));
  }

  Slope difference(std::size_t input, std::size_t element, Number step) {
    Number& x = moved_[input].values[element];
    const Number middle = x;
    const Number above = x = middle + step;
    const Array up = result();
    const Number below = x = middle - step;
    const Array down = result();
    const Number both = above - below;
    x = middle;
    Slope slope;
    Number right = 0;
    Number left = 0;
    for (std::size_t i = 0; i < middle_.values.size(); ++i) {
      const Number arriving = forward_.arriving.values[i];
      const Number term = arriving * ((up.values[i] - down.values[i]) / both);
      slope.value += term;
      slope.terms += std::abs(term);
      if (up.values[i] != down.values[i])
        slope.error += std::abs(arriving * middle_.values[i]) * kRounding / step;
      right += arriving * ((up.values[i] - middle_.values[i]) / step);
      left += arriving * ((middle_.values[i] - down.values[i]) / step);
    }
    slope.has_kink =
        std::abs(right - left) > kKink * std::max({std::abs(right), std::abs(left), kStep});
    return slope;
  }

  const Forward& forward_;
  const contract::Gradient& gradient_;
  Arrays moved_;
  Array middle_;
};

// About how many operations an evaluation of a call takes. Masks and indices are of other sizes.
double operations_of(const contract::Arguments& call) {
  std::int64_t most = 1;
  for (const contract::Parameter& each : call.parameters()) {
    const contract::TensorSpec* const tensor = each.tensor();
    if (tensor != nullptr && !tensor->optional &&
        contract::is_float(tensor->dtype.value_or(ACL_FLOAT)))
      most = std::max(most, contract::count_of(tensor->shape));
  }
  const auto& roundings = call.op().results.roundings;  // one for each term of a sum
  return static_cast<double>(most) * (roundings ? std::max(1.0, roundings(call)) : 1);
}

// What a backward gives exactly, and what of it comes from the rounding of what it keeps.
struct ExactBackward {
  Arrays results;    // of what it was given
  Arrays unrounded;  // of what the forward's exact results would give it
  Arrays scale;      // of sums that may cancel

  ExactBackward(const contract::Arguments& backward, const Forward& forward, const Arrays& given)
      : results(contract::results_of(backward, given)), unrounded(results) {
    if (forward.call != nullptr) {
      const Arrays outputs = contract::results_of(forward.arguments, forward.inputs);
      unrounded = contract::results_of(
          backward, contract::backward_inputs(backward, forward.inputs, outputs, forward.arriving));
    }
    if (const auto& magnitude = backward.op().results.magnitude) scale = magnitude(backward, given);
  }

  Number rounding(std::size_t result, std::size_t i) const {
    return std::abs(results[result].values.at(i) - unrounded.at(result).values.at(i));
  }
  Number scale_of(std::size_t result, std::size_t i) const {
    const Number value = std::abs(results[result].values.at(i));
    const bool has = result < scale.size() && i < scale[result].values.size();
    return has && std::isfinite(scale[result].values[i])
               ? std::max(value, std::abs(scale[result].values[i]))
               : value;
  }
};

GradientCheck checked(const contract::Arguments& backward, const Forward& forward,
                      const Arrays& given, const Task& task, const std::vector<Content>& after) {
  const double operations = operations_of(forward.arguments);
  if (operations > kTooManyOperations) return {.why = "the forward takes too many operations"};
  Derivative derivative(forward, *task.op->gradient);
  const ExactBackward exact(backward, forward, given);
  const auto gradients = gradients_of(backward, forward.arguments);
  const bool fits =
      derivative.fits() && std::ranges::all_of(gradients, [&](const GradientOf& each) {
        return each.result < exact.results.size();
      });
  if (!fits) return {.why = kOtherCall};
  GradientCheck check;
  for (const auto& [parameter, result, input] : gradients) {
    const auto tensor = std::ranges::find(task.tensors, parameter->name, &TensorArgument::name);
    if (tensor == task.tensors.end()) continue;
    const auto& bytes = after[static_cast<std::size_t>(tensor - task.tensors.begin())];
    // Without exact values it is none that was asked for.
    if (bytes.empty() || !contract::is_float(tensor->dtype) || exact.results[result].values.empty())
      continue;
    const Array gradient = array_of(*tensor, bytes);
    const auto count = static_cast<std::int64_t>(gradient.values.size());
    if (count == 0 || gradient.values.size() != forward.inputs[input].values.size()) continue;
    const double most = kMostOperations / std::max(operations, static_cast<double>(count));
    const auto samples = std::min(
        count, std::clamp<std::int64_t>(static_cast<std::int64_t>(most), 1, kMostElements));
    const double units = gradcheck::promised(backward, static_cast<DType>(tensor->dtype));
    const double inner = contract::bound_of(backward).inner;
    const aclDataType summed = tensor->dtype == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
    for (std::int64_t s = 0; s < samples; ++s) {
      const auto element = static_cast<std::size_t>(s * count / samples);
      const Slope slope = derivative.at(input, element);
      const Number got = gradient.values[element];
      const Number rounding = exact.rounding(result, element);
      if (slope.has_kink || !std::isfinite(slope.value + slope.error + rounding)) continue;
      ++check.checked;
      const Number scale =
          std::max({std::abs(slope.value), slope.terms, exact.scale_of(result, element)});
      const Number allowed = units * contract::unit_at(scale, tensor->dtype) +
                             inner * contract::unit_at(scale, summed) + 2 * slope.error + rounding;
      if (std::abs(got - slope.value) <= allowed) continue;
      const std::string where =
          forward.call != nullptr
              ? fmt::format("at call {}{}", forward.call->number, run_text(forward.call->run))
              : "there";
      check.wrong.push_back(fmt::format(
          "element {} of {} is {:.9g}, the derivative of {} {} is {:.9g} ± {:.1g}", element,
          tensor->name, static_cast<double>(got), forward.arguments.op().name(), where,
          static_cast<double>(slope.value), static_cast<double>(slope.error + rounding)));
      break;  // one of a gradient says it
    }
  }
  return check;
}

}  // namespace

std::size_t place_of(const Task& task, const std::string& name) {
  const auto found = std::ranges::find(task.tensors, name, &TensorArgument::name);
  if (found == task.tensors.end()) throw IoError(name + " is missing");
  return static_cast<std::size_t>(found - task.tensors.begin());
}

Arrays given_to(const contract::Arguments& call, const Task& task) {
  Arrays given;
  for (const contract::Parameter* const each : inputs_of(call)) {
    const std::size_t place = place_of(task, each->name);
    given.push_back(array_of(task.tensors[place], task.before[place]));
  }
  return given;
}

GradientCheck check_gradients(const Task& task, const std::vector<Content>& after,
                              const Forwards& forwards) {
  if (!task.op->gradient) return {};
  try {
    const auto backward = contract_arguments(task);
    if (!backward) return {.why = kOtherCall};
    if (!contract::is_float(backward->dtype())) return {};
    const contract::Gradient& gradient = *task.op->gradient;
    const Arrays given = given_to(*backward, task);
    const auto forward =
        gradient.inputs ? forwards.find(*backward, task, given) : forward_of(*backward, given);
    if (forward) return checked(*backward, *forward, given, task, after);
    if (gradient.of == task.op->name()) return {};  // its own backward: this may be a forward
    return {.why = gradient.inputs ? "no forward in the record gave what it keeps" : kOtherCall};
  } catch (const std::exception&) {
    return {.why = kOtherCall};
  }
}

}  // namespace aclgrad::replay
