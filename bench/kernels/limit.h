// SPDX-License-Identifier: Apache-2.0
// What the memory allows, in the manner of STREAM: reading as many bytes from as many places, and
// writing as many to as many, as the operation does, with hardly any arithmetic.
#pragma once

#include <memory>

#include "bench/contender.h"

namespace aclgrad::bench {

// With ordinary stores, or with non-temporal ones, which go past the caches.
std::unique_ptr<Contender> memory_limit(bool non_temporal);

}  // namespace aclgrad::bench
