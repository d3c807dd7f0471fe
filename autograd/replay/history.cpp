// SPDX-License-Identifier: Apache-2.0
#include "replay/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "acl/acl.h"
#include "aclgrad_contract/numbers.h"
#include "replay/judge.h"

namespace aclgrad::replay {
namespace {

constexpr std::uint64_t kNoStream =
    UINT64_MAX;  // the host's own access, complete when the call returns

bool starts_with_one_of(const std::string& name, std::initializer_list<const char*> starts) {
  return std::ranges::any_of(starts, [&](const char* each) { return name.starts_with(each); });
}

std::optional<Bytes> find_bytes(const std::vector<Bytes>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &Bytes::name);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

bool has_status(const Call& call, int complete) {
  const auto found = call.arguments.find("status");
  return call.status == 0 && found != call.arguments.end() && *found == complete;
}

bool overlap(std::uint64_t a, std::uint64_t a_end, std::uint64_t b, std::uint64_t b_end) {
  return a < b_end && b < a_end;
}

// Whether the elements of a tensor fill its extent.
bool is_dense(const TensorArgument& tensor) {
  const auto extent = tensor.extent();
  const auto count = static_cast<std::uint64_t>(tensor.count());
  return extent && extent->size == count * contract::bytes_of(tensor.dtype);
}

}  // namespace

std::string run_text(std::optional<std::uint64_t> run) {
  return run ? fmt::format(", run by call {}", *run) : "";
}

std::string call_text(const Record& record, std::uint64_t number,
                      std::optional<std::uint64_t> run) {
  return fmt::format("call {}, {}{}", number, record.calls()[number].function, run_text(run));
}

Writes may_write(const Call& call, const Blocks& blocks) {
  if (starts_with_one_of(call.function, {"aclmdlRIExecute", "aclop", "aclgradLaunch", "aclrtMapMem",
                                         "aclrtUnmapMem", "aclnn"})) {
    return {true};
  }
  Writes writes;
  if (starts_with_one_of(call.function, {"aclCreate", "aclDestroy", "aclGet", "aclSet", "AclSet",
                                         "aclInit", "aclrtMemcpyAsync", "aclrtMemsetAsync"})) {
    return writes;
  }
  // Another function that is given memory may write all of it.
  for (const auto& [name, json] : call.arguments.items()) {
    const bool is_read = name == "src" || name == "sendBuf";
    if (is_read || !json.is_string()) continue;
    if (!json.get_ref<const std::string&>().starts_with("0x")) continue;
    const Blocks::Block* const block = blocks.find(address_of(json));
    if (block != nullptr) writes.ranges.emplace_back(block->begin, block->begin + block->size);
  }
  return writes;
}

std::vector<Access> History::accesses_of(const Call& call, const Task* task) const {
  std::vector<Access> all;
  if (task != nullptr) {
    const std::vector<bool> written = written_tensors(*task);
    const std::vector<bool> read = read_tensors(*task);
    for (std::size_t i = 0; i < task->tensors.size(); ++i) {
      const auto extent = task->tensors[i].extent();
      if (!extent) continue;
      const std::string& name = task->tensors[i].name;
      all.push_back({name, extent->at, extent->end(), read[i], written[i],
                     find_bytes(call.before, name), find_bytes(call.after, name)});
    }
    const std::uint64_t workspace = address_of(argument(call, "workspace"));
    const auto size = whole<std::uint64_t>(argument(call, "workspaceSize"));
    if (workspace != 0 && size > 0 && size < UINT64_MAX - workspace) {
      all.push_back({"workspace", workspace, workspace + size, false, true, {}, {}});
    }
    return all;
  }
  const bool copies = call.function == "aclrtMemcpy" || call.function == "aclrtMemcpyAsync";
  const bool fills = call.function == "aclrtMemset" || call.function == "aclrtMemsetAsync";
  if (call.status != 0 || (!copies && !fills)) return all;
  const auto count = whole<std::uint64_t>(argument(call, "count"));
  const auto add = [&](const char* name, bool is_written) {
    const std::uint64_t begin = address_of(argument(call, name));
    if (count == 0 || count > UINT64_MAX - begin) return;
    all.push_back({name, begin, begin + count, !is_written, is_written,
                   find_bytes(call.before, name), find_bytes(call.after, name)});
  };
  if (copies) add("src", false);
  add(copies ? "dst" : "devPtr", true);
  return all;
}

std::vector<Between> History::see(const Call& call, const Task* task, const Blocks& blocks) {
  std::vector<Between> found;
  if (call.recording != 0) return found;  // seen when the recording runs
  see_streams(call);
  if (!planned_operator(call.function).empty()) {
    if (call.status == 0)
      workspaces_[call.number] = whole<std::uint64_t>(argument(call, "workspaceSize"));
    return found;
  }
  const bool is_operator = call.plan.has_value();
  const Writes writes = is_operator ? Writes{task == nullptr} : may_write(call, blocks);
  if (writes.anything) {
    // What it writes is not known: nothing is, from here on.
    memory_.clear();
    uses_.clear();
    return found;
  }
  if (is_operator && call.status != 0) return found;
  if (frees(call)) {
    if (const Blocks::Block* const block = blocks.find(address_of(argument(call, "devPtr")))) {
      cut(block->begin, block->begin + block->size);
    }
    return found;
  }
  const std::vector<Access> accesses = accesses_of(call, task);
  if (accesses.empty()) {
    for (const auto& [begin, end] : writes.ranges) cut(begin, end);
    return found;
  }
  const auto stream_argument = call.arguments.find("stream");
  const std::uint64_t stream =
      stream_argument == call.arguments.end() ? kNoStream : address_of(*stream_argument);
  std::uint64_t ticket = 0;
  if (stream != kNoStream) {
    Clock& clock = streams_[stream];
    for (const auto& [other, done] : host_) clock[other] = std::max(clock[other], done);
    ticket = ++clock[stream];
  }
  for (const Access& each : accesses) {
    if (each.is_read) check_input(call, each, found);
    check_order(call, stream, each, found);
    check_size(call, each, blocks, found);
  }
  if (task != nullptr) check_overlaps(call, *task, accesses, found);
  for (const Access& each : accesses) {
    if (each.is_written) write(call, each);
    if (stream == kNoStream) continue;
    uses_[stream].push_back(
        {each.begin, each.end, {call.number, call.run}, ticket, each.is_written, each.name});
  }
  if (is_complete(call)) host_waited_for(stream);
  return found;
}

void History::see_run(const Call& run) {
  const bool has_waited = run.function == "aclmdlRIExecute" && run.status == 0;
  if (has_waited) host_waited_for(0);  // the default stream
}

void History::check_overlaps(const Call& call, const Task& task,
                             const std::vector<Access>& accesses, std::vector<Between>& found) {
  const auto tensor_of_access = [&](const Access& access) {
    return std::ranges::find(task.tensors, access.name, &TensorArgument::name);
  };
  const auto is_whole = [&](const Access& access) {
    const auto tensor = tensor_of_access(access);
    return tensor == task.tensors.end() || is_dense(*tensor);
  };
  for (const Access& written : accesses) {
    if (!written.is_written || !is_whole(written)) continue;
    for (const Access& other : accesses) {
      const bool is_same = other.begin == written.begin && other.end == written.end &&
                           other.name != "workspace" && written.name != "workspace";
      if (&other == &written || is_same || !is_whole(other)) continue;
      if (other.is_written && &other < &written) continue;  // met before
      if (!overlap(written.begin, written.end, other.begin, other.end)) continue;
      found.push_back(
          {call.number, "overlap",
           fmt::format(
               "{} at {:#x} to {:#x} is written and overlaps {}, {:#x} to {:#x}, which is not the "
               "same view",
               written.name, written.begin, written.end, other.name, other.begin, other.end)});
    }
  }
}

void History::host_waited_for(std::uint64_t stream) {
  for (const auto& [other, done] : streams_[stream]) host_[other] = std::max(host_[other], done);
  uses_.erase(stream);
}

// Whether an asynchronous copy is complete on return, as one is with memory of the host that is not
// pinned.
bool History::is_complete(const Call& call) const {
  const bool is_queued = call.run.has_value();  // in a recording, nothing has to wait for it
  if (call.function != "aclrtMemcpyAsync" || call.status != 0 || is_queued) return false;
  const int kind = whole<int>(argument(call, "kind"));
  if (kind != ACL_MEMCPY_HOST_TO_DEVICE && kind != ACL_MEMCPY_DEVICE_TO_HOST) return false;
  const std::uint64_t host =
      address_of(argument(call, kind == ACL_MEMCPY_HOST_TO_DEVICE ? "src" : "dst"));
  const auto after = pinned_.upper_bound(host);
  return after == pinned_.begin() || std::prev(after)->second <= host;
}

// What the clocks know. One clock is the host's: what one thread has waited for, the others may
// know.
void History::see_streams(const Call& call) {
  const auto join = [](Clock& clock, const Clock& other) {
    for (const auto& [stream, done] : other) clock[stream] = std::max(clock[stream], done);
  };
  const std::string& name = call.function;
  if (name == "aclrtMallocHost" && call.status == 0) {
    const std::uint64_t begin = address_of(argument(call, "hostPtr"));
    const auto size = whole<std::uint64_t>(argument(call, "size"));
    pinned_[begin] = begin + std::min(size, UINT64_MAX - begin);
  } else if (starts_with_one_of(name, {"aclrtFreeHost"})) {
    pinned_.erase(address_of(argument(call, "hostPtr")));
  }
  if (starts_with_one_of(name,
                         {"aclrtLaunchHostFunc", "aclrtLaunchCallback", "aclrtProcessReport"})) {
    uses_.clear();  // what a callback tells the program is not seen
    return;
  }
  if (starts_with_one_of(name,
                         {"aclrtSynchronizeDevice", "aclrtFreeWithDevSync", "aclrtResetDevice"})) {
    for (const auto& [stream, clock] : streams_) join(host_, clock);
    uses_.clear();
    return;
  }
  const bool waits_for_stream =
      starts_with_one_of(name, {"aclrtSynchronizeStream", "aclrtDestroyStream"}) ||
      (name == "aclrtStreamQuery" && has_status(call, ACL_STREAM_STATUS_COMPLETE));
  if (waits_for_stream && call.status == 0) {
    host_waited_for(address_of(argument(call, "stream")));
    return;
  }
  if (name == "aclrtRecordEvent" && call.status == 0) {
    Clock& clock = events_[address_of(argument(call, "event"))];
    clock = streams_[address_of(argument(call, "stream"))];
    join(clock, host_);
  } else if (name.starts_with("aclrtStreamWaitEvent") && call.status == 0) {
    join(streams_[address_of(argument(call, "stream"))],
         events_[address_of(argument(call, "event"))]);
  } else if ((name.starts_with("aclrtSynchronizeEvent") && call.status == 0) ||
             (name == "aclrtQueryEvent" && has_status(call, ACL_EVENT_STATUS_COMPLETE)) ||
             (name == "aclrtQueryEventStatus" &&
              has_status(call, ACL_EVENT_RECORDED_STATUS_COMPLETE))) {
    join(host_, events_[address_of(argument(call, "event"))]);
  }
}

void History::check_input(const Call& call, const Access& access, std::vector<Between>& found) {
  const Content now = access.found ? record_.content(*access.found) : Content();
  auto each = memory_.upper_bound(access.begin);
  if (each != memory_.begin() && std::prev(each)->second.end > access.begin) --each;
  for (; each != memory_.end() && each->first < access.end; ++each) {
    const Written& last = each->second;
    const std::uint64_t begin = std::max(access.begin, each->first);
    const std::uint64_t end = std::min(access.end, last.end);
    if (last.name == "workspace") {
      found.push_back(
          {call.number, "stale input",
           fmt::format(
               "{} reads {:#x} to {:#x}, which nobody has written since it was the workspace of {}",
               access.name, begin, end, call_text(record_, last.writer.number, last.writer.run))});
      return;
    }
    const bool is_same = each->first == access.begin && last.end == access.end;
    if (is_same && access.found && are_other_hashes(last.hash, access.found->hash)) {
      found.push_back({call.number, "stale input",
                       fmt::format("{} is not what {} left there as {}, by its hash{}", access.name,
                                   call_text(record_, last.writer.number, last.writer.run),
                                   last.name, suspects(last.writer.line(), call.line(), begin))});
      return;
    }
    if (!last.content || now.empty()) continue;
    const Content then = record_.content({"", each->first, last.end - each->first, last.content});
    for (std::uint64_t at = begin; at < end; ++at) {
      if (then[at - each->first] == now[at - access.begin]) continue;
      std::uint64_t last_other = at;
      for (std::uint64_t k = at; k < end; ++k) {
        if (then[k - each->first] != now[k - access.begin]) last_other = k;
      }
      found.push_back(
          {call.number, "stale input",
           fmt::format(
               "{} is not what {} left there as {}: bytes {:#x} to {:#x} were changed by something "
               "else{}",
               access.name, call_text(record_, last.writer.number, last.writer.run), last.name, at,
               last_other + 1, suspects(last.writer.line(), call.line(), at))});
      return;
    }
  }
}

// The calls in between whose memory ends or begins nearest to what was changed.
std::string History::suspects(std::uint64_t writer, std::uint64_t reader, std::uint64_t at) const {
  constexpr std::uint64_t kNear = 4096;
  std::string text;
  std::uint64_t nearest = kNear;
  for (std::uint64_t n = writer + 1; n < reader; ++n) {
    for (const Bytes& each : record_.calls()[n].after) {
      const std::uint64_t gap = at >= each.end() ? at - each.end()
                                : at < each.at   ? each.at - at
                                                 : 0;
      if (gap >= nearest) continue;
      nearest = gap;
      text = gap == 0 ? fmt::format("; {} touches them as {}", call_text(record_, n), each.name)
                      : fmt::format("; nearest in between: {}, whose {} lies {} bytes away",
                                    call_text(record_, n), each.name, gap);
    }
  }
  return text.empty() ? "; no call in between touches memory near them" : text;
}

void History::check_order(const Call& call, std::uint64_t stream, const Access& access,
                          std::vector<Between>& found) {
  const Clock& known = stream == kNoStream ? host_ : streams_[stream];
  for (const auto& [other, uses] : uses_) {
    if (other == stream) continue;
    const auto entry = known.find(other);
    const std::uint64_t done = entry == known.end() ? 0 : entry->second;
    const auto first =
        std::ranges::partition_point(uses, [done](const Use& use) { return use.ticket <= done; });
    for (const Use& use : std::ranges::subrange(first, uses.end())) {
      if (!use.is_written && !access.is_written) continue;
      if (!overlap(use.begin, use.end, access.begin, access.end)) continue;
      const std::string text = fmt::format(
          "{} overlaps {} of {} at {:#x} to {:#x}, and nothing orders {} after stream {:#x}",
          access.name, use.name, call_text(record_, use.who.number, use.who.run),
          std::max(use.begin, access.begin), std::min(use.end, access.end),
          stream == kNoStream ? "the host" : fmt::format("stream {:#x}", stream), other);
      // The same pair again and again, in a loop.
      if (said_
              .insert(call.function + access.name + record_.calls()[use.who.number].function +
                      use.name)
              .second) {
        found.push_back({call.number, "race", text});
      }
      return;
    }
  }
}

void History::check_size(const Call& call, const Access& access, const Blocks& blocks,
                         std::vector<Between>& found) {
  const Blocks::Block* const block = blocks.find(access.begin);
  if (block != nullptr && access.end - block->begin > block->size) {
    found.push_back(
        {call.number, "size",
         fmt::format("{} reaches {} bytes beyond the end of its memory: {} gave {} bytes at {:#x}",
                     access.name, access.end - block->begin - block->size,
                     call_text(record_, block->maker), block->size, block->begin)});
  }
  if (access.name != "workspace" || !call.plan) return;
  const auto asked = workspaces_.find(*call.plan);
  if (asked != workspaces_.end() && access.end - access.begin < asked->second) {
    found.push_back({call.number, "size",
                     fmt::format("its workspace has {} bytes, and phase one asked for {}",
                                 access.end - access.begin, asked->second)});
  }
}

void History::cut(std::uint64_t begin, std::uint64_t end) {
  auto each = memory_.lower_bound(begin);
  if (each != memory_.begin()) {
    const auto before = std::prev(each);
    if (before->second.end > begin) {
      before->second.hash.clear();
      Written rest = before->second;
      before->second.end = begin;
      if (rest.end > end) {
        if (rest.content) *rest.content += end - before->first;
        memory_[end] = rest;
      }
    }
  }
  while (each != memory_.end() && each->first < end) {
    Written rest = each->second;
    const std::uint64_t first = each->first;
    each = memory_.erase(each);
    if (rest.end > end) {
      rest.hash.clear();
      if (rest.content) *rest.content += end - first;
      memory_[end] = rest;
      break;
    }
  }
}

void History::write(const Call& call, const Access& access) {
  cut(access.begin, access.end);
  const bool is_known =
      access.left && access.left->at == access.begin && access.left->end() == access.end;
  memory_[access.begin] = {access.end,
                           {call.number, call.run},
                           access.name,
                           is_known ? access.left->content : std::nullopt,
                           is_known ? access.left->hash : ""};
}

}  // namespace aclgrad::replay
