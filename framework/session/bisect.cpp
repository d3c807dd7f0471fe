// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "aclgrad/error.h"
#include "session/saved_variables.h"
#include "session/state.h"

namespace aclgrad {
namespace detail {
namespace {

std::uint64_t hash_of(const Tensor& tensor) {
  std::uint64_t hash = tensor.nbytes();
  auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  const std::byte* bytes = tensor.bytes();
  std::size_t left = tensor.nbytes();
  for (; left > 0; left -= std::min<std::size_t>(left, 8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + (tensor.nbytes() - left), std::min<std::size_t>(left, 8));
    mix(word);
  }
  return hash;
}

class Bisection {
 public:
  Bisection(const Graph& graph, const std::vector<Fetch>& fetches, std::span<const Feed> feeds)
      : data_(GraphAccess::data(graph)),
        feeds_(feeds),
        variables_(graph.variables()),
        eager_(shared_graph(graph, fetches), fetches, {.eager = true}),
        planned_(shared_graph(graph, fetches), fetches, {.replay = false}),
        apart_(shared_graph(graph, fetches), fetches, {}, PlanMode::replayed_apart) {}

  Difference run() {
    record_eager_run();
    if (Difference difference = compare_node_by_node()) return difference;
    if (Difference difference = compare_replay_apart()) return difference;
    return compare_recordings();
  }

 private:
  using Found = Difference::Found;
  static constexpr std::size_t kNoStep = SIZE_MAX;

  void begin(SessionState& session) const {
    variables_.restore();
    session.begin_run(feeds_);
  }

  void record_eager_run() {
    begin(eager_);
    Plan& plan = eager_.plan();
    plan.run_steps({}, [&](std::size_t step) {
      for (const ValueId output : plan.node(step).outputs) {
        hashes_[output] = hash_of(plan.memory().download(output));
      }
    });
  }

  bool differs(const SessionState& session, ValueId value) const {
    return hash_of(session.plan().memory().download(value)) != hashes_.at(value);
  }

  Difference compare_node_by_node() {
    begin(planned_);
    Plan& plan = planned_.plan();
    std::size_t found_at = kNoStep;
    ValueId found = -1;
    Tensor seen;
    plan.run_steps({}, [&](std::size_t step) {
      if (found_at != kNoStep) return;
      for (const ValueId output : plan.node(step).outputs) {
        if (found_at != kNoStep || !differs(planned_, output)) continue;
        found_at = step;
        found = output;
        seen = plan.memory().download(output);
      }
    });
    return found_at == kNoStep ? Difference()
                               : describe(Found::node_by_node, found_at, found, std::move(seen));
  }

  // The first value, of those alive after `count` steps, whose bits a recording of so many gets
  // wrong; -1 when there is none.
  ValueId wrong_after(std::size_t count, bool* can_replay) {
    begin(planned_);
    *can_replay = planned_.plan().replay_first(count);
    if (!*can_replay) return -1;
    const Lifetimes& lifetimes = planned_.plan().memory().lifetimes();
    // Who holds a block, and the newest of a variable: later ones replace earlier ones.
    std::unordered_map<std::int64_t, ValueId> holders;
    for (std::size_t step = 0; step < count; ++step) {
      for (const ValueId output : planned_.plan().node(step).outputs) {
        const ValueId root = data_.value(output).root;
        const std::int32_t block = lifetimes.block_of[static_cast<std::size_t>(root)];
        holders[block == kNoBlock ? -1 - std::int64_t{root} : block] = output;
      }
    }
    ValueId first = -1;
    const auto last_step = static_cast<std::int32_t>(count) - 1;
    for (const auto& [holder, value] : holders) {
      const bool alive =
          holder < 0 || lifetimes.blocks[static_cast<std::size_t>(holder)].last >= last_step;
      if (alive && differs(planned_, value) && (first < 0 || value < first)) first = value;
    }
    return first;
  }

  // One replay that keeps every value shows the first wrong one, but for what variables held before
  // a later update: behind such a step nothing is certain.
  Difference compare_replay_apart() {
    begin(apart_);
    Plan& plan = apart_.plan();
    if (!plan.replays()) return {};
    plan.run();
    std::unordered_map<ValueId, ValueId> newest;  // by root
    for (std::size_t step = 0; step < plan.step_count(); ++step) {
      for (const ValueId output : plan.node(step).outputs) {
        newest[data_.value(output).root] = output;
      }
    }
    for (std::size_t step = 0; step < plan.step_count(); ++step) {
      for (const ValueId output : plan.node(step).outputs) {
        if (newest.at(data_.value(output).root) != output) return {};
        if (!differs(apart_, output)) continue;
        return describe(Found::replayed, step, output, plan.memory().download(output));
      }
    }
    return {};
  }

  // What shows only where values share memory. A wrong value may be dead, and its traces gone, by
  // the end of a longer recording, so that nothing but every length in turn shows the first.
  Difference compare_recordings() {
    bool can_replay = true;
    const std::size_t steps = planned_.plan().step_count();
    if (wrong_after(steps, &can_replay) < 0) return {};
    for (std::size_t count = 1; count <= steps; ++count) {
      const ValueId value = wrong_after(count, &can_replay);
      if (value < 0) continue;
      return describe(Found::replayed, count - 1, value, planned_.plan().memory().download(value));
    }
    return {};  // it comes and goes: nothing to name
  }

  Difference describe(Found found, std::size_t step, ValueId value, Tensor seen) {
    const Node& node = planned_.plan().node(step);
    Difference difference;
    difference.found = found;
    difference.node = node.id;
    difference.value = value;
    difference.replayed = std::move(seen);
    difference.where = label(node);
    // Once more, up to the node that made the value, for its contents.
    begin(eager_);
    Plan& plan = eager_.plan();
    plan.run_steps({}, [&](std::size_t at) {
      if (plan.node(at).id == data_.value(value).node) {
        difference.eager = plan.memory().download(value);
      }
    });
    return difference;
  }

  const GraphData& data_;
  std::span<const Feed> feeds_;
  SavedVariables variables_;
  SessionState eager_;
  SessionState planned_;
  SessionState apart_;
  std::unordered_map<ValueId, std::uint64_t> hashes_;  // of every value that the eager run made
};

}  // namespace
}  // namespace detail

std::string Difference::to_string() const {
  if (found == Found::nowhere) return "no bits differ";
  std::int64_t count = 0;
  std::int64_t first = -1;
  const std::size_t size = size_of(eager.dtype());
  for (std::int64_t i = 0; i < eager.numel(); ++i) {
    const auto offset = static_cast<std::size_t>(i) * size;
    if (std::memcmp(eager.bytes() + offset, replayed.bytes() + offset, size) == 0) continue;
    ++count;
    if (first < 0) first = i;
  }
  std::string text =
      fmt::format("{}: after it value {} differs in {} of {} elements when {}", where, value, count,
                  eager.numel(),
                  found == Found::replayed ? "replayed" : "launched node by node in shared memory");
  if (first >= 0) {
    text += fmt::format("; element {} is {} eagerly and {} here", first, eager.get(first),
                        replayed.get(first));
  }
  return text;
}

Difference bisect(const Graph& graph, const std::vector<Fetch>& fetches,
                  std::span<const Feed> feeds) {
  return detail::Bisection(graph, fetches, feeds).run();
}

Difference bisect(const Graph& graph, const std::vector<Fetch>& fetches,
                  std::initializer_list<Feed> feeds) {
  return bisect(graph, fetches, std::span<const Feed>(feeds.begin(), feeds.size()));
}

}  // namespace aclgrad
