// SPDX-License-Identifier: Apache-2.0
// Which diagnostics are on, by the environment variable ACLGRAD_CHECK: a list of the names below
// with commas between them, or "all"; "abort" ends the program at the first report. ACLGRAD_LOG is
// "text" or "json".
//
// The variables are read once, at the first question.
#pragma once

#include <cstdint>

#include "aclgrad_ext.h"

namespace aclgrad::diagnostics {

enum Check : uint32_t {
  kHandles = ACLGRAD_CHECK_HANDLES,  // what a dead handle was
  kMemory = ACLGRAD_CHECK_MEMORY,    // bounds, use after free, redzones
  kUninit = ACLGRAD_CHECK_UNINIT,    // reads of device memory that was never written
  kLeaks = ACLGRAD_CHECK_LEAKS,      // what is left at aclFinalize
  kPhases = ACLGRAD_CHECK_PHASES,    // misuse between phase one and phase two
  kStreams = ACLGRAD_CHECK_STREAMS,  // accesses that nothing orders
  kDevice = ACLGRAD_CHECK_DEVICE,    // calls that a device was seen to refuse
  // Not checks, but switched in the same place.
  kLog = ACLGRAD_CHECK_LOG,
  kLogJson = ACLGRAD_CHECK_LOG_JSON,
};

struct Settings {
  uint32_t checks = 0;
  bool abort = false;
};

// "memory"; one bit only.
const char* name_of(Check check);

// The checks that the environment switches on. Reports unknown names.
Settings read_settings();

// Made at the first question: that may be one of a static object of the program, which a library
// that is linked statically may not be initialised before.
inline const Settings& settings() {
  static const Settings instance = read_settings();
  return instance;
}

inline bool enabled(uint32_t any_of) { return (settings().checks & any_of) != 0; }

}  // namespace aclgrad::diagnostics
