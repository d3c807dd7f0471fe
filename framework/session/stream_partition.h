// SPDX-License-Identifier: Apache-2.0
// How the steps of a plan are partitioned between two streams. Operators run on the first, in
// order. What may overlap with them (StreamOp::is_async) runs on the second, also in order; the
// first waits for it where it needs its outputs, or is about to overwrite a variable that it reads.
#ifndef ACLGRAD_FRAMEWORK_SESSION_STREAM_PARTITION_H_
#define ACLGRAD_FRAMEWORK_SESSION_STREAM_PARTITION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/graph_data.h"

namespace aclgrad::detail {

inline constexpr std::size_t kNoSegment = SIZE_MAX;

/// Steps that follow each other on one stream without a wait between them.
struct Segment {
  std::size_t begin = 0;  // steps [begin, end); none for a mere wait
  std::size_t end = 0;
  bool async = false;                // on the second stream
  std::size_t awaited = kNoSegment;  // the latest segment of the other stream that must be over
  bool is_awaited = false;           // by a later segment
};

struct StreamPartition {
  std::vector<Segment> segments;  // in the order in which they are launched; at least one

  /// By step: the first step by which the first stream has waited for it, which is what its memory
  /// must outlive; its own number for a step of the first stream. Empty when all steps are such.
  std::vector<std::int32_t> over;

  bool has_two_streams() const { return !over.empty(); }
};

/// Whether the node may run on the second stream.
bool is_async(const Node& node);

/// Moves async nodes to right behind the last node that each needs. Returns the nodes
/// as they are when there is none.
std::vector<NodeId> schedule_early(const GraphData& graph, std::vector<NodeId> nodes);

/// Of nodes in the order of running.
StreamPartition partition_streams(const GraphData& graph, const std::vector<NodeId>& nodes);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_SESSION_STREAM_PARTITION_H_
