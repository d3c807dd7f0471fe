// SPDX-License-Identifier: Apache-2.0
// The register behind objects.h.
#ifndef ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_LIVES_H_
#define ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_LIVES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ops/runtime/diagnostics/site.h"

namespace aclgrad::runtime::diagnostics {

// One object, from its making on.
struct Life {
  const char* kind = "";
  uint64_t number = 0;  // within its kind, from 1
  std::string detail;
  Site made;
  std::optional<Site> changed;
  std::optional<Site> gone;
  uint64_t version = 0;   // of its state; never the same for two
  bool used = false;      // an executor that has reached phase two
  bool reported = false;  // as left over

  // "allocation 2 (64 bytes of device memory)"
  std::string name() const;

  // Where it was made, changed and ended, in lines with this indent.
  std::string history(const std::string& indent) const;

  bool is_executor() const { return std::string_view(kind) == "aclOpExecutor"; }
};

struct Lives {
  std::mutex mutex;
  std::unordered_map<const void*, std::shared_ptr<Life>> by_handle;  // the latest of each handle
  std::deque<std::pair<const void*, std::weak_ptr<Life>>> dead;
  std::map<std::string_view, uint64_t> numbers;
  uint64_t latest_version = 0;

  // With the mutex locked; null when nothing is known of the handle.
  Life* find(const void* handle) const;
};

Lives& lives();

}  // namespace aclgrad::runtime::diagnostics

#endif  // ACLGRAD_OPS_RUNTIME_DIAGNOSTICS_LIVES_H_
