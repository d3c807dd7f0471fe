// SPDX-License-Identifier: Apache-2.0
#include "train/hooks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/tensor/math.h"
#include "graph/describe.h"

namespace aclgrad::detail {

std::string name_of(const Value& value) {
  if (!value.name().empty()) return value.name();
  const Node& node = value.node();
  const std::string from =
      node.inputs.empty() ? std::string() : value.graph().value(node.inputs[0]).name();
  return from.empty() ? fmt::format("{} at {}", node.op->name(), place(node.where))
                      : fmt::format("{}({})", node.op->name(), from);
}

namespace {

// Of the values that `loss` depends on those of this name, in the order of recording.
std::vector<Value> values_behind(const Value& loss, const std::string& name) {
  const Graph graph = loss.graph();
  std::vector<bool> behind(graph.value_count());
  behind[static_cast<std::size_t>(loss.id())] = true;
  for (std::size_t id = graph.size(); id-- > 0;) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    const auto is_behind = [&](ValueId value) { return behind[static_cast<std::size_t>(value)]; };
    if (!std::ranges::any_of(node.outputs, is_behind)) continue;
    for (const ValueId input : node.inputs) behind[static_cast<std::size_t>(input)] = true;
  }
  std::vector<Value> found;
  std::vector<std::string> names;
  for (std::size_t id = 0; id < behind.size(); ++id) {
    if (!behind[id]) continue;
    const Value value = graph.value(static_cast<ValueId>(id));
    std::string own = name_of(value);
    if (own == name) found.push_back(value);
    if (!value.name().empty()) names.push_back(std::move(own));
  }
  if (!found.empty()) return found;
  constexpr std::size_t kNamed = 40;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  throw ValueError(fmt::format(
      "a hook asks for `{}`, but the loss depends on no value of that name, only on `{}`{}", name,
      fmt::join(names, "`, `"), more > 0 ? fmt::format(" and {} more", more) : ""));
}

}  // namespace

Gradients gradients_for(const std::vector<Value>& values, const Gradients& all) {
  std::vector<Gradients::Pair> pairs;
  for (const Value& value : values) {
    if (all.contains(value)) pairs.push_back({value, all[value]});
  }
  return Gradients(std::move(pairs));
}

void StepHooks::add(Hook hook) {
  if (hook.name.empty() || !hook.look) {
    throw ValueError(fmt::format("a hook has the name of a value, here \"{}\", and a function{}",
                                 hook.name, hook.look ? "" : ", here an empty one"));
  }
  hooks_.push_back(std::move(hook));
}

Gradients StepHooks::gradients_of(const Value& loss, const std::vector<Value>& parameters,
                                  const Value& seed) {
  const BackwardOptions options{.seed = seed, .omit_unused = true};
  if (hooks_.empty()) return backward(loss, parameters, options);
  std::vector<Value> wanted = parameters;
  std::vector<Watched> watched;
  for (std::size_t i = 0; i < hooks_.size(); ++i) {
    for (const Value& value : values_behind(loss, hooks_[i].name)) {
      // A variable is written over by the step; what it was can be fetched from a copy.
      const bool is_copied = !hooks_[i].backward && value.variable() != nullptr;
      watched.push_back({i, is_copied ? copy(value) : value});
      const bool is_new = hooks_[i].backward && std::ranges::find(wanted, value) == wanted.end();
      if (is_new) wanted.push_back(value);
    }
  }
  const Gradients all = backward(loss, wanted, options);
  for (Watched& each : watched) {
    if (!hooks_[each.hook].backward) continue;
    if (!all.contains(each.value)) {
      throw ValueError(fmt::format("a hook asks for the gradient of `{}`, which none arrives at",
                                   hooks_[each.hook].name));
    }
    each.value = all[each.value];
  }
  watching_.insert(watching_.end(), watched.begin(), watched.end());
  return gradients_for(parameters, all);
}

void StepHooks::add_fetches(std::vector<Fetch>& fetches) {
  std::erase_if(watched_, [](const auto& each) { return !each.front().value.valid(); });
  if (watching_.empty()) return;
  for (const Watched& each : watching_) fetches.emplace_back(each.value);
  watched_.push_back(std::exchange(watching_, {}));
}

void StepHooks::call(const Graph& graph, const Results& results, double scale) const {
  if (hooks_.empty()) return;
  const auto found = std::ranges::find_if(
      watched_, [&](const auto& each) { return each.front().value.is_of(graph); });
  if (found == watched_.end()) return;
  // Copies, as a hook may add another one.
  const std::vector<Hook> hooks = hooks_;
  for (const Watched& each : std::vector<Watched>(*found)) {
    const Hook& hook = hooks[each.hook];
    const Tensor value = results[each.value];
    hook.look(hook.backward && scale != 1 ? value.to(value.dtype()) * (1 / scale) : value);
  }
}

}  // namespace aclgrad::detail
