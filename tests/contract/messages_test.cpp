// SPDX-License-Identifier: Apache-2.0
// Every check of every operator is provoked, and its message read: the operator, the parameter,
// what came and what was expected, in the documented form.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <string_view>

#include "tests/contract/broken_rule.h"
#include "tests/contract/operator_faults.h"
#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::contract {
namespace {

using ops::OperatorSpec;

bool has_one_of(const std::string& text, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return text.find(word) != std::string::npos; });
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t behind = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) &&
        (behind == text.size() || !is_letter(text[behind])))
      return true;
  }
  return false;
}

bool names_one_of(const std::string& message, const OperatorSpec& spec) {
  return std::ranges::any_of(
      spec.parameters, [&](const auto& parameter) { return has_word(message, parameter.name); });
}

// The documented form: process, time, title and code, who failed; and the status at the end.
void expect_form(const std::string& message, const std::string& function, aclnnStatus status) {
  const char* const title = status / 100000 == 1   ? "AclNN_Parameter_Error(EZ1001)"
                            : status / 100000 == 3 ? "AclNN_Runtime_Error(EZ9903)"
                                                   : "AclNN_Inner_Error(EZ9999)";
  static const std::regex form(
      R"(\[PID: \d+\] \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3} ([^:]+): ([^:]+): )"
      R"(.* Status (\d+)\.(\n +Possible Cause: [A-Za-z].*\.)?)");
  std::smatch found;
  ASSERT_TRUE(std::regex_match(message, found, form)) << message;
  EXPECT_EQ(found.str(1), title) << message;
  EXPECT_EQ(found.str(2), function) << message;
  EXPECT_EQ(found.str(3), std::to_string(status)) << message;
}

const std::vector<std::string> kExpectations = {"must ", "expected ", "cannot have more than"};

class Messages : public testing::AclTest, public ::testing::WithParamInterface<size_t> {
 protected:
  const Operator& row() const { return all_contracts()[GetParam()]; }
  const OperatorSpec& spec() {
    Call call(library_, row(), usual_dtype(row()));
    EXPECT_EQ(call.plan(), 0) << library_.message();
    return *call.executor()->spec;
  }
  const Library library_;
};

TEST_P(Messages, SayWhatIsWrongForEveryCheck) {
  const OperatorSpec& rules = spec();
  std::set<size_t> broken;
  for (const OperatorFault& fault : faults_of(row())) {
    const std::string& parameter = row().call.parameters[fault.parameter].declared_name();
    SCOPED_TRACE(row().name() + ": " + parameter + " " + fault.what + " on " + fault.product);
    ASSERT_EQ(aclgradSetSocName(fault.product), 0);
    Call call(library_, row(), fault.dtype);
    fault.change(call);
    library_.message();
    uint64_t size = 0x5eed;
    auto* const untouched = reinterpret_cast<aclOpExecutor*>(&size);
    aclOpExecutor* executor = untouched;
    const aclnnStatus status = call.plan(&size, &executor);
    const std::string message = library_.message();
    if (status == 0) {
      EXPECT_TRUE(fault.may_pass);
      EXPECT_EQ(message, "");
      EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
      continue;
    }
    EXPECT_EQ(size, 0x5eedu);
    EXPECT_EQ(executor, untouched);
    EXPECT_EQ(status, fault.status == 0 ? status : fault.status) << message;
    if (const auto rule = broken_rule(rules, call, library_)) broken.insert(*rule);
    expect_form(message, row().name(), status);
    EXPECT_TRUE(has_one_of(message, fault.words)) << message;
    EXPECT_TRUE(has_one_of(message, kExpectations)) << message;
    if (fault.may_pass || fault.what.rfind("everything", 0) == 0) {
      EXPECT_TRUE(names_one_of(message, rules)) << message;
    } else {
      EXPECT_TRUE(has_one_of(message, {parameter})) << message;
    }
  }
  for (size_t i = 0; i < rules.rules.size(); ++i) {
    EXPECT_TRUE(broken.contains(i)) << "nothing broke rule " << i << " of " << row().name();
  }
}

// Before all else: everything that can be null is.
TEST_P(Messages, SayWhatIsWrongWithTheResults) {
  for (const bool size_is_null : {true, false}) {
    Call call(library_, row(), usual_dtype(row()));
    for (Value& value : call.values()) std::visit([](auto& held) { held = {}; }, value);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status =
        call.plan(size_is_null ? nullptr : &size, size_is_null ? &executor : nullptr);
    EXPECT_EQ(status, 161001);
    const std::string message = library_.message();
    expect_form(message, row().name(), status);
    EXPECT_TRUE(has_one_of(message, {size_is_null ? "workspaceSize" : "executor"})) << message;
  }
}

// A view that leaves its storage, of every tensor, and the memory around it: a contiguous one
// within one allocation is right.
TEST_P(Messages, SayWhichViewLeavesItsStorage) {
  constexpr int64_t kOffset = 1 << 24;
  for (size_t i = 0; i < row().call.parameters.size(); ++i) {
    Call call(library_, row(), usual_dtype(row()));
    const TensorSpec* tensor = call.tensor_spec(i);
    if (tensor == nullptr || tensor->optional) continue;
    Shape strides(tensor->shape.size(), 1);
    for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * tensor->shape[d];
    for (const int64_t stretch : {1, 2}) {
      Shape wide = strides;
      for (int64_t& stride : wide) stride *= stretch;
      call.values()[i] = call.view(tensor->shape, wide, kOffset, tensor->shape, call.dtype_of(i));
      const bool has_many = tensor->shape.size() > 0 && tensor->shape != Shape{1};
      const bool strided_input = stretch > 1 && has_many && tensor->role == Role::kInput;
      EXPECT_EQ(call.plan(), strided_input ? 561103 : 161002) << row().name();
      const std::string message = library_.message();
      expect_form(message, row().name(), strided_input ? 561103 : 161002);
      for (const std::string& word :
           {row().call.parameters[i].name, to_string(tensor->shape), to_string(wide),
            fmt::format("offset {}", kOffset), std::string("expected")}) {
        EXPECT_TRUE(has_one_of(message, {word})) << word << " in " << message;
      }
    }
  }
}

TEST_P(Messages, SayWhatIsWrongInPhaseTwo) {
  const auto phase_two = library_.get<PhaseTwo>(row().name());
  const auto expect = [&](aclnnStatus got, aclnnStatus status, const char* parameter) {
    EXPECT_EQ(got, status);
    const std::string message = library_.message();
    expect_form(message, row().name(), status);
    EXPECT_TRUE(has_one_of(message, {parameter})) << message;
    EXPECT_TRUE(has_one_of(message, kExpectations)) << message;
  };
  expect(phase_two(nullptr, 0, nullptr, stream()), 161001, "executor");
  int64_t invalid_handle[8] = {};
  expect(phase_two(nullptr, 0, reinterpret_cast<aclOpExecutor*>(invalid_handle), stream()), 561103,
         "executor");
  {
    Call other(library_, find_contract(row().name() == "aclnnSelu" ? "aclnnElu" : "aclnnSelu"),
               ACL_FLOAT);
    ASSERT_EQ(other.plan(), 0);
    expect(phase_two(nullptr, other.workspace_size(), other.executor(), stream()), 561103,
           "executor");
  }
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  Call call(library_, row(), usual_dtype(row()));
  const auto plan = [&] { return call.plan(&size, &executor); };
  ASSERT_EQ(plan(), 0);
  expect(phase_two(nullptr, size + 32, executor, stream()), 161001, "workspace");
  ASSERT_EQ(plan(), 0);
  if (size > 0) {
    alignas(16) unsigned char workspace[16];
    expect(phase_two(workspace, size - 1, executor, stream()), 161002, "workspaceSize");
  } else {
    ASSERT_EQ(aclDestroyAclOpExecutor(executor), 0);
  }
  // This message comes first, as the newest, and the runtime's own as what led to it.
  ASSERT_EQ(plan(), 0);
  testing::Buffer workspace(size);
  EXPECT_EQ(phase_two(workspace.data(), size, executor, invalid_handle), 361001);
  const std::string message = library_.message();
  EXPECT_TRUE(has_one_of(message, {"TraceBack (most recent call last):"})) << message;
  EXPECT_TRUE(has_one_of(message, {"AclNN_Runtime_Error(EZ9903): " + row().name() + ": "}))
      << message;
  EXPECT_TRUE(has_one_of(message, {"is not a live stream"})) << message;
}

std::string operator_name(const ::testing::TestParamInfo<size_t>& index) {
  return all_contracts()[index.param].name();
}

INSTANTIATE_TEST_SUITE_P(Of, Messages, ::testing::Range(size_t{0}, all_contracts().size()),
                         operator_name);

}  // namespace
}  // namespace aclgrad::contract
