// SPDX-License-Identifier: Apache-2.0
// What a Trainer minimizes: a function that records the loss of a batch, one number.
//
//   // features and labels
//   [&](const Value& x, const Value& t) { return cross_entropy(model(x), t); }
//   // features only
//   [&](const Value& x) { return mse_loss(model(x), x); }
//   // any parts of a data::Dataset
//   [&](const BatchValues& batch) {
//     return cross_entropy(model(batch["source"], batch["begun"]), batch["target"]);
//   }
//   // a sum over the examples and what it is divided by
//   [&](const Value& x, const Value& t) { return Loss(my_sum_of_losses(model(x), t), my_count(t));
//   }
#pragma once

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

/// The loss of a batch, and how that of a batch is made of those of its parts.
///
/// A recorded value shows it itself: a mean or a sum over the examples, also over those only that
/// count (cross_entropy with ignored targets, nll_loss with class weights, a sum divided by the sum
/// of a mask), added up, multiplied with and divided by what has no gradient for the model, and
/// penalties of the parameters, which count once. Nothing needs to be said for these.
///
/// Of what does not show it, the result of an operator of one's own say, two numbers are told: a
/// sum over the examples, and its weight, both of which add up over parts. Their word is taken: the
/// examples may see each other, as negatives of the same part do.
class Loss {
 public:
  Loss(Value loss) : value_(std::move(loss)) {}  // NOLINT: the implicit conversion is the point

  /// sum / weight in float32 or float64, as the sum's floating dtype, or the sum itself where the
  /// weight is empty. The weight, of one number and any dtype, must have no gradient for the model.
  Loss(Operand sum, const Value& weight);

  const Value& value() const { return value_; }

  /// What was told; empty where it shows.
  const Value& sum() const { return sum_; }
  const Value& weight() const { return weight_; }

 private:
  Value value_, sum_ = {}, weight_ = {};
};

/// Records the loss of a batch from its features and labels, its features alone, or all its parts.
///
/// Where a batch is worked on in parts (micro-batches, ranks, pieces of what is evaluated), its
/// loss and gradients are those of the whole batch all the same, but for rounding; see Loss. What
/// is no sum or mean, sqrt(mean) say, is refused with a ValueError that names the node. So is a
/// loss whose examples see each other (a softmax along them): before the first step or evaluation
/// in parts, two of them are evaluated together and one by one, with parameters moved at random
/// (before each of the first four, as long as nothing is seen since all is NaN);
/// but for a loss that draws numbers itself (normal(), uniform()), whose parts draw others. What
/// layers draw or count (dropout, batch normalization), they do for each part by itself.
class LossFunction {
  template <class Function>
  static constexpr bool kOfTwo = std::is_invocable_r_v<Loss, Function&, const Value&, const Value&>;
  template <class Function>
  static constexpr bool kOfBatch = std::is_invocable_r_v<Loss, Function&, const BatchValues&>;
  template <class Function>
  static constexpr bool kOfOne = std::is_invocable_r_v<Loss, Function&, const Value&>;

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
    record_ = [kept = std::move(function)](const BatchValues& batch) mutable -> Loss {
      if constexpr (kOfTwo<Function>) {
        return kept(batch["features"], batch["labels"]);
      } else if constexpr (kOfBatch<Function>) {
        return kept(batch);
      } else {
        return kept(batch["features"]);
      }
    };
  }

  Loss operator()(const BatchValues& batch) const { return record_(batch); }
  explicit operator bool() const { return static_cast<bool>(record_); }

 private:
  std::function<Loss(const BatchValues&)> record_;
};

}  // namespace aclgrad
