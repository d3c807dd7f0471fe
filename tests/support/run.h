// SPDX-License-Identifier: Apache-2.0
// What graphs compute in one run, what variables hold, and losses of models.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "aclgrad/aclgrad.h"

namespace aclgrad {

/// The values after one run of a session of their own.
inline std::vector<Tensor> computed(const std::vector<Value>& values,
                                    const std::vector<Feed>& feeds = {},
                                    const SessionOptions& options = {}) {
  Session session(values.front().graph(), std::vector<Fetch>(values.begin(), values.end()),
                  options);
  const Results results = session.run(feeds);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < values.size(); ++i) tensors.push_back(results[i]);
  return tensors;
}
inline Tensor computed(const Value& value, const std::vector<Feed>& feeds = {},
                       const SessionOptions& options = {}) {
  return computed(std::vector{value}, feeds, options).front();
}

/// `y`, then its gradients with respect to each of these, where `seed` arrives at it.
inline std::vector<Value> with_gradients(const Value& y, const std::vector<Value>& wrt,
                                         const Value& seed = {}) {
  const Gradients gradients = backward(y, wrt, {.seed = seed});
  std::vector<Value> all = {y};
  for (const Value& x : wrt) all.push_back(gradients[x]);
  return all;
}

inline std::vector<std::string> names_in(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.push_back(variable.name());
  return names;
}

inline std::vector<Tensor> contents_of(const std::vector<Variable>& variables) {
  std::vector<Tensor> tensors;
  for (const Variable& variable : variables) tensors.push_back(variable.value());
  return tensors;
}

inline bool have_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), bitwise_equal);
}

inline void expect_same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(bitwise_equal(a[i], b[i])) << "tensor " << i << " of " << a.size();
  }
}

/// The loss of what a model predicts from the features, beside the labels.
template <class Model>
LossFunction mse_of(const Model& model) {
  return [model](const Value& x, const Value& t) { return mse_loss(model(x), t); };
}
template <class Model>
LossFunction cross_entropy_of(const Model& model) {
  return [model](const Value& x, const Value& t) { return cross_entropy(model(x), t); };
}

}  // namespace aclgrad
