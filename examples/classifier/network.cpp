// SPDX-License-Identifier: Apache-2.0
#include "examples/classifier/network.h"

#include <aclgrad/aclgrad.h>
#include <aclgrad/format.h>

#include <algorithm>
#include <numeric>

using namespace aclgrad;

namespace {

constexpr std::int64_t kMostRows = 1000;

template <class Layer>
Sequential stack(Layer layer, Activation kind, std::int64_t widening, const Widths& widths,
                 std::uint64_t seed) {
  Sequential network;
  for (std::size_t i = 1; i < widths.size(); ++i) {
    const bool last = i + 1 == widths.size();
    network.add(Linear(last ? "output" : fmt::format("hidden{}", i), widths[i - 1],
                       last ? widths[i] : widening * widths[i],
                       {.init_for = last ? Activation::none : kind, .seed = seed * 10 + i}));
    if (!last) network.add(layer);
  }
  return network;
}

}  // namespace

Sequential make_network(const std::string& activation, const Widths& widths, std::uint64_t seed) {
  if (activation == "selu") return stack(Selu{}, Activation::selu, 1, widths, seed);
  if (activation == "elu") return stack(Elu{}, Activation::elu, 1, widths, seed);
  if (activation == "hardswish") return stack(Hardswish{}, Activation::hardswish, 1, widths, seed);
  return stack(Geglu{}, Activation::geglu, 2, widths, seed);
}

Value scores_of(const Sequential& network, const Value& x, DType dtype) {
  return cast(network(cast(x, dtype)), DType::float32);
}

Classifier::Classifier(const Sequential& network, const data::Dataset& examples, DType dtype)
    : examples_(examples),
      rows_(std::min(examples.size(), kMostRows)),
      x_(graph_.input("x", {rows_, examples.features.shape()[1]})),
      scores_(scores_of(network, x_, dtype)),
      session_(graph_, {scores_}) {}

Tensor Classifier::predict() {
  const std::int64_t size = examples_.size();
  Tensor predictions = Tensor::zeros({size}, DType::int64);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(rows_));
  for (std::int64_t begin = 0; begin < size; begin += rows_) {
    // The last part ends with the last example, and has some that were seen before.
    const std::int64_t first = std::min(begin, size - rows_);
    std::iota(rows.begin(), rows.end(), first);
    const Tensor features = data::take_rows(examples_.features, rows);
    const Tensor part = data::argmax(session_.run({{x_, features}})[scores_]);
    std::ranges::copy(part.data<std::int64_t>(), predictions.data<std::int64_t>().begin() + first);
  }
  return predictions;
}

double Classifier::accuracy() { return data::accuracy(predict(), examples_.labels); }
