// SPDX-License-Identifier: Apache-2.0
#include "ops/meta/soc.h"

#include <array>
#include <string_view>

#include "acl/acl_base.h"

namespace aclgrad::ops {
namespace {

struct Prefix {
  std::string_view text;
  Soc soc;
};

// Longer prefixes first: "Ascend910_9362" and "Ascend910B1" also start with "Ascend910".
constexpr std::array kPrefixes = {
    Prefix{"Ascend910_93", Soc::kAscend910_93}, Prefix{"Ascend910B", Soc::kAscend910B},
    Prefix{"Ascend950", Soc::kAscend950},       Prefix{"Ascend310P", Soc::kAscend310P},
    Prefix{"Ascend310B", Soc::kAscend310B},     Prefix{"Ascend910", Soc::kAscend910},
};

}  // namespace

Soc current_soc() {
  const char* name = aclrtGetSocName();
  const std::string_view text = name != nullptr ? name : "";
  for (const Prefix& prefix : kPrefixes) {
    if (text.substr(0, prefix.text.size()) == prefix.text) return prefix.soc;
  }
  return Soc::kAscend910B;
}

bool is_a2_or_later(Soc soc) {
  return soc == Soc::kAscend910B || soc == Soc::kAscend910_93 || soc == Soc::kAscend950;
}

}  // namespace aclgrad::ops
