// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aclgrad/backward.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad {
namespace {

constexpr const char* kFeatures = "features";
constexpr const char* kLabels = "labels";

}  // namespace

Trainer::Trainer(const Module& model, LossFunction loss, Optimizer& optimizer,
                 const SessionOptions& session)
    : model_(model),
      loss_(std::move(loss)),
      optimizer_(optimizer),
      training_(
          [this](const SessionCache::Inputs& inputs) { return record(Mode::training, inputs); },
          {.session = session}),
      evaluation_(
          [this](const SessionCache::Inputs& inputs) { return record(Mode::evaluation, inputs); },
          {.session = session}) {
  if (!model_.parameters().empty()) return;
  throw ValueError(
      "the model has no parameters: its layers must be made with child() of it, as in "
      "`Linear hidden{child(\"hidden\"), 2, 16}`");
}

SessionCache::Recording Trainer::record(Mode mode, const SessionCache::Inputs& inputs) {
  Graph graph(mode);
  const TensorSpec& features = inputs.at(kFeatures);
  const TensorSpec& labels = inputs.at(kLabels);
  const Value loss = loss_(graph.input(kFeatures, features.shape, features.dtype),
                           graph.input(kLabels, labels.shape, labels.dtype));
  if (loss.shape().numel() != 1) {
    throw ShapeError(
        fmt::format("a loss is one number, {} has shape {}", loss.description(), loss.shape()));
  }
  const std::vector<Variable> known = model_.state();
  for (const Variable& variable : graph.variables()) {
    if (std::ranges::find(known, variable) != known.end()) continue;
    throw ValueError(
        fmt::format("the loss reads `{}`, which is no part of the model: make its layer with "
                    "child() of the model",
                    variable.name()));
  }
  std::vector<Fetch> fetches = {loss};
  if (mode == Mode::training) {
    fetches.push_back(optimizer_.step(graph, backward(loss, model_.parameters(graph))));
  }
  return {std::move(graph), std::move(fetches)};
}

double Trainer::step(const data::Dataset& batch) {
  optimizer_.set_step(steps_);
  const double loss =
      training_.run({{kFeatures, batch.features}, {kLabels, batch.labels}})[0].item();
  ++steps_;
  return loss;
}

double Trainer::evaluate(const data::Dataset& examples, std::int64_t batch_size) {
  if (batch_size < 1) throw ValueError("examples are evaluated at least one at a time");
  const std::int64_t size = examples.size();
  if (size == 0) throw ValueError("there are no examples to evaluate");
  double sum = 0;
  for (std::int64_t begin = 0; begin < size; begin += batch_size) {
    const std::int64_t end = std::min(begin + batch_size, size);
    const Tensor features = examples.features.slice(0, begin, end);
    const Tensor labels = examples.labels.slice(0, begin, end);
    sum += evaluation_.run({{kFeatures, features}, {kLabels, labels}})[0].item() *
           static_cast<double>(end - begin);
  }
  return sum / static_cast<double>(size);
}

void Trainer::restore(const Checkpoint& checkpoint, const data::Dataset& batch) {
  training_.prepare({{kFeatures, batch.features}, {kLabels, batch.labels}});
  aclgrad::restore(state(), checkpoint);
  steps_ = checkpoint.step;
}

std::vector<Variable> Trainer::state() const {
  std::vector<Variable> all = model_.state();
  for (const Variable& variable : optimizer_.state()) all.push_back(variable);
  return all;
}

Predictor::Predictor(std::function<Value(const Value&)> model, std::int64_t batch_size)
    : cache_([kept = std::move(model)](const SessionCache::Inputs& inputs) {
        Graph graph(Mode::evaluation);
        const TensorSpec& x = inputs.at("x");
        const Value result = kept(graph.input("x", x.shape, x.dtype));
        return SessionCache::Recording{std::move(graph), {result}};
      }),
      batch_size_(batch_size) {
  if (batch_size < 0) throw ValueError("a batch has at least one row, or all of them for 0");
}

Tensor Predictor::operator()(const Tensor& x) {
  const std::int64_t rows = x.rank() == 0 ? 1 : x.shape()[0];
  if (batch_size_ == 0 || rows <= batch_size_) return run(x);
  std::optional<Tensor> all;
  for (std::int64_t begin = 0; begin < rows; begin += batch_size_) {
    const std::int64_t count = std::min(batch_size_, rows - begin);
    const Tensor part = run(x.slice(0, begin, begin + count));
    if (part.rank() == 0 || part.shape()[0] != count) {
      throw ShapeError(
          fmt::format("the model's result has shape {} for {} rows: it cannot be run {} rows at a "
                      "time (a batch size of 0 takes all at once)",
                      part.shape(), count, batch_size_));
    }
    if (!all) {
      std::vector<std::int64_t> dims = part.shape().dims();
      dims[0] = rows;
      all = Tensor::zeros(Shape(std::move(dims)), part.dtype());
    }
    const std::size_t row = part.nbytes() / static_cast<std::size_t>(count);
    std::copy_n(part.bytes(), part.nbytes(), all->bytes() + static_cast<std::size_t>(begin) * row);
  }
  return *all;
}

}  // namespace aclgrad
