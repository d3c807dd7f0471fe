// SPDX-License-Identifier: Apache-2.0
// What the checks know about a task of a stream: what it touches, under which names, and who queued
// it. The info travels inside the task, so that recorded tasks are checked in every replay too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ops/diagnostics/call_site.h"
#include "ops/diagnostics/checks.h"
#include "ops/diagnostics/region.h"
#include "ops/runtime/call/hooks.h"
#include "ops/runtime/stream/stream.h"

namespace aclgrad::diagnostics {

// The checks that look at what tasks touch.
constexpr uint32_t kNeedTaskInfo = kMemory | kUninit | kStreams;

using runtime::Effects;
using runtime::Stream;
using runtime::Task;
using runtime::VectorClock;

// Sizes and strides without dimensions of size 1, and with those joined that lie in one line: two
// views are the same, element by element, if they begin at one address and have the same of these.
using Axes = std::vector<std::pair<int64_t, int64_t>>;

struct Access {
  const char* argument = "";  // of the operator or of the function
  Region region;
  bool is_read = false;
  bool is_written = false;
  bool may_be_host = false;      // copies take memory of the program; operators do not
  const void* tensor = nullptr;  // by which a recorded model may move it
  const void* first = nullptr;   // its first element
  size_t element_size = 0;
  Axes axes = {};
};

std::vector<Access> accesses_of(const Effects& effects);

// "reads", "writes" or "reads and writes".
const char* verb(const Access& access);

struct TaskInfo {
  std::string name;    // "aclnnSelu", "the memory copy"
  std::string stream;  // "stream 1"
  std::vector<Access> accesses;
  std::vector<uint64_t> allocations;  // serial number of each access's one, 0 for foreign memory
  bool is_host_code = false;          // runs a function of the program
  CallSite queued;

  // Looks the accesses' allocations up.
  void find_allocations();

  // Written when the task is submitted, under the lock of the order (order.h).
  int32_t stream_id = -1;
  uint64_t ticket = 0;
  std::shared_ptr<const VectorClock> clock;

  // "aclnnSelu (argument self) on stream 1"
  std::string describe(const Access& access) const;
};

// The task with a info, which is checked before and after it runs. A task that would leave its
// memory is not run; it fails with 507015, as it would on the device. When this throws, the task is
// released.
Task track_task(Task task, const Stream& stream, const Effects& effects);

// Null when it has none.
std::shared_ptr<TaskInfo> info_of(const Task& task);

// While it lives, the calling thread is inside the task with this info (null: inside none).
class InsideTask {
 public:
  explicit InsideTask(std::shared_ptr<TaskInfo> info);
  ~InsideTask();
  InsideTask(const InsideTask&) = delete;
  InsideTask& operator=(const InsideTask&) = delete;

  static std::shared_ptr<TaskInfo> current();

 private:
  std::shared_ptr<TaskInfo> outer_;
};

}  // namespace aclgrad::diagnostics
