// SPDX-License-Identifier: Apache-2.0
// Exchanges between ranks as nodes of a graph. All ranks record the same ones in the same order,
// and run their sessions equally often. Sums have one order for every element, fixed by the ranks'
// numbers (hccl/hccl.h): results are the same bits in every run, however tensors are grouped.
//
// A node takes several tensors of one dtype and treats them as one flat tensor, the elements of one
// after those of the other: few large exchanges cost less than many small ones.
#pragma once

#include <memory>
#include <source_location>
#include <vector>

#include "aclgrad/distributed/communicator.h"
#include "aclgrad/graph.h"

namespace aclgrad {

struct CollectiveOptions {
  /// Whether the session may run other nodes meanwhile (StreamOp::is_async).
  bool async = true;
};

/// The sums of the tensors over all ranks: a flat tensor of all their elements. 16-bit floating
/// types are summed in float32 and rounded once.
Value all_reduce(const Communicator& communicator, const std::vector<Value>& tensors,
                 CollectiveOptions options = {},
                 std::source_location where = std::source_location::current());

/// The rank's part of those sums: with the flat tensor filled up with zeros until its elements can
/// be shared out evenly, rank r gets the r-th share.
Value reduce_scatter(const Communicator& communicator, const std::vector<Value>& tensors,
                     CollectiveOptions options = {},
                     std::source_location where = std::source_location::current());

/// The shares of all ranks, by rank: a flat tensor.
Value all_gather(const Communicator& communicator, const Value& share,
                 CollectiveOptions options = {},
                 std::source_location where = std::source_location::current());

/// A tensor of this shape that lies in a flat one from element `first` on; a view.
Value part(const Value& flat, std::int64_t first, const Shape& shape,
           std::source_location where = std::source_location::current());

}  // namespace aclgrad
