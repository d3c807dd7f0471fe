// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>

#include "aclgrad/error.h"
#include "aclgrad/graph/record.h"
#include "aclgrad/ops/arithmetic.h"
#include "aclgrad/ops/shape.h"
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

}  // namespace

DataParallel::DataParallel(const Communicator& communicator, DataParallelOptions options)
    : communicator_(communicator), options_(options) {
  if (options_.bucket_bytes == 0) throw ValueError("a bucket needs at least 1 byte");
}

void DataParallel::start(const Gradients& gradients, std::int64_t parts, bool same_graph) const {
  if (gradients.size() == 0) return;
  detail::start_training(communicator_, gradients.begin()->value.graph(), gradients,
                         fmt::format("{} parts, buckets of {} bytes, overlap {}", parts,
                                     options_.bucket_bytes, options_.overlap),
                         same_graph);
}

// The sums over all ranks, times a factor.
std::vector<Value> DataParallel::sums(const std::vector<Value>& tensors, double factor,
                                      bool same_graph, std::source_location where) const {
  const auto scaled = [&](const Value& sum) {
    return factor == 1 ? sum : mul({sum, where}, factor);
  };
  std::vector<Value> results(tensors.size());
  if (communicator_.size() == 1) {
    std::ranges::transform(tensors, results.begin(), scaled);
    return results;
  }
  for (const detail::Bucket& bucket :
       detail::make_buckets(tensors, options_.bucket_bytes, same_graph)) {
    std::vector<Value> members;
    for (const std::size_t i : bucket) members.push_back(tensors[i]);
    const Value all = scaled(
        all_reduce(communicator_, members, {.async = options_.overlap && same_graph}, where));
    std::int64_t first = 0;
    for (const std::size_t i : bucket) {
      results[i] = part(all, first, tensors[i].shape(), where);
      if (!tensors[i].name().empty()) results[i].named(tensors[i].name());
      first += tensors[i].shape().numel();
    }
  }
  return results;
}

Gradients DataParallel::average(const Gradients& gradients, std::source_location where) {
  start(gradients, 1, /*same_graph=*/true);
  if (gradients.size() == 0) return gradients;
  const RecordScope scope(gradients.begin()->value.graph(), Pass::backward);
  return with_tensors(gradients, sums(tensors_of(gradients), 1.0 / communicator_.size(),
                                      /*same_graph=*/true, where));
}

Value DataParallel::average(const Value& value, std::source_location where) {
  return sums(std::vector<Value>{value}, 1.0 / communicator_.size(), /*same_graph=*/true, where)
      .front();
}

LossAndGradients DataParallel::sums(const LossAndGradients& own, double factor, bool same_graph,
                                    std::source_location where) const {
  const RecordScope scope(own.loss.graph(), Pass::backward);
  std::vector<Value> tensors = tensors_of(own.gradients);
  tensors.push_back(own.loss);
  const std::vector<Value> all = sums(tensors, factor, same_graph, where);
  return {all.back(), with_tensors(own.gradients, all)};
}

LossAndGradients DataParallel::average(std::int64_t count,
                                       const std::function<LossAndGradients(std::int64_t)>& record,
                                       std::source_location where) {
  const LossAndGradients own = sum_micro_batches(count, record, std::nullopt, where);
  start(own.gradients, count, /*same_graph=*/true);
  return sums(own, 1.0 / static_cast<double>(count * communicator_.size()), /*same_graph=*/true,
              where);
}

LossAndGradients DataParallel::exchange(const LossAndGradients& own, Optimizer&, bool same_graph) {
  start(own.gradients, 1, same_graph);
  return sums(own, 1, same_graph, std::source_location::current());
}

}  // namespace aclgrad
