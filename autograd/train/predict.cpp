// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/train/predict.h"
#include "train/recorded_loss.h"

namespace aclgrad {
namespace {

SessionCache::Builder prediction(std::function<Value(const BatchValues&)> model) {
  if (!model) throw ValueError("a predictor needs a model, this function is empty");
  return [kept = std::move(model)](const SessionCache::Inputs& inputs) {
    Graph graph(Mode::evaluation);
    const Value result = kept(detail::batch_inputs(graph, inputs));
    return SessionCache::BuiltGraph{std::move(graph), {result}};
  };
}

// The input of a model that has one.
constexpr const char* kOnly = "x";

std::function<Value(const BatchValues&)> of_one(std::function<Value(const Value&)> model) {
  if (!model) return {};
  return [kept = std::move(model)](const BatchValues& batch) { return kept(batch[kOnly]); };
}

}  // namespace

Predictor::Predictor(std::function<Value(const Value&)> model, std::int64_t batch_size,
                     const SessionCacheOptions& sessions)
    : Predictor(of_one(std::move(model)), batch_size, sessions) {
  reads_features_only_ = true;
}

Predictor::Predictor(std::function<Value(const BatchValues&)> model, std::int64_t batch_size,
                     const SessionCacheOptions& sessions)
    : cache_(prediction(std::move(model)), sessions), batch_size_(batch_size) {
  if (batch_size < 0) {
    throw ValueError(
        fmt::format("a batch has at least one row, or all of them for 0, not {}", batch_size));
  }
}

Tensor Predictor::operator()(const Tensor& x) {
  return run_in_pieces({{reads_features_only_ ? kOnly : "features", &x}},
                       x.rank() == 0 ? 1 : x.shape()[0]);
}

Tensor Predictor::operator()(const data::Dataset& examples) {
  const Parts parts = examples.tensors();
  const std::int64_t rows = examples.size();
  if (!reads_features_only_) return run_in_pieces(parts, rows);
  if (parts.front().second == &examples.features) return (*this)(examples.features);
  throw ValueError(
      fmt::format("the model has one input, but the examples have no features, only `{}` and "
                  "other parts: give it as a function of BatchValues",
                  parts.front().first));
}

Tensor Predictor::run(const Parts& parts) {
  std::vector<Feed> feeds;
  for (const auto& [name, tensor] : parts) feeds.emplace_back(name, *tensor);
  return cache_.run(feeds)[0];
}

Tensor Predictor::run_in_pieces(const Parts& parts, std::int64_t rows) {
  if (batch_size_ == 0 || rows <= batch_size_) return run(parts);
  std::optional<Tensor> all;
  for (std::int64_t begin = 0; begin < rows; begin += batch_size_) {
    const std::int64_t count = std::min(batch_size_, rows - begin);
    std::vector<Tensor> cut;
    cut.reserve(parts.size());
    Parts piece;
    for (const auto& [name, tensor] : parts) {
      piece.emplace_back(name, &cut.emplace_back(tensor->slice(0, begin, begin + count)));
    }
    const Tensor part = run(piece);
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

NamedTensors intermediate_values(const std::function<Value(const Value&)>& model, const Tensor& x,
                                 const std::function<bool(const std::string& name)>& wanted) {
  if (!model) throw ValueError("there is no model to look into, this function is empty");
  if (!wanted) throw ValueError("`wanted` says which values are wanted, this function is empty");
  Graph graph(Mode::evaluation);
  static_cast<void>(model(graph.input("x", x.shape(), x.dtype())));
  std::vector<Fetch> fetches;
  NamedTensors values;
  for (std::size_t id = 0; id < graph.value_count(); ++id) {
    const Value value = graph.value(static_cast<ValueId>(id));
    if (!wanted(value.name())) continue;
    fetches.emplace_back(value);
    values.emplace_back(value.name(), Tensor());
  }
  if (fetches.empty()) return values;
  Session session(graph, fetches);
  const bool reads_x = !session.inputs().empty();
  const std::vector<Feed> feeds(reads_x ? 1 : 0, Feed("x", x));
  const Results results = session.run(feeds);
  for (std::size_t i = 0; i < values.size(); ++i) values[i].second = results[i];
  return values;
}

}  // namespace aclgrad
