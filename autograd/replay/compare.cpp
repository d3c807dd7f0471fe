// SPDX-License-Identifier: Apache-2.0
// Two records, call by call.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "replay/recordings.h"
#include "replay/replay.h"

namespace aclgrad::replay {
namespace {

// The operators and copies of a record, those of recordings when they run: what moves numbers.
// Addresses and what describes may differ. `runs` has the calls of recordings.
std::vector<const Call*> steps_of(const Record& record, std::deque<Run>& runs) {
  std::vector<const Call*> steps;
  const Recordings recordings(record);
  for (const Call& call : record.calls()) {
    if (runs_recording(call)) {
      reading(call, [&] { runs.push_back(recordings.run_of(call)); });
      for (const Call& each : runs.back().calls) steps.push_back(&each);
    }
    const bool moves = call.plan || !planned_operator(call.function).empty() ||
                       call.function.starts_with("aclrtMemcpy") ||
                       call.function.starts_with("aclrtMemset");
    if (moves) steps.push_back(&call);
  }
  return steps;
}

// An argument without what differs from run to run.
Json plain(const Json& json) {
  if (json.is_string() && json.get_ref<const std::string&>().starts_with("0x")) return "an address";
  if (!json.is_structured()) return json;
  Json out = json;
  for (auto& [key, value] : out.items()) value = plain(value);
  return out;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 200;
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

// The last call before one that left something at these bytes.
std::string feeder_of(const Record& record, const Bytes& bytes, std::uint64_t before) {
  for (std::uint64_t n = before; n-- > 0;) {
    for (const Bytes& each : record.calls()[n].after) {
      if (each.at < bytes.end() && bytes.at < each.end()) {
        return fmt::format("{} as {}", call_text(record, n), each.name);
      }
    }
  }
  return "no call of the record";
}

class Compare {
 public:
  Compare(const Record& a, const Record& b, Runner& runner) : a_(a), b_(b), runner_(runner) {}

  std::string run() {
    std::deque<Run> runs;
    const std::vector<const Call*> left = steps_of(a_, runs);
    const std::vector<const Call*> right = steps_of(b_, runs);
    std::size_t next_block = 0;
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
      for (; next_block <= left[i]->line(); ++next_block) {
        const Call& call = a_.calls()[next_block];
        reading(call, [&] {
          blocks_.see_made(call);
          blocks_.see_gone(call);
        });
      }
      const std::string text = reading(*left[i], [&] { return difference(*left[i], *right[i]); });
      if (!text.empty()) return text;
    }
    if (left.size() == right.size()) return "";
    const bool is_shorter = left.size() < right.size();
    return fmt::format(
        "{} ends after {} steps, {} goes on: {}", (is_shorter ? a_ : b_).folder(),
        std::min(left.size(), right.size()), (is_shorter ? b_ : a_).folder(),
        call_text(is_shorter ? b_ : a_,
                  (is_shorter ? right : left)[std::min(left.size(), right.size())]->number));
  }

 private:
  std::string where(const Call& a, const Call& b) const {
    if (a.number == b.number && a.run == b.run) return call_text(a_, a.number, a.run);
    std::string text = fmt::format("call {} and {}, {}", a.number, b.number, a.function);
    if (a.run && b.run) text += fmt::format(", run by call {} and {}", *a.run, *b.run);
    return text;
  }

  std::string difference(const Call& a, const Call& b) {
    if (a.function != b.function) {
      return fmt::format("{} and {}: other functions are called", call_text(a_, a.number),
                         call_text(b_, b.number));
    }
    if (!planned_operator(a.function).empty()) {
      for (const auto& [name, json] : a.arguments.items()) {
        if (name == "workspaceSize" || name == "executor" || !b.arguments.contains(name)) continue;
        const Json left = plain(json);
        const Json right = plain(b.arguments.at(name));
        if (left != right) {
          return fmt::format("{}: {} is {} and {}", where(a, b), name, shortened(left.dump()),
                             shortened(right.dump()));
        }
      }
    }
    const auto task = a.plan ? task_of(a_, a) : std::nullopt;
    const std::string inputs = other_bytes(a, b, task, true);
    if (!inputs.empty()) return where(a, b) + inputs;
    if (a.status != b.status)
      return fmt::format("{}: the status is {} and {}", where(a, b), a.status, b.status);
    const std::string results = other_bytes(a, b, task, false);
    if (results.empty()) return "";
    if (!a.plan) return where(a, b) + results;
    const bool is_known = has_inputs(a, task) && has_inputs(b, task);
    return where(a, b) + results +
           (is_known ? " from the same inputs" + judged(a, b, task)
                     : "; not all of what it read is in the records");
  }

  static bool has_inputs(const Call& call, const std::optional<Task>& task) {
    if (!task) return false;
    const std::vector<bool> read = read_tensors(*task);
    for (std::size_t i = 0; i < task->tensors.size(); ++i) {
      if (!read[i] || task->tensors[i].count() == 0) continue;
      const auto there = std::ranges::find(call.before, task->tensors[i].name, &Bytes::name);
      const bool is_kept = there != call.before.end() && (there->content || !there->hash.empty());
      if (!is_kept) return false;
    }
    return true;
  }

  // The first argument of which both kept the bytes, and not the same ones. What is only written
  // has others before.
  std::string other_bytes(const Call& a, const Call& b, const std::optional<Task>& task,
                          bool is_before) {
    const std::vector<Bytes>& left = is_before ? a.before : a.after;
    const std::vector<Bytes>& right = is_before ? b.before : b.after;
    const std::vector<bool> read = task ? read_tensors(*task) : std::vector<bool>();
    for (const Bytes& each : left) {
      const auto other = std::ranges::find(right, each.name, &Bytes::name);
      if (other == right.end()) continue;
      if (is_before && task) {
        const auto tensor = std::ranges::find(task->tensors, each.name, &TensorArgument::name);
        if (tensor == task->tensors.end() ||
            !read[static_cast<std::size_t>(tensor - task->tensors.begin())])
          continue;
      }
      const auto x = a_.content(each);
      const auto y = b_.content(*other);
      std::string text;
      if (x.empty() || y.empty()) {  // of both there may be hashes
        if (!are_other_hashes(each.hash, other->hash)) continue;
        text = fmt::format(": {} differs", each.name);
      } else {
        if (std::ranges::equal(x, y)) continue;
        const auto at = std::ranges::mismatch(x, y).in1 - x.begin();
        text = fmt::format(": {} differs from byte {} on", each.name, at);
      }
      if (is_before) text += ", which was fed by " + feeder_of(a_, each, a.line());
      return text;
    }
    return "";
  }

  // Whether both are right.
  std::string judged(const Call& a, const Call& b, const std::optional<Task>& task) {
    const auto other = task_of(b_, b);
    if (!task || !other || !has_bytes(*task) || !runner_.has(a.function)) return "";
    const Outcome here = runner_.run(*task, blocks_, false);
    if (here.planned != 0 || here.ran != 0) return "";
    std::string text;
    for (const auto& [record, after] :
         {std::pair(&a_, after_of(a_, a, *task)), std::pair(&b_, after_of(b_, b, *other))}) {
      const Judgement judgement = judge(*task, after, here.after);
      text += fmt::format("; {} is {}", record->folder(),
                          judgement.verdict == Verdict::equal      ? "as here"
                          : judgement.verdict == Verdict::within   ? "within its bound"
                          : judgement.verdict == Verdict::unjudged ? "not judged: " + judgement.why
                          : judgement.element ? "wrong: " + judgement.element->to_string()
                                              : "wrong: " + judgement.why);
    }
    return text;
  }

  const Record& a_;
  const Record& b_;
  Runner& runner_;
  Blocks blocks_;
};

}  // namespace

std::string first_difference(const Record& a, const Record& b, Runner& runner) {
  return Compare(a, b, runner).run();
}

}  // namespace aclgrad::replay
