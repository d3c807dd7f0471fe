// SPDX-License-Identifier: Apache-2.0
// The shapes of what normalizes rows: the last dimensions of x, as many as gamma has; and the
// references of rows that are a sum.
#pragma once

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {

// A number for each row of the last `normalized` dimensions of a shape: with so many 1s behind the
// other dimensions, or, where a sample says so, with none.
inline Shape numbers_of_rows(const Arguments& a, const Shape& shape, size_t normalized,
                             size_t ones) {
  Shape numbers(shape.begin(), shape.end() - static_cast<ptrdiff_t>(normalized));
  const bool are_alone = a.is_set("rstd") || a.is_set("rstdOut");
  if (!are_alone) numbers.resize(numbers.size() + ones, 1);
  return numbers;
}
inline const Sample kNumbersAlone{{{"rstd", Shape{}}, {"rstdOut", Shape{}}, {"epsilon", 1e-3}}};

inline void arrange_weighted_rows(Arguments& a) {
  const Shape shape = a.shape("x");
  const size_t normalized = a.shape("gamma").size();
  if (shape.size() < normalized || count_of(shape) == 0) {
    throw std::invalid_argument("x must have at least the dimensions of a row, and elements");
  }
  const auto split = shape.end() - static_cast<ptrdiff_t>(normalized);
  const Shape numbers = numbers_of_rows(a, shape, normalized, normalized);
  a.reshape({"gx", "dy", "yOut", "dxOut", "dgxOut"}, shape);
  a.reshape({"mean", "rstd", "meanOut", "rstdOut"}, numbers);
  a.shape("gamma") = Shape(split, shape.end());
  a.reshape({"beta", "dbetaOut", "dgammaOut"}, a.shape("gamma"));
}

// The sample with rows of this tensor that are few and many, short and longer than a sum's chunk.
inline std::vector<Sample> with_long_rows(const char* tensor, const Sample& sample) {
  std::vector<Sample> samples;
  for (const Shape& shape : {Shape{300, 33}, Shape{9, 5000}, Shape{2000, 6}}) {
    samples.push_back(sample);
    samples.back().settings.emplace_back(tensor, shape);
  }
  return samples;
}

// A weighted sum of tensors, which broadcast to the first, and that of the magnitudes.
struct SumOfRows {
  Array sum, size;

  explicit SumOfRows(const std::vector<std::pair<Number, Array>>& terms)
      : sum(dense::full(terms.front().second.shape)), size(sum) {
    for (const auto& [factor, term] : terms) {
      for (size_t i = 0; i < sum.values.size(); ++i) {
        const Number x = factor * term.values[dense::source(term.shape, sum.shape, i)];
        sum.values[i] += x;
        size.values[i] += std::abs(x);
      }
    }
  }
};

struct NormalizedRows {
  std::vector<Number> mean, rstd;  // of each row
  Array y;
};

// Without `centered` the mean is 0. beta may be null.
template <bool kMagnitude>
NormalizedRows normalized_rows(const SumOfRows& rows, const Array& gamma, const Array* beta,
                               Number eps, bool centered) {
  const size_t n = gamma.values.size();
  const auto count = static_cast<Number>(n);
  NormalizedRows result{{}, {}, rows.sum};
  for (size_t first = 0; first < rows.sum.values.size(); first += n) {
    const Number* const row = rows.sum.values.data() + first;
    Number mean = 0, size = 0, variance = 0;
    for (size_t i = 0; centered && i < n; ++i) {
      mean += row[i] / count;
      size += rows.size.values[first + i] / count;
    }
    for (size_t i = 0; i < n; ++i) variance += (row[i] - mean) * (row[i] - mean);
    const Number rstd = 1 / std::sqrt(variance / count + eps);
    for (size_t i = 0; i < n; ++i) {
      result.y.values[first + i] =
          dense::term<kMagnitude>((row[i] - mean) * rstd * gamma.values[i]) +
          dense::term<kMagnitude>(beta == nullptr ? 0 : beta->values[i]);
    }
    result.mean.push_back(kMagnitude ? size : mean);
    result.rstd.push_back(rstd);
  }
  return result;
}

// The gradients of the sum, gamma and beta, with the mean and rstd of each row.
template <bool kMagnitude>
Arrays gradients_of_rows(const Array& dy, const SumOfRows& rows, const std::vector<Number>& mean,
                         const std::vector<Number>& rstd, const Array& gamma) {
  const auto term = [](Number x) { return dense::term<kMagnitude>(x); };
  const auto minus = [](Number x) { return kMagnitude ? std::abs(x) : -x; };
  const size_t n = gamma.values.size();
  const auto count = static_cast<Number>(n);
  Array slope = dy, dgamma = dense::full(gamma.shape), dbeta = dgamma;
  for (size_t row = 0; row < rstd.size(); ++row) {
    const auto gradient = [&](size_t i) { return dy.values[row * n + i]; };
    const auto normal = [&](size_t i) {
      return (rows.sum.values[row * n + i] - mean[row]) * rstd[row];
    };
    Number plain = 0, along = 0;
    for (size_t i = 0; i < n; ++i) {
      plain += term(gradient(i) * gamma.values[i]) / count;
      along += term(gradient(i) * gamma.values[i] * normal(i)) / count;
      dbeta.values[i] += term(gradient(i));
      dgamma.values[i] += term(gradient(i) * normal(i));
    }
    for (size_t i = 0; i < n; ++i) {
      slope.values[row * n + i] = rstd[row] * (term(gradient(i) * gamma.values[i]) + minus(plain) +
                                               minus(normal(i) * along));
    }
  }
  return {slope, dgamma, dbeta};
}

}  // namespace aclgrad::contract
