// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session.h"

#include "aclgrad/error.h"
#include "session/state.h"

namespace aclgrad {

Session::Session(const Graph& graph, std::vector<Fetch> fetches, SessionOptions options) {
  std::optional<Graph> shared;
  for (const Fetch& fetch : fetches) {
    for (const Value& value : fetch.values()) shared.emplace(value.graph());
  }
  if (!shared) throw ValueError("a session needs something to fetch");
  if (!(*shared == graph)) throw ValueError("a fetched value belongs to another graph");
  state_ = std::make_shared<detail::SessionState>(std::move(*shared), std::move(fetches),
                                                  std::move(options));
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Results Session::run(std::span<const Feed> feeds) { return {state_, state_->run(feeds)}; }

Results Session::run(std::initializer_list<Feed> feeds) {
  return run(std::span<const Feed>(feeds.begin(), feeds.size()));
}

std::vector<NodeId> Session::schedule() const { return state_->plan().schedule(); }
std::vector<Value> Session::inputs() const { return state_->inputs(); }
std::size_t Session::device_bytes() const { return state_->plan().device_bytes(); }

Tensor Results::operator[](const Value& value) const { return state_->read(value, run_); }

}  // namespace aclgrad
