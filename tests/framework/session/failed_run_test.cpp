// SPDX-License-Identifier: Apache-2.0
// After a run that failed for want of memory a session runs as if nothing had happened: whichever
// allocation of the run fails, the next run gives the bits of an undisturbed one.
#include <gmock/gmock.h>

#include <new>
#include <optional>
#include <vector>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "tests/framework/session/increment.h"
#include "tests/support/allocations.h"

namespace aclgrad {
namespace {

struct Case {
  const char* name;
  SessionOptions options;
  bool two_streams = false;
  std::int64_t least_points = 1;  // that fail
};

// A step of training that reads its input directly and through views.
class Training {
 public:
  explicit Training(const Case& which) {
    const Value x = graph_.input("x", {6, 4});
    const Value labels = graph_.input("labels", {6}, DType::int64);
    const Value w = graph_.parameter("w", init::normal({4, 6}, 1));
    const Value v = graph_.parameter("v", init::normal({3, 6}, 2));
    const Value squares = matmul(transpose(x, 0, 1), x);
    const Value all = mean(reshape(x, {24}));
    loss_ = cross_entropy(matmul(geglu(matmul(x, w)), v) + mean(squares) + all, labels);
    read_ = {loss_, squares};
    if (which.two_streams) read_.push_back(increment(squares));
    AdamW optimizer({.learning_rate = 0.1});
    const Update update = optimizer.step(graph_, backward(loss_, {w, v}));
    variables_ = optimizer.state();
    for (const Value& value : {w, v}) variables_.push_back(*value.variable());
    for (const Variable& variable : variables_) initial_.push_back(variable.value());
    std::vector<Fetch> fetches(read_.begin(), read_.end());
    fetches.emplace_back(update);
    session_.emplace(graph_, std::move(fetches), which.options);
    feeds_ = {{x, batch_}, {labels, classes_}};
  }

  void run() { results_ = session_->run(feeds_); }

  void forget_training() const {
    for (std::size_t i = 0; i < initial_.size(); ++i) variables_[i].assign(initial_[i]);
  }

  /// Of the latest run.
  std::vector<Tensor> outcome() const {
    std::vector<Tensor> tensors;
    for (const Value& value : read_) tensors.push_back((*results_)[value]);
    for (const Variable& variable : variables_) tensors.push_back(variable.value());
    return tensors;
  }

 private:
  Graph graph_;
  Value loss_;
  std::vector<Value> read_;
  std::vector<Variable> variables_;
  std::vector<Tensor> initial_;
  std::optional<Session> session_;
  Tensor batch_ = init::normal({6, 4}, 3);
  Tensor classes_ = Tensor::from({6}, {0, 1, 2, 3, 4, 5}, DType::int64);
  std::vector<Feed> feeds_;
  std::optional<Results> results_;
};

class FailedRun : public testing::TestWithParam<Case> {};

TEST_P(FailedRun, LeavesNothingBehind) {
  Training undisturbed(GetParam());
  undisturbed.run();
  const std::vector<Tensor> expected = undisturbed.outcome();
  std::int64_t point = 0;
  for (;; ++point) {
    Training training(GetParam());
    {
      const FailingAllocation failing(point);
      try {
        training.run();
      } catch (const std::bad_alloc&) {  // of the framework
      } catch (const Error&) {           // what the C interface answered
      }
      if (!failing.has_failed()) break;
    }
    training.forget_training();
    ASSERT_NO_THROW(training.run()) << "allocation " << point;
    const std::vector<Tensor> outcome = training.outcome();
    ASSERT_EQ(outcome.size(), expected.size());
    for (std::size_t i = 0; i < outcome.size(); ++i) {
      ASSERT_TRUE(bitwise_equal(outcome[i], expected[i]))
          << "allocation " << point << ", result " << i << ": " << outcome[i] << " instead of "
          << expected[i];
    }
  }
  EXPECT_GE(point, GetParam().least_points) << "allocations were met";
}

INSTANTIATE_TEST_SUITE_P(All, FailedRun,
                         testing::Values(Case{"replayed", {}, false, 4},
                                         Case{"replayed_on_two_streams", {}, true, 4},
                                         Case{"launched", {.replay = false}},
                                         Case{"eager", {.eager = true}, false, 20},
                                         Case{"poisoned", {.poison = true}},
                                         Case{"traced", {.trace_nonfinite = true}, false, 20},
                                         Case{"compared", {.compare = true}, false, 20}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace aclgrad
