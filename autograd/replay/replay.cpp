// SPDX-License-Identifier: Apache-2.0
#include "replay/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/gradients.h"
#include "replay/recordings.h"

namespace aclgrad::replay {
namespace {

constexpr std::uint64_t kCallsBetweenProgress = 64;

const contract::Operator* find_operator(const std::string& name) {
  const auto& all = contract::all_contracts();
  const auto found = std::ranges::find(all, name, &contract::Operator::name);
  return found == all.end() ? nullptr : &*found;
}

class Replay {
 public:
  Replay(const Record& record, Runner& runner, const Options& options)
      : record_(record),
        runner_(runner),
        options_(options),
        history_(record),
        recordings_(record),
        forwards_(record) {
    report_.record = record.folder();
    report_.program = record.program();
    report_.library = runner.path();
    report_.calls = record.calls().size();
    report_.is_torn = record.is_torn();
    for (const Call& call : record.calls()) {
      if (call.plan) run_later_.insert(*call.plan);
    }
  }

  Report run(const std::function<void(std::uint64_t)>& progress) {
    for (const Call& call : record_.calls()) {
      if (call.number % kCallsBetweenProgress == 0) progress(call.number);
      reading(call, [&] { runs_recording(call) ? see_run(call) : see(call); });
    }
    progress(report_.calls);
    std::ranges::stable_sort(report_.findings, {}, &Finding::line);
    return std::move(report_);
  }

 private:
  // Of a recording that was run: its calls.
  void see_run(const Call& run) {
    const Run& all = runs_.emplace_back(recordings_.run_of(run));
    if (all.calls.empty()) {
      leave_out("a run of a recording whose bytes were not kept");
      see(run);
      return;
    }
    memory_.emplace(record_, run);
    for (const Call& call : all.calls) {
      see(call);
      const auto unseen = all.unseen.find(call.number);
      if (unseen != all.unseen.end()) memory_->forget(unseen->second);
    }
    memory_.reset();
    history_.see_run(run);
    for (const std::string& name : all.changed) {
      report_.findings.push_back(
          {run.number, run.function, "changed",
           name + " holds something else after the run, and no call of the recording writes it"});
    }
    if (!options_.gradients) runs_.clear();
  }

  void see(const Call& call) {
    blocks_.see_made(call);
    runner_.see_settings(call);
    std::optional<Task> task = call.plan ? task_of(record_, call) : std::nullopt;
    if (options_.between) {
      for (Between& each : history_.see(call, task ? &*task : nullptr, blocks_)) {
        report_.findings.push_back(
            {each.number, call.function, std::move(each.kind), std::move(each.text), {}, call.run});
      }
    }
    if (call.plan) {
      phase_two(call, task);
    } else if (memory_) {
      memory_->take(record_, call);
    } else if (!planned_operator(call.function).empty() && !run_later_.contains(call.number)) {
      phase_one(call);
    }
    if (options_.gradients) forwards_.see(call);
    blocks_.see_gone(call);
  }

  void leave_out(const std::string& why) { ++report_.left_out[why]; }

  // Numbers of one tensor that are counted one by one.
  static constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

  // The operator of a phase one as a task; null, with the reason counted, where it cannot run.
  bool can_run(const Task& task, const std::string& name) {
    if (!runner_.has(name)) {
      leave_out(fmt::format("{} lacks {}", runner_.path(), name));
      return false;
    }
    const auto is_too_large = [](const TensorArgument& each) {
      return each.count() > kMostElements;
    };
    if (std::ranges::any_of(task.tensors, is_too_large)) {
      leave_out("a tensor of more than 2^31 elements");
      return false;
    }
    if (task.op->call.invoke == nullptr) leave_out("an operator that cannot be called");
    return task.op->call.invoke != nullptr;
  }

  void phase_one(const Call& call) {
    const std::string name = planned_operator(call.function);
    const contract::Operator* const op = find_operator(name);
    if (op == nullptr) {
      leave_out("no contract of " + name);
      return;
    }
    const Task task{op, &call, nullptr, tensors_of(call), {}};
    if (!can_run(task, name)) return;
    const auto outcome = attempt(call, task, true);
    if (!outcome) return;
    ++report_.rows[name].calls;
    compare_statuses(call, call.status, outcome->planned, *outcome, name);
  }

  void phase_two(const Call& call, std::optional<Task>& task) {
    bool is_run = false;
    if (call.recording != 0) {
      // It runs with its recording.
    } else if (!task) {
      leave_out("no contract of " + call.function);
    } else if (call.status != 0 && ran_.contains(*call.plan)) {
      leave_out("refused, of an executor that had run before");
    } else {
      const Filled filled(*task, memory_ ? &*memory_ : nullptr);
      if (!has_bytes(*task)) {
        leave_out(memory_ ? "what it read was overwritten within its recording"
                          : "its bytes were not kept");
      } else if (can_run(*task, call.function)) {
        is_run = run_and_judge(call, *task, filled.any_is_read());
      }
    }
    if (memory_ && !is_run) memory_->take(record_, call);
    if (call.status == 0) ran_.insert(*call.plan);
  }

  // What the tensors of a recording's call held that was overwritten before the recording was done,
  // as it came out here.
  class Filled {
   public:
    Filled(Task& task, const RunMemory* memory) {
      const std::vector<bool> read = read_tensors(task);
      for (std::size_t i = 0; memory != nullptr && i < task.tensors.size(); ++i) {
        const auto extent = task.tensors[i].extent();
        if (!extent || !task.before[i].empty()) continue;
        std::vector<std::byte>& bytes = bytes_.emplace_back(memory->read(extent->at, extent->size));
        // What is only written may have held anything.
        const auto left = std::ranges::find(task.call->after, task.tensors[i].name, &Bytes::name);
        const bool is_left = left != task.call->after.end() && left->content;
        if (bytes.empty() && !read[i] && is_left) bytes.resize(left->size);
        task.before[i] = bytes;
        any_is_read_ = any_is_read_ || read[i];
      }
    }
    bool any_is_read() const { return any_is_read_; }

   private:
    std::deque<std::vector<std::byte>> bytes_;
    bool any_is_read_ = false;
  };

  // Of a recording's call, its results are those that later calls read.
  void write_results(const Task& task, const std::vector<Content>& recorded,
                     const std::vector<std::vector<std::byte>>& here) {
    const std::vector<bool> written = written_tensors(task);
    for (std::size_t i = 0; i < task.tensors.size(); ++i) {
      const auto extent = task.tensors[i].extent();
      if (!extent || !written[i]) continue;
      if (recorded[i].empty()) {
        memory_->write(extent->at, here[i]);
      } else {
        memory_->write(extent->at, recorded[i]);
      }
    }
  }

  std::optional<Outcome> attempt(const Call& call, const Task& task, bool phase_one_alone) {
    try {
      return runner_.run(task, blocks_, phase_one_alone);
    } catch (const std::exception& error) {
      leave_out(fmt::format("{}: {}", call.function, error.what()));
      return std::nullopt;
    }
  }

  // Whether both answered 0.
  bool compare_statuses(const Call& call, std::int64_t recorded, aclnnStatus here,
                        const Outcome& outcome, const std::string& name) {
    if (recorded == here) {
      if (here != 0) ++report_.rows[name].refused;
      return here == 0;
    }
    ++report_.rows[name].beyond;
    report_.findings.push_back({call.number,
                                call.function,
                                "status",
                                fmt::format("it returned {}, here {}{}{}", recorded, here,
                                            outcome.message.empty() ? "" : ": ", outcome.message),
                                {},
                                call.run});
    return false;
  }

  // Whether it ran, as it did there. `is_filled`: some of what it reads was not recorded.
  bool run_and_judge(const Call& call, const Task& task, bool is_filled) {
    const auto outcome = attempt(call, task, false);
    if (!outcome) return false;
    Row& row = report_.rows[call.function];
    ++row.calls;
    if (!compare_statuses(*task.plan, task.plan->status, outcome->planned, *outcome, call.function))
      return false;
    if (!compare_statuses(call, call.status, outcome->ran, *outcome, call.function)) return false;
    const auto after = after_of(record_, call, task);
    if (memory_) {
      write_results(task, after, outcome->after);
      const std::vector<bool> written = written_tensors(task);
      bool is_known = false;
      for (std::size_t i = 0; i < after.size(); ++i)
        is_known = is_known || (written[i] && !after[i].empty());
      if (!is_known) {
        --row.calls;
        leave_out("its results were overwritten within its recording");
        return true;
      }
    }
    Judgement judgement = judge(task, after, outcome->after);
    if (is_filled && judgement.verdict != Verdict::equal) {
      judgement.verdict = Verdict::unjudged;
      judgement.why = "what it read was overwritten within its recording";
    }
    switch (judgement.verdict) {
      case Verdict::equal:
        ++row.equal;
        break;
      case Verdict::within:
        ++row.within;
        row.largest = std::max(row.largest, judgement.largest);
        break;
      case Verdict::unjudged:
        ++row.unjudged;
        report_.unjudged.emplace(call.function, judgement.why);
        break;
      case Verdict::beyond:
        ++row.beyond;
        report_.findings.push_back(
            {call.number, call.function, "value",
             judgement.element ? judgement.element->to_string() : judgement.why, judgement.element,
             call.run});
        break;
    }
    if (!options_.gradients || is_filled) return true;
    GradientCheck check = check_gradients(task, after, forwards_);
    report_.gradients += check.checked;
    if (!check.why.empty()) ++report_.unchecked[call.function + ": " + check.why];
    for (std::string& text : check.wrong) {
      report_.findings.push_back(
          {call.number, call.function, "gradient", std::move(text), {}, call.run});
    }
    return true;
  }

  const Record& record_;
  Runner& runner_;
  const Options& options_;
  History history_;
  Recordings recordings_;
  Forwards forwards_;
  Blocks blocks_;
  std::deque<Run> runs_;               // whose calls forwards_ looks up
  std::optional<RunMemory> memory_;    // while one runs
  std::set<std::uint64_t> run_later_;  // phases one whose phase two follows
  std::set<std::uint64_t> ran_;        // and whose phase two was right before
  Report report_;
};

}  // namespace

std::optional<Task> task_of(const Record& record, const Call& call) {
  const Call& plan = record.calls()[*call.plan];
  const contract::Operator* const op = find_operator(planned_operator(plan.function));
  if (op == nullptr || plan.status != 0) return std::nullopt;
  Task task{op, &plan, &call, tensors_of(plan), {}};
  for (TensorArgument& tensor : task.tensors) {
    const auto found = std::ranges::find(call.before, tensor.name, &Bytes::name);
    Content before;
    auto extent = tensor.extent();
    if (found != call.before.end() && extent) {
      tensor.address += found->at - extent->at;  // it may have moved since phase one
      extent = tensor.extent();
      if (!extent || extent->at != found->at || extent->size != found->size) {
        throw IoError(fmt::format("call {}, {}: the bytes of {} are not those of its shape",
                                  call.number, call.function, tensor.name));
      }
      before = record.content(*found);
    }
    task.before.push_back(before);
  }
  return task;
}

std::vector<Content> after_of(const Record& record, const Call& call, const Task& task) {
  std::vector<Content> all;
  for (const TensorArgument& tensor : task.tensors) {
    const auto found = std::ranges::find(call.after, tensor.name, &Bytes::name);
    const auto extent = tensor.extent();
    const bool fits = found != call.after.end() && extent && extent->size == found->size;
    all.push_back(fits ? record.content(*found) : Content());
  }
  return all;
}

bool has_bytes(const Task& task) {
  for (std::size_t i = 0; i < task.tensors.size(); ++i) {
    if (task.tensors[i].count() > 0 && task.before[i].empty()) return false;
  }
  return true;
}

Report replay(const Record& record, Runner& runner, const Options& options,
              const std::function<void(std::uint64_t)>& progress) {
  return Replay(record, runner, options).run(progress);
}

}  // namespace aclgrad::replay
