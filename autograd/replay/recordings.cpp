// SPDX-License-Identifier: Apache-2.0
#include "replay/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "replay/replay.h"

namespace aclgrad::replay {
namespace {

// Of "17.self" the number, and the rest.
std::pair<std::uint64_t, std::string> parts_of(const std::string& name) {
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [point, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc() || point == end || *point != '.')
    throw IoError(fmt::format("\"{}\" is no tensor of a call of a recording", name));
  return {number, std::string(point + 1, end)};
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  auto operator<=>(const Range&) const = default;
};

// What a call writes, by what the contract says; all that it was given where there is none.
std::vector<Range> written_by(const Record& record, const Call& call) {
  std::vector<Range> all;
  const auto add = [&](std::uint64_t at, std::uint64_t size) {
    if (size > 0 && size <= UINT64_MAX - at) all.push_back({at, at + size});
  };
  if (!call.plan) {
    for (const Bytes& each : call.after) {
      if (each.name != "src") add(each.at, each.size);
    }
    return all;
  }
  const std::optional<Task> task = task_of(record, call);
  const std::vector<bool> written = task ? written_tensors(*task) : std::vector<bool>();
  for (const Bytes& each : call.after) {
    bool is_read_only = false;
    for (std::size_t i = 0; i < written.size(); ++i)
      is_read_only = is_read_only || (!written[i] && task->tensors[i].name == each.name);
    if (!is_read_only) add(each.at, each.size);
  }
  add(address_of(argument(call, "workspace")),
      whole<std::uint64_t>(argument(call, "workspaceSize")));
  return all;
}

// A captured call as a run makes it.
Call run_by(const Call& run, Call call) {
  call.captured = false;
  call.run = run.number;
  call.thread = run.thread;
  const auto stream = run.arguments.find("stream");
  call.arguments["stream"] = stream == run.arguments.end() ? Json() : *stream;
  return call;
}

// The first and the last call that write to a stretch.
struct Writers {
  std::size_t first = SIZE_MAX;
  std::size_t last = 0;
};

}  // namespace

bool runs_recording(const Call& call) {
  return call.function == "aclmdlRIExecute" || call.function == "aclmdlRIExecuteAsync";
}

std::deque<Call> calls_of_run(const Record& record, const Call& run) {
  if (run.before.empty() || run.after.empty()) return {};
  std::map<std::uint64_t, Call> by_number;
  for (const auto& [from, to] :
       {std::pair(&run.before, &Call::before), std::pair(&run.after, &Call::after)}) {
    for (const Bytes& each : *from) {
      auto [number, name] = parts_of(each.name);
      if (number >= run.number || !record.calls()[number].captured)
        throw IoError(fmt::format("call {} was not captured", number));
      const auto [call, is_new] = by_number.try_emplace(number);
      if (is_new) call->second = run_by(run, record.calls()[number]);
      (call->second.*to).push_back({std::move(name), each.at, each.size, each.content});
    }
  }
  std::deque<Call> calls;
  for (auto& [number, call] : by_number) calls.push_back(std::move(call));

  std::map<Range, Writers> stretches;
  for (const Call& call : calls) {
    for (const auto* const all : {&call.before, &call.after}) {
      for (const Bytes& each : *all) stretches[{each.at, each.end()}];
    }
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const Range& written : written_by(record, calls[i])) {
      for (auto& [stretch, writers] : stretches) {
        if (stretch.begin >= written.end) break;
        if (stretch.end <= written.begin) continue;
        writers.first = std::min(writers.first, i);
        writers.last = i + 1;
      }
    }
  }
  // What a stretch held when so many calls had run: what the run found, left, or neither.
  using Held = std::vector<std::optional<std::uint64_t>>;
  const auto held = [&](const Call& call, const Bytes& bytes, std::size_t time) {
    const Writers& writers = stretches.at({bytes.at, bytes.end()});
    const auto find = [&](const std::vector<Bytes>& all) {
      const auto found = std::ranges::find(all, bytes.name, &Bytes::name);
      const bool is_it = found != all.end() && found->at == bytes.at && found->size == bytes.size;
      return is_it ? found->content : std::nullopt;
    };
    if (time <= writers.first) return find(call.before);
    if (time >= writers.last) return find(call.after);
    return std::optional<std::uint64_t>();
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Held found, left;
    for (const Bytes& each : calls[i].before) found.push_back(held(calls[i], each, i));
    for (const Bytes& each : calls[i].after) left.push_back(held(calls[i], each, i + 1));
    for (std::size_t k = 0; k < found.size(); ++k) calls[i].before[k].content = found[k];
    for (std::size_t k = 0; k < left.size(); ++k) calls[i].after[k].content = left[k];
  }
  return calls;
}

RunMemory::RunMemory(const Record& record, const Call& run) {
  for (const Bytes& each : run.before) write(each.at, record.content(each));
}

RunMemory::Stretches::const_iterator RunMemory::from(std::uint64_t at) const {
  const auto behind = stretches_.upper_bound(at);
  if (behind == stretches_.begin()) return behind;
  const auto before = std::prev(behind);
  return before->first + before->second.size() > at ? before : behind;
}

void RunMemory::write(std::uint64_t at, Content bytes) {
  const std::uint64_t end = at + bytes.size();
  auto next = stretches_.erase(from(at), from(at));  // a mutable iterator
  for (std::uint64_t place = at; place < end; ++next) {
    const std::uint64_t begin = next == stretches_.end() ? end : std::min(next->first, end);
    if (place < begin) {  // nothing was known there
      const Content piece = bytes.subspan(place - at, begin - place);
      next = stretches_.emplace_hint(next, place, std::vector(piece.begin(), piece.end()));
      place = begin;
      continue;
    }
    const std::uint64_t stop = std::min(end, next->first + next->second.size());
    std::ranges::copy(bytes.subspan(place - at, stop - place),
                      next->second.begin() + static_cast<std::ptrdiff_t>(place - next->first));
    place = stop;
  }
}

void RunMemory::forget(std::uint64_t at, std::uint64_t size) {
  const std::uint64_t end = at + size;
  for (auto each = from(at); each != stretches_.end() && each->first < end; each = from(at)) {
    const std::uint64_t begin = each->first;
    const std::vector<std::byte> bytes = stretches_.extract(each).mapped();
    const Content all(bytes);
    if (begin < at) write(begin, all.first(at - begin));
    if (begin + all.size() > end) write(end, all.subspan(end - begin));
  }
}

void RunMemory::take(const Record& record, const Call& call) {
  for (const Bytes& each : call.after) {
    if (each.content) {
      write(each.at, record.content(each));
      continue;
    }
    std::vector<std::byte> bytes;
    const auto src = std::ranges::find(call.after, "src", &Bytes::name);
    if (each.name == "dst" && src != call.after.end()) {
      bytes = read(src->at, each.size);
    } else if (each.name == "devPtr" && !read(each.at, each.size).empty()) {
      const auto value = static_cast<std::byte>(whole<std::int64_t>(argument(call, "value")) & 255);
      bytes.assign(each.size, value);
    }
    if (each.name == "src") continue;
    forget(each.at, each.size);
    write(each.at, bytes);
  }
}

std::vector<std::byte> RunMemory::read(std::uint64_t at, std::uint64_t size) const {
  std::vector<std::byte> bytes;
  for (auto each = from(at); bytes.size() < size; ++each) {
    const std::uint64_t place = at + bytes.size();
    if (each == stretches_.end() || each->first > place) return {};
    const Content rest = Content(each->second).subspan(place - each->first);
    const Content piece = rest.first(std::min<std::uint64_t>(rest.size(), size - bytes.size()));
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  return bytes;
}

}  // namespace aclgrad::replay
