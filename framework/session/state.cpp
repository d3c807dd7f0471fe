// SPDX-License-Identifier: Apache-2.0
#include "session/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/runtime.h"
#include "session/schedule.h"
#include "session/stream_partition.h"

namespace aclgrad::detail {
namespace {

// The only run of a session that is under way.
class OneRun {
 public:
  explicit OneRun(std::atomic_flag& is_running) : is_running_(is_running) {
    if (is_running.test_and_set(std::memory_order_acquire)) {
      throw ValueError(
          "the session is running already: it serves one thread at a time; make one for each");
    }
  }
  ~OneRun() { is_running_.clear(std::memory_order_release); }
  OneRun(const OneRun&) = delete;
  OneRun& operator=(const OneRun&) = delete;

 private:
  std::atomic_flag& is_running_;
};

PlanMode mode_of(const SessionOptions& options) {
  if (options.eager) return PlanMode::eager;
  const bool node_by_node = options.poison || options.trace_nonfinite;
  return options.replay && !node_by_node ? PlanMode::replayed : PlanMode::launched;
}

// The inputs that no feed has served, as "`x`, `t`".
std::string names(const GraphData& graph, const std::vector<ValueId>& inputs,
                  const std::vector<bool>& skip) {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (skip[i]) continue;
    if (!text.empty()) text += ", ";
    text += graph.description(inputs[i]);
  }
  return text;
}

}  // namespace

Graph shared_graph(const Graph& graph, const std::vector<Fetch>& fetches) {
  for (const Fetch& fetch : fetches) {
    for (const Value& value : fetch.values()) {
      if (!(value.graph() == graph)) throw ValueError("a fetched value belongs to another graph");
      return GraphAccess::handle(graph);
    }
  }
  throw ValueError("a session needs something to fetch");
}

std::vector<ValueId> fetched_values(const Graph& graph, const std::vector<Fetch>& fetches,
                                    bool only_readable) {
  std::vector<ValueId> ids;
  for (const Fetch& fetch : fetches) {
    for (const Value& value : fetch.values()) {
      if (!(value.graph() == graph)) {
        throw ValueError(
            fmt::format("cannot fetch {}: it belongs to another graph than the "
                        "session's",
                        value.description()));
      }
      if (fetch.readable() || !only_readable) ids.push_back(value.id());
    }
  }
  return ids;
}

SessionState::SessionState(Graph graph, std::vector<Fetch> fetches, SessionOptions options,
                           std::optional<PlanMode> mode)
    : graph_(std::move(graph)),
      data_(GraphAccess::data(graph_)),
      fetches_(std::move(fetches)),
      options_(std::move(options)),
      nodes_(schedule_early(data_, needed_nodes(data_, fetched_values(graph_, fetches_, false)))),
      kept_(fetched_values(graph_, fetches_, true)),
      plan_(graph_, (check_before_planning(), nodes_), kept_, mode.value_or(mode_of(options_))) {
  check_fetches();
  find_inputs_and_variables();
  if (options_.poison) poison_.emplace(plan_);
  if (options_.compare) prepare_comparison();
}

void SessionState::check_options() const {
  if (options_.observer && !options_.eager) {
    throw ValueError("a session's observer needs the option eager");
  }
  if (options_.poison && options_.eager) {
    throw ValueError("the option poison has no effect in an eager session, which reuses no memory");
  }
  if (options_.compare && options_.eager) {
    throw ValueError("the option compare has no effect in an eager session: it compares with one");
  }
}

void SessionState::check_before_planning() const {
  check_options();
  ensure_runtime();
  int device = -1;
  check_status(aclrtGetDevice(&device), "aclrtGetDevice");
  for (const NodeId id : nodes_) {
    if (as_call(data_.node(id)) != nullptr) continue;
    const auto* source = dynamic_cast<const VariableOp*>(data_.node(id).op.get());
    if (source == nullptr) continue;
    const auto refuse = [&](const std::string& reason) {
      throw ValueError(fmt::format("parameter {} of {} {}",
                                   data_.description(data_.node(id).outputs.front()),
                                   label(data_.node(id)), reason));
    };
    if (!source->variable.is_alive()) {
      refuse("is dead: its device memory was freed (aclrtResetDevice, aclFinalize)");
    }
    if (source->variable.device() != device) {
      refuse(fmt::format("lies on device {}, the session is made on device {} (use_device)",
                         source->variable.device(), device));
    }
  }
}

void SessionState::check_fetches() const {
  // A variable fetched as it was before an update that this very session runs is lost.
  std::unordered_map<ValueId, NodeId> last_update;  // by root
  for (const NodeId id : nodes_) {
    const Node& node = data_.node(id);
    if (as_call(node) == nullptr) continue;
    for (const ValueId output : node.outputs) {
      const ValueId root = data_.value(output).root;
      if (root != output) last_update[root] = id;
    }
  }
  for (const ValueId wanted : kept_) {
    const NodeId maker = data_.value(wanted).node;
    const auto update = last_update.find(data_.value(wanted).root);
    if (update == last_update.end() || update->second <= maker) continue;
    throw ValueError(fmt::format("cannot fetch {} as {} left it: {} overwrites it in the same run",
                                 data_.description(wanted), label(data_.node(maker)),
                                 label(data_.node(update->second))));
  }
}

void SessionState::find_inputs_and_variables() {
  std::unordered_map<ValueId, std::size_t> position;  // in variables_, by root
  for (const NodeId id : nodes_) {
    const Node& node = data_.node(id);
    if (as_call(node) != nullptr) {
      for (const ValueId output : node.outputs) {
        const ValueId root = data_.value(output).root;
        if (root != output) variables_[position.at(root)].updated = true;
      }
    } else if (const auto* source = dynamic_cast<const VariableOp*>(node.op.get())) {
      position.emplace(node.outputs.front(), variables_.size());
      variables_.push_back({node.outputs.front(), source->variable});
    } else if (dynamic_cast<const InputOp*>(node.op.get()) != nullptr) {
      inputs_.push_back(node.outputs.front());
    }
  }
  fed_.assign(inputs_.size(), false);
}

void SessionState::prepare_comparison() {
  std::vector<Variable> updated;
  std::vector<ValueId> compared = kept_;
  for (const WatchedVariable& watched : variables_) {
    if (!watched.updated) continue;
    updated.push_back(watched.variable);
    compared.push_back(watched.root);
  }
  comparison_.emplace(graph_, fetches_, std::move(updated), std::move(compared));
}

std::vector<Value> SessionState::inputs() const { return graph_.values(inputs_); }

void SessionState::check_feed(ValueId input, const Tensor& tensor) const {
  const TensorSpec& wanted = data_.value(input).layout->spec;
  if (tensor.shape() != wanted.shape) {
    throw ShapeError(fmt::format("input {} has shape {}, was fed a tensor of shape {}",
                                 data_.description(input), wanted.shape, tensor.shape()));
  }
  if (tensor.dtype() != wanted.dtype) {
    throw DTypeError(fmt::format("input {} is {}, was fed a tensor of {}", data_.description(input),
                                 wanted.dtype, tensor.dtype()));
  }
}

void SessionState::refuse_feed(const Value& input) const {
  if (input.id() < 0) throw ValueError("cannot feed an empty Value");
  if (!input) {
    throw ValueError(fmt::format("cannot feed value {}: its graph is gone", input.id()));
  }
  const char* reason = !(input.graph() == graph_) ? "it does not belong to the session's graph"
                       : dynamic_cast<const InputOp*>(input.node().op.get()) == nullptr
                           ? "it is not an input"
                           : "nothing that the session runs needs it";
  throw ValueError(fmt::format("cannot feed {}: {}", input.description(), reason));
}

void SessionState::check_feeds(std::span<const Feed> feeds) {
  std::fill(fed_.begin(), fed_.end(), false);
  for (const Feed& feed : feeds) {
    const auto found = std::find(inputs_.begin(), inputs_.end(), feed.input().id());
    if (found == inputs_.end() || !(feed.input().is_of(graph_))) refuse_feed(feed.input());
    const auto position = static_cast<std::size_t>(found - inputs_.begin());
    if (fed_[position]) {
      throw ValueError(fmt::format("{} is fed twice", data_.description(*found)));
    }
    fed_[position] = true;
    check_feed(*found, feed.tensor());
  }
  if (feeds.size() != inputs_.size()) {
    throw ValueError(fmt::format("no feed for {}", names(data_, inputs_, fed_)));
  }
}

std::vector<Tensor> SessionState::snapshot(std::span<const ValueId> ids) const {
  std::vector<Tensor> tensors;
  for (const ValueId id : ids) tensors.push_back(plan_.memory().download(id));
  return tensors;
}

void SessionState::run_steps(StepTimes* times) {
  std::vector<Tensor> inputs;
  NonFiniteTracer tracer(data_, plan_);
  plan_.run_steps(
      [&](std::size_t step) {
        if (options_.observer) inputs = snapshot(plan_.node(step).inputs);
        if (options_.trace_nonfinite) tracer.before(step);
        if (times != nullptr) times->before();
      },
      [&](std::size_t step) {
        if (times != nullptr) times->after(step);
        if (options_.trace_nonfinite) tracer.after(step);
        const Node& node = plan_.node(step);
        if (options_.observer) options_.observer(node, inputs, snapshot(node.outputs));
        if (poison_) poison_->after(step);
      });
}

void SessionState::begin_run(std::span<const Feed> feeds, bool replays) {
  check_feeds(feeds);
  ensure_runtime();
  plan_.check_usable();
  ++runs_;  // earlier results are void from here on
  if (poison_) poison_->begin();
  for (const Feed& feed : feeds) {
    const ValueId input = feed.input().id();
    if (!replays || !plan_.bind_zero_copy(input, feed.tensor()))
      plan_.memory().upload(input, feed.tensor());
  }
  for (WatchedVariable& watched : variables_) {
    if (watched.updated) watched.variable.mark_changed();
    watched.version = watched.variable.version();
  }
}

void SessionState::run_alone(std::span<const Feed> feeds) {
  const bool by_steps = options_.observer || options_.trace_nonfinite || options_.poison;
  begin_run(feeds, !by_steps);
  if (by_steps) {
    run_steps(nullptr);
  } else {
    plan_.run();
  }
}

std::uint64_t SessionState::run(std::span<const Feed> feeds) {
  const OneRun one(is_running_);
  if (comparison_) {
    comparison_->run(*this, feeds, [&] { run_alone(feeds); });
  } else {
    run_alone(feeds);
  }
  return runs_;
}

Profile SessionState::profile(std::span<const Feed> feeds) {
  const OneRun one(is_running_);
  begin_run(feeds);
  StepTimes times(plan_.step_count());
  run_steps(&times);
  return times.describe(data_, plan_);
}

Profile SessionState::timeline(std::span<const Feed> feeds) {
  if (options_.eager || options_.poison || options_.trace_nonfinite) {
    throw ValueError("a session that runs node by node has no timeline");
  }
  const OneRun one(is_running_);
  begin_run(feeds);
  return timeline_of(data_, plan_, plan_.run_timed());
}

Tensor SessionState::read(const Value& value, std::uint64_t run) const {
  const bool fetched =
      value.is_of(graph_) && std::find(kept_.begin(), kept_.end(), value.id()) != kept_.end();
  if (!fetched) throw ValueError(fmt::format("{} was not fetched", value.description()));
  if (run != runs_) {
    throw ValueError(
        fmt::format("{} of run {} was overwritten by run {}; read it before the next "
                    "run",
                    value.description(), run, runs_));
  }
  plan_.check_alive();
  const ValueId root = data_.value(value.id()).root;
  for (const WatchedVariable& watched : variables_) {
    if (watched.root == root && watched.version != watched.variable.version()) {
      throw ValueError(fmt::format("{} has changed since run {}", value.description(), run));
    }
  }
  return plan_.memory().download(value.id());
}

}  // namespace aclgrad::detail
