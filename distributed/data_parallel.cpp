// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/views.h"
#include "aclgrad/record.h"
#include "agreement.h"
#include "buckets.h"

namespace aclgrad {
namespace {

std::vector<Value> tensors_of(const Gradients& gradients) {
  std::vector<Value> tensors;
  for (const auto& [value, gradient] : gradients) tensors.push_back(gradient);
  return tensors;
}

Gradients with_tensors(const Gradients& gradients, const std::vector<Value>& tensors) {
  std::vector<Gradients::Pair> pairs;
  for (const auto& [value, gradient] : gradients) {
    pairs.push_back({value, tensors[pairs.size()]});
  }
  return Gradients(std::move(pairs));
}

// The sum over micro-batches first, first + stride, ...: those at even places of this list, and
// those at odd places. So the last halving comes first, and this is the tree of the ranks'
// exchange: while R are left and M is the largest power of two below R, number M + i goes into
// number i.
class MicroBatches {
 public:
  MicroBatches(const std::function<LossAndGradients(std::int64_t)>& record,
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
    const RecordScope scope(a.loss.graph(), Phase::backward);
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
  return MicroBatches(record, where).sum(0, 1, count);
}

DataParallel::DataParallel(const Communicator& communicator, DataParallelOptions options)
    : communicator_(communicator), options_(options) {
  if (options_.bucket_bytes == 0) throw ValueError("a bucket needs at least 1 byte");
}

void DataParallel::start(const Gradients& gradients, std::int64_t parts) const {
  if (gradients.size() == 0) return;
  detail::start_training(communicator_, gradients.begin()->value.graph(), gradients,
                         fmt::format("{} parts, buckets of {} bytes, overlap {}", parts,
                                     options_.bucket_bytes, options_.overlap));
}

// The sums over all ranks, divided by the number of parts that went into each.
std::vector<Value> DataParallel::averages(const std::vector<Value>& tensors, std::int64_t parts,
                                          std::source_location where) const {
  const double factor = 1.0 / static_cast<double>(parts);
  std::vector<Value> results(tensors.size());
  if (communicator_.size() == 1) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      results[i] = parts == 1 ? tensors[i] : mul(tensors[i], factor, where);
    }
    return results;
  }
  for (const detail::Bucket& bucket : detail::make_buckets(tensors, options_.bucket_bytes)) {
    std::vector<Value> members;
    for (const std::size_t i : bucket) members.push_back(tensors[i]);
    const Value sums = all_reduce(communicator_, members, {.beside = options_.overlap}, where);
    const Value means = mul(sums, factor, where);
    std::int64_t first = 0;
    for (const std::size_t i : bucket) {
      results[i] = part(means, first, tensors[i].shape(), where);
      if (!tensors[i].name().empty()) results[i].named(tensors[i].name());
      first += tensors[i].shape().numel();
    }
  }
  return results;
}

Gradients DataParallel::average(const Gradients& gradients, std::source_location where) {
  start(gradients, 1);
  if (gradients.size() == 0) return gradients;
  const RecordScope scope(gradients.begin()->value.graph(), Phase::backward);
  return with_tensors(gradients, averages(tensors_of(gradients), communicator_.size(), where));
}

Value DataParallel::average(const Value& value, std::source_location where) {
  return averages({value}, communicator_.size(), where).front();
}

LossAndGradients DataParallel::average(std::int64_t count,
                                       const std::function<LossAndGradients(std::int64_t)>& record,
                                       std::source_location where) {
  const LossAndGradients sum = sum_micro_batches(count, record, where);
  start(sum.gradients, count);
  const RecordScope scope(sum.loss.graph(), Phase::backward);
  std::vector<Value> tensors = tensors_of(sum.gradients);
  tensors.push_back(sum.loss);
  const std::vector<Value> means = averages(tensors, count * communicator_.size(), where);
  return {means.back(), with_tensors(sum.gradients, means)};
}

}  // namespace aclgrad
