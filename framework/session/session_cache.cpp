// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "aclgrad/error.h"
#include "aclgrad/format.h"

namespace aclgrad {
namespace {

bool same(const SessionCache::Inputs& a, const SessionCache::Inputs& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.dtype == y.second.dtype &&
           x.second.shape == y.second.shape;
  });
}

std::string describe(const SessionCache::Inputs& inputs) {
  std::string text;
  for (const auto& [name, spec] : inputs) {
    text += fmt::format("{}`{}` {} {}", text.empty() ? "" : ", ", name, spec.dtype, spec.shape);
  }
  return text;
}

}  // namespace

const TensorSpec& SessionCache::Inputs::at(const std::string& name) const {
  const auto found = find(name);
  if (found != end()) return found->second;
  throw ValueError(fmt::format("no feed for `{}`: {}", name,
                               empty() ? "nothing is fed" : "fed are " + describe(*this)));
}

SessionCache::SessionCache(Builder builder, SessionCacheOptions options)
    : builder_(std::move(builder)), options_(std::move(options)) {
  if (!builder_) throw ValueError("a session cache needs a builder");
  if (options_.capacity == 0) throw ValueError("a session cache needs room for a session");
  recent_.assign(2 * options_.capacity, false);
}

SessionCache::Inputs SessionCache::inputs_of(std::span<const Feed> feeds) {
  Inputs inputs;
  for (const Feed& feed : feeds) {
    if (feed.name().empty()) throw ValueError("a session cache is fed by the names of inputs");
    const Tensor& tensor = feed.tensor();
    if (!inputs.emplace(feed.name(), TensorSpec{tensor.shape(), tensor.dtype()}).second) {
      throw ValueError(fmt::format("`{}` is fed twice", feed.name()));
    }
  }
  return inputs;
}

void SessionCache::clear() {
  entries_.clear();
  recent_.assign(recent_.size(), false);
}

const Graph& SessionCache::latest() const {
  if (entries_.empty()) throw ValueError("the session cache has planned nothing yet");
  return entries_.front().graph;
}

SessionCache::Entry& SessionCache::entry_for(const Inputs& inputs) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return same(entry.inputs, inputs); });
  if (found != entries_.end()) {
    watch_for_churn(false);
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front();
  }
  entries_.push_front(make_entry(inputs));
  ++planned_;
  const bool full = entries_.size() > options_.capacity;
  if (full) entries_.pop_back();
  watch_for_churn(full);
  return entries_.front();
}

SessionCache::Entry SessionCache::make_entry(const Inputs& inputs) const {
  BuiltGraph built = builder_(inputs);
  const std::vector<Value> existing = built.graph.inputs();
  for (const auto& [name, spec] : inputs) {
    const auto found =
        std::find_if(existing.begin(), existing.end(),
                     [&, &wanted = name](const Value& value) { return value.name() == wanted; });
    if (found == existing.end()) {
      throw ValueError(
          fmt::format("the builder recorded no input `{}` for {}", name, describe(inputs)));
    }
    if (found->dtype() != spec.dtype || found->shape() != spec.shape) {
      throw ValueError(fmt::format("the builder recorded input `{}` as {} {} for {}", name,
                                   found->dtype(), found->shape(), describe(inputs)));
    }
  }
  Session session(built.graph, std::move(built.fetches), options_.session);
  return Entry{inputs, std::move(built.graph), std::move(session)};
}

void SessionCache::watch_for_churn(bool planned_when_full) {
  recent_[next_recent_] = planned_when_full;
  next_recent_ = (next_recent_ + 1) % recent_.size();
  const auto misses = static_cast<std::size_t>(std::count(recent_.begin(), recent_.end(), true));
  if (warned_ || 2 * misses <= recent_.size()) return;
  warned_ = true;
  const std::string message = fmt::format(
      "the session cache churns: {} of the latest {} runs had to plan anew, with room for {} "
      "sessions; the latest shapes are {}. Give it more room, or pad the data to fewer shapes.",
      misses, recent_.size(), options_.capacity, describe(entries_.front().inputs));
  if (options_.warn) {
    options_.warn(message);
  } else {
    fmt::print(stderr, "warning: {}\n", message);
  }
}

}  // namespace aclgrad
