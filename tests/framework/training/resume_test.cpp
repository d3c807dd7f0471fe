// SPDX-License-Identifier: Apache-2.0
// Training that goes on from a checkpoint ends with the bits of training that was never stopped.
#include <gmock/gmock.h>

#include "aclgrad/aclgrad.h"
#include "tests/framework/base/temporary_folder.h"

namespace aclgrad {
namespace {

// The digits' network on made-up digits: scheduled AdamW, shuffled batches, noise added to each
// batch from a source of its own, float16 with loss scaling.
class Training {
 public:
  Training() {
    const Value loss = cross_entropy(cast(net_(cast(x_, DType::float16)), DType::float32), labels_);
    const Update kept =
        scaler_.unscale(backward(loss, net_.parameters(graph_), {.seed = scaler_.seed(loss)}));
    compute_.emplace(graph_, std::vector<Fetch>{kept, scaler_.check()});
    update_.emplace(update_graph_, std::vector<Fetch>{optimizer_.step(
                                       update_graph_, scaler_.gradients(update_graph_))});
  }

  void run_until(std::int64_t step) {
    const Schedule rate = schedule::cosine(1e-2, 5, 60);
    for (; step_ < step; ++step_, at_ = batches_.after(at_)) {
      optimizer_.set_learning_rate(rate(step_));
      data::Dataset batch = batches_.epoch(at_.epoch)[at_.batch];
      for (float& value : batch.features.data<float>()) {
        value += static_cast<float>(0.1 * noise_.normal());
      }
      const Results results = compute_->run({{x_, batch.features}, {labels_, batch.labels}});
      if (scaler_.update(results)) update_->run();
    }
  }

  Checkpoint checkpoint() const {
    Checkpoint result{.step = step_,
                      .position = at_,
                      .data_order = batches_.description(),
                      .tensors = values_of(state())};
    result.random.emplace("noise", noise_);
    return result;
  }

  void resume(const Checkpoint& checkpoint) {
    require_same_order(checkpoint, batches_);
    restore(state(), checkpoint);
    scaler_.reload();
    step_ = checkpoint.step;
    at_ = checkpoint.position;
    noise_ = checkpoint.random.at("noise");
  }

  std::int64_t skipped() const { return scaler_.skipped(); }

 private:
  static data::Dataset digits() {
    Tensor features = init::normal({100, 64}, 1);
    Tensor labels = Tensor::zeros({100}, DType::int64);
    for (std::int64_t i = 0; i < 100; ++i) labels.set(i, static_cast<double>(i % 10));
    return {std::move(features), std::move(labels)};
  }

  std::vector<Variable> state() const {
    std::vector<Variable> all = net_.parameters();
    for (const Variable& variable : optimizer_.state()) all.push_back(variable);
    for (const Variable& variable : scaler_.state()) all.push_back(variable);
    return all;
  }

  data::Batches batches_{digits(), {.batch_size = 16, .drop_last = true, .seed = 4}};
  Sequential net_{Linear("a", 64, 32, {.init_for = Activation::selu, .seed = 1}), Selu{},
                  Linear("b", 32, 10, {.seed = 2})};
  Graph graph_;
  Graph update_graph_;
  Value x_ = graph_.input("x", {16, 64});
  Value labels_ = graph_.input("labels", {16}, DType::int64);
  AdamW optimizer_{{.learning_rate = schedule::constant(1e-3), .weight_decay = 0.05}};
  LossScaler scaler_{{.scale = 16777216, .growth_interval = 4}};
  RandomSequence noise_{9};
  std::int64_t step_ = 0;
  data::Position at_;
  std::optional<Session> compute_;
  std::optional<Session> update_;
};

void expect_same_bits(const NamedTensors& a, const NamedTensors& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_TRUE(bitwise_equal(a[i].second, b[i].second)) << a[i].first;
  }
}

TEST(Resume, AnywhereGivesTheBitsOfAnUninterruptedRun) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "run";
  Training whole;
  whole.run_until(40);
  ASSERT_GT(whole.skipped(), 0) << "the scale is part of what must be resumed";
  // In the first epoch, at its end, in a later one; twice in one run.
  for (const std::vector<std::int64_t>& stops :
       {std::vector<std::int64_t>{1}, {6}, {17}, {3, 29}}) {
    std::filesystem::remove(path);
    for (const std::int64_t stop : stops) {
      Training part;
      if (const auto last = load_checkpoint(path)) part.resume(*last);
      part.run_until(stop);
      save_checkpoint(path, part.checkpoint());
    }
    Training rest;
    rest.resume(*load_checkpoint(path));
    rest.run_until(40);
    expect_same_bits(whole.checkpoint().tensors, rest.checkpoint().tensors);
    EXPECT_EQ(whole.checkpoint().random, rest.checkpoint().random);
    EXPECT_EQ(whole.checkpoint().position, rest.checkpoint().position);
  }
}

// Without the noise's state, say, the bits differ: the test above can fail.
TEST(Resume, NothingOfTheStateIsIdle) {
  Training whole;
  whole.run_until(12);
  const NamedTensors wanted = [&] {
    Training all;
    all.run_until(20);
    return all.checkpoint().tensors;
  }();
  const auto differs = [&](const Checkpoint& changed) {
    Training rest;
    rest.resume(changed);
    rest.run_until(20);
    const NamedTensors got = rest.checkpoint().tensors;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!bitwise_equal(wanted[i].second, got[i].second)) return true;
    }
    return false;
  };
  const Checkpoint right = whole.checkpoint();
  EXPECT_FALSE(differs(right));
  Checkpoint noise = right;
  noise.random.at("noise") = RandomSequence(9);
  EXPECT_TRUE(differs(noise));
  Checkpoint order = right;
  order.position = {};
  EXPECT_TRUE(differs(order));
  for (std::size_t i = 0; i < right.tensors.size(); ++i) {
    // The rate is set in every step; another power of two as scale rounds nothing.
    const std::string& name = right.tensors[i].first;
    if (name == "@adamw.learning_rate" || name == "@loss_scaler.good_steps") continue;
    Checkpoint other = right;
    Tensor& tensor = other.tensors[i].second;
    tensor.set(0, tensor.get(0) + 1);
    EXPECT_TRUE(differs(other)) << name;
  }
}

}  // namespace
}  // namespace aclgrad
