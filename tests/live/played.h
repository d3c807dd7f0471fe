// SPDX-License-Identifier: Apache-2.0
// Networks to play back.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "live/playback.h"
#include "tests/live/small_network.h"

namespace aclgrad::live {

inline constexpr std::size_t kAmple = std::size_t{1} << 20;

// A network of one trainer, and the same batch at every step.
class OneBatch : public Network {
 public:
  OneBatch(const Module& model, const LossFunction& loss, double rate, data::Dataset batch)
      : optimizer_({.learning_rate = schedule::constant(rate)}),
        trainer_(model, loss, optimizer_),
        batch_(std::move(batch)) {}
  std::vector<Trainer*> trainers() override { return {&trainer_}; }
  data::Dataset batch(std::int64_t) override { return batch_; }

 private:
  AdamW optimizer_;
  Trainer trainer_;
  data::Dataset batch_;
};

struct Classes : OneBatch {
  explicit Classes(const Linear& model = Linear("scores", 3, 4, {.seed = 3}))
      : OneBatch(model,
                 [model](const Value& x, const Value& t) { return cross_entropy(model(x), t); },
                 0.05,
                 {init::normal({6, 3}, 1, 1),
                  Tensor::from({6}, std::vector<std::int64_t>{0, 1, 2, 3, 1, 0})}) {}
};

struct Xor : OneBatch {
  explicit Xor(const Sequential& model = Sequential(Linear("hidden", 2, 4, {.seed = 1}), Tanh{},
                                                    Linear("output", 4, 1, {.seed = 2})))
      : OneBatch(model, [model](const Value& x, const Value& t) { return mse_loss(model(x), t); },
                 0.03,
                 {Tensor::from({4, 2}, std::vector<float>{0, 0, 0, 1, 1, 0, 1, 1}),
                  Tensor::from({4, 1}, std::vector<float>{0, 1, 1, 0})}) {}
};

struct Squares : OneBatch {
  explicit Squares(const CustomElementwise& square,
                   const Linear& model = Linear("weighted", 3, 1, {.seed = 3}))
      : OneBatch(
            model,
            [model, square](const Value& x, const Value& t) {
              return mse_loss(square(model(x)), t);
            },
            0.05, batch_of(0)) {}
};

// The network is kept at hand beside the playback that owns it.
struct Played {
  explicit Played(std::size_t history_bytes = kAmple)
      : network(std::make_shared<SmallNetwork>()), playback(network, history_bytes) {
    playback.refresh();
  }

  Value value(const std::string& name) const {
    const Graph& graph = playback.preview().step().graph;
    for (std::size_t id = 0; id < graph.value_count(); ++id) {
      const Value value = graph.value(static_cast<ValueId>(id));
      if (value.name() == name) return value;
    }
    throw ValueError("no value " + name);
  }
  const Tensor& tensor(const Value& value) const {
    return playback.preview().values().at(value.id());
  }
  const Tensor& gradient(const Value& value) const {
    return tensor(playback.preview().step().gradients[value]);
  }

  std::shared_ptr<SmallNetwork> network;
  Playback playback;
};

}  // namespace aclgrad::live
