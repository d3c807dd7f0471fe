// SPDX-License-Identifier: Apache-2.0
#include "session/comparison.h"

#include <atomic>
#include <cstdio>

#include "aclgrad/error.h"
#include "session/saved_variables.h"
#include "session/state.h"

namespace aclgrad::detail {
namespace {

std::atomic<std::int64_t> g_sessions{0};
std::atomic<std::int64_t> g_equal{0};
std::atomic<std::int64_t> g_different{0};

struct ReportAtExit {
  ~ReportAtExit() {
    std::fflush(stdout);  // what the program printed before comes before
    std::fprintf(stderr, "aclgrad: compared %lld runs of %lld sessions with eager ones: ",
                 static_cast<long long>(g_equal + g_different), static_cast<long long>(g_sessions));
    if (g_different == 0) {
      std::fputs("the same bits\n", stderr);
    } else {
      std::fprintf(stderr, "other bits in %lld\n", static_cast<long long>(g_different));
    }
  }
};

bool has_stream_ops(const Plan& plan) {
  for (std::size_t step = 0; step < plan.step_count(); ++step) {
    if (as_call(plan.node(step))->as_stream_op() != nullptr) return true;
  }
  return false;
}

}  // namespace

void report_comparisons_at_exit() { static const ReportAtExit at_exit; }

Comparison::Comparison(const Graph& graph, std::vector<Fetch> fetches,
                       std::vector<Variable> updated, std::vector<ValueId> compared)
    : fetches_(std::move(fetches)),
      eager_(std::make_unique<SessionState>(GraphAccess::handle(graph), fetches_,
                                            SessionOptions{.eager = true})),
      updated_(std::move(updated)),
      compared_(std::move(compared)) {
  ++g_sessions;
}

Comparison::~Comparison() = default;

void Comparison::run(const SessionState& session, std::span<const Feed> feeds,
                     const std::function<void()>& run_session) {
  SavedVariables before(updated_);
  eager_->run(feeds);
  const std::vector<Tensor> expected = eager_->snapshot(compared_);
  before.restore();
  run_session();
  for (std::size_t i = 0; i < compared_.size(); ++i) {
    const Tensor seen = session.plan().memory().download(compared_[i]);
    if (bitwise_equal(seen, expected[i])) continue;
    ++g_different;
    before.restore();
    throw ValueError("a run differs from an eager one: " +
                     find(session, compared_[i], expected[i], seen, feeds).to_string());
  }
  ++g_equal;
  before.forget();
}

// The first of the differences of which one was seen. Other work than operators may need partners
// (an exchange between ranks), so it cannot be run again and again just here.
Difference Comparison::find(const SessionState& session, ValueId value, const Tensor& expected,
                            const Tensor& seen, std::span<const Feed> feeds) const {
  if (!has_stream_ops(eager_->plan())) {
    if (Difference first = bisect(session.graph(), fetches_, feeds)) return first;
  }
  const GraphData& data = GraphAccess::data(session.graph());
  const NodeId node = data.value(value).node;
  return {.found = session.plan().replays() ? Difference::Found::replayed
                                            : Difference::Found::node_by_node,
          .node = node,
          .value = value,
          .eager = expected,
          .replayed = seen,
          .where = label(data.node(node))};
}

}  // namespace aclgrad::detail
