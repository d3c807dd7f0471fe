// SPDX-License-Identifier: Apache-2.0
// What a Trainer minimizes: a function that records the loss of a batch, one number.
//
//   [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); }   // features,
//   labels
//   [&](const Value& x) { return mse_loss(model(x), x); }                        // features only
//   [&](const BatchValues& batch) {                                  // any parts of a
//   data::Dataset
//     return cross_entropy(model(batch["source"], batch["begun"]), batch["target"]);
//   }
#ifndef ACLGRAD_LOSS_FUNCTION_H_
#define ACLGRAD_LOSS_FUNCTION_H_

#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "aclgrad/graph.h"

namespace aclgrad {

/// The inputs of a graph that hold a batch: "features", "labels" and other parts of a
/// data::Dataset, by their names.
class BatchValues {
 public:
  using Parts = std::map<std::string, Value, std::less<>>;

  BatchValues() = default;
  explicit BatchValues(Parts parts) : parts_(std::move(parts)) {}

  /// Throws ValueError, which lists the names there are, for one that there is not.
  const Value& operator[](std::string_view name) const;
  bool contains(std::string_view name) const { return parts_.contains(name); }

  const Parts& parts() const { return parts_; }

  /// Of a batch that has parts.
  Graph graph() const { return parts_.begin()->second.graph(); }

 private:
  Parts parts_;
};

/// Records the loss of a batch from its features and labels, its features alone, or all its parts.
///
/// Where a batch is worked on in parts (micro-batches, ranks, pieces of what is evaluated), its
/// loss and gradients are those of the whole batch all the same, but for rounding. For that the
/// loss must be made of sums and means over the examples, also over those that count only
/// (cross_entropy with ignored targets, nll_loss with class weights, a sum divided by the sum of a
/// mask), added up and multiplied with what does not depend on the model. Examples must not see
/// each other: what layers draw or count (dropout, batch normalization), they do for each part by
/// itself. A custom operator is taken for one that works on each example. Where the loss is of
/// another kind, sqrt(mean) say, its parts are refused with a ValueError that names the node.
class LossFunction {
  template <class Function>
  static constexpr bool kOfTwo =
      std::is_invocable_r_v<Value, Function&, const Value&, const Value&>;
  template <class Function>
  static constexpr bool kOfBatch = std::is_invocable_r_v<Value, Function&, const BatchValues&>;
  template <class Function>
  static constexpr bool kOfOne = std::is_invocable_r_v<Value, Function&, const Value&>;

 public:
  /// None: a Trainer refuses it.
  LossFunction() = default;

  template <class Function>
  requires(!std::same_as<Function, LossFunction>) &&
      (kOfTwo<Function> || kOfBatch<Function> ||
       kOfOne<Function>)LossFunction(Function function) {  // NOLINT: converts
    if constexpr (std::is_constructible_v<bool, Function> && !std::is_pointer_v<Function> &&
                  std::is_class_v<Function> && requires { function == nullptr; }) {
      if (function == nullptr) return;
    }
    record_ = [kept = std::move(function)](const BatchValues& batch) mutable -> Value {
      if constexpr (kOfTwo<Function>) {
        return kept(batch["features"], batch["labels"]);
      } else if constexpr (kOfBatch<Function>) {
        return kept(batch);
      } else {
        return kept(batch["features"]);
      }
    };
  }

  Value operator()(const BatchValues& batch) const { return record_(batch); }
  explicit operator bool() const { return static_cast<bool>(record_); }

 private:
  std::function<Value(const BatchValues&)> record_;
};

}  // namespace aclgrad

#endif  // ACLGRAD_LOSS_FUNCTION_H_
