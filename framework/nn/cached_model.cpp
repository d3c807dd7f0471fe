// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn/cached_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/index.h"
#include "aclgrad/ops/shape.h"
#include "aclgrad/session/cache.h"
#include "aclgrad/tensor/math.h"

namespace aclgrad {

// ---- The cache in a graph -----------------------------------------------------------------------

AttentionCache::AttentionCache(const Value& place, std::int64_t places, std::vector<Variable>& kept)
    : place_(place), places_(places), kept_(&kept) {
  if (places < 1) throw ValueError(fmt::format("a cache has at least one place, not {}", places));
  if (!place || place.shape().rank() != 1 || place.dtype() != DType::int64) {
    throw ShapeError("the places of tokens in a cache are an int64 [T]");
  }
  const Value all = place.graph().constant(Tensor::arange(places, 0, 1, DType::int64));
  later_ = gt(all, reshape(place, {place.shape()[0], 1}));
}

Value AttentionCache::extended(const std::string& name, const Value& rows) {
  std::vector<std::int64_t> dims = rows.shape().dims();
  const std::int64_t tokens = place_.shape()[0];
  if (dims.size() < 2 || dims[dims.size() - 2] != tokens) {
    throw ShapeError(fmt::format("a cache takes rows [..., {}, size] of its tokens as `{}`, got {}",
                                 tokens, name, rows.shape()));
  }
  dims[dims.size() - 2] = places_;
  const Shape shape(std::move(dims));
  if (updates_.size() == kept_->size()) {
    kept_->emplace_back(name, Tensor::zeros(shape, rows.dtype()));
  }
  const Variable& all = (*kept_)[updates_.size()];
  if (all.shape() != shape || all.dtype() != rows.dtype()) {
    throw ShapeError(fmt::format("a cache keeps {} {} as `{}`, got rows for {} {} as `{}`",
                                 all.dtype(), all.shape(), all.name(), rows.dtype(), shape, name));
  }
  updates_.push_back(inplace_index_copy(rows.graph().parameter(all),
                                        static_cast<std::int64_t>(shape.rank()) - 2, place_, rows));
  return updates_.back();
}

// ---- The model ----------------------------------------------------------------------------------

namespace {

constexpr const char* kTokens = "tokens";
constexpr const char* kPlace = "place";
constexpr const char* kLast = "last";
constexpr std::int64_t kFirstPlaces = 64;  // before the cache doubles

std::int64_t power_of_two_from(std::int64_t count) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
}

std::span<const std::int64_t> row_of(const Tensor& tokens, std::int64_t row) {
  const auto width = static_cast<std::size_t>(tokens.shape()[1]);
  return tokens.data<std::int64_t>().subspan(static_cast<std::size_t>(row) * width, width);
}

}  // namespace

class CachedModel::Kept {
 public:
  Kept(Step step, std::int64_t limit)
      : step_(std::move(step)),
        limit_(limit),
        sessions_([this](const SessionCache::Inputs& inputs) { return record(inputs); }) {}

  Tensor scores_of(const Tensor& tokens);
  const Step& step() const { return step_; }
  std::int64_t limit() const { return limit_; }

 private:
  SessionCache::BuiltGraph record(const SessionCache::Inputs& inputs);
  void make_room(std::int64_t rows, std::int64_t places);
  std::int64_t known_places(const Tensor& tokens) const;

  Step step_;
  std::int64_t limit_;
  std::int64_t rows_ = 0, places_ = 0;  // for which there is room:
  std::vector<Variable> variables_;
  Tensor tokens_ = Tensor::zeros({0, 0}, DType::int64);  // that were seen
  std::int64_t seen_ = 0;                                // so many of each row
  Tensor scores_;                                        // of the last place that was asked for
  std::int64_t scored_ = 0;                              // so many places were; 0 for no scores
  SessionCache sessions_;                                // for so many tokens at once
};

SessionCache::BuiltGraph CachedModel::Kept::record(const SessionCache::Inputs& inputs) {
  Graph graph(Mode::evaluation);
  const Shape shape = inputs.at(kTokens).shape;
  AttentionCache cache(graph.input(kPlace, {shape[1]}, DType::int64), places_, variables_);
  Value scores = step_(graph.input(kTokens, shape, DType::int64), cache);
  if (!scores || scores.shape().rank() != 3 || scores.shape()[0] != shape[0] ||
      scores.shape()[1] != shape[1]) {
    throw ShapeError(fmt::format("a cached model gives scores [{}, {}, C] of tokens {}{}", shape[0],
                                 shape[1], shape,
                                 scores ? fmt::format(", got {}", scores.shape()) : ""));
  }
  if (shape[1] > 1) scores = index_select(scores, 1, graph.input(kLast, {1}, DType::int64));
  return {std::move(graph), {scores, Update{cache.updates()}}};
}

// For other rows all is forgotten, for more places what was seen is kept.
void CachedModel::Kept::make_room(std::int64_t rows, std::int64_t places) {
  if (rows != rows_) {
    variables_.clear();
    sessions_.clear();
    seen_ = places_ = 0;
    rows_ = rows;
  }
  if (places <= places_) return;
  const std::int64_t room = std::min(limit_, std::max(kFirstPlaces, power_of_two_from(places)));
  std::vector<Variable> larger;
  for (const Variable& variable : variables_) {
    const auto dim = static_cast<std::int64_t>(variable.shape().rank()) - 2;
    std::vector<std::int64_t> more = variable.shape().dims();
    more[static_cast<std::size_t>(dim)] = room - places_;
    larger.emplace_back(
        variable.name(),
        cat({variable.value(), Tensor::zeros(Shape(std::move(more)), variable.dtype())}, dim));
  }
  sessions_.clear();
  variables_ = std::move(larger);
  places_ = room;
}

// How many of the places that were seen these tokens begin with.
std::int64_t CachedModel::Kept::known_places(const Tensor& tokens) const {
  std::int64_t known = std::min(seen_, tokens.shape()[1]);
  for (std::int64_t n = 0; n < rows_ && known > 0; ++n) {
    const auto now = row_of(tokens, n).first(static_cast<std::size_t>(known));
    known = std::ranges::mismatch(now, row_of(tokens_, n)).in1 - now.begin();
  }
  return known;
}

Tensor CachedModel::Kept::scores_of(const Tensor& tokens) {
  const std::int64_t rows = tokens.shape()[0], width = tokens.shape()[1];
  make_room(rows, width);
  const std::int64_t known = known_places(tokens);
  if (known == scored_ && known == width) return scores_;
  // What lies behind these is not looked at, and written over. The last place is computed anew
  // where the text has become shorter: only its scores are kept.
  const std::int64_t first = std::min(known, width - 1);
  // Few lengths are planned for: tokens behind the last are of no text.
  const std::int64_t count = std::min(power_of_two_from(width - first), places_ - first);
  Tensor fresh = Tensor::zeros({rows, count}, DType::int64);
  for (std::int64_t n = 0; n < rows; ++n) {
    std::ranges::copy(row_of(tokens, n).subspan(static_cast<std::size_t>(first)),
                      fresh.data<std::int64_t>().begin() + n * count);
  }
  seen_ = first;
  scored_ = 0;  // where the run fails
  const Tensor place = Tensor::arange(count, static_cast<double>(first), 1, DType::int64);
  const Tensor last = Tensor::full({1}, static_cast<double>(width - first - 1), DType::int64);
  std::vector<Feed> feeds = {{kTokens, fresh}, {kPlace, place}};
  if (count > 1) feeds.emplace_back(kLast, last);
  const Results results = sessions_.run(feeds);
  scores_ = results[std::size_t{0}];
  tokens_ = tokens;
  seen_ = scored_ = width;
  return scores_;
}

CachedModel::CachedModel(Step step, std::int64_t places) {
  if (!step) throw ValueError("a cached model needs a function that records it, this is empty");
  if (places < 1) {
    throw ValueError(fmt::format("a cached model keeps at least one place, not {}", places));
  }
  kept_ = std::make_unique<Kept>(std::move(step), places);
}
CachedModel::CachedModel(CachedModel&&) noexcept = default;
CachedModel& CachedModel::operator=(CachedModel&&) noexcept = default;
CachedModel::~CachedModel() = default;

Tensor CachedModel::operator()(const Tensor& tokens) {
  if (tokens.rank() != 2 || tokens.shape()[1] < 1 || tokens.dtype() != DType::int64) {
    throw ShapeError(fmt::format("a cached model takes tokens [N, T] of int64, got {} {}",
                                 tokens.dtype(), tokens.shape()));
  }
  if (tokens.shape()[1] > kept_->limit()) {
    throw ShapeError(
        fmt::format("a text of {} tokens is longer than the {} places that are kept: "
                    "make the CachedModel for more",
                    tokens.shape()[1], kept_->limit()));
  }
  return kept_->scores_of(tokens);
}

void CachedModel::forget() { kept_ = std::make_unique<Kept>(kept_->step(), kept_->limit()); }

}  // namespace aclgrad
