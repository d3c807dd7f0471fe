// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "gradcheck/core/watch.h"
#include "gradcheck/tool/call.h"
#include "gradcheck/tool/checks.h"

namespace aclgrad::gradcheck {
namespace {

constexpr aclnnStatus kUsedUp = 561103;
constexpr std::uint64_t kAnySize = 64;

// A planned call on zeros, whose phase two is then called in ways that are documented.
class PhaseTwo {
 public:
  PhaseTwo(Library& library, const Target& target, const BoundCall& bound)
      : library_(library),
        target_(target),
        bound_(bound),
        views_(tensors_near_0(bound.arguments, memory_)) {}

  Report run() {
    expect("a null executor", kNullPointer, library_.execute(bound_.api(), nullptr, 0, nullptr));
    if (plan()) {
      std::vector<std::byte> scratch(size_);
      expect("the stream of the context (a null stream)", 0,
             library_.execute(bound_.api(), scratch.data(), size_, executor_, false));
      // What the vendor leaves undefined is documented here.
      if (library_.can_set_product()) {
        expect("an executor that was used up", kUsedUp,
               library_.execute(bound_.api(), scratch.data(), size_, executor_));
      }
    }
    if (plan()) {
      expect("a null workspace of a size above 0", kNullPointer,
             library_.execute(bound_.api(), nullptr, std::max(size_, kAnySize), executor_));
    }
    if (library_.can_set_product() && plan() && size_ > 1) {
      std::vector<std::byte> scratch(size_);
      expect("a workspace that is too small", kInvalid,
             library_.execute(bound_.api(), scratch.data(), size_ / 2, executor_));
    } else if (executor_ != nullptr && planned_) {
      library_.destroy(executor_);
    }
    return std::move(report_);
  }

 private:
  bool plan() {
    executor_ = nullptr;
    size_ = 0;
    // Anew each time: a result whose shape depends on data has that shape after a run.
    tensors_.emplace(library_, views_, std::span<const View>());
    const detail::WatchedCall watched(bound_.api() + "GetWorkspaceSize of a call that is right");
    const aclnnStatus status = watched.crash().empty()
                                   ? bound_.plan(tensors_->tensors(), &size_, &executor_)
                                   : Library::kCrashed;
    expect("phase one of a call that is right", 0, status);
    planned_ = status == 0;
    return planned_;
  }

  void expect(const char* what, aclnnStatus wanted, aclnnStatus status) {
    planned_ = false;
    ++report_.checks;
    if (status == wanted) return;
    report_.findings.push_back(
        {.check = "status",
         .operator_name = with_attributes(bound_.api(), target_),
         .text = fmt::format("{}: {}, documented is {}", what,
                             status == Library::kCrashed ? "crashes, or does not return"
                                                         : fmt::format("returns {}", status),
                             wanted),
         .diagnosis = "phase two",
         .reproduce = target_.candidate.reproduce});
  }

  Library& library_;
  const Target& target_;
  const BoundCall& bound_;
  std::deque<Guarded> memory_;
  std::vector<View> views_;
  std::optional<TensorsOnDevice> tensors_;
  std::uint64_t size_ = 0;
  aclOpExecutor* executor_ = nullptr;
  bool planned_ = false;  // and not run yet
  Report report_;
};

}  // namespace

Report check_phase_two(Library& library, const Target& target, const BoundCall& bound) {
  return PhaseTwo(library, target, bound).run();
}

}  // namespace aclgrad::gradcheck
