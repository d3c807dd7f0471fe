// SPDX-License-Identifier: Apache-2.0
// The libraries that we compare with. torch() is null where the build found no libtorch.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/contender.h"

namespace aclgrad::bench {

inline constexpr double kSeluAlpha = 1.67326324235437728482;
inline constexpr double kSeluLambda = 1.05070098735548049342;

std::unique_ptr<Contender> onednn();
std::unique_ptr<Contender> torch();

// What must stand in the environment of another process so that it runs libtorch's other kernels,
// those for AVX-512; nothing where there are none.
std::optional<std::string> torch_setting();

}  // namespace aclgrad::bench
