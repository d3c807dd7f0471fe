// SPDX-License-Identifier: Apache-2.0
// Running a model: what it returns, and what its layers do.
//
//   Tensor scores = predict(model, images);
//   Tensor words = predict([&](const BatchValues& batch) { return model(batch["a"], batch["b"]); },
//                          {.parts = {{"a", a}, {"b", b}}});
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/io/safetensors.h"
#include "aclgrad/nn.h"
#include "aclgrad/session/cache.h"
#include "aclgrad/tensor.h"
#include "aclgrad/train/loss_function.h"

namespace aclgrad {

/// Runs a model in Mode::evaluation, and keeps what it planned for the next call. The first nodes
/// of a layer have the line of the program that made the predictor.
class Predictor {
 public:
  template <Layer Model>
  explicit Predictor(Model model, std::int64_t batch_size = 256,
                     const SessionCacheOptions& sessions = {},
                     std::source_location where = std::source_location::current())
      : Predictor(std::function<Value(const Value&)>(
                      [kept = std::move(model), where](const Value& x) -> Value {
                        return kept(Operand(x, where));
                      }),
                  batch_size, sessions) {}
  /// Throws ValueError for an empty function or a negative batch size.
  Predictor(std::function<Value(const Value&)> model, std::int64_t batch_size,
            const SessionCacheOptions& sessions = {});

  /// Of a model with several inputs, the parts of examples. Those that it does not read, labels
  /// say, are left out.
  explicit Predictor(std::function<Value(const BatchValues&)> model, std::int64_t batch_size = 256,
                     const SessionCacheOptions& sessions = {});

  /// The model's result for x. Of more than `batch_size` rows (along the first axis) it takes that
  /// many at a time; throws ShapeError when the result then has another number of rows. 0 takes
  /// all at once.
  Tensor operator()(const Tensor& x);

  /// The same for examples; a model with one input gets their features. Throws ValueError where
  /// there is no part that it asks for.
  Tensor operator()(const data::Dataset& examples);

 private:
  using Parts = std::vector<std::pair<std::string, const Tensor*>>;
  Tensor run(const Parts& parts);
  Tensor run_in_pieces(const Parts& parts, std::int64_t rows);

  bool reads_features_only_ = false;
  SessionCache cache_;
  std::int64_t batch_size_;
};

/// Once; a Predictor plans less for many.
template <Layer Model>
Tensor predict(const Model& model, const Tensor& x, std::int64_t batch_size = 256,
               const SessionCacheOptions& sessions = {},
               std::source_location where = std::source_location::current()) {
  return Predictor(model, batch_size, sessions, where)(x);
}
template <class Model>
requires Layer<Model> || std::convertible_to<Model, std::function<Value(const BatchValues&)>> Tensor
predict(const Model& model, const data::Dataset& examples, std::int64_t batch_size = 256,
        const SessionCacheOptions& sessions = {},
        std::source_location where = std::source_location::current()) {
  if constexpr (Layer<Model>) {
    return Predictor(model, batch_size, sessions, where)(examples);
  } else {
    return Predictor(model, batch_size, sessions)(examples);
  }
}

/// What layers within a model return for x in Mode::evaluation: the values whose names are wanted,
/// in the order of recording. Throws ValueError for an empty function.
NamedTensors intermediate_values(const std::function<Value(const Value&)>& model, const Tensor& x,
                                 const std::function<bool(const std::string& name)>& wanted);

}  // namespace aclgrad
