// SPDX-License-Identifier: Apache-2.0
#include "session/comparison.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>

#include "aclgrad/error.h"
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
    if (dynamic_cast<const StreamOp*>(plan.node(step).op.get()) != nullptr) return true;
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

void Comparison::restore() const {
  for (std::size_t i = 0; i < updated_.size(); ++i) updated_[i].assign(before_[i]);
}

void Comparison::run_eagerly(std::span<const Feed> feeds) {
  before_.clear();
  for (const Variable& variable : updated_) before_.push_back(variable.value());
  eager_->run(feeds);
  expected_.clear();
  for (const ValueId value : compared_) {
    expected_.push_back(eager_->plan().memory().download(value));
  }
  restore();
}

// The first of the differences of which one was seen. Other work than operators may need partners
// (an exchange between ranks), so it cannot be run again and again just here.
Difference Comparison::find(Difference seen, std::span<const Feed> feeds) const {
  if (has_stream_ops(eager_->plan())) return seen;
  Difference first = bisect(eager_->graph(), fetches_, feeds);
  return first ? first : seen;
}

void Comparison::check(const SessionState& session, std::span<const Feed> feeds) const {
  const Plan& plan = session.plan();
  for (std::size_t i = 0; i < compared_.size(); ++i) {
    Tensor seen = plan.memory().download(compared_[i]);
    if (bitwise_equal(seen, expected_[i])) continue;
    ++g_different;
    restore();
    const GraphData& data = GraphAccess::data(session.graph());
    Difference difference;
    difference.found =
        plan.replays() ? Difference::Found::replayed : Difference::Found::node_by_node;
    difference.node = data.value(compared_[i]).node;
    difference.value = compared_[i];
    difference.eager = expected_[i];
    difference.replayed = std::move(seen);
    difference.where = label(data.node(difference.node));
    throw ValueError("a run differs from an eager one: " +
                     find(std::move(difference), feeds).to_string());
  }
  ++g_equal;
}

}  // namespace aclgrad::detail
