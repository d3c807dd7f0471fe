// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/access.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "ops/diagnostics/blocks.h"
#include "ops/diagnostics/objects.h"
#include "ops/diagnostics/order.h"
#include "ops/diagnostics/report.h"
#include "ops/runtime/memory/virtual_memory.h"

namespace aclgrad::diagnostics {
namespace {

// Bytes of freed memory that are looked at after each host function; the rest is at aclFinalize.
constexpr size_t kFreedAfterTasks = size_t{4} << 20;

// Who touches the memory, in the words of a report.
struct Actor {
  std::string name;         // "aclnnSelu (argument self) on stream 1"
  std::string queued;       // the lines that say where, with a heading
  const char* consequence;  // of a refusal
};

Actor actor_of(const TaskInfo& info, const Access& access) {
  return {info.describe(access),
          fmt::format("  {} was queued\n{}", info.name, info.queued.frames("    ")),
          "  So it is not run, and the next synchronisation returns 507015.\n"};
}

bool is_mapped(const Bytes& bytes) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = bytes.begin / page * page;
  std::vector<unsigned char> resident((bytes.end - begin + page - 1) / page);
  return mincore(reinterpret_cast<void*>(begin), bytes.end - begin, resident.data()) == 0 ||
         errno != ENOMEM;
}

std::string span_of(const Finding& finding) {
  return fmt::format("  It touches bytes {} to {} of {}.\n", finding.first, finding.last,
                     name_of_object(finding.address));
}

// Reports an access that leaves its memory; says why it must not happen, empty when it can.
std::string check_place(const Access& access, const Actor& actor) {
  if (access.region.empty()) return "";
  const Finding finding = find_in_blocks(access.region);
  std::string what;
  std::string details;
  const char* fix = "";
  bool harmless = false;
  switch (finding.standing) {
    case Standing::kFine:
      return "";
    case Standing::kForeign:
      if (access.may_be_host) return "";
      if (runtime::is_reserved(reinterpret_cast<const void*>(access.region.hull().begin))) {
        what = "reserved addresses that have no memory";
        fix =
            "map memory there with aclrtMapMem first, and unmap it after the stream is "
            "synchronised";
        break;
      }
      what = "memory that no aclrtMalloc gave out";
      harmless = is_mapped(access.region.hull());
      details = harmless ? "  The CPU can reach it, so it is run; a device could not.\n"
                         : "  Nothing is there.\n";
      fix = "give the tensor an address that comes from aclrtMalloc, and copy the data there";
      break;
    case Standing::kFreed:
      what = "memory that is freed";
      details = span_of(finding) + history_of(finding.address, "  ");
      fix = "free memory after the stream is synchronised, and make no tensor of freed memory";
      break;
    case Standing::kOutside:
      what = "outside its allocation";
      harmless = finding.fits_padding;
      details = span_of(finding) +
                (harmless ? "  The last ones are padding of aclrtMalloc, so it is done.\n" : "") +
                history_of(finding.address, "  ");
      if (harmless) allow_padding(access.region);
      fix = "allocate what the storage's shape says, or correct shape, strides and offset";
      break;
  }
  const std::string sentence = fmt::format("{} {} {}", actor.name, verb(access), what);
  report(kMemory,
         fmt::format("{}.\n{}{}{}  To fix: {}.\n", sentence, actor.queued, details,
                     harmless ? "" : actor.consequence, fix),
         sentence + actor.queued);
  return harmless ? "" : sentence;
}

void check_written(const Access& access, const Actor& actor) {
  const Bytes bytes = first_unwritten(access.region);
  if (bytes.empty()) return;
  const std::string sentence =
      fmt::format("{} reads device memory that was never written", actor.name);
  report(
      kUninit,
      fmt::format("{}.\n{}  Never written: {}.\n{}"
                  "  To fix: copy data there, or let an operator or aclrtMemset fill it first.\n",
                  sentence, actor.queued, describe_bytes(bytes),
                  history_of(find_in_blocks(access.region).address, "  ")),
      sentence + actor.queued);
}

bool is_same_view(const Access& a, const Access& b) {
  return a.first == b.first && a.element_size == b.element_size && a.axes == b.axes;
}

void report_overlap(const TaskInfo& info, const Access& written, const Access& other,
                    const Bytes& common) {
  const std::string sentence =
      fmt::format("{} writes memory of argument {}, and is not exactly the same view",
                  info.describe(written), other.argument);
  const std::string queued =
      fmt::format("  {} was queued\n{}", info.name, info.queued.frames("    "));
  report(kMemory,
         fmt::format("{}.\n{}  Both touch {}.\n  It is run, and what it computes is undefined.\n"
                     "  To fix: give the output memory of its own, or make it the same view of the "
                     "input.\n",
                     sentence, queued, describe_bytes(common)),
         sentence + queued);
}

std::string check(const std::vector<Access>& accesses, auto actor_of_access) {
  std::string refusal;
  if (enabled(kMemory)) {
    for (const Access& access : accesses) {
      std::string reason = check_place(access, actor_of_access(access));
      if (refusal.empty()) refusal = std::move(reason);
    }
  }
  if (!refusal.empty() || !enabled(kUninit)) return refusal;
  for (const Access& access : accesses) {
    if (access.is_read) check_written(access, actor_of_access(access));
  }
  for (const Access& access : accesses) {
    if (access.is_written) mark_written(access.region);
  }
  return "";
}

}  // namespace

void check_overlap(const TaskInfo& info) noexcept {
  if (!enabled(kMemory)) return;
  const std::vector<Access>& all = info.accesses;
  quietly([&] {
    for (size_t i = 0; i < all.size(); ++i) {
      if (!all[i].is_written) continue;
      for (size_t j = 0; j < all.size(); ++j) {
        if (j == i || (all[j].is_written && j < i)) continue;
        if (!all[j].is_written && is_same_view(all[i], all[j])) continue;
        const Bytes common = first_common(all[i].region, all[j].region);
        if (!common.empty()) report_overlap(info, all[i], all[j], common);
      }
    }
  });
}

std::string check_before(const TaskInfo& info) noexcept {
  std::string refusal;
  quietly([&] {
    refusal = check(info.accesses, [&](const Access& access) { return actor_of(info, access); });
  });
  return refusal;
}

void check_after(const TaskInfo& info) noexcept {
  if (!enabled(kMemory)) return;
  quietly([&] {
    const std::string when = fmt::format("after {} on {}", info.name, info.stream);
    if (info.is_host_code) check_all_redzones(when, kFreedAfterTasks);
    for (const Access& access : info.accesses) check_redzones(access.region.hull().begin, when);
  });
}

void check_host_accesses(const runtime::Call& call, const std::vector<Access>& accesses) {
  const CallSite call_site = CallSite::here();
  const std::string function = call_site.function();
  const std::string where = fmt::format("  {} is called\n{}", function, call_site.frames("    "));
  check_order_of_host(function.c_str(), accesses, call_site);
  const std::string refusal = check(accesses, [&](const Access& access) {
    return Actor{fmt::format("{} (argument {})", function, access.argument), where,
                 "  So it does nothing and returns 107000.\n"};
  });
  if (!refusal.empty()) call.failed(ACL_ERROR_RT_PARAM_INVALID, refusal);
}

void check_free(void* address) noexcept {
  if (!enabled(kStreams)) return;
  quietly([&] {
    const Finding found = find_in_blocks(Region(address, 1));
    if (found.address != address || found.standing != Standing::kFine) return;
    Access access{.argument = "devPtr", .region = Region(address, found.size), .is_written = true};
    const CallSite call_site = CallSite::here();
    check_order_of_host(call_site.function().c_str(), {access}, call_site);
  });
}

}  // namespace aclgrad::diagnostics
