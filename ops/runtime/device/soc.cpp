// SPDX-License-Identifier: Apache-2.0
#include "ops/runtime/device/soc.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "aclgrad_ext.h"
#include "ops/runtime/base/never_destroyed.h"
#include "ops/runtime/call/call.h"

namespace aclgrad::runtime {
namespace {

using Names = std::span<const std::string_view>;

// The old name "Ascend910B" of a training chip is not listed: it now means the newer family.
constexpr std::array<std::string_view, 4> kTraining{"Ascend910A", "Ascend910ProA", "Ascend910ProB",
                                                    "Ascend910PremiumA"};
constexpr std::array<std::string_view, 4> kInference{"Ascend310P1", "Ascend310P3", "Ascend310P5",
                                                     "Ascend310P7"};
constexpr std::array<std::string_view, 6> kA2{"Ascend910B1", "Ascend910B2",  "Ascend910B3",
                                              "Ascend910B4", "Ascend910B2C", "Ascend910B4-1"};
constexpr std::array<std::string_view, 7> kA3{"Ascend910_9362", "Ascend910_9363", "Ascend910_9372",
                                              "Ascend910_9381", "Ascend910_9382", "Ascend910_9391",
                                              "Ascend910_9392"};
constexpr std::array<std::string_view, 4> kSmall{"Ascend310B1", "Ascend310B2", "Ascend310B3",
                                                 "Ascend310B4"};
constexpr std::array<std::string_view, 2> k950Prefixes{"Ascend950PR_", "Ascend950DT_"};

struct Row {
  SocFamily family;
  Names chips;
  Names prefixes;  // of chips too many to list
};

constexpr Row kRows[] = {
    {{"Ascend910B", "Ascend910B1", 2201, 1984, 32}, kA2, {}},
    {{"Ascend910_93", "Ascend910_9362", 2201, 1984, 32}, kA3, {}},
    {{"Ascend910", "Ascend910A", 1001, 2048, 32}, kTraining, {}},
    {{"Ascend310P", "Ascend310P1", 2002, 1024, 32}, kInference, {}},
    {{"Ascend310B", "Ascend310B1", 3002, 512, 32}, kSmall, {}},
    {{"Ascend950", "Ascend950PR_9589", 3510, 1984, 0}, {}, k950Prefixes},
};

// A copy of the name that lives as long as the program.
const char* keep(std::string_view name) {
  return never_destroyed<std::set<std::string, std::less<>>>().emplace(name).first->c_str();
}

std::optional<Soc> lookup(std::string_view name) {
  for (const Row& row : kRows) {
    if (name == row.family.name) return Soc{row.family.default_chip, &row.family};
    for (const std::string_view chip : row.chips) {
      if (name == chip) return Soc{chip.data(), &row.family};
    }
    for (const std::string_view prefix : row.prefixes) {
      if (name.size() > prefix.size() && name.starts_with(prefix)) {
        return Soc{keep(name), &row.family};
      }
    }
  }
  return std::nullopt;
}

Soc default_soc() {
  if (const char* wanted = std::getenv("ACLGRAD_SOC"); wanted != nullptr && *wanted != '\0') {
    if (const std::optional<Soc> soc = lookup(wanted)) return *soc;
    std::fprintf(stderr, "aclgrad: ACLGRAD_SOC names no known chip: \"%s\"; using %s\n", wanted,
                 kRows[0].family.default_chip);
  }
  return Soc{kRows[0].family.default_chip, &kRows[0].family};
}

struct Choice {
  std::mutex mutex;
  Soc soc = default_soc();
};

Choice& choice() { return never_destroyed<Choice>(); }

}  // namespace

Soc current_soc() {
  const std::lock_guard lock(choice().mutex);
  return choice().soc;
}

}  // namespace aclgrad::runtime

const char* aclrtGetSocName() { return aclgrad::runtime::current_soc().name; }

aclError aclgradSetSocName(const char* name) {
  using namespace aclgrad::runtime;
  return entry(__func__, [&](const Call& call) {
    const std::lock_guard lock(choice().mutex);
    const std::optional<Soc> soc = name == nullptr ? default_soc() : lookup(name);
    if (!soc) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "name", name,
                     "a chip such as Ascend910B1 or a family such as Ascend310P");
    }
    choice().soc = *soc;
  });
}
