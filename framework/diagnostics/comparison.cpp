// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/session/bisect.h"
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

class RunComparison final : public RunObserver {
 public:
  explicit RunComparison(const SessionState& session)
      : session_(session),
        eager_(session.graph(), session.fetches(), {.eager = true}),
        compared_(session.program().fetched) {
    ++g_sessions;
    for (const BoundVariable& bound : session.program().variables) {
      if (bound.updated_by < 0) continue;
      updated_.push_back(bound.variable);
      compared_.push_back(bound.root);
    }
  }

  bool needs_node_by_node() const override { return false; }

  void begin_run(Executable&, std::span<const Feed> feeds) override {
    feeds_ = feeds;
    before_ = std::make_unique<SavedVariables>(updated_);
    eager_.run(feeds);
    expected_ = eager_.executable().memory().download(compared_);
    before_->restore();
  }

  void end_run(bool failed) override {
    const auto before = std::exchange(before_, nullptr);  // puts the variables back, or forgets
    if (failed || before == nullptr) return;
    for (std::size_t i = 0; i < compared_.size(); ++i) {
      const Tensor seen = session_.executable().memory().download(compared_[i]);
      if (bitwise_equal(seen, expected_[i])) continue;
      ++g_different;
      before->restore();
      throw ValueError("a run differs from an eager one: " +
                       find(compared_[i], expected_[i], seen).to_string());
    }
    ++g_equal;
    before->forget();
  }

 private:
  // The first of the differences of which one was seen. Other work than operators may need partners
  // (an exchange between ranks), so it cannot be run again and again just here.
  Difference find(ValueId value, const Tensor& expected, const Tensor& seen) const {
    const Program& program = session_.program();
    const GraphData& graph = *program.graph;
    const bool has_stream_ops =
        std::ranges::any_of(program.instructions, [&](const Instruction& instruction) {
          return graph.node(instruction.node).op->kind() == OpKind::stream;
        });
    if (!has_stream_ops) {
      if (Difference first = bisect(session_.graph(), session_.fetches(), feeds_)) return first;
    }
    const NodeId node = graph.value(value).node;
    return {.found = session_.executable().replays() ? Difference::Found::replayed
                                                     : Difference::Found::node_by_node,
            .node = node,
            .value = value,
            .eager = expected,
            .replayed = seen,
            .where = label(graph.node(node))};
  }

  const SessionState& session_;
  SessionState eager_;
  std::vector<Variable> updated_;  // by the session
  std::vector<ValueId> compared_;  // what is fetched or updated
  std::span<const Feed> feeds_;    // of the run that is under way
  std::unique_ptr<SavedVariables> before_;
  std::vector<Tensor> expected_;
};

}  // namespace

void report_comparisons_at_exit() { static const ReportAtExit at_exit; }

std::unique_ptr<RunObserver> make_comparison(const SessionState& session) {
  return std::make_unique<RunComparison>(session);
}

}  // namespace aclgrad::detail
