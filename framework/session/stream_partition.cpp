// SPDX-License-Identifier: Apache-2.0
#include "session/stream_partition.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace aclgrad::detail {
namespace {

// The node that made the data that a value describes.
NodeId maker(const GraphData& graph, ValueId value) {
  const Node* node = &graph.node(graph.value(value).node);
  while (dynamic_cast<const ViewOp*>(node->op.get()) != nullptr) {
    node = &graph.node(graph.value(node->inputs.front()).node);
  }
  return node->id;
}

class Partitioner {
 public:
  explicit Partitioner(const GraphData& graph) : graph_(graph) {}

  void add(const Node& node) {
    if (is_async(node)) {
      add_async(node);
    } else {
      add_first(node);
    }
    ++step_;
  }

  StreamPartition finish() {
    if (last_async_ == kNoSegment) {
      if (found_.segments.empty()) found_.segments.push_back({});
      return std::move(found_);
    }
    // Nothing may be under way when the run ends.
    if (waited_for_ == kNoSegment || waited_for_ < last_async_) await(last_async_);
    found_.over.resize(step_);
    std::iota(found_.over.begin(), found_.over.end(), 0);
    std::size_t segment = 0;
    for (const Segment& wait : found_.segments) {
      if (wait.async || wait.awaited == kNoSegment) continue;
      for (; segment <= wait.awaited; ++segment) set_over(found_.segments[segment], wait.begin);
    }
    return std::move(found_);
  }

 private:
  void add_async(const Node& node) {
    std::vector<Segment>& segments = found_.segments;
    if (segments.empty() || !segments.back().async) {
      Segment segment{.begin = step_, .end = step_, .async = true};
      if (!segments.empty()) {
        segment.awaited = segments.size() - 1;
        segments.back().is_awaited = true;
      }
      segments.push_back(segment);
    }
    ++segments.back().end;
    last_async_ = segments.size() - 1;
    for (const ValueId input : node.inputs) readers_[root(input)] = last_async_;
    for (const ValueId output : node.outputs) makers_[root(output)] = last_async_;
  }

  void add_first(const Node& node) {
    std::size_t needed = kNoSegment;
    const auto need = [&](const std::unordered_map<ValueId, std::size_t>& segments, ValueId value) {
      const auto found = segments.find(root(value));
      if (found == segments.end()) return;
      needed = needed == kNoSegment ? found->second : std::max(needed, found->second);
    };
    for (const ValueId input : node.inputs) need(makers_, input);
    for (const ValueId output : node.outputs) {
      if (root(output) != output) need(readers_, output);  // an updated variable
    }
    const bool is_new = needed != kNoSegment && (waited_for_ == kNoSegment || waited_for_ < needed);
    if (is_new) {
      await(needed);
    } else if (found_.segments.empty() || found_.segments.back().async) {
      found_.segments.push_back({.begin = step_, .end = step_});
    }
    ++found_.segments.back().end;
  }

  // Begins a segment of the first stream that waits for one of the second.
  void await(std::size_t segment) {
    found_.segments[segment].is_awaited = true;
    found_.segments.push_back({.begin = step_, .end = step_, .awaited = segment});
    waited_for_ = segment;
  }

  void set_over(const Segment& segment, std::size_t step) {
    if (!segment.async) return;
    std::fill(found_.over.begin() + static_cast<std::ptrdiff_t>(segment.begin),
              found_.over.begin() + static_cast<std::ptrdiff_t>(segment.end),
              static_cast<std::int32_t>(step));
  }

  ValueId root(ValueId value) const { return graph_.value(value).root; }

  const GraphData& graph_;
  StreamPartition found_;
  std::size_t step_ = 0;
  std::size_t last_async_ = kNoSegment;
  std::size_t waited_for_ = kNoSegment;  // the latest segment that the first stream has waited for
  std::unordered_map<ValueId, std::size_t> makers_;  // by root: the segment of the second stream
  std::unordered_map<ValueId, std::size_t> readers_;
};

}  // namespace

bool is_async(const Node& node) {
  const CallOp* const call = as_call(node);
  const StreamOp* const op = call == nullptr ? nullptr : call->as_stream_op();
  return op != nullptr && op->is_async();
}

std::vector<NodeId> schedule_early(const GraphData& graph, std::vector<NodeId> nodes) {
  const auto is_async_id = [&](NodeId id) { return is_async(graph.node(id)); };
  if (std::none_of(nodes.begin(), nodes.end(), is_async_id)) return nodes;
  std::unordered_map<NodeId, std::size_t>
      places;  // of nodes, and of those that others stand behind
  std::vector<std::vector<NodeId>> behind(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::size_t& place = places[nodes[i]];
    place = i;
    if (!is_async_id(nodes[i])) continue;
    place = 0;
    for (const ValueId input : graph.node(nodes[i]).inputs) {
      place = std::max(place, places.at(maker(graph, input)));
    }
    behind[place].push_back(nodes[i]);
  }
  std::vector<NodeId> order;
  order.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!is_async_id(nodes[i])) order.push_back(nodes[i]);
    order.insert(order.end(), behind[i].begin(), behind[i].end());
  }
  return order;
}

StreamPartition partition_streams(const GraphData& graph, const std::vector<NodeId>& nodes) {
  Partitioner partitioner(graph);
  for (const NodeId id : nodes) {
    if (as_call(graph.node(id)) != nullptr) partitioner.add(graph.node(id));
  }
  return partitioner.finish();
}

}  // namespace aclgrad::detail
