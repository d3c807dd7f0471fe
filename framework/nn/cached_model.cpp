// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/cached_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad {
namespace {

constexpr const char* kToken = "token";
constexpr const char* kPlace = "place";

std::vector<std::int64_t> column_of(const Tensor& tokens, std::int64_t place) {
  std::vector<std::int64_t> column;
  const std::int64_t width = tokens.shape()[1];
  const auto all = tokens.data<std::int64_t>();
  for (std::int64_t n = 0; n < tokens.shape()[0]; ++n) {
    column.push_back(all[static_cast<std::size_t>(n * width + place)]);
  }
  return column;
}

}  // namespace

CachedModel::CachedModel(Step step, std::int64_t places) : step_(std::move(step)), places_(places) {
  if (!step_) throw ValueError("a cached model needs a function that records it, this is empty");
  if (places < 1) {
    throw ValueError(fmt::format("a cached model keeps at least one place, not {}", places));
  }
}

void CachedModel::record(std::int64_t rows) {
  session_.reset();
  kept_.clear();
  seen_.clear();
  const Graph graph(Mode::evaluation);
  const Value token = graph.input(kToken, {rows, 1}, DType::int64);
  AttentionCache cache(graph.input(kPlace, {1}, DType::int64), places_);
  const Value scores = step_(token, cache);
  if (!scores || scores.shape().rank() != 3 || scores.shape()[0] != rows ||
      scores.shape()[1] != 1) {
    throw ShapeError(fmt::format("a cached model gives scores [{}, 1, C] of a token [{}, 1]{}",
                                 rows, rows,
                                 scores ? fmt::format(", got {}", scores.shape()) : ""));
  }
  std::vector<Fetch> fetches = {scores};
  for (const AttentionCache::Entry& entry : cache.entries()) {
    fetches.emplace_back(entry.after);
    kept_.emplace_back(entry.before.name(),
                       Tensor::zeros(entry.before.shape(), entry.before.dtype()));
  }
  session_.emplace(graph, std::move(fetches));
  rows_ = rows;
}

// How many of the places that were seen these tokens begin with.
std::size_t CachedModel::known_places(const Tensor& tokens) const {
  std::size_t known = 0;
  while (known < seen_.size() && static_cast<std::int64_t>(known) < tokens.shape()[1] &&
         seen_[known] == column_of(tokens, static_cast<std::int64_t>(known))) {
    ++known;
  }
  return known;
}

Tensor CachedModel::operator()(const Tensor& tokens) {
  if (tokens.rank() != 2 || tokens.shape()[1] < 1 || tokens.dtype() != DType::int64) {
    throw ShapeError(fmt::format("a cached model takes tokens [N, T] of int64, got {} {}",
                                 tokens.dtype(), tokens.shape()));
  }
  const std::int64_t width = tokens.shape()[1];
  if (width > places_) {
    throw ShapeError(
        fmt::format("a text of {} tokens is longer than the {} places that are kept: "
                    "make the CachedModel for more",
                    width, places_));
  }
  if (!session_ || rows_ != tokens.shape()[0]) record(tokens.shape()[0]);
  const std::size_t known = known_places(tokens);
  if (known == seen_.size() && static_cast<std::int64_t>(known) == width) return scores_;
  // What lies behind these is not looked at, and written over. The last place is computed anew
  // where the text has become shorter: only its scores are kept.
  seen_.resize(std::min(known, static_cast<std::size_t>(width - 1)));
  for (auto place = static_cast<std::int64_t>(seen_.size()); place < width; ++place) {
    std::vector<std::int64_t> column = column_of(tokens, place);
    const std::pair<std::string, Tensor> own[] = {
        {kToken, Tensor::from({rows_, 1}, std::span<const std::int64_t>(column))},
        {kPlace, Tensor::full({1}, static_cast<double>(place), DType::int64)}};
    std::vector<Feed> feeds;
    const std::vector<Value> inputs = session_->inputs();
    const auto feed = [&](const std::string& name, const Tensor& tensor) {
      if (std::ranges::find(inputs, name, &Value::name) != inputs.end()) {
        feeds.emplace_back(name, tensor);
      }
    };
    for (const auto& [name, tensor] : own) feed(name, tensor);
    for (const auto& [name, tensor] : kept_) feed(name, tensor);
    const Results results = session_->run(feeds);
    Tensor scores = results[0];
    std::vector<Tensor> after;
    for (std::size_t i = 0; i < kept_.size(); ++i) after.push_back(results[i + 1]);
    for (std::size_t i = 0; i < kept_.size(); ++i) kept_[i].second = std::move(after[i]);
    scores_ = std::move(scores);
    seen_.push_back(std::move(column));
  }
  return scores_;
}

}  // namespace aclgrad
