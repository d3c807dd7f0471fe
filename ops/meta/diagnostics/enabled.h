// SPDX-License-Identifier: Apache-2.0
// Which diagnostics are on (aclgradCheck in aclgrad_ext.h): a constant from the first question on,
// so that asking costs a load and a branch. Not from the loading of the library on: linked
// statically, the runtime might be initialised later, or a static object of the program ask before.
#ifndef ACLGRAD_OPS_META_DIAGNOSTICS_ENABLED_H_
#define ACLGRAD_OPS_META_DIAGNOSTICS_ENABLED_H_

#include <cstdint>

#include "aclgrad_ext.h"

namespace aclgrad::ops {

// Those that follow the lives of objects.
constexpr uint32_t kNeedObjects =
    ACLGRAD_CHECK_HANDLES | ACLGRAD_CHECK_LEAKS | ACLGRAD_CHECK_PHASES;

inline bool diagnosing(uint32_t any_of) {
  static const uint32_t enabled = aclgradEnabledChecks();
  return (enabled & any_of) != 0;
}

inline bool any_diagnostics() { return diagnosing(~uint32_t{0}); }

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_META_DIAGNOSTICS_ENABLED_H_
