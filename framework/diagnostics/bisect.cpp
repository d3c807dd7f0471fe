// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string_view>
#include <unordered_map>

#include "aclgrad/error.h"
#include "session/saved_variables.h"
#include "session/state.h"

namespace aclgrad {
namespace detail {
namespace {

std::size_t hash_of(const Tensor& tensor) {
  const auto* const bytes = reinterpret_cast<const char*>(tensor.bytes());
  return std::hash<std::string_view>()({bytes, tensor.nbytes()});
}

// Calls see(position, output) for all that each node has made.
template <typename See>
class Outputs final : public RunObserver {
 public:
  explicit Outputs(See see) : see_(std::move(see)) {}
  void after_node(const NodeRun& run) override {
    for (const ValueId output : run.node.outputs) see_(run.position, output);
  }

 private:
  See see_;
};

class Bisection {
 public:
  Bisection(const Graph& graph, const std::vector<Fetch>& fetches, std::span<const Feed> feeds)
      : feeds_(feeds),
        variables_(graph.variables()),
        eager_(graph, fetches, {.eager = true}),
        planned_(graph, fetches, {.replay = false}),
        apart_(graph, fetches, {}, RunMode::replayed_apart) {}

  Difference run() {
    run_node_by_node(eager_, [&](std::size_t, ValueId output) {
      hashes_[output] = hash_of(contents(eager_, output));
    });
    Difference found = compare_node_by_node();
    if (!found) found = compare_replay_apart();
    if (!found) found = compare_recordings();
    if (!found) return found;
    // Once more, for the contents.
    run_node_by_node(eager_, [&](std::size_t, ValueId output) {
      if (output == found.value) found.eager = contents(eager_, output);
    });
    return found;
  }

 private:
  using Found = Difference::Found;

  void begin(SessionState& session) const {
    variables_.restore();
    session.bind(feeds_);
  }

  template <typename See>
  void run_node_by_node(SessionState& session, See see) const {
    begin(session);
    Outputs<See> outputs(std::move(see));
    RunObserver* const observer = &outputs;
    session.executable().run_node_by_node({&observer, 1});
  }

  static Tensor contents(const SessionState& session, ValueId value) {
    return session.executable().memory().download(value);
  }

  bool differs(const SessionState& session, ValueId value) const {
    return hash_of(contents(session, value)) != hashes_.at(value);
  }

  Difference found_at(Found how, std::size_t position, ValueId value,
                      const SessionState& session) const {
    const Node& node = session.program().node(position);
    return {.found = how,
            .node = node.id,
            .value = value,
            .replayed = contents(session, value),
            .where = label(node)};
  }

  Difference compare_node_by_node() {
    Difference difference;
    run_node_by_node(planned_, [&](std::size_t position, ValueId output) {
      if (difference || !differs(planned_, output)) return;
      difference = found_at(Found::node_by_node, position, output, planned_);
    });
    return difference;
  }

  // The first value, of those alive after `count` instructions, whose bits a recording of so many
  // gets wrong; -1 when there is none.
  ValueId wrong_after(std::size_t count) {
    begin(planned_);
    if (!planned_.executable().replay_first(count)) return -1;
    const Program& program = planned_.program();
    std::map<Home, ValueId> holders;  // later ones replace earlier ones
    for (std::size_t position = 0; position < count; ++position) {
      for (const ValueId output : program.node(position).outputs) {
        holders[program.home_of(output)] = output;
      }
    }
    ValueId first = -1;
    const auto last_position = static_cast<std::int32_t>(count) - 1;
    for (const auto& [home, value] : holders) {
      const bool alive = home.kind == Home::Kind::variable ||
                         program.arena.blocks[home.index].last >= last_position;
      if (alive && differs(planned_, value) && (first < 0 || value < first)) first = value;
    }
    return first;
  }

  // One replay that keeps every value shows the first wrong one, but for what variables held before
  // a later update: behind such a node nothing is certain.
  Difference compare_replay_apart() {
    begin(apart_);
    if (!apart_.executable().replays()) return {};
    apart_.executable().run();
    const Program& program = apart_.program();
    for (std::size_t position = 0; position < program.instructions.size(); ++position) {
      const Node& node = program.node(position);
      for (const ValueId output : node.outputs) {
        if (!program.in_arena(output) &&
            program.variables[program.variable_of(output)].updated_by != node.id) {
          return {};
        }
        if (differs(apart_, output)) return found_at(Found::replayed, position, output, apart_);
      }
    }
    return {};
  }

  // What shows only where values share memory. A wrong value may be dead, and its traces gone, by
  // the end of a longer recording, so that nothing but every length in turn shows the first.
  Difference compare_recordings() {
    const std::size_t instructions = planned_.program().instructions.size();
    if (wrong_after(instructions) < 0) return {};
    for (std::size_t count = 1; count <= instructions; ++count) {
      const ValueId value = wrong_after(count);
      if (value >= 0) return found_at(Found::replayed, count - 1, value, planned_);
    }
    return {};  // it comes and goes: nothing to name
  }

  std::span<const Feed> feeds_;
  SavedVariables variables_;
  SessionState eager_;
  SessionState planned_;
  SessionState apart_;
  std::unordered_map<ValueId, std::size_t> hashes_;  // of every value that the eager run made
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

}  // namespace aclgrad
