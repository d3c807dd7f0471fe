// SPDX-License-Identifier: Apache-2.0
// The product family whose rules apply, read from aclrtGetSocName.
#pragma once

namespace aclgrad::ops {

enum class Soc { kAscend910, kAscend310P, kAscend310B, kAscend910B, kAscend910_93, kAscend950 };

Soc current_soc();

// A2, A3 and 950: the generations that know bfloat16.
bool is_a2_or_later(Soc soc);

}  // namespace aclgrad::ops
