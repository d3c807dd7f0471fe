// SPDX-License-Identifier: Apache-2.0
// What session options ask for around the nodes of a run.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "session/state.h"

namespace aclgrad::detail {
namespace {

// Fills memory with NaN as soon as what lay there is dead.
class Poison final : public RunObserver {
 public:
  explicit Poison(const Program& program) {
    for (const ArenaBlock& block : program.arena.blocks) dying_.emplace(block.last, &block);
  }

  // Everything that is not constant.
  void begin_run(Executable& executable, std::span<const Feed>) override {
    const std::int32_t end = executable.program().end();
    for (const auto& [last, block] : dying_) {
      if (block->first >= 0 || last < end) executable.memory().poison(*block);
    }
    executable.poison_workspace();
  }

  void after_node(const NodeRun& run) override {
    const auto [first, last] = dying_.equal_range(static_cast<std::int32_t>(run.position));
    for (auto it = first; it != last; ++it) run.executable.memory().poison(*it->second);
    run.executable.poison_workspace();
  }

 private:
  std::multimap<std::int32_t, const ArenaBlock*> dying_;  // by their last position
};

// Calls SessionOptions::observer.
class TensorObserver final : public RunObserver {
 public:
  explicit TensorObserver(const SessionOptions& options) : call_(options.observer) {}

  void before_node(const NodeRun& run) override {
    inputs_ = run.executable.memory().download(run.node.inputs);
  }
  void after_node(const NodeRun& run) override {
    call_(run.node, inputs_, run.executable.memory().download(run.node.outputs));
  }

 private:
  decltype(SessionOptions::observer) call_;
  std::vector<Tensor> inputs_;
};

struct Summary {
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  std::int64_t first = -1;  // flat index of one that is not finite
  std::int64_t first_nan = -1;
  std::string range;  // " in [-1, 3]"
};

Summary summary(const Tensor& tensor) {
  Summary found;
  double low = INFINITY;
  double high = -INFINITY;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const double value = tensor.get(i);
    low = std::min(low, value);
    high = std::max(high, value);
    if (std::isfinite(value)) continue;
    ++(std::isnan(value) ? found.nans : found.infinities);
    if (found.first < 0) found.first = i;
    if (found.first_nan < 0 && std::isnan(value)) found.first_nan = i;
  }
  if (tensor.numel() > 0) found.range = fmt::format(" in [{:.6g}, {:.6g}]", low, high);
  return found;
}

// "came in with feed `x`": where a NaN is from that no node was seen to make.
std::string origin(const GraphData& graph, ValueId id) {
  const ValueId root = graph.value(id).root;
  const Node& maker = graph.node(graph.value(root).node);
  const OpKind kind = maker.op->kind();
  if (as_call(maker) != nullptr) {
    return fmt::format("{} did not have when {} had made it: its memory was overwritten",
                       graph.description(root), label(maker));
  }
  return fmt::format("came in with {} {}",
                     kind == OpKind::input      ? "feed"
                     : kind == OpKind::variable ? "parameter"
                                                : "constant",
                     graph.description(root));
}

// Throws ValueError when a node makes NaN from none or infinity while all that it read was finite,
// and when it reads a NaN that no node has made.
class NonFiniteTracer final : public RunObserver {
 public:
  void before_node(const NodeRun& run) override {
    const GraphData& graph = *run.executable.program().graph;
    finite_inputs_ = true;
    inputs_.clear();
    for (std::size_t i = 0; i < run.node.inputs.size(); ++i) {
      if (!as_call(run.node)->reads_input(i)) continue;
      const ValueId input = run.node.inputs[i];
      const Tensor tensor = run.executable.memory().download(input);
      const Summary found = summary(tensor);
      if (found.nans > 0) {  // a node that had made it would have been stopped
        throw ValueError(fmt::format("{} reads {} NaN that {}: first at element {} of {} {}",
                                     label(run.node), found.nans, origin(graph, input),
                                     found.first_nan, tensor.dtype(), tensor.shape()));
      }
      finite_inputs_ = finite_inputs_ && found.infinities == 0;
      inputs_ += fmt::format("{}{} {} {}{}", inputs_.empty() ? "" : ", ", graph.description(input),
                             tensor.dtype(), tensor.shape(), found.range);
    }
  }

  void after_node(const NodeRun& run) override {
    for (const ValueId output : run.node.outputs) {
      const Tensor tensor = run.executable.memory().download(output);
      const Summary found = summary(tensor);
      // Infinities from infinities are none of its making.
      const std::int64_t first = finite_inputs_ ? found.first : found.first_nan;
      if (first < 0) continue;
      throw ValueError(fmt::format(
          "{} makes {} from {}: output {} {} {}, first at element {}; inputs: {}", label(run.node),
          finite_inputs_ ? fmt::format("{} NaN and {} infinities", found.nans, found.infinities)
                         : fmt::format("{} NaN", found.nans),
          finite_inputs_ ? "finite inputs" : "inputs without NaN",
          run.executable.program().graph->description(output), tensor.dtype(), tensor.shape(),
          first, inputs_.empty() ? "none" : inputs_));
    }
  }

 private:
  bool finite_inputs_ = false;
  std::string inputs_;  // described as they were before the node
};

}  // namespace

std::vector<std::unique_ptr<RunObserver>> make_observers(const SessionState& session,
                                                         const SessionOptions& options) {
  // The first is the outermost: memory is poisoned when all others have seen a node.
  std::vector<std::unique_ptr<RunObserver>> all;
  if (options.compare) all.push_back(make_comparison(session));
  if (options.poison) all.push_back(std::make_unique<Poison>(session.program()));
  if (options.observer) all.push_back(std::make_unique<TensorObserver>(options));
  if (options.trace_nonfinite) all.push_back(std::make_unique<NonFiniteTracer>());
  return all;
}

}  // namespace aclgrad::detail
