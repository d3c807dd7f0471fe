// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/nn/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "tensor/option.h"

namespace aclgrad {
namespace {

void check(const SampleOptions& options) {
  detail::require_option("sample", "temperature", options.temperature, detail::kNotNegative);
  detail::require_at_least("sample", "top_k", options.top_k, 0);
  constexpr detail::Range kShare{0, 1, /*without_low=*/true};
  detail::require_option("sample", "top_p", options.top_p, kShare);
}

// The class that stands at `at` of the distribution, in [0, 1).
std::int64_t draw(const std::vector<double>& scores, double at, const SampleOptions& options) {
  std::vector<std::int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto score = [&](std::int64_t c) { return scores[static_cast<std::size_t>(c)]; };
  std::ranges::stable_sort(order, std::greater(), score);
  if (options.temperature == 0) return order.front();
  if (options.top_k > 0) {
    order.resize(
        static_cast<std::size_t>(std::min<std::int64_t>(options.top_k, std::ssize(order))));
  }
  std::vector<double> weights;
  for (const std::int64_t c : order) {
    weights.push_back(std::exp((score(c) - score(order.front())) / options.temperature));
  }
  double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  double kept = 0;
  std::size_t count = 0;
  while (count < weights.size() && (count == 0 || kept < options.top_p * total)) {
    kept += weights[count++];
  }
  if (count < weights.size()) total = kept;
  double rest = at * total;
  std::size_t chosen = 0;
  while (chosen + 1 < count && rest >= weights[chosen]) rest -= weights[chosen++];
  return order[chosen];
}

}  // namespace

Tensor sample(const Tensor& scores, RandomSequence& random, const SampleOptions& options) {
  check(options);
  if (!is_floating(scores.dtype())) {
    throw DTypeError(fmt::format("sample takes floating scores, got {}", scores.dtype()));
  }
  const std::vector<std::int64_t>& dims = scores.shape().dims();
  if (dims.empty() || dims.back() == 0) {
    throw ValueError(
        fmt::format("sample takes scores of at least one class, [..., C], got {}", scores.shape()));
  }
  Tensor drawn =
      Tensor::zeros(Shape(std::vector<std::int64_t>(dims.begin(), dims.end() - 1)), DType::int64);
  std::vector<double> row(static_cast<std::size_t>(dims.back()));
  for (std::int64_t i = 0; i < drawn.numel(); ++i) {
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < row.size(); ++c) {
      row[c] = scores.get(i * dims.back() + static_cast<std::int64_t>(c));
      best = std::isnan(row[c]) ? row[c] : std::max(best, row[c]);
      if (std::isnan(best)) break;
    }
    if (!std::isfinite(best)) {
      throw ValueError(fmt::format(
          "sample: the best score of row {} is {}, from which nothing follows", i, best));
    }
    drawn.data<std::int64_t>()[static_cast<std::size_t>(i)] = draw(row, random.uniform(), options);
  }
  return drawn;
}

Tensor generate(const TokenModel& model, const Tensor& prompt, RandomSequence& random,
                const GenerateOptions& options) {
  if (!model) throw ValueError("generate needs a model that scores tokens, this is empty");
  if (prompt.rank() != 2 || prompt.shape()[1] < 1 || prompt.dtype() != DType::int64) {
    throw ShapeError(fmt::format("generate goes on from a prompt [N, T] of int64, got {} {}",
                                 prompt.dtype(), prompt.shape()));
  }
  detail::require_at_least("generate", "length", options.length, 0);
  detail::require_at_least("generate", "context", options.context, 0);
  const SampleOptions how{options.temperature, options.top_k, options.top_p};
  check(how);
  const std::int64_t rows = prompt.shape()[0];
  const auto row_count = static_cast<std::size_t>(rows);
  std::vector<std::vector<std::int64_t>> written(row_count);
  for (std::size_t n = 0; n < row_count; ++n) {
    const auto all = prompt.data<std::int64_t>();
    const auto width = static_cast<std::size_t>(prompt.shape()[1]);
    written[n].assign(all.begin() + static_cast<std::ptrdiff_t>(n * width),
                      all.begin() + static_cast<std::ptrdiff_t>((n + 1) * width));
  }
  std::vector<bool> ended(row_count, false);
  std::int64_t length = prompt.shape()[1];
  for (std::int64_t step = 0; step < options.length && rows > 0; ++step) {
    const std::int64_t known = options.context > 0 ? std::min(length, options.context) : length;
    const std::int64_t width = options.context > 0 ? options.context : length;
    Tensor tokens = Tensor::zeros({rows, width}, DType::int64);
    for (std::size_t n = 0; n < row_count; ++n) {
      std::copy(written[n].end() - known, written[n].end(),
                tokens.data<std::int64_t>().begin() + static_cast<std::int64_t>(n) * width);
    }
    const Tensor scores = model(tokens);
    // Of the last place alone, where that is the last one given.
    const bool last_alone = options.context == 0 && scores.rank() == 3 && scores.shape()[1] == 1;
    if (scores.rank() != 3 || scores.shape()[0] != rows ||
        (scores.shape()[1] != width && !last_alone)) {
      throw ShapeError(
          fmt::format("generate: the model gives scores [{}, {}, C] of tokens [{}, {}], "
                      "got {}",
                      rows, width, rows, width, scores.shape()));
    }
    const Tensor next =
        sample(last_alone ? scores : scores.slice(1, known - 1, known), random, how);
    for (std::size_t n = 0; n < row_count; ++n) {
      const std::int64_t drawn = next.data<std::int64_t>()[n];
      written[n].push_back(ended[n] ? *options.end : drawn);
      ended[n] = ended[n] || (options.end && drawn == *options.end);
    }
    ++length;
    if (std::ranges::all_of(ended, [](bool it) { return it; })) break;
  }
  Tensor result = Tensor::zeros({rows, length}, DType::int64);
  for (std::size_t n = 0; n < row_count; ++n) {
    std::ranges::copy(written[n],
                      result.data<std::int64_t>().begin() + static_cast<std::int64_t>(n) * length);
  }
  return result;
}

}  // namespace aclgrad
