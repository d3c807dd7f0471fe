// SPDX-License-Identifier: Apache-2.0
// The forwards of recorded backwards that are given results of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <set>

#include "aclgrad_contract/numbers.h"
#include "replay/gradients.h"
#include "replay/replay.h"

namespace aclgrad::replay {
namespace {

using contract::Array;
using contract::Arrays;
using contract::Number;
using contract::Parameter;
using contract::Role;

constexpr std::uint64_t kAnyContent = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kMostTries = 16;  // calls with one content that are compared

bool is_tensor_of(const contract::Operator& op, const std::string& name) {
  const auto found = std::ranges::find(op.call.parameters, name, &Parameter::name);
  return found != op.call.parameters.end() && found->tensor() != nullptr;
}

// Whether what both calls set is the same: numbers may be in FLOAT in one of them, which no result
// but those in DOUBLE shows. A tensor that the backward has, and the forward may have, must be
// there.
bool agree(const contract::Arguments& backward, const contract::Arguments& forward) {
  return std::ranges::all_of(backward.settings(), [&](const auto& each) {
    const auto& all = forward.settings();
    const auto other = std::ranges::find(all, each.first, [](const auto& s) { return s.first; });
    if (other == all.end()) return !is_tensor_of(forward.op(), each.first);
    const auto* const a = std::get_if<double>(&each.second);
    const auto* const b = std::get_if<double>(&other->second);
    if (a != nullptr && b != nullptr && backward.dtype() != ACL_DOUBLE)
      return static_cast<float>(*a) == static_cast<float>(*b);
    return each.second == other->second;
  });
}

bool is_given(const Array& derived, const Array& given, aclDataType dtype) {
  return std::ranges::equal(derived.values, given.values, [dtype](Number a, Number b) {
    return contract::rounded(a, dtype) == b || (std::isnan(a) && std::isnan(b));
  });
}

// Where a backward is given the gradient that arrives, if the rest that it was given is what it is
// given of these inputs and results of a forward.
std::optional<std::size_t> place_of_gradient(const contract::Arguments& backward,
                                             const Arrays& inputs, const Arrays& results,
                                             const contract::Arguments& forward,
                                             const Arrays& given) {
  // A number that no tensor has says where.
  const Array& result = results.at(contract::differentiated_result(forward));
  const auto count = static_cast<std::size_t>(contract::count_of(result.shape));
  const Array marker{result.shape, std::vector<Number>(count, std::numeric_limits<Number>::max())};
  const Arrays derived = contract::backward_inputs(backward, inputs, results, marker);
  if (derived.size() != given.size()) return std::nullopt;
  const auto parameters = inputs_of(backward);
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const aclDataType dtype = parameters[i]->tensor()->dtype.value_or(backward.dtype());
    if (derived[i].values == marker.values) {
      if (given[i].values.size() != count) return std::nullopt;
      place = i;
    } else if (!is_given(derived[i], given[i], dtype)) {
      return std::nullopt;
    }
  }
  return place;
}

}  // namespace

std::vector<GradientOf> gradients_of(const contract::Arguments& backward,
                                     const contract::Arguments& forward) {
  const contract::Gradient& gradient = *backward.op().gradient;
  std::vector<std::string> order = gradient.order;
  if (order.empty()) {
    for (const Parameter& each : forward.op().call.parameters) {
      const contract::TensorSpec* const tensor = each.tensor();
      const bool is_input = tensor != nullptr && tensor->role != Role::kOutput;
      if (is_input && order.size() < gradient.count) order.push_back(each.name);
    }
  }
  const auto is_output = [](const Parameter& each) {
    return each.tensor() != nullptr && each.tensor()->role == Role::kOutput;
  };
  // What stands before the gradients are sums for other calls.
  auto before = std::ranges::count_if(backward.parameters(), is_output) -
                static_cast<std::ptrdiff_t>(order.size());
  const auto inputs = inputs_of(forward);
  auto name = order.begin();
  auto result = static_cast<std::size_t>(std::ranges::count_if(
      inputs_of(backward), [](const auto* each) { return each->tensor()->role != Role::kInput; }));
  std::vector<GradientOf> all;
  for (const Parameter& each : backward.parameters()) {
    if (!is_output(each)) continue;
    const bool is_there = !each.tensor()->optional;
    if (before-- <= 0 && name != order.end()) {
      const auto input = std::ranges::find(inputs, *name++, &Parameter::name);
      if (is_there && input != inputs.end())
        all.push_back({&each, result, static_cast<std::size_t>(input - inputs.begin())});
    }
    if (is_there) ++result;
  }
  return all;
}

Forwards::Forwards(const Record& record) : record_(record) {
  std::set<std::string> names;
  for (const contract::Operator& each : contract::all_contracts()) {
    if (each.gradient && each.gradient->inputs) names.insert(each.gradient->of);
  }
  for (const contract::Operator& each : contract::all_contracts()) {
    for (const std::string& name : {each.name(), each.call.form_of}) {
      if (names.contains(name)) forwards_.emplace(each.name(), name);
    }
  }
}

void Forwards::see(const Call& call) {
  const auto forward = forwards_.find(call.function);
  if (forward == forwards_.end() || !call.plan || call.is_captured || call.status != 0) return;
  std::set<std::uint64_t> contents;
  for (const auto* const all : {&call.before, &call.after}) {
    for (const Bytes& each : *all) {
      if (each.content) contents.insert(*each.content);
    }
  }
  if (!contents.empty()) contents.insert(kAnyContent);
  for (const std::uint64_t each : contents) calls_[{forward->second, each}].push_back(&call);
}

std::optional<Forward> Forwards::find(const contract::Arguments& backward, const Task& task,
                                      const Arrays& given) const {
  // A record has each content once: what the backward keeps stands where the forward has left it.
  // The rarest first; then the latest calls of all, as of a view or of nothing kept but sizes.
  std::vector<const std::vector<const Call*>*> lists;
  const auto add = [&](std::uint64_t content) {
    const auto found = calls_.find({backward.op().gradient->of, content});
    if (found != calls_.end()) lists.push_back(&found->second);
  };
  for (const Bytes& each : task.call->before) {
    if (each.content) add(*each.content);
  }
  std::ranges::stable_sort(lists, {}, [](const auto* list) { return list->size(); });
  add(kAnyContent);
  std::set<const Call*> tried;
  for (const auto* const list : lists) {
    for (const Call* const call : *list | std::views::reverse | std::views::take(kMostTries)) {
      if (!tried.insert(call).second) continue;
      try {
        if (auto forward = match(*call, backward, given)) return forward;
      } catch (const std::exception&) {
        continue;  // a call that leaves out what the backward needs
      }
    }
  }
  return std::nullopt;
}

std::optional<Forward> Forwards::match(const Call& call, const contract::Arguments& backward,
                                       const Arrays& given) const {
  const auto task = task_of(record_, call);
  const auto arguments = task && has_bytes(*task) ? contract_arguments(*task) : std::nullopt;
  if (!arguments || !agree(backward, *arguments)) return std::nullopt;
  const auto parameters = inputs_of(*arguments);
  for (const GradientOf& each : gradients_of(backward, *arguments)) {
    if (each.gradient->tensor()->shape != parameters[each.input]->tensor()->shape)
      return std::nullopt;
  }
  const std::vector<Content> after = after_of(record_, call, *task);
  Arrays inputs = given_to(*arguments, *task), results;
  for (const Parameter* const each : parameters) {
    if (each->tensor()->role == Role::kInput) continue;
    const std::size_t place = place_of(*task, each->name);
    results.push_back(array_of(task->tensors[place], after[place]));
  }
  const bool is_updated = !results.empty();
  for (const Parameter* const each : outputs_of(*arguments)) {
    const std::size_t place = place_of(*task, each->name);
    const TensorArgument& tensor = task->tensors[place];
    results.push_back(after[place].empty() ? Array{tensor.shape, {}}
                                           : array_of(tensor, after[place]));
  }
  auto arriving = place_of_gradient(backward, inputs, results, *arguments, given);
  if (!arriving && is_updated) {  // as running statistics: a backward is given them as they are now
    Arrays now = inputs;
    auto result = results.begin();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (parameters[i]->tensor()->role != Role::kInput) now[i] = *result++;
    }
    arriving = place_of_gradient(backward, now, results, *arguments, given);
  }
  if (!arriving) return std::nullopt;
  return Forward{*arguments, std::move(inputs), given[*arriving], &call};
}

}  // namespace aclgrad::replay
