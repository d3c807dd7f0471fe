// SPDX-License-Identifier: Apache-2.0
// The interface is complete: what the contract names is declared and there, what is declared is
// named by the contract or aclgrad's own, and what is not supported says so.
#include "tests/contract/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/contract/call.h"

namespace aclgrad::contract {
namespace {

std::set<std::string> names_of(const std::vector<Declaration>& declared) {
  std::set<std::string> names;
  for (const Declaration& each : declared) {
    if (each.name.rfind("aclgrad", 0) != 0) names.insert(each.name);
  }
  return names;
}

TEST(Functions, AreThoseOfTheContract) {
  const Contract contract = read_contract(ACLGRAD_CONTRACT_FUNCTIONS);
  EXPECT_GT(contract.functions.size(), 280U);
  const std::set<std::string> wanted(contract.functions.begin(), contract.functions.end());
  EXPECT_EQ(names_of(declared_functions(ACLGRAD_INCLUDE)), wanted);
  const Library library;
  for (const std::string& name : wanted) EXPECT_NO_THROW(library.find(name)) << name;
}

TEST(Functions, AllOperatorsHaveRows) {
  std::set<std::string> rows, declared;
  for (const Operator& row : all_contracts()) rows.insert(row.name());
  for (const Declaration& each : declared_functions(ACLGRAD_INCLUDE)) {
    const size_t end = each.name.find("GetWorkspaceSize");
    if (end != std::string::npos && !each.is_unsupported) declared.insert(each.name.substr(0, end));
  }
  EXPECT_EQ(rows, declared);
  EXPECT_EQ(rows.size(), all_contracts().size());
}

// What the tests of values, the gradcheck tool and the pages go by; error inputs beyond those that
// follow from the parameters are not every operator's.
TEST(Functions, HaveDtypesSamplesResultsAndWords) {
  for (const Operator& op : all_contracts()) {
    SCOPED_TRACE(op.name());
    EXPECT_FALSE(op.domain.everywhere.empty());
    EXPECT_FALSE(op.domain.samples.empty());
    EXPECT_TRUE(op.results.formula || op.results.reference || op.results.property);
    if (!op.call.form_of.empty()) continue;  // told with the operator whose form it is
    EXPECT_NE(op.words.computes.english, "");
    EXPECT_NE(op.words.computes.chinese, "");
  }
}

// Phase one is compared with the contract (specification/operators.cpp).
TEST(Functions, PhaseTwoOfEveryOperatorHasTheSameParameters) {
  std::set<std::string> rows;
  for (const Operator& row : all_contracts()) rows.insert(row.name());
  size_t count = 0;
  for (const Declaration& each : declared_functions(ACLGRAD_INCLUDE)) {
    if (rows.count(each.name) == 0) continue;
    ++count;
    EXPECT_THAT(
        each.parameters,
        ::testing::AnyOf("void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, "
                         "aclrtStream stream",
                         "void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, "
                         "const aclrtStream stream"))
        << each.name;
  }
  EXPECT_EQ(count, rows.size());
}

// What a caller writes as 1.1 reaches the operator as the float next to it.
TEST(Functions, RoundAttributesThatTheHeaderTakesAsFloat) {
  size_t count = 0;
  for (const Operator& op : all_contracts()) {
    for (const Parameter& parameter : op.call.parameters) {
      if (parameter.type != "float") continue;
      Arguments arguments(op);
      arguments.set(parameter.name, 1.1);
      EXPECT_EQ(arguments.number(parameter.name), 1.1F) << op.name() << ": " << parameter.name;
      ++count;
    }
  }
  EXPECT_GT(count, 3U);
}

// Called with nothing but zeros, which every calling convention here passes in registers.
TEST(Functions, ThatAreNotSupportedSaySoAndTouchNothing) {
  using Zeros = int (*)(void*, void*, void*, void*, void*, void*);
  const Library library;
  size_t count = 0;
  for (const Declaration& each : declared_functions(ACLGRAD_INCLUDE)) {
    if (!each.is_unsupported) continue;
    ++count;
    const auto call = reinterpret_cast<Zeros>(library.find(each.name));
    const bool is_hccl = each.name.rfind("Hccl", 0) == 0;
    const bool is_operator = each.header.starts_with("aclnnop/");
    const int expected = is_hccl                               ? 5
                         : is_operator                         ? 361001
                         : each.name == "aclsysGetCANNVersion" ? 200001
                                                               : 207000;
    EXPECT_EQ(call(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr), expected) << each.name;
    EXPECT_THAT(library.message(),
                ::testing::HasSubstr(each.name +
                                     (is_operator ? ": this operator is declared" : " returned")));
  }
  EXPECT_GT(count, 30U);
}

}  // namespace
}  // namespace aclgrad::contract
