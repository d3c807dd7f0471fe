// SPDX-License-Identifier: Apache-2.0
// Wrong calls of the runtime and the meta layer: the status, and a message in the documented form
// that names the function, the argument, what came and what was expected.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "tests/contract/functions.h"
#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {
namespace {

bool is_meta(int status) { return status / 1000 == 161 || status / 1000 == 561; }

TEST(RuntimeMessages, NameTheFunctionTheArgumentAndWhatWasExpected) {
  const std::regex head(R"(\[PID: \d+\] \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3} )"
                        R"([A-Za-z_]+\(E[A-Z]\d{4}\): )");
  for (const RuntimeFault& fault : runtime_faults()) {
    SCOPED_TRACE(fault.function);
    const Outcome outcome = provoke(fault);
    EXPECT_EQ(outcome.status, fault.status) << outcome.message;
    std::smatch match;
    ASSERT_TRUE(
        std::regex_search(outcome.message, match, head, std::regex_constants::match_continuous))
        << outcome.message;
    const std::string text = match.suffix();
    EXPECT_EQ(text.rfind(fault.function, 0), 0U) << text;
    if (!is_meta(fault.status)) {
      EXPECT_NE(text.find("returned " + std::to_string(fault.status)), std::string::npos) << text;
      if (text.find(" is a null pointer") != std::string::npos) {
        const char* const code = fault.status < 107000 ? "(EH0008)" : "(EE1004)";
        EXPECT_NE(match.str().find(code), std::string::npos) << outcome.message;
      }
    }
    size_t from = std::string(fault.function).size();
    for (const std::string& word : fault.words) {
      EXPECT_NE(text.find(word, from), std::string::npos) << word << " in: " << text;
    }
    // Either says what was expected, or what led here and what helps.
    EXPECT_TRUE(
        std::regex_search(text, std::regex("expected |must not be null|not a live|pass the "
                                           "end|Possible Cause: [A-Za-z]|Solution: [A-Za-z]")))
        << text;
  }
}

// Every function that can fail by its arguments has its wrong calls in the table.
TEST(RuntimeMessages, LeaveNoFunctionOut) {
  const std::set<std::string> cannot_fail = {"aclDataTypeSize",
                                             "aclFloat16ToFloat",
                                             "aclFloatToFloat16",
                                             "aclCreateDataBuffer",
                                             "aclGetDataBufferAddr",
                                             "aclGetDataBufferSizeV2",
                                             "aclGetDataBufferSize",
                                             "aclrtGetSocName",
                                             "aclAppLog",
                                             "aclGetRecentErrMsg",
                                             "aclrtSetOpWaitTimeout",
                                             "aclnnInit",
                                             "aclnnFinalize",
                                             "aclDumpOpTensors",
                                             "aclCreateTensorDesc",
                                             "aclDestroyTensorDesc",
                                             "aclGetTensorDescType",
                                             "aclGetTensorDescFormat",
                                             "aclGetTensorDescSize",
                                             "aclGetTensorDescElementCount",
                                             "aclGetTensorDescNumDims",
                                             "aclGetTensorDescDim",
                                             "aclGetTensorDescName",
                                             "aclSetTensorDescName",
                                             "aclopCreateAttr",
                                             "aclopDestroyAttr",
                                             "aclprofCreateConfig",
                                             "aclmdlInitDump",
                                             "aclmdlFinalizeDump",
                                             "aclprofFinalize"};
  std::set<std::string> tested;
  for (const RuntimeFault& fault : runtime_faults()) tested.insert(fault.function);
  for (const Declaration& each : declared_functions(ACLGRAD_INCLUDE)) {
    const bool is_other = each.is_unsupported || each.header.rfind("aclnnop/", 0) == 0 ||
                          each.header.rfind("hccl/", 0) == 0 ||  // tests/hccl/arguments_test.cpp
                          each.name.rfind("aclgrad", 0) == 0 || each.name.rfind("AclSet", 0) == 0;
    if (is_other || cannot_fail.contains(each.name)) continue;
    EXPECT_TRUE(tested.contains(each.name)) << each.name;
  }
}

}  // namespace
}  // namespace aclgrad::contract
