// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "aclgrad/data.h"
#include "aclgrad/error.h"

namespace aclgrad::data {

Tensor argmax(const Tensor& scores) {
  if (scores.rank() != 2 || scores.shape()[1] == 0) {
    throw ShapeError("argmax needs scores of shape [n, classes], got " + to_string(scores.shape()));
  }
  const std::int64_t rows = scores.shape()[0];
  const std::int64_t classes = scores.shape()[1];
  Tensor best = Tensor::zeros({rows}, DType::int64);
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t winner = 0;
    double largest = scores.get(row * classes);
    for (std::int64_t column = 1; column < classes && !std::isnan(largest); ++column) {
      const double score = scores.get(row * classes + column);
      if (score <= largest) continue;  // not so for a NaN
      largest = score;
      winner = column;
    }
    best.data<std::int64_t>()[static_cast<std::size_t>(row)] = winner;
  }
  return best;
}

double accuracy(const Tensor& predicted, const Tensor& actual) {
  if (predicted.rank() != 1 || predicted.shape() != actual.shape() || predicted.numel() == 0) {
    throw ShapeError("accuracy needs as many classes predicted as there are, in shape [n], got " +
                     to_string(predicted.shape()) + " and " + to_string(actual.shape()));
  }
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < predicted.numel(); ++i) right += predicted.get(i) == actual.get(i);
  return static_cast<double>(right) / static_cast<double>(predicted.numel());
}

}  // namespace aclgrad::data
