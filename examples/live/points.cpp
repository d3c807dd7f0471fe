// SPDX-License-Identifier: Apache-2.0
// Networks of two inputs, whose answers fill a picture: XOR and two spirals.
#include <aclgrad/aclgrad.h>

#include <cmath>
#include <numbers>

#include "examples/live/networks.h"

using namespace aclgrad;

namespace networks {
namespace {

constexpr std::int64_t kCells = 40;

// [n, 3] of points [n, 2] and what they are.
Tensor marked(const Tensor& points, const Tensor& kinds) {
  Tensor all = Tensor::zeros({points.shape()[0], 3});
  for (std::int64_t i = 0; i < points.shape()[0]; ++i) {
    all.set(3 * i, points.get(2 * i));
    all.set(3 * i + 1, points.get(2 * i + 1));
    all.set(3 * i + 2, kinds.get(i));
  }
  return all;
}

// A network whose answer, by some function, is drawn over the plane.
class Plane : public live::Network {
 public:
  Plane(Sequential model, const LossFunction& loss, std::unique_ptr<Optimizer> optimizer,
        data::Dataset points, const std::function<Value(const Value&)>& answer, live::Picture look)
      : optimizer_(std::move(optimizer)),
        trainer_(model, loss, *optimizer_),
        points_(std::move(points)),
        answer_(answer, 0),
        look_(std::move(look)),
        cells_(cell_centres(kCells, look_.x_range.first, look_.x_range.second)) {
    look_.points = marked(points_.features, points_.labels);
  }

  std::vector<Trainer*> trainers() override { return {&trainer_}; }
  data::Dataset batch(std::int64_t) override { return points_; }
  std::vector<live::Picture> pictures() override {
    look_.values = answer_(cells_).reshape({kCells, kCells});
    return {look_};
  }

 private:
  std::unique_ptr<Optimizer> optimizer_;
  Trainer trainer_;
  data::Dataset points_;
  Predictor answer_;
  live::Picture look_;
  Tensor cells_;
};

std::unique_ptr<live::Network> make_xor(const live::Chosen& chosen) {
  const std::string& name = chosen.at("activation");
  Sequential model(Linear("hidden", 2, 4, {.init_for = gain_for(name), .seed = 1}),
                   activation(name), Linear("output", 4, 1, {.seed = 2}));
  const auto loss = [model](const Value& x, const Value& t) { return mse_loss(model(x), t); };
  return std::make_unique<Plane>(model, loss, optimizer(chosen.at("optimizer"), 0.02),
                                 data::Dataset{Tensor::from({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}),
                                               Tensor::from({4, 1}, {0, 1, 1, 0})},
                                 model,
                                 live::Picture{.kind = live::Picture::Kind::surface,
                                               .title = "The answer",
                                               .range = {0, 1},
                                               .x_range = {-0.5, 1.5},
                                               .y_range = {-0.5, 1.5}});
}

// Even points lie on the first spiral, odd ones on the second.
data::Dataset spiral_points() {
  constexpr std::int64_t kPoints = 160;
  data::Dataset points{init::normal({kPoints, 2}, /*seed=*/7, /*stddev=*/0.01),
                       Tensor::zeros({kPoints}, DType::int64)};
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const double along = std::sqrt(static_cast<double>(i / 2) / (kPoints / 2.0 - 1));
    const double angle = std::numbers::pi * (2.5 * along + static_cast<double>(i % 2));
    points.features.set(2 * i, points.features.get(2 * i) + along * std::cos(angle));
    points.features.set(2 * i + 1, points.features.get(2 * i + 1) + along * std::sin(angle));
    points.labels.set(i, static_cast<double>(i % 2));
  }
  return points;
}

std::unique_ptr<live::Network> make_spirals(const live::Chosen& chosen) {
  const std::string& name = chosen.at("activation");
  const Activation gain = gain_for(name);
  Sequential model(Linear("hidden1", 2, 16, {.init_for = gain, .seed = 1}), activation(name),
                   Linear("hidden2", 16, 16, {.init_for = gain, .seed = 2}), activation(name),
                   Linear("output", 16, 2, {.seed = 3}));
  const auto loss = [model](const Value& x, const Value& t) { return cross_entropy(model(x), t); };
  // By how much the second spiral's score is above the first's.
  const auto answer = [model](const Value& x) {
    return matmul(model(x), x.graph().constant(Tensor::from({2, 1}, {-1, 1})));
  };
  return std::make_unique<Plane>(model, loss, optimizer(chosen.at("optimizer"), 0.01),
                                 spiral_points(), answer,
                                 live::Picture{.kind = live::Picture::Kind::surface,
                                               .title = "Which spiral",
                                               .range = {-4, 4},
                                               .x_range = {-1.2, 1.2},
                                               .y_range = {-1.2, 1.2}});
}

}  // namespace

Entry xor_network() {
  return {"xor",
          "XOR: two inputs, four hidden units",
          {{.name = "activation", .options = {"tanh", "sigmoid", "relu", "selu", "elu", "none"}},
           optimizer_choice("adamw")},
          make_xor};
}

Entry spirals() {
  return {"spirals",
          "Two spirals: which one is a point on?",
          {{.name = "activation", .options = {"selu", "elu", "gelu", "relu", "tanh", "sigmoid"}},
           optimizer_choice("adamw")},
          make_spirals};
}

}  // namespace networks
