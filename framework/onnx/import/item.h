// SPDX-License-Identifier: Apache-2.0
// What a name of an ONNX graph stands for while its nodes are recorded.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "aclgrad/graph.h"
#include "aclgrad/tensor.h"

namespace aclgrad::onnx {

/// Nothing (an input that is left out, an empty optional), a tensor that is known, a value of the
/// graph, or a sequence of such.
class Item {
 public:
  using Sequence = std::vector<Item>;

  Item() = default;
  Item(Value value) : held_(std::move(value)) {}  // NOLINT: converts
  Item(Tensor tensor) : held_(std::make_shared<const Tensor>(std::move(tensor))) {}    // NOLINT
  Item(std::shared_ptr<const Tensor> tensor) : held_(std::move(tensor)) {}             // NOLINT
  Item(Sequence items) : held_(std::make_shared<const Sequence>(std::move(items))) {}  // NOLINT

  explicit operator bool() const { return held_.index() != 0; }
  /// Null for anything else.
  std::shared_ptr<const Tensor> tensor() const { return pointer<Tensor>(); }
  std::shared_ptr<const Sequence> sequence() const { return pointer<Sequence>(); }
  const Value* value() const { return std::get_if<Value>(&held_); }

  /// Whether no run is needed to know it.
  bool is_known() const {
    if (value() != nullptr) return false;
    const std::shared_ptr<const Sequence> items = sequence();
    if (items == nullptr) return true;
    for (const Item& item : *items) {
      if (!item.is_known()) return false;
    }
    return true;
  }

 private:
  template <class T>
  std::shared_ptr<const T> pointer() const {
    const auto* const held = std::get_if<std::shared_ptr<const T>>(&held_);
    return held == nullptr ? nullptr : *held;
  }

  std::variant<std::monostate, Value, std::shared_ptr<const Tensor>,
               std::shared_ptr<const Sequence>>
      held_;
};

using Items = std::vector<Item>;

}  // namespace aclgrad::onnx
