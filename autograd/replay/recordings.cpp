// SPDX-License-Identifier: Apache-2.0
#include "replay/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

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

class ReadRun {
 public:
  ReadRun(const Record& record, const Call& run) : record_(record), run_(run) {
    add_calls();
    find_writers();
    find_changed();
    for (std::size_t i = 0; i < all_.calls.size(); ++i) set_contents(all_.calls[i], i);
  }
  Run take() { return std::move(all_); }

 private:
  // The first and the last call that write to a range, from 1 on.
  struct Writers {
    std::size_t first = SIZE_MAX;
    std::size_t last = 0;
  };
  static Range range_of(const Bytes& bytes) { return {bytes.at, bytes.end()}; }

  void add_calls() {
    std::map<std::uint64_t, Call> by_number;
    for (const auto& [from, to] :
         {std::pair(&run_.before, &Call::before), std::pair(&run_.after, &Call::after)}) {
      for (const Bytes& each : *from) {
        auto [number, name] = parts_of(each.name);
        if (number >= run_.number || !record_.calls()[number].captured)
          throw IoError(fmt::format("call {} was not captured", number));
        const auto [call, is_new] = by_number.try_emplace(number);
        if (is_new) call->second = run_by(run_, record_.calls()[number]);
        (call->second.*to).push_back({std::move(name), each.at, each.size, each.content});
      }
    }
    for (auto& [number, call] : by_number) all_.calls.push_back(std::move(call));
  }

  void find_writers() {
    for (const auto* const all : {&run_.before, &run_.after}) {
      for (const Bytes& each : *all) ranges_[range_of(each)];
    }
    for (std::size_t i = 0; i < all_.calls.size(); ++i) {
      for (const Range& written : written_by(record_, all_.calls[i])) {
        for (auto& [range, writers] : ranges_) {
          if (range.begin >= written.end) break;
          if (range.end <= written.begin) continue;
          writers.first = std::min(writers.first, i + 1);
          writers.last = i + 1;
        }
      }
    }
  }

  // Of a range that no call writes it is not known when it was changed, if it was.
  void find_changed() {
    for (const Bytes& before : run_.before) {
      const auto after = std::ranges::find(run_.after, before.name, &Bytes::name);
      const bool is_other = after != run_.after.end() && before.content && after->content &&
                            *before.content != *after->content;
      if (!is_other || ranges_.at(range_of(before)).last > 0) continue;
      if (changed_.insert(range_of(before)).second) all_.changed.push_back(before.name);
    }
  }

  // What a call found, and what it left, where so many had run before.
  void set_contents(Call& call, std::size_t ran) {
    const Call whole = call;
    for (Bytes& each : call.before) each.content = held(whole, each, ran);
    for (Bytes& each : call.after) each.content = held(whole, each, ran + 1);
  }

  std::optional<std::uint64_t> held(const Call& call, const Bytes& bytes, std::size_t ran) const {
    const Range range = range_of(bytes);
    const Writers& writers = ranges_.at(range);
    const bool is_as_found = ran < writers.first;
    if (changed_.contains(range) || (!is_as_found && ran < writers.last)) return std::nullopt;
    const std::vector<Bytes>& all = is_as_found ? call.before : call.after;
    const auto there = std::ranges::find(all, bytes.name, &Bytes::name);
    return there != all.end() && range_of(*there) == range ? there->content : std::nullopt;
  }

  const Record& record_;
  const Call& run_;
  Run all_;
  std::map<Range, Writers> ranges_;
  std::set<Range> changed_;
};

}  // namespace

bool runs_recording(const Call& call) {
  return call.function == "aclmdlRIExecute" || call.function == "aclmdlRIExecuteAsync";
}

Run run_of(const Record& record, const Call& call) {
  const bool is_kept = !call.before.empty() && !call.after.empty();
  return is_kept ? ReadRun(record, call).take() : Run();
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
