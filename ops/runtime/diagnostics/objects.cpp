// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/diagnostics/objects.h"

#include <fmt/format.h>

#include "ops/runtime/diagnostics/lives.h"
#include "ops/runtime/diagnostics/report.h"

namespace aclgrad::runtime::diagnostics {
namespace {

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

}  // namespace

Lives& lives() {
  static auto& instance = *new Lives;
  return instance;
}

Life* Lives::find(const void* handle) const {
  const auto found = by_handle.find(handle);
  return found == by_handle.end() ? nullptr : found->second.get();
}

std::string Life::name() const {
  return fmt::format("{} {}{}{}", kind, number, detail.empty() ? "" : " ", detail);
}

std::string Life::history(const std::string& indent) const {
  std::string text = fmt::format("{}It is {}, made by {}\n{}", indent, name(), made.function(),
                                 made.frames(indent + "  "));
  if (changed) {
    text += fmt::format("{}changed by {}\n{}", indent, changed->function(),
                        changed->frames(indent + "  "));
  }
  if (gone) {
    text +=
        fmt::format("{}and ended by {}\n{}", indent, gone->function(), gone->frames(indent + "  "));
  }
  return text;
}

void object_made(const void* handle, const char* kind, const std::string& detail) noexcept {
  quietly([&] {
    const auto life = std::make_shared<Life>();
    life->kind = kind;
    life->detail = detail;
    life->made = Site::here();
    const std::lock_guard lock(lives().mutex);
    life->number = ++lives().numbers[kind];
    life->version = ++lives().latest_version;
    lives().by_handle[handle] = life;
  });
}

void object_gone(const void* handle) noexcept {
  quietly([&] {
    const Site site = Site::here();
    const std::lock_guard lock(lives().mutex);
    const auto found = lives().by_handle.find(handle);
    if (found == lives().by_handle.end() || found->second->gone) return;
    found->second->gone = site;
    lives().dead.emplace_back(handle, found->second);
    if (lives().dead.size() > kMaxDead) forget_oldest(lives());
  });
}

void object_changed(const void* handle) noexcept {
  quietly([&] {
    const Site site = Site::here();
    const std::lock_guard lock(lives().mutex);
    Life* const life = lives().find(handle);
    if (life == nullptr) return;
    life->changed = site;
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
  quietly([&] {
    const Site site = Site::here();
    std::string text = fmt::format("{} was given a handle that is not a live {}.\n{}",
                                   site.function(), kind, site.frames("  "));
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
    const Site site = Site::here();
    const std::string sentence =
        fmt::format("{} runs although its tensor {} was {} between the phases", name, argument,
                    now == 0 ? "destroyed" : "changed");
    report(
        kPhases,
        fmt::format("{}.\n{}{}  The executor goes on with what phase one saw; the device's may "
                    "read the tensor again.\n  To fix: {}.\n",
                    sentence, site.frames("  "), history_of(handle, "  "),
                    now == 0 ? "destroy tensors after phase two, and after the executor if that "
                               "is repeatable"
                             : "change tensors before phase one or after phase two; a repeatable "
                               "executor gets new addresses by aclSetTensorAddr"),
        sentence + site.frames(""));
  });
}

}  // namespace aclgrad::runtime::diagnostics
