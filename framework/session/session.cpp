// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/session.h"

#include "aclgrad/error.h"
#include "session/environment.h"
#include "session/state.h"

namespace aclgrad {

Session::Session(const Graph& graph, std::vector<Fetch> fetches, SessionOptions options) {
  Graph shared = detail::shared_graph(graph, fetches);
  state_ = std::make_shared<detail::SessionState>(std::move(shared), std::move(fetches),
                                                  detail::with_environment(std::move(options)));
}

Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

detail::SessionState& Session::state() const {
  if (state_ == nullptr) throw ValueError("the session was moved from");
  return *state_;
}

Results Session::run(std::span<const Feed> feeds) {
  const std::uint64_t run = state().run(feeds);
  return {state_, run};
}

Results Session::run(std::initializer_list<Feed> feeds) {
  return run(std::span<const Feed>(feeds.begin(), feeds.size()));
}

Profile Session::profile(std::span<const Feed> feeds) { return state().profile(feeds); }

Profile Session::profile(std::initializer_list<Feed> feeds) {
  return profile(std::span<const Feed>(feeds.begin(), feeds.size()));
}

Profile Session::timeline(std::span<const Feed> feeds) { return state().timeline(feeds); }

Profile Session::timeline(std::initializer_list<Feed> feeds) {
  return timeline(std::span<const Feed>(feeds.begin(), feeds.size()));
}

std::vector<NodeId> Session::schedule() const {
  const detail::Plan& plan = state().plan();
  std::vector<NodeId> nodes;
  nodes.reserve(plan.step_count());
  for (std::size_t step = 0; step < plan.step_count(); ++step) nodes.push_back(plan.node(step).id);
  return nodes;
}

std::vector<Value> Session::inputs() const { return state().inputs(); }
MemoryReport Session::memory_report() const { return state().memory_report(); }
bool Session::replays() const { return state().plan().replays(); }

std::size_t Session::device_bytes() const {
  return state().plan().memory().bytes() + state().plan().workspace_bytes();
}

Tensor Results::operator[](const Value& value) const { return state_->read(value, run_); }

}  // namespace aclgrad
