// SPDX-License-Identifier: Apache-2.0
// The double copy of a graph as a function that can be evaluated and differentiated.
#pragma once

#include <span>
#include <vector>

#include "aclgrad/gradcheck/derivative.h"
#include "aclgrad/session.h"
#include "gradcheck/graph/double_copy.h"

namespace aclgrad::detail {

/// Contents of the copy's inputs, in the order of the leaves. Throws for feeds that do not fit.
std::vector<Tensor> starting_point(const DoubleCopy& copy, std::span<const Feed> feeds);

/// Positions among the leaves of what is to be checked, one or more. Throws ValueError for what is
/// no leaf and where nothing is floating, DTypeError for a leaf of integers.
std::vector<std::size_t> select_leaves(const DoubleCopy& copy, const std::vector<Value>& wrt,
                                       const Value& loss);

/// The copy's result as a function of its inputs. The point is shared with its maker and
/// unchanged after every call.
class GraphFunction {
 public:
  GraphFunction(const DoubleCopy& copy, std::vector<Tensor>& point);

  /// The result's elements.
  std::vector<long double> outputs();

  /// The largest magnitude among results and inputs, at least 1.
  double size();

  /// Slopes of every element of the result by one element of one input.
  std::vector<gradcheck::Slopes> slopes(std::size_t leaf, std::int64_t index);

  /// Slopes along a direction in one input, of the result weighted and summed.
  gradcheck::Slopes slope_along(std::size_t leaf, const Tensor& direction, const Tensor& weights);

 private:
  const DoubleCopy& copy_;
  std::vector<Tensor>& point_;
  Session session_;
};

/// The gradients that backward() records in the copy, for any gradient that arrives at the result.
class RecordedGradients {
 public:
  /// Adds the gradient's nodes to the copy.
  RecordedGradients(DoubleCopy& copy, const std::vector<std::size_t>& leaves);

  std::vector<Tensor> at(const std::vector<Tensor>& point, const Tensor& upstream);

 private:
  const DoubleCopy& copy_;
  Value seed_;
  std::vector<Value> gradients_;
  std::vector<Session> session_;  // one
};

}  // namespace aclgrad::detail
