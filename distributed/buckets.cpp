// SPDX-License-Identifier: Apache-2.0
#include "buckets.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace aclgrad::detail {

std::size_t bytes_of(const Value& tensor) {
  return static_cast<std::size_t>(tensor.shape().numel()) * size_of(tensor.dtype());
}

std::vector<Bucket> make_buckets(const std::vector<Value>& tensors, std::size_t bytes,
                                 bool same_graph) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (same_graph) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return tensors[a].node().id < tensors[b].node().id;
    });
  } else {
    std::ranges::reverse(order);
  }
  struct Open {
    Bucket bucket;
    std::size_t bytes = 0;
  };
  std::map<DType, Open> open;
  std::vector<Bucket> buckets;
  for (const std::size_t position : order) {
    const Value& tensor = tensors[position];
    Open& current = open[tensor.dtype()];
    current.bucket.push_back(position);
    current.bytes += bytes_of(tensor);
    if (current.bytes < bytes) continue;
    buckets.push_back(std::move(current.bucket));
    open.erase(tensor.dtype());
  }
  for (auto& [dtype, rest] : open) buckets.push_back(std::move(rest.bucket));
  return buckets;
}

}  // namespace aclgrad::detail
