// SPDX-License-Identifier: Apache-2.0
// Handwritten digits of 8x8 pixels; the page has a pad to draw one on.
#include <aclgrad/aclgrad.h>

#include <cmath>

#include "examples/live/networks.h"

using namespace aclgrad;

namespace networks {
namespace {

constexpr std::int64_t kDigits = 32, kSide = 8;
constexpr double kInk = 16;

data::Dataset load() {
  data::Dataset digits =
      data::from_table(data::read_csv(ACLGRAD_EXAMPLE_DATA "/digits.csv", {.dtype = DType::int64}));
  digits.features = data::rescale(digits.features, 1 / kInk);
  return digits;
}

class Digits : public live::Network {
 public:
  explicit Digits(const live::Chosen& chosen)
      : all_(load()),
        batches_(all_, {.batch_size = kDigits, .drop_last = true, .seed = 1}),
        model_(model_with(chosen.at("activation"))),
        optimizer_(optimizer(chosen.at("optimizer"), 0.003)),
        trainer_(
            model_,
            [model = model_](const Value& x, const Value& t) { return cross_entropy(model(x), t); },
            *optimizer_),
        scores_([model = model_](const Value& x) { return softmax(model(x)); }, 0),
        drawn_(all_.features.slice(0, 0, 1)) {}

  std::vector<Trainer*> trainers() override { return {&trainer_}; }

  data::Dataset batch(std::int64_t step) override {
    const std::int64_t epoch = batches_.batches_per_epoch();
    return batches_.batch({static_cast<std::uint64_t>(step / epoch), step % epoch});
  }

  std::vector<live::Picture> pictures() override {
    live::Picture answer{.kind = live::Picture::Kind::bars,
                         .title = "What the drawing is",
                         .values = scores_(drawn_)};
    for (int digit = 0; digit < 10; ++digit) answer.labels.push_back(std::to_string(digit));
    return {answer};
  }

  std::vector<live::Drawing> drawings() override {
    return {{"digit", drawn_.reshape({kSide, kSide}), 1}};
  }
  void drawn(const std::string&, const Tensor& pixels) override {
    drawn_ = pixels.reshape({1, kSide * kSide});
  }

 private:
  static Sequential model_with(const std::string& name) {
    const Activation gain = gain_for(name);
    return Sequential(Linear("hidden1", 64, 48, {.init_for = gain, .seed = 1}), activation(name),
                      Linear("hidden2", 48, 32, {.init_for = gain, .seed = 2}), activation(name),
                      Linear("output", 32, 10, {.seed = 3}));
  }

  data::Dataset all_;
  data::Batches batches_;
  Sequential model_;
  std::unique_ptr<Optimizer> optimizer_;
  Trainer trainer_;
  Predictor scores_;
  Tensor drawn_;
};

}  // namespace

Entry digits() {
  return {"digits",
          "Handwritten digits: draw one",
          {{.name = "activation", .options = {"selu", "elu", "relu", "gelu", "tanh", "sigmoid"}},
           optimizer_choice("adamw")},
          [](const live::Chosen& chosen) { return std::make_unique<Digits>(chosen); }};
}

}  // namespace networks
