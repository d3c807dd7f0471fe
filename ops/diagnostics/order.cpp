// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <new>
#include <unordered_map>

#include "ops/diagnostics/blocks.h"
#include "ops/diagnostics/objects.h"
#include "ops/diagnostics/report.h"
#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/capture/recorded_model.h"
#include "ops/runtime/context/event.h"

namespace aclgrad::diagnostics {
namespace {

// Where an event was recorded that a replay recorded: on a stream that is not known. A wait
// for it is taken to come after everything that was submitted so far.
constexpr int32_t kAnyStream = -1;

// Submissions of a stream that are remembered although they were not waited for.
constexpr size_t kMaxRemembered = 4096;

using TaskInfos = std::vector<std::shared_ptr<TaskInfo>>;
using ClockPointer = std::shared_ptr<const VectorClock>;

struct Use {
  TaskInfos infos;
  uint64_t ticket = 0;
};

struct Line {  // one stream
  VectorClock clock;
  std::map<uint64_t, ClockPointer> points;  // the clock at each ticket
  std::deque<Use> uses;                     // that the host does not know to be over
};

struct World {
  std::mutex mutex;
  std::unordered_map<int32_t, Line> lines;
  VectorClock host;
};

World& world() { return runtime::never_destroyed<World>(); }

// Closed streams are left out: all their tasks are over, and the host knows it.
void join(const World& all, VectorClock& clock, const VectorClock& other) {
  for (const auto& [stream, ticket] : other) {
    if (all.lines.contains(stream)) clock[stream] = std::max(clock[stream], ticket);
  }
}

uint64_t known(const VectorClock& clock, int32_t stream) {
  const auto found = clock.find(stream);
  return found == clock.end() ? 0 : found->second;
}

// What lies before the end of the stream's task with this ticket. Of a task that is forgotten, what
// lies before the first one that is not: rather too much, which reports too little.
VectorClock clock_at(const Line& line, int32_t stream, uint64_t ticket) {
  VectorClock clock;
  auto point = line.points.upper_bound(ticket);
  if (point != line.points.begin()) --point;
  if (point != line.points.end()) clock = *point->second;
  clock[stream] = ticket;
  return clock;
}

VectorClock clock_at(const World& all, int32_t stream, uint64_t ticket) {
  VectorClock clock;
  if (stream == kAnyStream) {
    for (const auto& [id, line] : all.lines) join(all, clock, line.clock);
  } else if (const auto found = all.lines.find(stream); found != all.lines.end()) {
    clock = clock_at(found->second, stream, ticket);
  }
  return clock;
}

void learn(World& all, const VectorClock& clock) {
  join(all, all.host, clock);
  for (auto& [stream, line] : all.lines) {
    const uint64_t over = known(all.host, stream);
    while (!line.uses.empty() && line.uses.front().ticket <= over) line.uses.pop_front();
    // The last point that is over stays: its clock says what lies before it.
    const auto keep = line.points.upper_bound(over);
    if (keep != line.points.begin()) line.points.erase(line.points.begin(), std::prev(keep));
  }
}

struct Side {
  std::string name;     // "aclnnSelu (argument self) on stream 1"
  std::string heading;  // "aclnnSelu was queued"
  const Access* access;
  const CallSite* call_site;
};

Side side_of(const TaskInfo& info, const Access& access) {
  return {info.describe(access), fmt::format("{} on {} was queued", info.name, info.stream),
          &access, &info.queued};
}

void report_unordered(const Side& later, const Side& earlier, const Bytes& common) {
  const std::string where =
      fmt::format("  {}\n{}  {}\n{}", later.heading, later.call_site->frames("    "),
                  earlier.heading, earlier.call_site->frames("    "));
  const std::string sentence =
      fmt::format("{} {} memory that {} {}, and nothing orders the two", later.name,
                  verb(*later.access), earlier.name, verb(*earlier.access));
  report(kStreams,
         fmt::format("{}.\n  Both touch {}.\n{}"
                     "  To fix: synchronise the earlier stream before the later call, or record an "
                     "event after the earlier task and let the later stream wait for it.\n",
                     sentence, describe_bytes(common), where),
         sentence + where);
}

// Reports the first clash between the two, if there is one.
void check_pair(const Access& later, uint64_t allocation, auto later_side,
                const TaskInfo& earlier) {
  if (allocation == 0) return;
  for (size_t i = 0; i < earlier.accesses.size(); ++i) {
    const Access& other = earlier.accesses[i];
    if (earlier.allocations[i] != allocation || !(later.is_written || other.is_written)) continue;
    const Bytes common = first_common(later.region, other.region);
    if (!common.empty()) report_unordered(later_side(), side_of(earlier, other), common);
  }
}

void check_against(World& all, int32_t stream, const VectorClock& clock, const TaskInfo& info) {
  for (const auto& [id, line] : all.lines) {
    if (id == stream) continue;
    const uint64_t over = known(clock, id);
    for (const Use& use : line.uses) {
      if (use.ticket <= over) continue;
      for (const auto& earlier : use.infos) {
        for (size_t i = 0; i < info.accesses.size(); ++i) {
          check_pair(
              info.accesses[i], info.allocations[i],
              [&] { return side_of(info, info.accesses[i]); }, *earlier);
        }
      }
    }
  }
}

TaskInfos infos_of(const Task& task) {
  TaskInfos infos;
  if (const auto* const model = runtime::RecordedModel::of(task)) {
    for (const Task& each : model->tasks()) {
      if (auto info = info_of(each)) infos.push_back(std::move(info));
    }
  } else if (auto info = info_of(task)) {
    infos.push_back(std::move(info));
  }
  return infos;
}

void enter(World& all, int32_t stream, uint64_t ticket, TaskInfos infos,
           const runtime::EventRecord* awaits) {
  Line& line = all.lines[stream];
  if (awaits != nullptr) {
    join(all, line.clock, clock_at(all, awaits->stream_id(), awaits->ticket()));
  }
  // The host submits it, so it comes after everything that the host knows.
  join(all, line.clock, all.host);
  line.clock[stream] = ticket;
  const auto clock = std::make_shared<const VectorClock>(line.clock);
  line.points[ticket] = clock;
  if (line.points.size() > kMaxRemembered) line.points.erase(line.points.begin());
  for (const auto& info : infos) {
    info->stream_id = stream;
    info->ticket = ticket;
    info->clock = clock;
    check_against(all, stream, *clock, *info);
  }
  if (infos.empty()) return;
  line.uses.push_back({std::move(infos), ticket});
  if (line.uses.size() > kMaxRemembered) line.uses.pop_front();
}

}  // namespace

aclError submit_in_order(Stream& stream, Task task, uint64_t* ticket,
                         const runtime::EventRecord* awaits) {
  if (!enabled(kStreams)) return stream.submit(std::move(task), ticket);
  TaskInfos infos;
  try {
    world();
    infos = infos_of(task);
  } catch (const std::bad_alloc&) {
    return stream.submit(std::move(task), ticket);  // unseen
  }
  uint64_t mine = 0;
  // Locked until the task is entered, for it may run at once and its host code look here.
  const std::lock_guard lock(world().mutex);
  const aclError status = stream.submit(std::move(task), &mine);
  if (status != ACL_SUCCESS) return status;
  if (ticket != nullptr) *ticket = mine;
  quietly([&] { enter(world(), stream.id(), mine, std::move(infos), awaits); });
  return ACL_SUCCESS;
}

void host_waited(int32_t stream, uint64_t ticket) noexcept {
  if (!enabled(kStreams)) return;
  quietly([&] {
    const std::lock_guard lock(world().mutex);
    learn(world(), clock_at(world(), stream, ticket));
  });
}

void reached_by_host(const TaskInfo& info) noexcept {
  if (!enabled(kStreams)) return;
  quietly([&] {
    const std::lock_guard lock(world().mutex);
    if (info.clock) learn(world(), *info.clock);
  });
}

void stream_closed(int32_t stream) noexcept {
  if (!enabled(kStreams)) return;
  quietly([&] {
    const std::lock_guard lock(world().mutex);
    world().lines.erase(stream);
    world().host.erase(stream);
    for (auto& [id, line] : world().lines) line.clock.erase(stream);
  });
}

void check_order_of_host(const char* function, const std::vector<Access>& accesses,
                         const CallSite& call_site) noexcept {
  if (!enabled(kStreams)) return;
  quietly([&] {
    const std::shared_ptr<TaskInfo> inside = InsideTask::current();
    const std::lock_guard lock(world().mutex);
    for (const auto& [id, line] : world().lines) {
      // Code that a stream runs is a part of the stream.
      if (inside != nullptr && inside->stream_id == id) continue;
      const bool is_clocked = inside != nullptr && inside->clock;
      const uint64_t over = known(is_clocked ? *inside->clock : world().host, id);
      for (const Use& use : line.uses) {
        if (use.ticket <= over) continue;
        for (const auto& earlier : use.infos) {
          const bool comes_later = is_clocked && earlier->clock &&
                                   known(*earlier->clock, inside->stream_id) >= inside->ticket;
          if (comes_later) continue;
          for (const Access& access : accesses) {
            if (access.region.empty()) continue;
            const auto side = [&] {
              return Side{fmt::format("{} (argument {})", function, access.argument),
                          fmt::format("{} is called", function), &access, &call_site};
            };
            check_pair(access, find_in_blocks(access.region).serial, side, *earlier);
          }
        }
      }
    }
  });
}

void task_recorded(const Task& task, int32_t stream, const VectorClock& clock) noexcept {
  if (!enabled(kStreams)) return;
  quietly([&] {
    const std::shared_ptr<TaskInfo> info = info_of(task);
    if (!info) return;
    const std::lock_guard lock(world().mutex);
    info->stream_id = stream;
    info->ticket = known(clock, stream);
    info->clock = std::make_shared<const VectorClock>(clock);
  });
}

void check_recording(const std::vector<Task>& tasks) noexcept {
  if (!enabled(kStreams)) return;
  quietly([&] {
    TaskInfos infos;
    for (const Task& task : tasks) {
      if (auto info = info_of(task); info && info->clock) infos.push_back(std::move(info));
    }
    const bool is_one_line = std::all_of(infos.begin(), infos.end(), [&](const auto& info) {
      return info->stream_id == infos.front()->stream_id;
    });
    if (is_one_line) return;
    for (size_t b = 0; b < infos.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        const TaskInfo& later = *infos[b];
        const TaskInfo& earlier = *infos[a];
        if (known(*later.clock, earlier.stream_id) >= earlier.ticket) continue;
        for (size_t i = 0; i < later.accesses.size(); ++i) {
          check_pair(
              later.accesses[i], later.allocations[i],
              [&] { return side_of(later, later.accesses[i]); }, earlier);
        }
      }
    }
  });
}

}  // namespace aclgrad::diagnostics
