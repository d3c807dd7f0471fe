// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/distributed/data_parallel.h"

#include <fmt/format.h>

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

}  // namespace

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
    const Value sums = all_reduce(communicator_, members, {.async = options_.overlap}, where);
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
  const RecordScope scope(gradients.begin()->value.graph(), Pass::backward);
  return with_tensors(gradients, averages(tensors_of(gradients), communicator_.size(), where));
}

Value DataParallel::average(const Value& value, std::source_location where) {
  return averages({value}, communicator_.size(), where).front();
}

LossAndGradients DataParallel::means(const LossAndGradients& sums, std::int64_t parts,
                                     std::source_location where) const {
  start(sums.gradients, parts);
  const RecordScope scope(sums.loss.graph(), Pass::backward);
  std::vector<Value> tensors = tensors_of(sums.gradients);
  tensors.push_back(sums.loss);
  const std::vector<Value> all = averages(tensors, parts * communicator_.size(), where);
  return {all.back(), with_tensors(sums.gradients, all)};
}

LossAndGradients DataParallel::average(std::int64_t count,
                                       const std::function<LossAndGradients(std::int64_t)>& record,
                                       std::source_location where) {
  return means(sum_micro_batches(count, record, where), count, where);
}

LossAndGradients DataParallel::exchange(const LossAndGradients& sums, std::int64_t micro_batches,
                                        Optimizer&) {
  return means(sums, micro_batches, std::source_location::current());
}

}  // namespace aclgrad
