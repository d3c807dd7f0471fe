// SPDX-License-Identifier: Apache-2.0
// Thirty layers with sigmoid, ReLU and SELU, trained side by side: what reaches the first layer?
#include <aclgrad/aclgrad.h>

#include <array>
#include <cmath>
#include <numbers>

#include "examples/live/networks.h"

using namespace aclgrad;

namespace networks {
namespace {

constexpr int kLayers = 30;
constexpr std::int64_t kUnits = 16, kRingPoints = 64;
const std::array<std::string, 3> kKinds = {"sigmoid", "relu", "selu"};

// Points of a plane; a ring is one class, what it surrounds the other.
data::Dataset ring() {
  data::Dataset points{init::normal({kRingPoints, 2}, /*seed=*/5, /*stddev=*/1),
                       Tensor::zeros({kRingPoints}, DType::int64)};
  for (std::int64_t i = 0; i < kRingPoints; ++i) {
    const double x = points.features.get(2 * i), y = points.features.get(2 * i + 1);
    points.labels.set(i, std::hypot(x, y) > 1.1 ? 1 : 0);
  }
  return points;
}

Sequential model_with(const std::string& name) {
  Sequential model;
  for (int layer = 1; layer <= kLayers; ++layer) {
    const bool first = layer == 1;
    model.add(Linear("layer" + std::to_string(layer), first ? 2 : kUnits, kUnits,
                     {.init_for = gain_for(name), .seed = static_cast<std::uint64_t>(layer)}));
    model.add(activation(name));
  }
  model.add(Linear("output", kUnits, 2, {.seed = 99}));
  return model;
}

// The norms of the weights' gradients, in the order of the layers.
class Norms : public TrainingLog {
 public:
  void point(const std::string&, const std::string& curve, double, double y) override {
    if (curve.ends_with(".weight")) values.push_back(y);
  }
  std::vector<double> values;
};

struct Rival {
  Rival(const std::string& name, const std::string& optimizer_name)
      : model(model_with(name)),
        optimizer(networks::optimizer(optimizer_name, 0.001)),
        trainer(
            model,
            [kept = model](const Value& x, const Value& t) { return cross_entropy(kept(x), t); },
            *optimizer) {}

  Sequential model;
  std::unique_ptr<Optimizer> optimizer;
  Trainer trainer;
};

class Deep : public live::Network {
 public:
  explicit Deep(const live::Chosen& chosen) : points_(ring()) {
    for (const std::string& name : kKinds) {
      if (name == chosen.at("on show")) names_.insert(names_.begin(), name);
      if (name != chosen.at("on show")) names_.push_back(name);
    }
    for (const std::string& name : names_) {
      rivals_.push_back(std::make_unique<Rival>(name, chosen.at("optimizer")));
    }
  }

  std::vector<Trainer*> trainers() override {
    std::vector<Trainer*> all;
    for (const auto& rival : rivals_) all.push_back(&rival->trainer);
    return all;
  }
  data::Dataset batch(std::int64_t) override { return points_; }

  std::vector<live::Picture> pictures() override {
    live::Picture norms{
        .kind = live::Picture::Kind::lines, .title = "Gradients by layer", .log = true};
    live::Picture losses{.kind = live::Picture::Kind::bars, .title = "Loss"};
    std::vector<double> all, loss;
    for (std::size_t i = 0; i < rivals_.size(); ++i) {
      Norms found;
      rivals_[i]->trainer.observe(points_, found);
      all.insert(all.end(), found.values.begin(), found.values.end());
      loss.push_back(rivals_[i]->trainer.evaluate(points_));
    }
    const auto curves = std::ssize(names_);
    norms.values = Tensor::from({curves, std::ssize(all) / curves}, all, DType::float64);
    losses.values = Tensor::from({curves}, loss, DType::float64);
    norms.labels = losses.labels = names_;
    return {norms, losses};
  }

 private:
  data::Dataset points_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Rival>> rivals_;
};

}  // namespace

Entry deep() {
  return {
      "deep",
      "Thirty layers: do gradients arrive?",
      {{.name = "on show", .options = {kKinds.begin(), kKinds.end()}}, optimizer_choice("adamw")},
      [](const live::Chosen& chosen) { return std::make_unique<Deep>(chosen); }};
}

}  // namespace networks
