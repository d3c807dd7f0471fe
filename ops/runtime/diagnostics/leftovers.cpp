// SPDX-License-Identifier: Apache-2.0
// What is left when the program finalises the runtime.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ops/runtime/diagnostics/lives.h"
#include "ops/runtime/diagnostics/objects.h"
#include "ops/runtime/diagnostics/report.h"

namespace aclgrad::runtime::diagnostics {
namespace {

// Different places that a report shows.
constexpr size_t kMaxPlaces = 20;

// Objects of one kind that were made in one way.
struct Place {
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

// What is left and not reported, by places in the order of creation.
template <class Predicate>
std::vector<Place> take(Predicate is_meant) {
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
  std::vector<Place> places;
  for (const auto& life : left) {
    const auto same = std::find_if(places.begin(), places.end(), [&](const Place& place) {
      return std::string_view(place.first->kind) == life->kind && place.first->made == life->made;
    });
    if (same == places.end()) {
      places.push_back({life, 1});
    } else {
      ++same->count;
    }
  }
  return places;
}

std::string describe(const Place& place) {
  const Life& life = *place.first;
  std::string text =
      fmt::format("  {}{}, made by {}\n{}", life.name(),
                  place.count == 1 ? "" : fmt::format(" and {} more of its kind", place.count - 1),
                  life.made.function(), life.made.frames("    "));
  if (life.gone) text += fmt::format("    (taken away by {})\n", life.gone->function());
  return text;
}

void report_places(Check check, const std::vector<Place>& places, const char* one,
                   const char* several, const char* fix) {
  if (places.empty()) return;
  size_t count = 0;
  for (const Place& place : places) count += place.count;
  std::string text = fmt::format("{} {} before aclFinalize.\n", count, count == 1 ? one : several);
  for (size_t i = 0; i < std::min(places.size(), kMaxPlaces); ++i) text += describe(places[i]);
  if (places.size() > kMaxPlaces) {
    text += fmt::format("  and more from {} other places.\n", places.size() - kMaxPlaces);
  }
  text += fmt::format("  To fix: {}.\n", fix);
  report(check, text, text);
}

}  // namespace

void report_leftovers() noexcept {
  quietly([] {
    if (enabled(kPhases)) {
      report_places(kPhases, take(never_ran), "executor did not reach phase two",
                    "executors did not reach phase two",
                    "call phase two, or drop the executor with aclDestroyAclOpExecutor");
    }
    if (enabled(kLeaks)) {
      report_places(kLeaks, take(is_left), "thing was not given back", "things were not given back",
                    "destroy what was made, and free what was allocated");
    }
  });
}

}  // namespace aclgrad::runtime::diagnostics
