// SPDX-License-Identifier: Apache-2.0
#include "bench/peers/peers.h"

namespace aclgrad::bench {

std::unique_ptr<Contender> torch() { return nullptr; }
std::optional<std::string> torch_setting() { return std::nullopt; }

}  // namespace aclgrad::bench
