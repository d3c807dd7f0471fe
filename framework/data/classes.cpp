// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "tensor/option.h"

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

namespace {

void require_pairs(const char* who, const Tensor& predicted, const Tensor& actual) {
  if (predicted.rank() == 1 && predicted.shape() == actual.shape()) return;
  throw ShapeError(
      fmt::format("{} needs as many classes predicted as there are, in shape [n], got {} and {}",
                  who, predicted.shape(), actual.shape()));
}

}  // namespace

double accuracy(const Tensor& predicted, const Tensor& actual) {
  require_pairs("accuracy", predicted, actual);
  if (predicted.numel() == 0) throw ShapeError("accuracy needs an example, got none");
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < predicted.numel(); ++i) right += predicted.get(i) == actual.get(i);
  return static_cast<double>(right) / static_cast<double>(predicted.numel());
}

Tensor confusion_matrix(const Tensor& predicted, const Tensor& actual, std::int64_t classes) {
  require_pairs("confusion_matrix", predicted, actual);
  aclgrad::detail::require_at_least("confusion_matrix", "classes", classes, 1);
  Tensor counts = Tensor::zeros({classes, classes}, DType::int64);
  for (std::int64_t i = 0; i < actual.numel(); ++i) {
    const auto place = [&](const Tensor& tensor, const char* what) {
      const double number = tensor.get(i);
      if (number >= 0 && number < static_cast<double>(classes) && number == std::floor(number)) {
        return static_cast<std::int64_t>(number);
      }
      throw ValueError(fmt::format("example {}: the class {} {} is none of 0 .. {}", i, what,
                                   number, classes - 1));
    };
    const std::int64_t row = place(actual, "there"), column = place(predicted, "predicted");
    ++counts.data<std::int64_t>()[static_cast<std::size_t>(row * classes + column)];
  }
  return counts;
}

ClassScores class_scores(const Tensor& predicted, const Tensor& actual, std::int64_t classes) {
  const Tensor matrix = confusion_matrix(predicted, actual, classes);
  const auto count = static_cast<std::size_t>(classes);
  const std::span<const std::int64_t> counts = matrix.data<std::int64_t>();
  const auto share = [](std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  ClassScores scores;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t predictions = 0, examples = 0;
    for (std::size_t j = 0; j < count; ++j) {
      predictions += counts[j * count + i];
      examples += counts[i * count + j];
    }
    const std::int64_t right = counts[i * count + i];
    scores.precision.push_back(share(right, predictions));
    scores.recall.push_back(share(right, examples));
    scores.f1.push_back(share(2 * right, predictions + examples));
    scores.counts.push_back(examples);
  }
  return scores;
}

}  // namespace aclgrad::data
