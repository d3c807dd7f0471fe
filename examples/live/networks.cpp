// SPDX-License-Identifier: Apache-2.0
#include "examples/live/networks.h"

#include <aclgrad/aclgrad.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "examples/live/lessons.h"

using namespace aclgrad;

namespace networks {

std::vector<Entry> all() {
  const auto with = [](Entry entry, std::initializer_list<std::string_view> lessons) {
    entry.lessons.assign(lessons.begin(), lessons.end());
    return entry;
  };
  return {with(xor_network(), {chain_rule_md(), xor_md(), gradient_check_md()}), spirals(),
          digits(), with(deep(), {vanishing_gradients_md()}),
          with(transformer(), {attention_md()})};
}

std::function<Value(Operand)> activation(const std::string& name) {
  return Activate{activation_named(name)};
}

Activation gain_for(const std::string& name) {
  return name == "tanh" || name == "sigmoid" ? Activation::none : activation_named(name);
}

live::Choice optimizer_choice(const std::string& first) {
  live::Choice choice{.name = "optimizer", .options = {"sgd", "momentum", "adamw"}};
  choice.now = first;
  return choice;
}

std::unique_ptr<Optimizer> optimizer(const std::string& name, double rate) {
  if (name == "adamw") {
    return std::make_unique<AdamW>(
        AdamWOptions{.learning_rate = schedule::constant(rate), .weight_decay = 0});
  }
  // A step of plain descent is as long as the gradient, which is small where AdamW's steps are not.
  constexpr double kLonger = 10;
  return std::make_unique<Sgd>(SgdOptions{.learning_rate = schedule::constant(kLonger * rate),
                                          .momentum = name == "momentum" ? 0.9 : 0.0});
}

Tensor cell_centres(std::int64_t cells, double low, double high) {
  Tensor points = Tensor::zeros({cells * cells, 2});
  const auto place = [&](std::int64_t cell) {
    return low + (high - low) * (static_cast<double>(cell) + 0.5) / static_cast<double>(cells);
  };
  for (std::int64_t i = 0; i < cells * cells; ++i) {
    points.set(2 * i, place(i % cells));
    points.set(2 * i + 1, place(cells - 1 - i / cells));
  }
  return points;
}

}  // namespace networks
