// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/capture/co_schedule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "ops/runtime/capture/partition.h"

namespace aclgrad::runtime {
namespace {

// Bytes that such a task may touch. A larger one may want the threads for itself.
constexpr int64_t kMaxBytes = int64_t{1} << 18;
// How many segments before a fused one, and how many after it, are looked at.
constexpr size_t kMaxLookedAt = 8;

bool depends_on_any(const Partition& partition, const std::vector<Partition>& others) {
  return std::any_of(others.begin(), others.end(),
                     [&](const Partition& other) { return depend(partition, other); });
}

class Mover {
 public:
  Mover(std::vector<Segment>& segments, const std::vector<Task>& tasks)
      : segments_(segments), tasks_(tasks), moved_(segments.size(), false) {}

  void run() {
    for (size_t i = 0; i < segments_.size(); ++i) {
      if (segments_[i].is_fused) fill(i);
    }
    size_t kept = 0;
    for (size_t i = 0; i < segments_.size(); ++i) {
      if (moved_[i]) continue;
      if (kept != i) segments_[kept] = std::move(segments_[i]);
      ++kept;
    }
    segments_.resize(kept);
  }

 private:
  struct Found {
    size_t task;
    Partition partition;
  };

  void fill(size_t fused_segment) {
    std::vector<Partition> members;
    for (const Segment::Member& member : segments_[fused_segment].members) {
      members.push_back(*partition_of(tasks_[member.task]));
    }
    std::vector<Found> found;
    look(fused_segment, -1, members, found);
    std::reverse(found.begin(), found.end());
    look(fused_segment, 1, std::move(members), found);
    segments_[fused_segment].co_scheduled = chains(found);
  }

  // Takes tasks that may change places with the segment and all between that stay where they are.
  void look(size_t fused_segment, int direction, std::vector<Partition> passed,
            std::vector<Found>& found) {
    size_t at = fused_segment;
    for (size_t looked = 0; looked < kMaxLookedAt; ++looked) {
      at += static_cast<size_t>(direction);  // before the first one it is more than there are
      if (at >= segments_.size() || segments_[at].is_fused) return;
      if (moved_[at]) continue;
      const size_t task = segments_[at].members.front().task;
      std::optional<Partition> partition = partition_of(tasks_[task]);
      if (!partition) return;
      if (partition->bytes() > kMaxBytes || depends_on_any(*partition, passed)) {
        passed.push_back(std::move(*partition));
      } else {
        moved_[at] = true;
        found.push_back({task, std::move(*partition)});
      }
    }
  }

  // Tasks in their order, those that depend on each other in one chain.
  static std::vector<Segment::Chain> chains(const std::vector<Found>& found) {
    std::vector<std::vector<size_t>> growing;  // positions in found
    for (size_t i = 0; i < found.size(); ++i) {
      std::vector<size_t> chain;
      for (std::vector<size_t>& other : growing) {
        const auto needs = [&](size_t position) {
          return depend(found[i].partition, found[position].partition);
        };
        if (std::none_of(other.begin(), other.end(), needs)) continue;
        chain.insert(chain.end(), other.begin(), other.end());
        other.clear();
      }
      chain.push_back(i);
      growing.push_back(std::move(chain));
    }
    std::vector<Segment::Chain> result;
    for (std::vector<size_t>& chain : growing) {
      if (chain.empty()) continue;
      std::sort(chain.begin(), chain.end());
      Segment::Chain& tasks = result.emplace_back();
      for (const size_t position : chain) tasks.push_back(found[position].task);
    }
    return result;
  }

  std::vector<Segment>& segments_;
  const std::vector<Task>& tasks_;
  std::vector<bool> moved_;  // by position in segments_
};

}  // namespace

void co_schedule(std::vector<Segment>& segments, const std::vector<Task>& tasks) {
  Mover(segments, tasks).run();
}

}  // namespace aclgrad::runtime
