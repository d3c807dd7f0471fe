// SPDX-License-Identifier: Apache-2.0
#include "session/division.h"

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

class Divider {
 public:
  explicit Divider(const GraphData& graph) : graph_(graph) {}

  void add(const Node& node) {
    if (runs_beside(node)) {
      add_beside(node);
    } else {
      add_first(node);
    }
    ++step_;
  }

  Division finish() {
    if (last_beside_ == kNoPiece) {
      if (found_.pieces.empty()) found_.pieces.push_back({});
      return std::move(found_);
    }
    // Nothing may be under way when the run ends.
    if (waited_for_ == kNoPiece || waited_for_ < last_beside_) await(last_beside_);
    found_.over.resize(step_);
    std::iota(found_.over.begin(), found_.over.end(), 0);
    std::size_t piece = 0;
    for (const Piece& wait : found_.pieces) {
      if (wait.beside || wait.awaited == kNoPiece) continue;
      for (; piece <= wait.awaited; ++piece) set_over(found_.pieces[piece], wait.begin);
    }
    return std::move(found_);
  }

 private:
  void add_beside(const Node& node) {
    std::vector<Piece>& pieces = found_.pieces;
    if (pieces.empty() || !pieces.back().beside) {
      Piece piece{.begin = step_, .end = step_, .beside = true};
      if (!pieces.empty()) {
        piece.awaited = pieces.size() - 1;
        pieces.back().is_awaited = true;
      }
      pieces.push_back(piece);
    }
    ++pieces.back().end;
    last_beside_ = pieces.size() - 1;
    for (const ValueId input : node.inputs) readers_[root(input)] = last_beside_;
    for (const ValueId output : node.outputs) makers_[root(output)] = last_beside_;
  }

  void add_first(const Node& node) {
    std::size_t needed = kNoPiece;
    const auto need = [&](const std::unordered_map<ValueId, std::size_t>& pieces, ValueId value) {
      const auto found = pieces.find(root(value));
      if (found == pieces.end()) return;
      needed = needed == kNoPiece ? found->second : std::max(needed, found->second);
    };
    for (const ValueId input : node.inputs) need(makers_, input);
    for (const ValueId output : node.outputs) {
      if (root(output) != output) need(readers_, output);  // an updated variable
    }
    const bool is_new = needed != kNoPiece && (waited_for_ == kNoPiece || waited_for_ < needed);
    if (is_new) {
      await(needed);
    } else if (found_.pieces.empty() || found_.pieces.back().beside) {
      found_.pieces.push_back({.begin = step_, .end = step_});
    }
    ++found_.pieces.back().end;
  }

  // Begins a piece of the first stream that waits for one of the second.
  void await(std::size_t piece) {
    found_.pieces[piece].is_awaited = true;
    found_.pieces.push_back({.begin = step_, .end = step_, .awaited = piece});
    waited_for_ = piece;
  }

  void set_over(const Piece& piece, std::size_t step) {
    if (!piece.beside) return;
    std::fill(found_.over.begin() + static_cast<std::ptrdiff_t>(piece.begin),
              found_.over.begin() + static_cast<std::ptrdiff_t>(piece.end),
              static_cast<std::int32_t>(step));
  }

  ValueId root(ValueId value) const { return graph_.value(value).root; }

  const GraphData& graph_;
  Division found_;
  std::size_t step_ = 0;
  std::size_t last_beside_ = kNoPiece;
  std::size_t waited_for_ = kNoPiece;  // the latest piece that the first stream has waited for
  std::unordered_map<ValueId, std::size_t> makers_;  // by root: the piece of the second stream
  std::unordered_map<ValueId, std::size_t> readers_;
};

}  // namespace

bool runs_beside(const Node& node) {
  const CallOp* const call = as_call(node);
  const StreamOp* const op = call == nullptr ? nullptr : call->as_stream_op();
  return op != nullptr && op->runs_beside();
}

std::vector<NodeId> hoisted(const GraphData& graph, std::vector<NodeId> nodes) {
  const auto is_beside = [&](NodeId id) { return runs_beside(graph.node(id)); };
  if (std::none_of(nodes.begin(), nodes.end(), is_beside)) return nodes;
  std::unordered_map<NodeId, std::size_t>
      places;  // of nodes, and of those that others stand behind
  std::vector<std::vector<NodeId>> behind(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::size_t& place = places[nodes[i]];
    place = i;
    if (!is_beside(nodes[i])) continue;
    place = 0;
    for (const ValueId input : graph.node(nodes[i]).inputs) {
      place = std::max(place, places.at(maker(graph, input)));
    }
    behind[place].push_back(nodes[i]);
  }
  std::vector<NodeId> order;
  order.reserve(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!is_beside(nodes[i])) order.push_back(nodes[i]);
    order.insert(order.end(), behind[i].begin(), behind[i].end());
  }
  return order;
}

Division divide(const GraphData& graph, const std::vector<NodeId>& nodes) {
  Divider divider(graph);
  for (const NodeId id : nodes) {
    if (as_call(graph.node(id)) != nullptr) divider.add(graph.node(id));
  }
  return divider.finish();
}

}  // namespace aclgrad::detail
