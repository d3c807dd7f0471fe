// SPDX-License-Identifier: Apache-2.0
#include "session/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "graph/describe.h"

namespace aclgrad::detail {
namespace {

struct NonFinite {
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  std::int64_t first = -1;  // flat index
  std::int64_t first_nan = -1;
};

NonFinite count(const Tensor& tensor) {
  NonFinite found;
  if (!is_floating(tensor.dtype())) return found;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const double value = tensor.get(i);
    if (std::isfinite(value)) continue;
    ++(std::isnan(value) ? found.nans : found.infinities);
    if (found.first < 0) found.first = i;
    if (found.first_nan < 0 && std::isnan(value)) found.first_nan = i;
  }
  return found;
}

// "came in with feed `x`": where a NaN is from that no node was seen to make.
std::string origin(const GraphData& graph, ValueId id) {
  const ValueId root = graph.value(id).root;
  const Node& maker = graph.node(graph.value(root).node);
  if (as_call(maker) != nullptr) {
    return fmt::format("{} did not have when {} had made it: its memory was overwritten",
                       graph.description(root), label(maker));
  }
  const Op* const op = maker.op.get();
  const char* const kind = dynamic_cast<const InputOp*>(op) != nullptr      ? "feed"
                           : dynamic_cast<const VariableOp*>(op) != nullptr ? "parameter"
                                                                            : "constant";
  return fmt::format("came in with {} {}", kind, graph.description(root));
}

// "`x` float32 [2] in [-1, 3]".
std::string with_range(const GraphData& graph, ValueId id, const Tensor& tensor) {
  std::string text = fmt::format("{} {} {}", graph.description(id), tensor.dtype(), tensor.shape());
  if (tensor.numel() == 0) return text;
  double low = tensor.get(0);
  double high = low;
  for (std::int64_t i = 1; i < tensor.numel(); ++i) {
    low = std::min(low, tensor.get(i));
    high = std::max(high, tensor.get(i));
  }
  return text + fmt::format(" in [{:.6g}, {:.6g}]", low, high);
}

// All but the times.
Profile::Entry described(const GraphData& graph, const Node& node) {
  Profile::Entry entry;
  entry.node = node.id;
  entry.operation = node.op->name();
  entry.call = call_name(node);
  entry.where = place(node.where);
  entry.pass = node.pass;
  for (const ValueId input : node.inputs) {
    entry.inputs.push_back(describe_spec(graph.value(input).layout->spec));
  }
  for (const ValueId output : node.outputs) {
    entry.outputs.push_back(describe_spec(graph.value(output).layout->spec));
  }
  if (!node.outputs.empty()) entry.name = graph.name(node.outputs.front());
  return entry;
}

}  // namespace

Poison::Poison(Plan& plan) : plan_(plan) {
  const Lifetimes& lifetimes = plan.memory().lifetimes();
  by_death_.resize(lifetimes.blocks.size());
  std::iota(by_death_.begin(), by_death_.end(), 0);
  auto death = [&](std::int32_t block) {
    return lifetimes.blocks[static_cast<std::size_t>(block)].last;
  };
  std::sort(by_death_.begin(), by_death_.end(),
            [&](std::int32_t a, std::int32_t b) { return death(a) < death(b); });
  std::size_t position = 0;
  for (std::int32_t step = 0; step <= lifetimes.steps; ++step) {
    while (position < by_death_.size() && death(by_death_[position]) < step) ++position;
    first_dead_.push_back(position);
  }
}

void Poison::begin() {
  const Lifetimes& lifetimes = plan_.memory().lifetimes();
  for (std::size_t block = 0; block < lifetimes.blocks.size(); ++block) {
    const Block& life = lifetimes.blocks[block];
    if (life.first >= 0 || life.last < lifetimes.steps) plan_.memory().poison(block);
  }
  plan_.poison_workspace();
}

void Poison::after(std::size_t step) {
  for (std::size_t i = first_dead_[step]; i < first_dead_[step + 1]; ++i) {
    plan_.memory().poison(static_cast<std::size_t>(by_death_[i]));
  }
  plan_.poison_workspace();
}

void NonFiniteTracer::before(std::size_t step) {
  finite_inputs_ = true;
  inputs_.clear();
  const Node& node = plan_.node(step);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!as_call(node)->reads_input(i)) continue;
    const ValueId input = node.inputs[i];
    const Tensor tensor = plan_.memory().download(input);
    const NonFinite found = count(tensor);
    if (found.nans > 0) {  // a node that had made it would have been stopped
      throw ValueError(fmt::format("{} reads {} NaN that {}: first at element {} of {} {}",
                                   label(node), found.nans, origin(graph_, input), found.first_nan,
                                   tensor.dtype(), tensor.shape()));
    }
    finite_inputs_ = finite_inputs_ && found.infinities == 0;
    inputs_ += (inputs_.empty() ? "" : ", ") + with_range(graph_, input, tensor);
  }
}

void NonFiniteTracer::after(std::size_t step) const {
  const Node& node = plan_.node(step);
  for (const ValueId output : node.outputs) {
    const Tensor tensor = plan_.memory().download(output);
    const NonFinite found = count(tensor);
    // Infinities from infinities are none of its making.
    const std::int64_t first = finite_inputs_ ? found.first : found.first_nan;
    if (first < 0) continue;
    throw ValueError(fmt::format(
        "{} makes {} from {}: output {} {} {}, first at element {}; inputs: {}", label(node),
        finite_inputs_ ? fmt::format("{} NaN and {} infinities", found.nans, found.infinities)
                       : fmt::format("{} NaN", found.nans),
        finite_inputs_ ? "finite inputs" : "inputs without NaN", graph_.description(output),
        tensor.dtype(), tensor.shape(), first, inputs_.empty() ? "none" : inputs_));
  }
}

void StepTimes::after(std::size_t step) { entries_[step] = {begun_, Clock::now()}; }

Profile StepTimes::describe(const GraphData& graph, const Plan& plan) const {
  using Microseconds = std::chrono::duration<double, std::micro>;
  Profile profile;
  profile.nodes.reserve(entries_.size());
  for (std::size_t step = 0; step < entries_.size(); ++step) {
    Profile::Entry entry = described(graph, plan.node(step));
    entry.start_us = Microseconds(entries_[step].begin - entries_.front().begin).count();
    entry.duration_us = Microseconds(entries_[step].end - entries_[step].begin).count();
    profile.nodes.push_back(std::move(entry));
  }
  return profile;
}

Profile timeline_of(const GraphData& graph, const Plan& plan,
                    const std::vector<Plan::Span>& spans) {
  Profile profile;
  if (spans.empty()) return profile;
  profile.nodes.reserve(spans.size());
  // With two streams the first in order is not always the first to begin.
  const std::uint64_t start = std::ranges::min(spans, {}, &Plan::Span::begin).begin;
  for (std::size_t step = 0; step < spans.size(); ++step) {
    Profile::Entry entry = described(graph, plan.node(step));
    entry.start_us = static_cast<double>(spans[step].begin - start);
    entry.duration_us = static_cast<double>(spans[step].end - spans[step].begin);
    entry.stream = plan.is_async(step) ? 1 : 0;
    profile.nodes.push_back(std::move(entry));
  }
  return profile;
}

}  // namespace aclgrad::detail
