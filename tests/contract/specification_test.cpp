// SPDX-License-Identifier: Apache-2.0
// The folder specification states what the headers must be; compiling it proves that they are. Here
// is checked that it leaves nothing out.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "tests/contract/functions.h"

namespace aclgrad::contract {
namespace {

using Names = std::set<std::string>;

// What the first group of the pattern matches in the files of the folder with this ending.
Names matches(const std::filesystem::path& folder, const std::string& ending,
              const std::string& pattern) {
  const std::regex expression(pattern);
  Names found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ending) continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end;
         ++match) {
      found.insert((*match)[1]);
    }
  }
  return found;
}

Names stated(const std::string& pattern) {
  return matches(std::filesystem::path(ACLGRAD_CONTRACT_FUNCTIONS).parent_path() / "specification",
                 ".cpp", pattern);
}

// Operators are stated by their contracts (specification/operators.cpp).
TEST(Specification, StatesEveryFunction) {
  const Contract contract = read_contract(ACLGRAD_CONTRACT_FUNCTIONS);
  Names functions = stated(R"(decltype\(((?:[Aa]cl|Hccl)\w+)\))");
  functions.insert("aclAppLog");  // stated in another way
  const auto first = contract.functions.begin();
  EXPECT_EQ(functions, Names(first, first + static_cast<std::ptrdiff_t>(contract.listed)));
}

TEST(Specification, StatesEveryValue) {
  Names declared = matches(ACLGRAD_INCLUDE, ".h", R"((?:^|\W)((?:ACL|HCCL)_\w+) = )");
  declared.merge(matches(ACLGRAD_INCLUDE, ".h", R"(#define (ACL_\w+) )"));
  declared.erase("ACL_FUNC_VISIBILITY");
  EXPECT_GT(declared.size(), 350U);
  const Names values = stated(R"(static_assert\(((?:ACL|HCCL)_\w+) == )");
  for (const std::string& name : declared) EXPECT_EQ(values.count(name), 1U) << name;
}

}  // namespace
}  // namespace aclgrad::contract
