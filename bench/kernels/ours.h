// SPDX-License-Identifier: Apache-2.0
// The operators of this project: phase two of a repeatable executor and the wait for its result.
#pragma once

#include <memory>

#include "bench/contender.h"

namespace aclgrad::bench {

std::unique_ptr<Contender> ours(aclrtStream stream);

// What calls cost beside their work, on 16 elements: phase one with the destruction of its
// executor, and phase two of a repeatable executor with the wait.
Call phase_one_call();
Call phase_two_call(aclrtStream stream);

}  // namespace aclgrad::bench
