// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/diagnostics/call_site.h"
#include "ops/diagnostics/report.h"
#include "ops/runtime/base/never_destroyed.h"

namespace aclgrad::diagnostics {
namespace {

constexpr std::string_view kExecutor = "aclOpExecutor";

// One object, from its making on.
struct Life {
  const char* kind = "";
  uint64_t number = 0;  // within its kind, from 1
  std::string detail;
  CallSite made;
  std::optional<CallSite> changed;
  std::optional<CallSite> gone;
  uint64_t version = 0;   // of its state; never the same for two
  bool used = false;      // an executor that has reached phase two
  bool reported = false;  // as left over

  // "allocation 2 (64 bytes of device memory)"
  std::string name() const {
    return fmt::format("{} {}{}{}", kind, number, detail.empty() ? "" : " ", detail);
  }

  // Where it was made, changed and ended, in lines with this indent.
  std::string history(const std::string& indent) const {
    const auto line = [&](const std::string& what, const CallSite& call_site) {
      return fmt::format("{}{} by {}\n{}", indent, what, call_site.function(),
                         call_site.frames(indent + "  "));
    };
    std::string text = line(fmt::format("It is {}, made", name()), made);
    if (changed) text += line("changed", *changed);
    if (gone) text += line("and ended", *gone);
    return text;
  }

  bool is_executor() const { return std::string_view(kind) == kExecutor; }
};

struct Lives {
  std::mutex mutex;
  std::unordered_map<const void*, std::shared_ptr<Life>> by_handle;  // the latest of each handle
  std::deque<std::pair<const void*, std::weak_ptr<Life>>> dead;
  std::map<std::string_view, uint64_t> numbers;
  uint64_t latest_version = 0;

  // With the mutex locked; null when nothing is known of the handle.
  Life* find(const void* handle) const {
    const auto found = by_handle.find(handle);
    return found == by_handle.end() ? nullptr : found->second.get();
  }
};

Lives& lives() { return runtime::never_destroyed<Lives>(); }

// Dead objects that are remembered; older ones are forgotten.
constexpr size_t kMaxDead = 65536;

void forget_oldest(Lives& all) {
  const auto [handle, life] = all.dead.front();
  all.dead.pop_front();
  const auto found = all.by_handle.find(handle);
  // The handle may stand for a newer object by now.
  if (found != all.by_handle.end() && found->second == life.lock()) all.by_handle.erase(found);
}

// The check that a dead handle is a matter of, and what to do about it.
struct Advice {
  Check check;
  const char* text;
};

Advice advice_for(const Life* life) {
  if (enabled(kPhases) && life != nullptr && life->is_executor()) {
    return {kPhases,
            "call phase one again for each phase two, or make the executor repeatable with "
            "aclSetAclOpExecutorRepeatable"};
  }
  return {kHandles,
          "give a handle only to functions of its kind, and to none after it was destroyed"};
}

// ---- What is left at aclFinalize ----------------------------------------------------------------

// Different places that a report shows.
constexpr size_t kMaxPlaces = 20;

// Objects of one kind that were made in one way.
struct Leak {
  std::shared_ptr<Life> first;
  size_t count = 0;
};

// Calls that take things away from a program that has not destroyed them itself.
bool takes_away(const std::string& function) {
  return function.rfind("aclrtReset", 0) == 0 || function.rfind("aclFinalize", 0) == 0 ||
         function == "aclrtDestroyContext";
}

bool is_left(const Life& life) { return !life.gone || takes_away(life.gone->function()); }

bool never_ran(const Life& life) { return life.is_executor() && !life.used && !life.gone; }

// The objects that still live and were not reported, by kind and call site, oldest first.
template <class Predicate>
std::vector<Leak> take(Predicate is_meant) {
  std::vector<std::shared_ptr<Life>> left;
  const std::lock_guard lock(lives().mutex);
  for (const auto& [handle, life] : lives().by_handle) {
    if (life->reported || !is_meant(*life)) continue;
    life->reported = true;
    left.push_back(life);
  }
  std::sort(left.begin(), left.end(), [](const auto& a, const auto& b) {
    const int kinds = std::string_view(a->kind).compare(b->kind);
    return kinds != 0 ? kinds < 0 : a->number < b->number;
  });
  std::vector<Leak> leaks;
  for (const auto& life : left) {
    const auto same = std::find_if(leaks.begin(), leaks.end(), [&](const Leak& leak) {
      return std::string_view(leak.first->kind) == life->kind && leak.first->made == life->made;
    });
    if (same == leaks.end()) {
      leaks.push_back({life, 1});
    } else {
      ++same->count;
    }
  }
  return leaks;
}

std::string describe(const Leak& leak) {
  const Life& life = *leak.first;
  std::string text =
      fmt::format("  {}{}, made by {}\n{}", life.name(),
                  leak.count == 1 ? "" : fmt::format(" and {} more of its kind", leak.count - 1),
                  life.made.function(), life.made.frames("    "));
  if (life.gone) text += fmt::format("    (taken away by {})\n", life.gone->function());
  return text;
}

void report_leaks(Check check, const std::vector<Leak>& leaks, const char* one, const char* several,
                  const char* fix) {
  if (leaks.empty()) return;
  size_t count = 0;
  for (const Leak& leak : leaks) count += leak.count;
  std::string text = fmt::format("{} {} before aclFinalize.\n", count, count == 1 ? one : several);
  for (size_t i = 0; i < std::min(leaks.size(), kMaxPlaces); ++i) text += describe(leaks[i]);
  if (leaks.size() > kMaxPlaces) {
    text += fmt::format("  and more from {} other places.\n", leaks.size() - kMaxPlaces);
  }
  text += fmt::format("  To fix: {}.\n", fix);
  report(check, text, text);
}

}  // namespace

void object_made(const void* handle, const char* kind, const std::string& detail) noexcept {
  quietly([&] {
    const auto life = std::make_shared<Life>();
    life->kind = kind;
    life->detail = detail;
    life->made = CallSite::here();
    const std::lock_guard lock(lives().mutex);
    life->number = ++lives().numbers[kind];
    life->version = ++lives().latest_version;
    lives().by_handle[handle] = life;
  });
}

void object_gone(const void* handle) noexcept {
  quietly([&] {
    const CallSite call_site = CallSite::here();
    const std::lock_guard lock(lives().mutex);
    const auto found = lives().by_handle.find(handle);
    if (found == lives().by_handle.end() || found->second->gone) return;
    found->second->gone = call_site;
    lives().dead.emplace_back(handle, found->second);
    if (lives().dead.size() > kMaxDead) forget_oldest(lives());
  });
}

void object_changed(const void* handle) noexcept {
  quietly([&] {
    const CallSite call_site = CallSite::here();
    const std::lock_guard lock(lives().mutex);
    Life* const life = lives().find(handle);
    if (life == nullptr) return;
    life->changed = call_site;
    life->version = ++lives().latest_version;
  });
}

void object_used(const void* handle) noexcept {
  quietly([&] {
    const std::lock_guard lock(lives().mutex);
    if (Life* const life = lives().find(handle)) life->used = true;
  });
}

uint64_t version_of(const void* handle) noexcept {
  uint64_t version = 0;
  quietly([&] {
    const std::lock_guard lock(lives().mutex);
    const Life* const life = lives().find(handle);
    if (life != nullptr && !life->gone) version = life->version;
  });
  return version;
}

std::string name_of_object(const void* handle) {
  const std::lock_guard lock(lives().mutex);
  const Life* const life = lives().find(handle);
  return life == nullptr ? "" : life->name();
}

std::string history_of(const void* handle, const std::string& indent) {
  const std::lock_guard lock(lives().mutex);
  const Life* const life = lives().find(handle);
  return life == nullptr ? "" : life->history(indent);
}

void report_missing(const void* handle, const char* kind) noexcept {
  // A dead executor is a matter of the phases too.
  const bool is_executor = std::string_view(kind) == kExecutor;
  if (!enabled(kHandles) && !(is_executor && enabled(kPhases))) return;
  quietly([&] {
    const CallSite call_site = CallSite::here();
    std::string text = fmt::format("{} was given a handle that is not a live {}.\n{}",
                                   call_site.function(), kind, call_site.frames("  "));
    Advice advice{};
    {
      const std::lock_guard lock(lives().mutex);
      const Life* const life = lives().find(handle);
      text += life != nullptr ? life->history("  ")
                              : "  The handle never was anything: it is not initialised, or no "
                                "handle of these libraries.\n";
      advice = advice_for(life);
    }
    text += fmt::format("  To fix: {}.\n", advice.text);
    report(advice.check, text, text);
  });
}

void check_version(const char* name, const char* argument, const void* handle,
                   uint64_t version) noexcept {
  const uint64_t now = version_of(handle);
  if (now == version) return;
  quietly([&] {
    const CallSite call_site = CallSite::here();
    const std::string sentence =
        fmt::format("{} runs although its tensor {} was {} between the phases", name, argument,
                    now == 0 ? "destroyed" : "changed");
    report(
        kPhases,
        fmt::format("{}.\n{}{}  The executor goes on with what phase one saw; the device's may "
                    "read the tensor again.\n  To fix: {}.\n",
                    sentence, call_site.frames("  "), history_of(handle, "  "),
                    now == 0 ? "destroy tensors after phase two, and after the executor if that "
                               "is repeatable"
                             : "change tensors before phase one or after phase two; a repeatable "
                               "executor gets new addresses by aclSetTensorAddr"),
        sentence + call_site.frames(""));
  });
}

void report_leftovers() noexcept {
  quietly([] {
    if (enabled(kPhases)) {
      report_leaks(kPhases, take(never_ran), "executor did not reach phase two",
                   "executors did not reach phase two",
                   "call phase two, or drop the executor with aclDestroyAclOpExecutor");
    }
    if (enabled(kLeaks)) {
      report_leaks(kLeaks, take(is_left), "thing was not given back", "things were not given back",
                   "destroy what was made, and free what was allocated");
    }
  });
}

}  // namespace aclgrad::diagnostics
