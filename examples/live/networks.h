// SPDX-License-Identifier: Apache-2.0
// The networks that ./dev live shows.
#pragma once

#include <aclgrad/live.h>
#include <aclgrad/nn.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace networks {

struct Entry {
  std::string name;
  std::string title;
  std::vector<aclgrad::live::Choice> choices;
  aclgrad::live::Maker make;
  std::vector<std::string> lessons = {};
};

Entry xor_network();
Entry spirals();
Entry digits();
Entry deep();
Entry transformer();

// In the order of the list that --help prints.
std::vector<Entry> all();

// ---- what they share ----------------------------------------------------------------------------

// "tanh", "sigmoid", "relu", "selu", "elu", "gelu" as a layer.
std::function<aclgrad::Value(aclgrad::Operand)> activation(const std::string& name);

// The gain of initial weights in front of it.
aclgrad::Activation gain_for(const std::string& name);

aclgrad::live::Choice optimizer_choice(const std::string& first);

// With a learning rate that the page can change.
std::unique_ptr<aclgrad::Optimizer> optimizer(const std::string& name, double rate);

// The centres of a picture's cells, [cells * cells, 2]: the first row of cells has the highest y.
aclgrad::Tensor cell_centres(std::int64_t cells, double low, double high);

}  // namespace networks
