// SPDX-License-Identifier: Apache-2.0
// The files of docs/lessons as the build embeds them.
#pragma once

#include <string_view>

namespace networks {

std::string_view attention_md();
std::string_view chain_rule_md();
std::string_view gradient_check_md();
std::string_view vanishing_gradients_md();
std::string_view xor_md();

}  // namespace networks
