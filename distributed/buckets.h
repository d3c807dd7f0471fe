// SPDX-License-Identifier: Apache-2.0
// Which tensors are exchanged together.
#pragma once

#include <cstddef>
#include <vector>

#include "aclgrad/graph.h"

namespace aclgrad::detail {

std::size_t bytes_of(const Value& tensor);

/// Positions in a list of tensors; all of a bucket have one dtype.
using Bucket = std::vector<std::size_t>;

/// Tensors in the order in which the graph makes them; a bucket is closed when it has reached
/// `bytes`. Buckets stand in the order in which they are complete. Where ranks have not recorded
/// the `same_graph`, that order is no common one: then tensors stand from the last to the first,
/// nearly as backward makes them. Nor may they then be exchanged asynchronously, which would be as
/// soon as they are there.
std::vector<Bucket> make_buckets(const std::vector<Value>& tensors, std::size_t bytes,
                                 bool same_graph);

}  // namespace aclgrad::detail
