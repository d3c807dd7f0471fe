// SPDX-License-Identifier: Apache-2.0
// Which diagnostics are on (aclgradCheck in aclgrad_ext.h): a constant from the loading of the
// library on, so that asking costs a load and a branch.
#ifndef ACLGRAD_OPS_META_DIAGNOSTICS_ENABLED_H_
#define ACLGRAD_OPS_META_DIAGNOSTICS_ENABLED_H_

#include <cstdint>

#include "aclgrad_ext.h"

namespace aclgrad::ops {

inline const uint32_t g_diagnostics = aclgradEnabledChecks();

inline bool diagnosing(uint32_t any_of) { return (g_diagnostics & any_of) != 0; }

}  // namespace aclgrad::ops

#endif  // ACLGRAD_OPS_META_DIAGNOSTICS_ENABLED_H_
