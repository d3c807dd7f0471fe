// SPDX-License-Identifier: Apache-2.0
// A network that came as ONNX, with a new head: what it made of a picture before its last layer,
// and a linear layer that tells other classes apart by that.
#pragma once

#include <aclgrad/aclgrad.h>
#include <aclgrad/onnx.h>

#include <algorithm>
#include <string>
#include <vector>

namespace finetune {

// What the last layer with weights is given: of a graph that ends with the scores.
inline aclgrad::Value features_of(const aclgrad::Value& scores) {
  using namespace aclgrad;
  enum class From : std::uint8_t { constants, weights, pictures };
  const Graph graph = scores.graph();
  std::vector<From> from(graph.value_count(), From::constants);
  const auto of = [&](ValueId id) -> From& { return from[static_cast<std::size_t>(id)]; };
  Value features;
  for (NodeId id = 0; id <= scores.node().id; ++id) {
    const Node& node = graph.node(id);
    From most = node.op->kind() == OpKind::input      ? From::pictures
                : node.op->kind() == OpKind::variable ? From::weights
                                                      : From::constants;
    Value read;
    bool has_weights = false;
    for (const Value& input : graph.values(node.inputs)) {
      most = std::max(most, of(input.id()));
      if (of(input.id()) == From::pictures) read = input;
      // A bias, or the scale of a normalization, has one axis.
      has_weights = has_weights || (of(input.id()) == From::weights && input.shape().rank() >= 2);
    }
    for (const ValueId output : node.outputs) of(output) = most;
    if (read && has_weights) features = read;
  }
  if (!features) throw ValueError("the network has no layer with weights");
  return features;
}

// A name for a part that the network has none of: it may have got a head before.
inline std::string free_name(const aclgrad::onnx::Model& network) {
  std::string name = "head";
  const auto is_taken = [&](const aclgrad::Module& part) { return part.path() == name; };
  while (std::ranges::any_of(network.parts(), is_taken)) name += '_';
  return name;
}

struct Sizes {
  std::int64_t features, classes;
  std::int64_t trained = 1;  // the last layers that are trained with the head
};

struct FineTuned : aclgrad::Module {
  // The pictures are those that the network takes, in number, height and width.
  FineTuned(const aclgrad::onnx::Model& network, const Sizes& sizes, std::uint64_t seed)
      : body(network), head(free_name(network), sizes.features, sizes.classes, {.seed = seed}) {
    adopt(body);
    adopt(head);
    // The last part is the head that is replaced.
    const std::vector<aclgrad::Module>& parts = body.parts();
    const auto count = static_cast<std::int64_t>(parts.size());
    if (count <= sizes.trained + 1 || sizes.trained == 0) body.freeze();
    for (std::int64_t k = 0; k < count; ++k) {
      if (k < count - 1 - sizes.trained || k == count - 1) {
        parts[static_cast<std::size_t>(k)].freeze();
      }
    }
  }

  // Features [N, width] of pictures [N, C, H, W].
  static aclgrad::Value features(const aclgrad::onnx::Model& network, const aclgrad::Value& x) {
    const aclgrad::Value made = features_of(network(x));
    const std::int64_t rank = static_cast<std::int64_t>(made.shape().rank());
    // A last layer that is a convolution leaves places, whose mean counts.
    if (rank == 4) return mean(made, {2, 3});
    return rank == 2 ? made : reshape(made, {made.shape()[0], -1});
  }

  aclgrad::Value operator()(const aclgrad::Value& x) const { return head(features(body, x)); }

  aclgrad::onnx::Model body;
  aclgrad::Linear head;
};

}  // namespace finetune
