// SPDX-License-Identifier: Apache-2.0
// What a Trainer computes in Mode::evaluation: losses of examples, and a look into the network.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/ops/activation.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/trainer.h"
#include "train/batch_rules.h"
#include "train/hooks.h"
#include "train/norm.h"
#include "train/split_loss.h"

namespace aclgrad {
namespace {

using detail::BatchSpecs;
using detail::LossRecorder;
using detail::PiecewiseLoss;
using detail::RecordedLoss;

// The values that are multiplied with others: tanh and sigmoid of them are gates, as in an Lstm.
std::unordered_set<ValueId> factors_of(const Graph& graph) {
  std::unordered_set<ValueId> factors;
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (!detail::is_any<MulOp, AddcmulOp>(node)) continue;
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

// How losses are taken apart, by the shapes of the pieces.
struct Trainer::Pieces {
  std::map<std::string, PiecewiseLoss> losses;

  static std::string key(const BatchSpecs& specs) {
    std::string key;
    for (const auto& [name, spec] : specs) {
      key += fmt::format("{} {} {}, ", name, spec.dtype, spec.shape);
    }
    return key;
  }
};

SessionCache::BuiltGraph Trainer::record_evaluation(const SessionCache::Inputs& inputs) {
  const LossRecorder loss = [this](const BatchValues& batch) { return record_loss(batch); };
  RecordedLoss recorded = detail::record_loss(Mode::evaluation, loss, inputs);
  return {std::move(recorded.graph), {recorded.loss}};
}

SessionCache::BuiltGraph Trainer::record_piece(const SessionCache::Inputs& inputs) {
  const LossRecorder record = [this](const BatchValues& batch) { return record_loss(batch); };
  const std::int64_t examples = detail::examples_in(inputs);
  RecordedLoss piece = detail::record_loss(Mode::evaluation, record, inputs);
  const RecordedLoss other =
      detail::record_loss(Mode::evaluation, record, detail::with_examples(inputs, 2 * examples));
  const std::string key = Pieces::key(inputs);
  if (!piecewise_) piecewise_ = std::make_shared<Pieces>();
  piecewise_->losses.erase(key);
  const PiecewiseLoss& loss =
      piecewise_->losses.try_emplace(key, piece, other, session_).first->second;
  return {std::move(piece.graph), {loss.fetched().begin(), loss.fetched().end()}};
}

SessionCache::BuiltGraph Trainer::record_observation(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::evaluation);
  const LossAndGradients own = record_parts(graph, inputs);
  std::vector<Fetch> fetches;
  std::vector<std::string> gradients;
  std::vector<Observed> layers;
  const std::unordered_set<ValueId> factors = factors_of(graph);
  for (const auto& [value, gradient] : own.gradients) {
    gradients.push_back(value.variable()->name());
    fetches.emplace_back(gradient);
  }
  for (std::size_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(static_cast<NodeId>(id));
    if (node.pass != Pass::forward) continue;  // computed again
    if (const CallOp* op = node.op->as_call(); op == nullptr || !op->is_activation()) continue;
    if (detail::is_any<TanhOp, SigmoidOp>(node) && factors.contains(node.outputs[0])) continue;
    std::string name = detail::name_of(graph.value(node.outputs[0]));
    if (std::ranges::find(layers, name, &Observed::name) != layers.end()) continue;
    layers.push_back({std::move(name), has_channels(graph, node)});
    fetches.emplace_back(graph.value(node.outputs[0]));
  }
  // What is kept of other shapes is of the same names.
  if (gradients != observed_gradients_ || layers != observed_layers_) observation_.clear();
  observed_gradients_ = std::move(gradients);
  observed_layers_ = std::move(layers);
  return {std::move(graph), std::move(fetches)};
}

double Trainer::evaluate(const data::Dataset& examples, std::optional<std::int64_t> batch_size) {
  const std::int64_t size = examples.size();
  if (batch_size.value_or(0) < 0) {
    throw ValueError(
        fmt::format("examples are evaluated at least one at a time, or all at once for 0, not {}",
                    *batch_size));
  }
  if (size == 0) throw ValueError("there are no examples to evaluate");
  const std::int64_t piece = batch_size.value_or(evaluation_batch_);
  if (piece == 0 || piece >= size) {
    std::vector<Feed> feeds;
    for (const auto& [name, tensor] : examples.tensors()) feeds.emplace_back(name, *tensor);
    return evaluation_.run(feeds)[0].item();
  }
  PiecewiseLoss::Sums sums;
  PiecewiseLoss* loss = nullptr;
  for (std::int64_t begin = 0; begin < size; begin += piece) {
    const std::int64_t end = std::min(begin + piece, size);
    const data::Dataset part = examples.slice(begin, end);
    std::vector<Feed> feeds;
    BatchSpecs specs;
    for (const auto& [name, tensor] : part.tensors()) {
      feeds.emplace_back(name, *tensor);
      specs.emplace(name, TensorSpec{tensor->shape(), tensor->dtype()});
    }
    const Results results = pieces_.run(feeds);
    loss = &piecewise_->losses.at(Pieces::key(specs));
    sums.add(*loss, results, end - begin);
  }
  return loss->loss(sums);
}

void Trainer::observe(const data::Dataset& batch, TrainingLog& log) {
  follow_freezing();
  const std::vector<Feed> feeds = feeds_of(batch);
  if (batch.size() == 0 || (!is_whole(batch.size()) && cut_.empty())) return;  // nothing to look at
  const Results results = observation_.run(feeds);
  std::size_t at = 0;
  // This rank's parts stand for the batch.
  const std::int64_t size = batch.size();
  double factor = 1 / (scaler_ ? scaler_->scale() : 1);
  if (!is_whole(size)) {
    const std::int64_t end = micro_batches_.begin(micro_batches_.used_in(size), size);
    factor *= static_cast<double>(size) / static_cast<double>(end - micro_batches_.begin(0, size));
  }
  for (const std::string& parameter : observed_gradients_) {
    log.point("Gradient norms", parameter, static_cast<double>(steps_),
              factor * detail::euclidean_norm(results[at++]));
  }
  for (const Observed& layer : observed_layers_) {
    log.activations(layer.name, steps_, with_units_last(results[at++], layer.has_channels));
  }
}

}  // namespace aclgrad
