// SPDX-License-Identifier: Apache-2.0
#include "train/evaluator.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "train/hooks.h"
#include "train/norm.h"

namespace aclgrad::detail {
namespace {

// The values that are multiplied with others: tanh and sigmoid of them are gates, as in an Lstm.
std::unordered_set<ValueId> factors_of(const Graph& graph) {
  std::unordered_set<ValueId> factors;
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (!is_any<MulOp, AddcmulOp>(node)) continue;
    factors.insert(node.inputs.begin(), node.inputs.end());
  }
  return factors;
}

// Whether the units of an activation lie along axis 1: it follows an image's convolution, pooling
// or normalization, whose results it is as large as.
bool has_channels(const Graph& graph, const Node& node) {
  const Value result = graph.value(node.outputs[0]);
  if (result.shape().rank() != 3) return result.shape().rank() > 3;
  for (const Node* at = &node; !at->inputs.empty();) {
    const Value from = graph.value(at->inputs[0]);
    if (from.shape() != result.shape()) return false;
    at = &from.node();
    const std::string_view name = at->op->name();
    if (name.starts_with("conv") || name.starts_with("batch_norm")) return true;
  }
  return false;
}

// [..., units], as logs take activations.
Tensor with_units_last(const Tensor& outputs, bool has_channels) {
  if (!has_channels) return outputs;
  const Shape& shape = outputs.shape();
  const std::int64_t examples = shape[0], channels = shape[1];
  return outputs.numel() == 0
             ? outputs
             : outputs.reshape({examples, channels, outputs.numel() / (examples * channels)})
                   .transpose(1, 2);
}

}  // namespace

Evaluator::Evaluator(const Module& model, LossRecorder loss, const SessionCacheOptions& options)
    : model_(model),
      loss_(std::move(loss)),
      options_(options),
      whole_(
          [this](const SessionCache::Inputs& inputs) {
            RecordedLoss recorded(Mode::evaluation, loss_, inputs);
            return SessionCache::BuiltGraph{std::move(recorded.graph), {recorded.loss.value()}};
          },
          options) {}

double Evaluator::loss_of(const data::Dataset& examples, std::int64_t piece) {
  const std::int64_t size = examples.size();
  if (size == 0) throw ValueError("there are no examples to evaluate");
  if (piece == 0 || piece >= size) {
    std::vector<Feed> feeds;
    add_feeds(examples, "", feeds);
    return whole_.run(feeds)[0].item();
  }
  const BatchSpecs specs = specs_of(examples);
  const std::string key = key_of(specs);
  auto found = pieces_.find(key);
  if (found == pieces_.end()) {
    constexpr std::size_t kKept = 16;
    if (pieces_.size() >= kKept) pieces_.clear();
    found = pieces_.try_emplace(key, loss_, specs, options_).first;
  }
  const double loss = found->second.run(examples, piece);
  try {
    separate_.require(loss_, model_.trained_parameters(),
                      examples.slice(0, std::min(2 * piece, size)), piece, options_.session);
  } catch (const NoTotal& obstacle) {
    refuse_pieces(piece, obstacle);
  }
  return loss;
}

Observation::Observation(TrainingStep& step, const SessionCacheOptions& options)
    : step_(step),
      graphs_([this](const SessionCache::Inputs& inputs) { return record(inputs); }, options) {}

SessionCache::BuiltGraph Observation::record(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::evaluation);
  const LossAndGradients own = step_.record_parts(graph, inputs);
  std::vector<Fetch> fetches;
  std::vector<std::string> gradients;
  std::vector<Layer> layers;
  const std::unordered_set<ValueId> factors = factors_of(graph);
  for (const auto& [value, gradient] : own.gradients) {
    gradients.push_back(value.variable()->name());
    fetches.emplace_back(gradient);
  }
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (node.pass != Pass::forward) continue;  // computed again
    if (const CallOp* op = node.op->as_call(); op == nullptr || !op->is_activation()) continue;
    if (is_any<TanhOp, SigmoidOp>(node) && factors.contains(node.outputs[0])) continue;
    std::string name = name_of(graph.value(node.outputs[0]));
    if (std::ranges::find(layers, name, &Layer::name) != layers.end()) continue;
    layers.push_back({std::move(name), has_channels(graph, node)});
    fetches.emplace_back(graph.value(node.outputs[0]));
  }
  // What is kept of other shapes is of the same names.
  if (gradients != gradients_ || layers != layers_) graphs_.clear();
  gradients_ = std::move(gradients);
  layers_ = std::move(layers);
  return {std::move(graph), std::move(fetches)};
}

void Observation::add_to(TrainingLog& log, const data::Dataset& batch, std::int64_t step) {
  const std::int64_t size = batch.size();
  const double share = size == 0 ? 0 : step_.share_of(size);
  if (share == 0) return;  // nothing to look at
  const Results results = graphs_.run(step_.feeds_of(batch, Mode::evaluation));
  std::size_t at = 0;
  // This rank's parts stand for the batch.
  const double factor = 1 / ((step_.scaler() ? step_.scaler()->scale() : 1) * share);
  for (const std::string& parameter : gradients_) {
    log.point("Gradient norms", parameter, static_cast<double>(step),
              factor * euclidean_norm(results[at++]));
  }
  for (const Layer& layer : layers_) {
    log.activations(layer.name, step, with_units_last(results[at++], layer.has_channels));
  }
}

}  // namespace aclgrad::detail
