// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "aclgrad/aclgrad.h"
#include "aclgrad/live.h"

namespace aclgrad::live {

inline data::Dataset batch_of(std::int64_t step) {
  return {init::normal({6, 3}, static_cast<std::uint64_t>(step), 1),
          init::normal({6, 1}, static_cast<std::uint64_t>(step) + 1000, 1)};
}

// A network of two layers, trained on another batch at every step.
class SmallNetwork : public Network {
 public:
  explicit SmallNetwork(double rate = 0.05, std::uint64_t seed = 1)
      : model_(Linear("hidden", 3, 4, {.init_for = Activation::selu, .seed = seed}), Selu{},
               Linear("output", 4, 1, {.seed = seed + 1})),
        optimizer_({.learning_rate = schedule::constant(rate)}),
        trainer_(
            model_,
            [model = model_](const Value& x, const Value& t) {
              return mse_loss(model(x) * x.graph().constant(Tensor::scalar(1.5)), t);
            },
            optimizer_) {}

  std::vector<Trainer*> trainers() override { return {&trainer_}; }
  data::Dataset batch(std::int64_t step) override { return batch_of(step); }

  Trainer& trainer() { return trainer_; }
  std::vector<Tensor> weights() const {
    std::vector<Tensor> all;
    for (const Variable& parameter : model_.parameters()) all.push_back(parameter.value());
    return all;
  }

 private:
  Sequential model_;
  AdamW optimizer_;
  Trainer trainer_;
};

// What training that many steps leads to, without a page.
inline std::vector<Tensor> weights_after(std::int64_t steps, double rate = 0.05) {
  SmallNetwork network(rate);
  for (std::int64_t step = 0; step < steps; ++step) network.trainer().step(batch_of(step));
  return network.weights();
}

inline double resident_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

inline bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::ranges::equal(a, b, bitwise_equal);
}

}  // namespace aclgrad::live
