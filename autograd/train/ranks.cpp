// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/ranks.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/checkpoint.h"
#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/record.h"

namespace aclgrad {
namespace {

// The sum over micro-batches first, first + stride, ...: those at even places of this list, and
// those at odd places. So the last halving comes first, and this is the tree of the ranks'
// exchange: while R are left and M is the largest power of two below R, number M + i goes into
// number i.
class HalvingSum {
 public:
  HalvingSum(const std::function<LossAndGradients(std::int64_t)>& record,
             std::source_location where)
      : record_(record), where_(where) {}

  LossAndGradients sum(std::int64_t first, std::int64_t stride, std::int64_t count) const {
    if (count == 1) return record_(first);
    const LossAndGradients even = sum(first, 2 * stride, (count + 1) / 2);
    const LossAndGradients odd = sum(first + stride, 2 * stride, count / 2);
    return added(even, odd);
  }

 private:
  LossAndGradients added(const LossAndGradients& a, const LossAndGradients& b) const {
    const RecordScope scope(a.loss.graph(), Pass::backward);
    std::vector<Gradients::Pair> pairs(a.gradients.begin(), a.gradients.end());
    if (pairs.size() != b.gradients.size()) {
      throw ValueError("the micro-batches have gradients of different values");
    }
    // In the order in which backward makes them, which then is that of the exchange, too.
    std::vector<std::pair<NodeId, Gradients::Pair*>> order;
    for (Gradients::Pair& pair : pairs) {
      order.emplace_back(b.gradients[pair.value].node().id, &pair);
    }
    std::ranges::sort(order, {}, [](const auto& each) { return each.first; });
    for (const auto& [node, pair] : order) {
      pair->gradient = add(pair->gradient, b.gradients[pair->value], 1, where_);
    }
    return {add(a.loss, b.loss, 1, where_), Gradients(std::move(pairs))};
  }

  const std::function<LossAndGradients(std::int64_t)>& record_;
  std::source_location where_;
};

}  // namespace

LossAndGradients sum_micro_batches(std::int64_t count,
                                   const std::function<LossAndGradients(std::int64_t)>& record,
                                   std::source_location where) {
  if (count < 1) {
    throw ValueError(fmt::format("there must be at least 1 micro-batch, not {}", count));
  }
  return HalvingSum(record, where).sum(0, 1, count);
}

MicroBatches::MicroBatches(std::int64_t count, std::int64_t rank, std::int64_t ranks)
    : count_(count == 0 ? ranks : count), rank_(rank), ranks_(ranks) {
  if (count_ < 1 || count_ % ranks_ != 0) {
    throw ValueError(
        fmt::format("{} micro-batches cannot be shared out evenly to {} ranks", count_, ranks_));
  }
}

std::int64_t MicroBatches::size_in(std::int64_t batch) const {
  if (batch % count_ == 0) return batch / count_;
  throw ValueError(fmt::format("a batch of {} examples cannot be cut into {} equal micro-batches",
                               batch, count_));
}

LossAndGradients Ranks::exchange(const LossAndGradients& sums, std::int64_t micro_batches,
                                 Optimizer&) {
  if (micro_batches == 1) return sums;
  const RecordScope scope(sums.loss.graph(), Pass::backward);
  const double factor = 1.0 / static_cast<double>(micro_batches);
  std::vector<Gradients::Pair> means;
  for (const auto& [value, gradient] : sums.gradients) {
    means.push_back({value, mul(gradient, factor)});
  }
  return {mul(sums.loss, factor), Gradients(std::move(means))};
}

NamedTensors Ranks::gather(const std::vector<Variable>& variables) const {
  return values_of(variables);
}

std::string Ranks::broadcast_text(std::string text) const {
  std::size_t size = text.size();
  broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  if (size > 0) broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

NamedTensors Ranks::broadcast_tensors(NamedTensors own, const NamedTensors& first) const {
  for (auto& [name, tensor] : own) {
    if (is_first())
      tensor = std::ranges::find(first, name, &NamedTensors::value_type::first)->second;
    broadcast({tensor.bytes(), tensor.nbytes()});
  }
  return own;
}

}  // namespace aclgrad
