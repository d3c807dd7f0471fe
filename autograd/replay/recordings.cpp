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

// What a call has left of what it writes, by what the contract says; of all that it was given where
// there is none.
std::vector<Bytes> written_by(const Record& record, const Call& call) {
  const std::optional<Task> task = call.plan ? task_of(record, call) : std::nullopt;
  const std::vector<bool> written = task ? written_tensors(*task) : std::vector<bool>();
  std::vector<Bytes> all;
  for (const Bytes& each : call.after) {
    bool is_read_only = !call.plan && each.name == "src";
    for (std::size_t i = 0; i < written.size(); ++i)
      is_read_only = is_read_only || (!written[i] && task->tensors[i].name == each.name);
    if (!is_read_only) all.push_back(each);
  }
  return all;
}

// Where a call writes.
std::vector<Range> ranges_of(const Record& record, const Call& call) {
  std::vector<Range> all;
  for (const Bytes& each : written_by(record, call)) all.push_back({each.at, each.end()});
  if (call.plan) {
    const std::uint64_t workspace = address_of(argument(call, "workspace"));
    const auto size = whole<std::uint64_t>(argument(call, "workspaceSize"));
    if (size <= UINT64_MAX - workspace) all.push_back({workspace, workspace + size});
  }
  return all;
}

// A captured call as a run makes it, with those of its arguments that say what it touches.
Call run_by(const Call& run, const Call& captured) {
  Call call;
  call.number = captured.number;
  call.function = captured.function;
  call.thread = run.thread;
  call.plan = captured.plan;
  call.run = run.number;
  for (const char* const name :
       {"workspace", "workspaceSize", "dst", "src", "devPtr", "value", "count", "kind"}) {
    const auto found = captured.arguments.find(name);
    if (found != captured.arguments.end()) call.arguments[name] = *found;
  }
  const auto stream = run.arguments.find("stream");
  call.arguments["stream"] = stream == run.arguments.end() ? Json() : *stream;
  return call;
}

class ReadRun {
 public:
  // With the calls of it of which no bytes were kept.
  ReadRun(const Record& record, const Call& run, const std::map<std::uint64_t, Writes>* unseen)
      : record_(record), run_(run) {
    if (unseen != nullptr) all_.unseen = *unseen;
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
        if (number >= run_.number || !record_.calls()[number].is_captured)
          throw IoError(fmt::format("call {} was not captured", number));
        const auto [call, is_new] = by_number.try_emplace(number);
        if (is_new) call->second = run_by(run_, record_.calls()[number]);
        (call->second.*to)
            .push_back({std::move(name), each.at, each.size, each.content, each.hash});
      }
    }
    for (const auto& [number, writes] : all_.unseen)
      by_number.try_emplace(number, run_by(run_, record_.calls()[number]));
    for (auto& [number, call] : by_number) all_.calls.push_back(std::move(call));
  }

  std::vector<Range> written(const Call& call) const {
    const auto unseen = all_.unseen.find(call.number);
    if (unseen == all_.unseen.end()) return ranges_of(record_, call);
    if (unseen->second.anything) return {{0, UINT64_MAX}};
    std::vector<Range> all;
    for (const auto& [begin, end] : unseen->second.ranges) all.push_back({begin, end});
    return all;
  }

  void find_writers() {
    for (const auto* const all : {&run_.before, &run_.after}) {
      for (const Bytes& each : *all) ranges_[range_of(each)];
    }
    for (std::size_t i = 0; i < all_.calls.size(); ++i) {
      for (const Range& written : written(all_.calls[i])) {
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
    for (std::size_t i = 0; i < run_.before.size(); ++i) {
      const Bytes& before = run_.before[i];
      auto after = run_.after.begin() + static_cast<std::ptrdiff_t>(std::min(i, run_.after.size()));
      if (after == run_.after.end() || after->name != before.name)  // the recorder's order
        after = std::ranges::find(run_.after, before.name, &Bytes::name);
      const bool is_other = after != run_.after.end() && are_other(before, *after);
      if (!is_other || ranges_.at(range_of(before)).last > 0) continue;
      if (changed_.insert(range_of(before)).second) all_.changed.push_back(before.name);
    }
  }

  // What a call found, and what it left, where so many had run before.
  void set_contents(Call& call, std::size_t ran) {
    const Call whole = call;
    for (Bytes& each : call.before) each = held(whole, each, ran);
    for (Bytes& each : call.after) each = held(whole, each, ran + 1);
  }

  Bytes held(const Call& call, const Bytes& bytes, std::size_t ran) const {
    const Range range = range_of(bytes);
    const Writers& writers = ranges_.at(range);
    const bool is_as_found = ran < writers.first;
    const Bytes unknown{bytes.name, bytes.at, bytes.size};
    if (changed_.contains(range) || (!is_as_found && ran < writers.last)) return unknown;
    const std::vector<Bytes>& all = is_as_found ? call.before : call.after;
    const auto there = std::ranges::find(all, bytes.name, &Bytes::name);
    return there != all.end() && range_of(*there) == range ? *there : unknown;
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

Recordings::Recordings(const Record& record) : record_(record) {
  Blocks blocks;
  std::map<std::uint64_t, std::shared_ptr<Unseen>> now;  // by handle
  for (const Call& call : record.calls()) {
    reading(call, [&] {
      blocks.see_made(call);
      if (call.recording != 0 && !call.plan && call.status == 0) {
        Writes writes = may_write(call, blocks);
        if (!writes.anything && writes.ranges.empty()) return;
        auto& unseen = now[call.recording];
        if (unseen == nullptr) unseen = std::make_shared<Unseen>();
        unseen->emplace(call.number, std::move(writes));
      } else if (runs_recording(call)) {
        const auto found = now.find(address_of(argument(call, "modelRI")));
        if (found != now.end()) unseen_[call.number] = found->second;
      } else if (call.function == "aclmdlRIDestroy" && call.status == 0) {
        now.erase(address_of(argument(call, "modelRI")));
      }
      blocks.see_gone(call);
    });
  }
}

Run Recordings::run_of(const Call& call) const {
  if (call.before.empty() || call.after.empty()) return {};
  const auto unseen = unseen_.find(call.number);
  return ReadRun(record_, call, unseen == unseen_.end() ? nullptr : unseen->second.get()).take();
}

RunMemory::RunMemory(const Record& record, const Call& run) {
  for (const Bytes& each : run.before) write(each.at, record.content(each));
}

RunMemory::Stretches::const_iterator RunMemory::from(std::uint64_t at) const {
  const auto behind = stretches_.upper_bound(at);
  if (behind == stretches_.begin()) return behind;
  const auto before = std::prev(behind);
  return before->first + before->second.bytes.size() > at ? before : behind;
}

void RunMemory::write(std::uint64_t at, Content bytes) {
  forget(at, at + bytes.size());
  if (!bytes.empty()) stretches_[at] = {bytes};
}

void RunMemory::write(std::uint64_t at, std::vector<std::byte> bytes) {
  const auto own = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  forget(at, at + own->size());
  if (!own->empty()) stretches_[at] = {*own, own};
}

void RunMemory::forget(std::uint64_t begin, std::uint64_t end) {
  for (auto each = from(begin); each != stretches_.end() && each->first < end; each = from(begin)) {
    const std::uint64_t at = each->first;
    const Stretch whole = stretches_.extract(each).mapped();
    if (at < begin) stretches_[at] = {whole.bytes.first(begin - at), whole.own};
    if (at + whole.bytes.size() > end) stretches_[end] = {whole.bytes.subspan(end - at), whole.own};
  }
}

void RunMemory::forget(const Writes& writes) {
  if (writes.anything) stretches_.clear();
  for (const auto& [begin, end] : writes.ranges) forget(begin, end);
}

void RunMemory::take(const Record& record, const Call& call) {
  for (const Bytes& each : written_by(record, call)) {
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
    forget(each.at, each.end());
    write(each.at, std::move(bytes));
  }
}

std::vector<std::byte> RunMemory::read(std::uint64_t at, std::uint64_t size) const {
  std::vector<std::byte> bytes;
  for (auto each = from(at); bytes.size() < size; ++each) {
    const std::uint64_t place = at + bytes.size();
    if (each == stretches_.end() || each->first > place) return {};
    const Content rest = each->second.bytes.subspan(place - each->first);
    const Content piece = rest.first(std::min<std::uint64_t>(rest.size(), size - bytes.size()));
    bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  return bytes;
}

}  // namespace aclgrad::replay
