// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/messages.h"

#include <fmt/format.h>

#include <regex>
#include <stdexcept>

#include "aclgrad_ext.h"
#include "tests/contract/operator_faults.h"
#include "tests/contract/runtime_faults.h"

namespace aclgrad::contract {
namespace {

// A fault of an operator, by what operator_faults.h says of it.
struct OperatorExample {
  const char* kind;
  const char* operator_name;
  size_t parameter;
  const char* what;
};

constexpr OperatorExample kOperatorExamples[] = {
    {"A null pointer", "aclnnSeluBackward", 1, "null"},
    {"A handle that is none", "aclnnAdd", 2, "an invalid handle"},
    {"A dtype outside the list", "aclnnSelu", 0, "of DT_BOOL"},
    {"A dtype that other products know", "aclnnHardswish", 0,
     "everything in DT_BF16 on an old product"},
    {"Two dtypes that must be equal", "aclnnSeluBackward", 1, "of DT_FLOAT16"},
    {"A result that does not convert", "aclnnEluBackward", 6, "of DT_INT32"},
    {"A scalar that does not convert", "aclnnElu", 1, "of DT_COMPLEX64"},
    {"Dtypes without a common one", "aclnnInplaceFillScalar", 1, "of DT_UINT64"},
    {"Shapes that must be equal", "aclnnHardswishBackward", 0, "of size [2, 5]"},
    {"A shape that follows from others", "aclnnMatmul", 2, "of size [2, 11]"},
    {"Shapes that do not broadcast", "aclnnMul", 1, "of size [2, 5]"},
    {"Too many dimensions", "aclnnElu", 0, "everything of rank 9"},
    {"A dimension out of range", "aclnnGeGlu", 1, "= 2"},
    {"An attribute out of range", "aclnnMseLoss", 2, "= 3"},
    {"A text that is none of the words", "aclnnGeluBackwardV2", 2, "= \"sigmoid\""},
    {"A format", "aclnnGelu", 0, "in a private format"},
};

// A wrong call of the runtime: the n-th of the function's in runtime_faults.h.
struct RuntimeExample {
  const char* kind;
  const char* function;
  int status;
};

constexpr RuntimeExample kRuntimeExamples[] = {
    {"A null pointer", "aclrtMalloc", 100000},
    {"A value outside its range", "aclrtSetSysParamOpt", 100000},
    {"The same, found by the layer below", "aclrtSynchronizeStreamWithTimeout", 107000},
    {"A handle that is none", "aclrtDestroyStream", 107017},
    {"No device on this thread", "aclrtGetDevice", 107002},
    {"No such device", "aclrtSetDevice", 107001},
    {"Something that is not supported", "aclrtQueryEvent", 207000},
    {"Forbidden while a stream is captured", "aclrtMemcpy", 107030},
    {"Out of memory", "aclrtMalloc", 207001},
    {"Creating a tensor from nothing", "aclCreateTensor", 161001},
    {"A dtype that no scalar holds", "aclCreateScalar", 161002},
    {"Changing an executor", "aclSetTensorAddr", 161002},
    {"Destroying twice", "aclDestroyTensor", 161002},
};

std::string as_example(const std::string& message) {
  static const std::regex kHead(R"(\[PID: \d+\] \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3})");
  static const std::regex kAddress("0x[0-9a-f]+");
  const std::string text =
      std::regex_replace(message, kHead, "[PID: 4711] 2026-01-31-12:00:00.000.000");
  return std::regex_replace(text, kAddress, "0x55d0c0ffee40");
}

std::string section(const std::string& kind, aclnnStatus status, const std::string& message) {
  return fmt::format("\n{} ({}):\n\n```text\n{}\n```\n", kind, status, as_example(message));
}

std::string operator_example(const Library& library, const OperatorExample& example) {
  const Operator& row = find_contract(example.operator_name);
  for (const OperatorFault& fault : faults_of(row)) {
    if (fault.parameter != example.parameter || fault.what != example.what) continue;
    aclgradSetSocName(fault.product);
    Call call(library, row, fault.dtype);
    fault.change(call);
    library.message();
    const aclnnStatus status = call.plan();
    aclgradSetSocName(nullptr);
    return section(example.kind, status, library.message());
  }
  throw std::logic_error(fmt::format("no fault {} of {}", example.what, row.name()));
}

std::string runtime_example(const RuntimeExample& example) {
  for (const RuntimeFault& fault : runtime_faults()) {
    if (std::string_view(fault.function) != example.function || fault.status != example.status) {
      continue;
    }
    const Outcome outcome = provoke(fault);
    return section(example.kind, outcome.status, outcome.message);
  }
  throw std::logic_error(fmt::format("no fault of {}", example.function));
}

// What a phase two says; the runtime's message comes first, then what followed from it.
std::string phase_two_examples(const Library& library) {
  const Operator& row = find_contract("aclnnSelu");
  const auto phase_two = library.get<PhaseTwo>(row.name());
  int64_t unknown[8] = {};
  std::string text;
  const auto add = [&](const char* kind, aclnnStatus status) {
    text += section(kind, status, library.message());
  };
  Call call(library, row, usual_dtype(row));
  Call other(library, find_contract("aclnnElu"), ACL_FLOAT);
  Call view(library, row, usual_dtype(row));
  view.values()[0] = view.view({2, 4}, {8, 1}, 0, {8}, usual_dtype(row));
  const aclnnStatus outside = view.plan();
  add("A view that leaves its storage", outside);
  other.plan();
  add("An executor of another operator",
      phase_two(nullptr, other.workspace_size(), other.executor(), nullptr));
  add("An executor that ran already",
      phase_two(nullptr, 0, reinterpret_cast<aclOpExecutor*>(unknown), nullptr));
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  call.plan(&size, &executor);
  add("A workspace that is not there", phase_two(nullptr, 512, executor, nullptr));
  call.plan(&size, &executor);
  add("A stream that is none, found by the runtime", phase_two(nullptr, size, executor, unknown));
  return text;
}

}  // namespace

std::string messages_page(const Library& library) {
  std::string page =
      "# Messages\n\n"
      "`aclGetRecentErrMsg` returns what went wrong on the calling thread since it was last "
      "asked, and NULL\nwhen nothing did; the text stays valid until the thread asks again. A "
      "success in between keeps earlier\nmessages. With `\"err_msg_mode\": \"1\"` in the file of "
      "`aclInit` there is one list for the process.\n\n"
      "A message names the process, the time, a title with its code, who failed, the argument, "
      "what "
      "came and\nwhat was expected. `Possible Cause` and `Solution` follow where there is "
      "something to say; failures\nbefore the newest one stand under `TraceBack`, the latest of "
      "them last.\n\n"
      "| code | title | of |\n|---|---|---|\n"
      "| EZ1001 | AclNN_Parameter_Error | operators and the meta layer, statuses 161xxx |\n"
      "| EZ9903 | AclNN_Runtime_Error | the same, 361xxx: a runtime call inside failed |\n"
      "| EZ9999 | AclNN_Inner_Error | the same, 561xxx; a misused executor, too: the cause says so "
      "|\n"
      "| EZ1006 | Not_Supported_Data_Type | a scalar of a dtype that none holds |\n"
      "| EZ1011 | AclNN_Null_Pointer | the meta layer, a null pointer |\n"
      "| EH0007, EE1003 | Invalid_Argument | the runtime, a value outside its range; EH: 100xxx, "
      "EE: the layer below |\n"
      "| EH0008, EE1004 | Invalid_Argument_Null_Pointer | the runtime, a null pointer |\n"
      "| EE1011 | Invalid_Handle | the runtime, a handle that is not live |\n"
      "| EE1017 | Not_Supported | the runtime, 207000 |\n"
      "| EH9999, EE1016 | Call_Failed | the runtime, anything else |\n\n"
      "Below is one of each kind as it prints, written by `./dev docs` from real calls; a test "
      "compares, and\nothers read the message of every check of every function.\n\n"
      "## Phase one of operators\n";
  for (const OperatorExample& example : kOperatorExamples) {
    page += operator_example(library, example);
  }
  page += "\n## Memory and phase two\n" + phase_two_examples(library);
  page += "\n## Runtime and meta layer\n";
  for (const RuntimeExample& example : kRuntimeExamples) page += runtime_example(example);
  return page;
}

}  // namespace aclgrad::contract
