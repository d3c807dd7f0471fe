// SPDX-License-Identifier: Apache-2.0
#include "session/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "session/schedule.h"

namespace aclgrad::detail {
namespace {

std::vector<NodeId> nodes_for(const Graph& graph, const std::vector<Fetch>& fetches) {
  std::vector<Value> values;
  for (const Fetch& fetch : fetches) {
    for (const Value& value : fetch.values()) {
      if (!(value.graph() == graph)) {
        throw ValueError(
            fmt::format("cannot fetch {}: it belongs to another graph than the "
                        "session's",
                        value.description()));
      }
      values.push_back(value);
    }
  }
  return needed_nodes(graph, values);
}

// The inputs that no feed has served, as "`x`, `t`".
std::string names(const std::vector<Value>& inputs, const std::vector<bool>& skip) {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (skip[i]) continue;
    if (!text.empty()) text += ", ";
    text += inputs[i].description();
  }
  return text;
}

}  // namespace

SessionState::SessionState(Graph graph, std::vector<Fetch> fetches, SessionOptions options)
    : graph_(std::move(graph)),
      fetches_(std::move(fetches)),
      options_(std::move(options)),
      plan_(graph_, nodes_for(graph_, fetches_), options_.eager) {
  if (options_.observer && !options_.eager) {
    throw ValueError("a session's observer needs the option eager");
  }
  const std::vector<NodeId> nodes = nodes_for(graph_, fetches_);
  check_fetches(nodes);
  find_inputs_and_variables(nodes);
}

void SessionState::check_fetches(const std::vector<NodeId>& nodes) const {
  // A variable fetched as it was before an update that this very session runs is lost.
  std::unordered_map<ValueId, NodeId> last_update;  // by root
  for (const NodeId id : nodes) {
    const Node& node = graph_.node(id);
    if (dynamic_cast<const AclnnOp*>(node.op.get()) == nullptr) continue;
    for (const Value& output : graph_.values(node.outputs)) {
      if (!(output.root() == output)) last_update[output.root().id()] = id;
    }
  }
  for (const Fetch& fetch : fetches_) {
    if (!fetch.readable()) continue;
    const Value& wanted = fetch.values().front();
    const auto update = last_update.find(wanted.root().id());
    if (update == last_update.end() || update->second <= wanted.node().id) continue;
    throw ValueError(fmt::format("cannot fetch {} as {} left it: {} overwrites it in the same run",
                                 wanted.description(), label(wanted.node()),
                                 label(graph_.node(update->second))));
  }
}

void SessionState::find_inputs_and_variables(const std::vector<NodeId>& nodes) {
  for (const NodeId id : nodes) {
    const Node& node = graph_.node(id);
    const std::vector<Value> outputs = graph_.values(node.outputs);
    if (dynamic_cast<const InputOp*>(node.op.get()) != nullptr) inputs_.push_back(outputs.front());
    if (const auto* source = dynamic_cast<const VariableOp*>(node.op.get())) {
      variables_.emplace(outputs.front().id(), WatchedVariable{source->variable});
    }
    if (dynamic_cast<const AclnnOp*>(node.op.get()) == nullptr) continue;
    for (const Value& output : outputs) {
      if (!(output.root() == output)) variables_.at(output.root().id()).updated = true;
    }
  }
  fed_.assign(inputs_.size(), false);
}

void SessionState::check_feed(const Value& input, const Tensor& tensor) const {
  if (tensor.shape() != input.shape()) {
    throw ShapeError(fmt::format("input {} has shape {}, was fed a tensor of shape {}",
                                 input.description(), input.shape(), tensor.shape()));
  }
  if (tensor.dtype() != input.dtype()) {
    throw DTypeError(fmt::format("input {} is {}, was fed a tensor of {}", input.description(),
                                 input.dtype(), tensor.dtype()));
  }
}

void SessionState::check_feeds(std::span<const Feed> feeds) {
  std::fill(fed_.begin(), fed_.end(), false);
  for (const Feed& feed : feeds) {
    const auto found = std::find(inputs_.begin(), inputs_.end(), feed.input());
    if (found == inputs_.end()) {
      const char* reason = !feed.input() || !(feed.input().graph() == graph_)
                               ? "it does not belong to the session's graph"
                           : dynamic_cast<const InputOp*>(feed.input().node().op.get()) == nullptr
                               ? "it is not an input"
                               : "nothing that the session runs needs it";
      throw ValueError(fmt::format("cannot feed {}: {}",
                                   feed.input() ? feed.input().description() : "an empty Value",
                                   reason));
    }
    const auto position = static_cast<std::size_t>(found - inputs_.begin());
    if (fed_[position]) throw ValueError(fmt::format("{} is fed twice", found->description()));
    fed_[position] = true;
    check_feed(*found, feed.tensor());
  }
  if (feeds.size() != inputs_.size()) {
    throw ValueError(fmt::format("no feed for {}", names(inputs_, fed_)));
  }
}

std::vector<Tensor> SessionState::snapshot(const std::vector<ValueId>& ids) {
  std::vector<Tensor> tensors;
  for (const Value& value : graph_.values(ids)) tensors.push_back(plan_.memory().download(value));
  return tensors;
}

void SessionState::run_plan() {
  if (!options_.observer) return plan_.run();
  std::vector<Tensor> inputs;
  plan_.run([&](const Node& node) { inputs = snapshot(node.inputs); },
            [&](const Node& node) { options_.observer(node, inputs, snapshot(node.outputs)); });
}

std::uint64_t SessionState::run(std::span<const Feed> feeds) {
  check_feeds(feeds);
  ++runs_;  // earlier results are void from here on
  for (const Feed& feed : feeds) plan_.memory().upload(feed.input(), feed.tensor());
  for (auto& [root, watched] : variables_) {
    if (watched.updated) watched.variable.mark_changed();
    watched.version = watched.variable.version();
  }
  run_plan();
  return runs_;
}

Tensor SessionState::read(const Value& value, std::uint64_t run) const {
  const bool fetched = std::any_of(fetches_.begin(), fetches_.end(), [&](const Fetch& fetch) {
    return fetch.readable() && fetch.values().front() == value;
  });
  if (!fetched) throw ValueError(fmt::format("{} was not fetched", value.description()));
  if (run != runs_) {
    throw ValueError(
        fmt::format("{} of run {} was overwritten by run {}; read it before the next "
                    "run",
                    value.description(), run, runs_));
  }
  const auto watched = variables_.find(value.root().id());
  if (watched != variables_.end() &&
      watched->second.version != watched->second.variable.version()) {
    throw ValueError(fmt::format("{} has changed since run {}", value.description(), run));
  }
  return plan_.memory().download(value);
}

}  // namespace aclgrad::detail
