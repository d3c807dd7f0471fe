// SPDX-License-Identifier: Apache-2.0
// Which tensors are exchanged together.
#ifndef ACLGRAD_DISTRIBUTED_BUCKETS_H_
#define ACLGRAD_DISTRIBUTED_BUCKETS_H_

#include <cstddef>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad::detail {

std::size_t bytes_of(const Value& tensor);

/// Positions in a list of tensors; all of a bucket have one dtype.
using Bucket = std::vector<std::size_t>;

/// Tensors in the order in which the graph makes them; a bucket is closed when it has reached
/// `bytes`. Buckets stand in the order in which they are complete.
std::vector<Bucket> make_buckets(const std::vector<Value>& tensors, std::size_t bytes);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_DISTRIBUTED_BUCKETS_H_
