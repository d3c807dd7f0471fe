// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/train/ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string_view>
#include <unordered_map>

#include "aclgrad/error.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/io/checkpoint.h"
#include "aclgrad/ops/arithmetic.h"

namespace aclgrad {
namespace {

// The sum over micro-batches [begin, end) that hold examples, one half first. The halves are those
// that a power of two of ranks have.
class TreeSum {
 public:
  TreeSum(const std::function<LossAndGradients(std::int64_t)>& record, std::int64_t used,
          std::source_location where)
      : record_(record), used_(used), where_(where) {}

  LossAndGradients sum(std::int64_t begin, std::int64_t end) const {
    if (end - begin == 1) return record_(begin);
    const std::int64_t middle = end - (end - begin) / 2;
    const LossAndGradients first = sum(begin, middle);
    return middle < used_ ? added(first, sum(middle, end)) : first;
  }

 private:
  LossAndGradients added(const LossAndGradients& a, const LossAndGradients& b) const {
    const RecordScope scope(a.loss.graph(), Pass::backward, where_);
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
      pair->gradient = add(pair->gradient, b.gradients[pair->value]);
    }
    return {add(a.loss, b.loss), Gradients(std::move(pairs))};
  }

  const std::function<LossAndGradients(std::int64_t)>& record_;
  std::int64_t used_;
  std::source_location where_;
};

// The place of a rank in the tree by which ranks add up: the sum of those with even numbers, which
// is one over half as many, and that of those with odd numbers.
std::int64_t place_of(std::int64_t rank, std::int64_t ranks) {
  if (ranks == 1) return 0;
  const std::int64_t even = ranks - ranks / 2;
  return rank % 2 == 0 ? place_of(rank / 2, even) : even + place_of(rank / 2, ranks / 2);
}

}  // namespace

LossAndGradients sum_micro_batches(std::int64_t count,
                                   const std::function<LossAndGradients(std::int64_t)>& record,
                                   std::optional<std::int64_t> used, std::source_location where) {
  if (count < 1) {
    throw ValueError(fmt::format("there must be at least 1 micro-batch, not {}", count));
  }
  if (used && (*used < 1 || *used > count)) {
    throw ValueError(fmt::format("{} of {} micro-batches cannot be used", *used, count));
  }
  return TreeSum(record, used.value_or(count), where).sum(0, count);
}

MicroBatches::MicroBatches(std::int64_t count, std::int64_t rank, std::int64_t ranks)
    : count_(count == 0 ? ranks : count), per_rank_(count_ / ranks) {
  if (count_ < 1) {
    throw ValueError(fmt::format("`micro_batches` is at least 0, got {}", count));
  }
  if (count_ % ranks != 0) {
    throw ValueError(
        fmt::format("{} micro-batches cannot be shared out evenly to {} ranks", count_, ranks));
  }
  first_ = place_of(rank, ranks) * per_rank_;
}

std::int64_t MicroBatches::used_in(std::int64_t batch) const {
  return std::clamp(std::max<std::int64_t>(batch, 1) - first_, std::int64_t{0}, per_rank_);
}

std::int64_t MicroBatches::used_before(std::int64_t batch) const {
  return std::min(first_, std::max<std::int64_t>(batch, 1));
}

std::int64_t MicroBatches::used_after(std::int64_t batch) const {
  const std::int64_t all = std::min(count_, std::max<std::int64_t>(batch, 1));
  return all - used_before(batch) - used_in(batch);
}

std::int64_t MicroBatches::begin(std::int64_t i, std::int64_t batch) const {
  const std::int64_t number = first_ + i;
  return number * (batch / count_) + std::min(number, batch % count_);
}

std::int64_t MicroBatches::size_in(std::int64_t batch) const {
  if (batch % count_ == 0) return batch / count_;
  throw ValueError(fmt::format("a batch of {} examples cannot be cut into {} equal micro-batches",
                               batch, count_));
}

LossAndGradients Ranks::exchange(const LossAndGradients& own, Optimizer&, bool) { return own; }

NamedTensors Ranks::gather(const std::vector<Variable>& variables) const {
  return values_of(variables);
}

void Ranks::on_first(const std::function<void()>& work) const {
  if (size() == 1) return work();
  std::string text;
  std::exception_ptr thrown;
  if (is_first()) {
    try {
      work();
    } catch (const std::exception& error) {
      thrown = std::current_exception();
      text = fmt::format("the first rank failed: {}", error.what());
    } catch (...) {
      thrown = std::current_exception();
      text = "the first rank failed";
    }
  }
  text = broadcast_text(std::move(text));
  if (thrown) std::rethrow_exception(thrown);
  if (!text.empty()) throw ValueError(text);
}

std::string Ranks::broadcast_text(std::string text) const {
  std::size_t size = text.size();
  broadcast(std::as_writable_bytes(std::span(&size, 1)));
  text.resize(size);
  if (size > 0) broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

NamedTensors Ranks::broadcast_tensors(NamedTensors own, const NamedTensors& first) const {
  std::unordered_map<std::string_view, const Tensor*> given;
  for (const auto& [name, tensor] : first) given.emplace(name, &tensor);
  for (auto& [name, tensor] : own) {
    if (is_first()) tensor = *given.at(name);
    broadcast({tensor.bytes(), tensor.nbytes()});
  }
  return own;
}

}  // namespace aclgrad
