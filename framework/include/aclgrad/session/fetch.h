// SPDX-License-Identifier: Apache-2.0
// What a run of a graph is asked for (Fetch) and given (Feed).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/tensor.h"

namespace aclgrad {

/// Updated variables, to be fetched for the sake of the update: nothing is copied out.
struct Update {
  std::vector<Value> values;
};

/// One thing to run for.
class Fetch {
 public:
  Fetch(Value value) : values_{std::move(value)}, readable_(true) {}  // NOLINT: converts
  Fetch(Update update) : values_(std::move(update.values)) {}         // NOLINT: converts

  const std::vector<Value>& values() const { return values_; }
  bool readable() const { return readable_; }

 private:
  std::vector<Value> values_;
  bool readable_ = false;
};

/// A tensor for an input, or for the input of a name. Keeps a temporary tensor; refers to any
/// other, which must live until run() returns.
class Feed {
 public:
  Feed(Value input, const Tensor& tensor) : input_(std::move(input)), borrowed_(&tensor) {}
  Feed(Value input, Tensor&& tensor) : input_(std::move(input)), owned_(std::move(tensor)) {}
  Feed(std::string name, const Tensor& tensor) : name_(std::move(name)), borrowed_(&tensor) {}
  Feed(std::string name, Tensor&& tensor) : name_(std::move(name)), owned_(std::move(tensor)) {}

  /// What it is for: an input, or, where that is empty, a name.
  const Value& input() const { return input_; }
  const std::string& name() const { return name_; }
  bool is_for(const Value& input) const;

  const Tensor& tensor() const { return owned_ ? *owned_ : *borrowed_; }

 private:
  Value input_;
  std::string name_;
  std::optional<Tensor> owned_;
  const Tensor* borrowed_ = nullptr;
};

}  // namespace aclgrad
