// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/runtime.h"
#include "session/state.h"

namespace aclgrad {
namespace detail {
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

// Holds runs back for as long as it lives.
class Reader {
 public:
  explicit Reader(std::atomic<std::uint32_t>& readers) : readers_(readers) { ++readers_; }
  ~Reader() {
    --readers_;
    readers_.notify_all();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

 private:
  std::atomic<std::uint32_t>& readers_;
};

// Tells observers how a run ends.
class RunEnd {
 public:
  explicit RunEnd(RunObservers observers) : observers_(observers) {}
  ~RunEnd() {
    if (!over_) tell(true);
  }
  RunEnd(const RunEnd&) = delete;
  RunEnd& operator=(const RunEnd&) = delete;

  void succeed() {
    over_ = true;
    tell(false);
  }

 private:
  void tell(bool failed) {
    for (RunObserver* observer : observers_) observer->end_run(failed);
  }

  RunObservers observers_;
  bool over_ = false;
};

void check_feed(const GraphData& graph, ValueId input, const Tensor& tensor) {
  const TensorSpec& wanted = graph.value(input).layout->spec;
  if (tensor.shape() != wanted.shape) {
    throw ShapeError(fmt::format("input {} has shape {}, was fed a tensor of shape {}",
                                 graph.description(input), wanted.shape, tensor.shape()));
  }
  if (tensor.dtype() != wanted.dtype) {
    throw DTypeError(fmt::format("input {} is {}, was fed a tensor of {}: convert it with to()",
                                 graph.description(input), wanted.dtype, tensor.dtype()));
  }
}

}  // namespace

SessionState::SessionState(const Graph& graph, std::vector<Fetch> fetches, SessionOptions options,
                           std::optional<RunMode> mode, std::shared_ptr<SessionStreams> streams)
    : graph_(GraphAccess::handle(graph)),
      fetches_(std::move(fetches)),
      options_(checked(std::move(options))),
      executable_(compile(graph_, fetches_, mode.value_or(mode_of(options_))),
                  mode.value_or(mode_of(options_)), std::move(streams)),
      readable_(program().fetched),
      fed_(program().inputs.size()),
      versions_(program().variables.size()) {
  std::ranges::sort(readable_);
  owned_observers_ = make_observers(*this, options_);
  for (const auto& observer : owned_observers_) {
    observers_.push_back(observer.get());
    if (observer->needs_node_by_node()) node_observers_.push_back(observer.get());
  }
}

void SessionState::refuse_feed(const Feed& feed) const {
  if (!feed.name().empty()) {
    const auto& names = program().graph->input_names;
    throw ValueError(fmt::format("cannot feed `{}`: {}", feed.name(),
                                 names.contains(feed.name())
                                     ? "nothing that the session runs needs it"
                                     : "the session's graph has no input of that name"));
  }
  const Value& input = feed.input();
  if (input.id() < 0) throw ValueError("cannot feed an empty Value");
  if (!input) {
    throw ValueError(fmt::format("cannot feed value {}: its graph is gone", input.id()));
  }
  const char* reason = !(input.graph() == graph_) ? "it does not belong to the session's graph"
                       : input.node().op->kind() != OpKind::input
                           ? "it is not an input"
                           : "nothing that the session runs needs it";
  throw ValueError(fmt::format("cannot feed {}: {}", input.description(), reason));
}

ValueId SessionState::input_of(const Feed& feed) const {
  if (feed.name().empty()) return feed.input().is_of(graph_) ? feed.input().id() : -1;
  const auto& names = program().graph->input_names;
  const auto found = names.find(feed.name());
  return found == names.end() ? -1 : found->second;
}

void SessionState::check_feeds(std::span<const Feed> feeds) {
  const GraphData& graph = *program().graph;
  const std::vector<ValueId>& inputs = program().inputs;
  std::ranges::fill(fed_, nullptr);
  for (const Feed& feed : feeds) {
    const ValueId input = input_of(feed);
    const auto found = std::ranges::lower_bound(inputs, input);  // in the order of recording
    if (found == inputs.end() || *found != input) refuse_feed(feed);
    const Feed*& fed = fed_[static_cast<std::size_t>(found - inputs.begin())];
    if (fed != nullptr) throw ValueError(fmt::format("{} is fed twice", graph.description(*found)));
    fed = &feed;
    check_feed(graph, *found, feed.tensor());
  }
  if (feeds.size() == inputs.size()) return;
  std::string missing;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (fed_[i] == nullptr) missing += (missing.empty() ? "" : ", ") + graph.description(inputs[i]);
  }
  throw ValueError("no feed for " + missing);
}

void SessionState::bind(std::span<const Feed> feeds, RunObservers observers, bool zero_copy) {
  check_feeds(feeds);
  ensure_runtime();
  executable_.check_usable();
  ++runs_;  // earlier results are void from here on
  while (const std::uint32_t reading = readers_.load()) readers_.wait(reading);
  for (RunObserver* observer : observers) observer->begin_run(executable_, feeds);
  for (std::size_t i = 0; i < fed_.size(); ++i) {
    const ValueId input = program().inputs[i];
    if (zero_copy && executable_.bind_zero_copy(input, fed_[i]->tensor())) continue;
    executable_.memory().upload(input, fed_[i]->tensor());
  }
  for (std::size_t i = 0; i < versions_.size(); ++i) {
    const BoundVariable& bound = program().variables[i];
    if (bound.variable.dtype() != bound.dtype) refuse_converted(bound);
    if (bound.updated_by >= 0) bound.variable.mark_changed();
    versions_[i] = bound.variable.version();
  }
}

std::uint64_t SessionState::run(std::span<const Feed> feeds) {
  const OneRun one(is_running_);
  const bool node_by_node = !node_observers_.empty();
  RunEnd end(observers_);
  bind(feeds, observers_, !node_by_node);
  if (node_by_node) {
    executable_.run_node_by_node(node_observers_);
  } else {
    executable_.run();
  }
  end.succeed();
  return runs_;
}

Profile SessionState::profile(std::span<const Feed> feeds) {
  const OneRun one(is_running_);
  RunEnd end(node_observers_);
  bind(feeds, node_observers_);
  Profile profile = profile_node_by_node(executable_, node_observers_);
  end.succeed();
  return profile;
}

Profile SessionState::timeline(std::span<const Feed> feeds) {
  if (runs_node_by_node(options_)) {
    throw ValueError("a session that runs node by node has no timeline");
  }
  const OneRun one(is_running_);
  bind(feeds);
  return profile_launched(executable_);
}

Tensor SessionState::read(const Value& value, std::uint64_t run) const {
  if (!value.is_of(graph_) || !std::ranges::binary_search(readable_, value.id())) {
    throw ValueError(fmt::format(
        "{}{} was not fetched: name it where the session is made", value.description(),
        value.is_of(graph_) ? " of " + label(value.node()) : std::string(" of another graph")));
  }
  const Reader reader(readers_);
  if (const std::uint64_t latest = runs_.load(); run != latest) {
    throw ValueError(
        fmt::format("{} of run {} was overwritten by run {}; read it before the next "
                    "run",
                    value.description(), run, latest));
  }
  executable_.check_alive();
  if (!program().in_arena(value.id())) {
    const std::size_t i = program().variable_of(value.id());
    if (versions_[i] != program().variables[i].variable.version()) {
      throw ValueError(fmt::format("{} has changed since run {}", value.description(), run));
    }
  }
  return executable_.memory().download(value.id());
}

}  // namespace detail

bool Feed::is_for(const Value& input) const {
  if (name_.empty()) return input_ == input;
  const Graph graph = input.graph();
  const auto& names = detail::GraphAccess::data(graph).input_names;
  const auto found = names.find(name_);
  return found != names.end() && found->second == input.id();
}

Session::Session(const Graph& graph, std::vector<Fetch> fetches, SessionOptions options)
    : Session(graph, std::move(fetches), std::move(options), nullptr) {}

Session::Session(const Graph& graph, std::vector<Fetch> fetches, SessionOptions options,
                 std::shared_ptr<detail::SessionStreams> streams)
    : state_(std::make_shared<detail::SessionState>(
          graph, std::move(fetches), detail::with_environment(std::move(options)),
          std::optional<detail::RunMode>(), std::move(streams))) {}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

detail::SessionState& Session::state() const {
  if (state_ == nullptr) throw ValueError("the session was moved from");
  return *state_;
}

std::shared_ptr<detail::SessionState> Session::kept_state() const {
  std::shared_ptr<detail::SessionState> kept = state_;
  if (kept == nullptr) throw ValueError("the session was moved from");
  return kept;
}

Results Session::run(std::span<const Feed> feeds) {
  std::shared_ptr<detail::SessionState> kept = kept_state();
  const std::uint64_t run = kept->run(feeds);
  return {std::move(kept), run};
}

Profile Session::profile(std::span<const Feed> feeds) { return kept_state()->profile(feeds); }
Profile Session::timeline(std::span<const Feed> feeds) { return kept_state()->timeline(feeds); }

std::vector<NodeId> Session::schedule() const {
  std::vector<NodeId> nodes;
  nodes.reserve(state().program().instructions.size());
  for (const detail::Instruction& instruction : state().program().instructions)
    nodes.push_back(instruction.node);
  return nodes;
}

std::vector<Value> Session::inputs() const {
  return state().graph().values(state().program().inputs);
}

MemoryReport Session::memory_report() const {
  return detail::report_memory(state().program(), state().executable().workspace_bytes());
}

bool Session::replays() const { return state().executable().replays(); }

std::size_t Session::device_bytes() const {
  return state().program().arena.bytes + state().executable().workspace_bytes();
}

Tensor Results::operator[](const Value& value) const { return state_->read(value, run_); }

Tensor Results::operator[](std::size_t fetch) const {
  const std::vector<Fetch>& fetches = state_->fetches();
  if (fetch >= fetches.size()) {
    throw ValueError(fmt::format("no fetch {} of {}", fetch, fetches.size()));
  }
  if (!fetches[fetch].readable()) {
    throw ValueError(fmt::format("fetch {} is an update, it has no value to read", fetch));
  }
  return state_->read(fetches[fetch].values().front(), run_);
}

}  // namespace aclgrad
