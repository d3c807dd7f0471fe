// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "graph/graph_data.h"
#include "session/state.h"
#include "tensor/fnv1a.h"

namespace aclgrad {
namespace {

bool same(const SessionCache::Inputs& a, const SessionCache::Inputs& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.dtype == y.second.dtype &&
           x.second.shape == y.second.shape;
  });
}

// Of what most sets of inputs differ in.
std::size_t hash_of(const SessionCache::Inputs& inputs) {
  std::uint64_t hash = detail::fnv1a({});
  for (const auto& [name, spec] : inputs) {
    hash = detail::fnv1a(std::as_bytes(std::span(&spec.dtype, 1)), hash);
    hash = detail::fnv1a(std::as_bytes(std::span(spec.shape.dims())), hash);
  }
  return hash;
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
  if (options_.capacity == 0)
    throw ValueError("the `capacity` of a session cache is at least 1, got 0");
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

const Graph& SessionCache::latest() const {
  if (entries_.empty()) throw ValueError("the session cache has planned nothing yet");
  return entries_.front().graph;
}

Results SessionCache::run(std::span<const Feed> feeds) {
  Entry& entry = entry_for(inputs_of(feeds));
  if (entry.unused.empty()) return entry.session.run(feeds);
  std::vector<Feed> wanted;
  for (const Feed& feed : feeds) {
    if (!entry.unused.contains(feed.name())) wanted.push_back(feed);
  }
  return entry.session.run(wanted);
}

void SessionCache::clear() {
  by_hash_.clear();
  entries_.clear();
  device_bytes_ = 0;
  recent_.clear();
  replaced_ = 0;
}

SessionCache::Entries::iterator SessionCache::find(const Inputs& inputs, std::size_t hash) {
  const auto [begin, end] = by_hash_.equal_range(hash);
  const auto found =
      std::find_if(begin, end, [&](const auto& it) { return same(it.second->inputs, inputs); });
  return found == end ? entries_.end() : found->second;
}

SessionCache::Entry& SessionCache::entry_for(const Inputs& inputs) {
  if (!entries_.empty() && same(entries_.front().inputs, inputs)) {
    watch_for_churn(false);
    return entries_.front();
  }
  const std::size_t hash = hash_of(inputs);
  const auto found = find(inputs, hash);
  if (found != entries_.end()) {
    watch_for_churn(false);
    entries_.splice(entries_.begin(), entries_, found);
    return entries_.front();
  }
  entries_.push_front(make_entry(inputs, hash));
  by_hash_.emplace(hash, entries_.begin());
  device_bytes_ += entries_.front().device_bytes;
  ++planned_;
  watch_for_churn(make_room());
  return entries_.front();
}

bool SessionCache::make_room() {
  constexpr std::size_t kAlwaysKept = 8;
  bool any = false;
  while (entries_.size() > options_.capacity ||
         (device_bytes_ > options_.bytes && entries_.size() > kAlwaysKept)) {
    const auto last = std::prev(entries_.end());
    auto at = by_hash_.equal_range(last->hash).first;
    while (at->second != last) ++at;
    by_hash_.erase(at);
    device_bytes_ -= last->device_bytes;
    entries_.pop_back();
    any = true;
  }
  return any;
}

SessionCache::Entry SessionCache::make_entry(const Inputs& inputs, std::size_t hash) {
  BuiltGraph built = builder_(inputs);
  // By the names that they were made with, whatever named() says.
  const auto& names = detail::GraphAccess::data(built.graph).input_names;
  for (const auto& [name, spec] : inputs) {
    const auto found = names.find(name);
    if (found == names.end()) {
      throw ValueError(
          fmt::format("the builder recorded no input `{}` for {}", name, describe(inputs)));
    }
    const Value recorded = built.graph.value(found->second);
    if (recorded.dtype() != spec.dtype || recorded.shape() != spec.shape) {
      throw ValueError(fmt::format("the builder recorded input `{}` as {} {} for {}", name,
                                   recorded.dtype(), recorded.shape(), describe(inputs)));
    }
  }
  Session session(built.graph, std::move(built.fetches), options_.session, streams_);
  streams_ = session.state().executable().streams();
  const std::vector<Value> wanted = session.inputs();
  std::set<std::string> unused;
  for (const auto& [name, spec] : inputs) {
    const ValueId id = names.at(name);
    if (std::ranges::find(wanted, id, &Value::id) == wanted.end()) unused.insert(name);
  }
  const std::size_t held = session.device_bytes();
  const std::size_t bytes = built.count_bytes ? built.count_bytes(held) : held;
  return Entry{inputs, hash, std::move(built.graph), std::move(session), std::move(unused), bytes};
}

void SessionCache::watch_for_churn(bool planned_in_place) {
  if (warned_ || (!planned_in_place && replaced_ == 0)) return;
  const std::size_t length = 2 * entries_.size();
  recent_.push_back(planned_in_place);
  replaced_ += planned_in_place ? 1 : 0;
  while (recent_.size() > length) {
    replaced_ -= recent_.front() ? 1 : 0;
    recent_.pop_front();
  }
  if (2 * replaced_ <= length) return;
  warned_ = true;
  const std::string message = fmt::format(
      "the session cache churns: {} of the latest {} runs had to plan anew, with room for {} "
      "sessions of {} bytes together; the latest shapes are {}. Give it more room (`capacity`, "
      "`bytes`), or pad the data to fewer shapes.",
      replaced_, length, options_.capacity, options_.bytes, describe(entries_.front().inputs));
  if (options_.warn) {
    options_.warn(message);
  } else {
    fmt::print(stderr, "warning: {}\n", message);
  }
}

}  // namespace aclgrad
