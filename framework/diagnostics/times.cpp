// SPDX-License-Identifier: Apache-2.0
// When the nodes of a run began and how long they took.
#include <algorithm>
#include <chrono>

#include "aclgrad/runtime.h"
#include "graph/describe.h"
#include "session/state.h"

namespace aclgrad::detail {
namespace {

/// In microseconds of some clock.
struct Span {
  double begin = 0;
  double end = 0;
};

// By the clock of the host, which waits for every node.
class HostTimes final : public RunObserver {
 public:
  explicit HostTimes(const Program& program) : spans(program.instructions.size()) {}
  void before_node(const NodeRun& run) override { spans[run.position].begin = now(); }
  void after_node(const NodeRun& run) override { spans[run.position].end = now(); }

  std::vector<Span> spans;

 private:
  static double now() {
    using Microseconds = std::chrono::duration<double, std::micro>;
    return Microseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};

// By events on the streams.
class EventTimes final : public RunObserver {
 public:
  explicit EventTimes(const Program& program)
      : spans(program.instructions.size()), events_(std::min(spans.size(), kTimedTogether)) {}

  void before_node(const NodeRun& run) override {
    if (launched_.size() == events_.size()) {
      run.executable.synchronize();
      read();
    }
    record(events_[launched_.size()].begin, run.stream);
    launched_.push_back(run.position);
  }
  void after_node(const NodeRun& run) override {
    record(events_[launched_.size() - 1].end, run.stream);
  }

  // When all that was launched is done.
  void read() {
    for (std::size_t i = 0; i < launched_.size(); ++i) {
      spans[launched_[i]] = {time_of(events_[i].begin), time_of(events_[i].end)};
    }
    launched_.clear();
  }

  std::vector<Span> spans;

 private:
  // Nodes between two waits. Each needs two events, and a runtime has so many only.
  static constexpr std::size_t kTimedTogether = 8192;

  struct Events {
    Event begin{ACL_EVENT_TIME_LINE};
    Event end{ACL_EVENT_TIME_LINE};
  };

  static void record(const Event& event, aclrtStream stream) {
    check_status(aclrtRecordEvent(event.get(), stream), "aclrtRecordEvent");
  }
  static double time_of(const Event& event) {
    std::uint64_t time = 0;
    check_status(aclrtEventGetTimestamp(event.get(), &time), "aclrtEventGetTimestamp");
    return static_cast<double>(time);
  }

  std::vector<Events> events_;
  std::vector<std::size_t> launched_;  // positions that use events_[0], events_[1], ...
};

Profile describe(const Program& program, const std::vector<Span>& spans) {
  const GraphData& graph = *program.graph;
  const auto specs = [&](std::span<const ValueId> values) {
    std::vector<std::string> texts;
    for (const ValueId value : values) {
      texts.push_back(describe_spec(graph.value(value).layout->spec));
    }
    return texts;
  };
  Profile profile;
  if (spans.empty()) return profile;
  profile.nodes.reserve(spans.size());
  // With two streams the first in order is not always the first to begin.
  const double start = std::ranges::min(spans, {}, &Span::begin).begin;
  for (std::size_t position = 0; position < spans.size(); ++position) {
    const Node& node = program.node(position);
    profile.nodes.push_back(
        {.node = node.id,
         .operation = std::string(node.op->name()),
         .call = std::string(call_name(node)),
         .name = node.outputs.empty() ? std::string() : graph.name(node.outputs.front()),
         .where = place(node.where),
         .inputs = specs(node.inputs),
         .outputs = specs(node.outputs),
         .pass = node.pass,
         .start_us = spans[position].begin - start,
         .duration_us = spans[position].end - spans[position].begin,
         .stream = program.instructions[position].async ? 1 : 0});
  }
  return profile;
}

}  // namespace

Profile profile_node_by_node(Executable& executable, RunObservers observers) {
  HostTimes times(executable.program());
  std::vector<RunObserver*> all(observers.begin(), observers.end());
  all.push_back(&times);  // the innermost
  executable.run_node_by_node(all);
  Profile profile = describe(executable.program(), times.spans);
  for (Profile::Entry& entry : profile.nodes) entry.stream = 0;  // one after the other, on one
  return profile;
}

Profile profile_launched(Executable& executable) {
  EventTimes times(executable.program());
  RunObserver* const observer = &times;
  executable.run_launched({&observer, 1});
  times.read();
  return describe(executable.program(), times.spans);
}

}  // namespace aclgrad::detail
