// SPDX-License-Identifier: Apache-2.0
#include "ops/diagnostics/calls/call_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "ops/meta/dtypes.h"
#include "ops/meta/rules.h"

namespace aclgrad::diagnostics {
namespace {

using namespace ops;  // what is logged

bool as_json() { return is_on(ACLGRAD_CHECK_LOG_JSON); }

double microseconds_since(LogClock::time_point begun) {
  return std::chrono::duration<double, std::micro>(LogClock::now() - begun).count();
}

const char* role_name(Role role) {
  switch (role) {
    case Role::kInput:
      return "input";
    case Role::kOutput:
      return "output";
    case Role::kInOut:
      return "in and out";
    case Role::kAttribute:
      return "attribute";
  }
  return "";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Asked of a handle that is known to be dead, the table would count one more finding.
bool is_live(const void* handle, aclgradHandleKind kind) {
  if (handle == nullptr) return false;
  const bool is_known = !is_on(kObjectChecks) || diagnostics().object_version(handle) != 0;
  return is_known && aclgradHandleCheck(handle, kind) != 0;
}

std::string tensor_text(const aclTensor& tensor) {
  std::string text = dtype_name(tensor.dtype) + to_string(tensor.view_shape);
  if (!is_contiguous(tensor)) text += " strides " + to_string(tensor.view_strides);
  if (tensor.offset != 0) text += fmt::format(" offset {}", tensor.offset);
  if (tensor.format != ACL_FORMAT_ND) {
    text += fmt::format(" format {}", static_cast<int>(tensor.format));
  }
  return text;
}

std::string tensor_json(const aclTensor& tensor) {
  return fmt::format(R"("dtype":"{}","shape":{},"strides":{},"offset":{},"format":{},)"
                     R"("contiguous":{},"storage":{},"address":"{}")",
                     dtype_name(tensor.dtype), to_string(tensor.view_shape),
                     to_string(tensor.view_strides), tensor.offset, static_cast<int>(tensor.format),
                     is_contiguous(tensor), to_string(tensor.storage_shape), tensor.data);
}

std::string scalar_value(const aclScalar* scalar) {
  if (!is_live(scalar, ACLGRAD_HANDLE_SCALAR)) return quoted("a dead handle");
  return quoted(fmt::format("{} {}", dtype_name(scalar->dtype), scalar->to_double()));
}

std::string scalars_value(const aclScalarList* list) {
  if (list == nullptr) return "null";
  if (!is_live(list, ACLGRAD_HANDLE_SCALAR_LIST)) return quoted("a dead handle");
  std::string text;
  for (const aclScalar* const scalar : list->elements) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        scalar == nullptr ? "null" : scalar_value(scalar));
  }
  return "[" + text + "]";
}

std::string list_value(const auto* array, aclgradHandleKind kind) {
  if (array == nullptr) return "null";
  if (!is_live(array, kind)) return quoted("a dead handle");
  std::string list;
  for (const auto value : array->values) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", static_cast<int64_t>(value));
  }
  return "[" + list + "]";
}

// The value of an attribute, as JSON has it.
std::string value_of(const Argument& argument) {
  switch (argument.kind()) {
    case Argument::Kind::kText:
      return argument.text() == nullptr ? "null" : quoted(argument.text());
    case Argument::Kind::kScalar:
      return argument.scalar() == nullptr ? "null" : scalar_value(argument.scalar());
    case Argument::Kind::kScalarList:
      return scalars_value(argument.scalar_list());
    case Argument::Kind::kIntArray:
      return list_value(argument.int_array(), ACLGRAD_HANDLE_INT_ARRAY);
    case Argument::Kind::kBoolArray:
      return list_value(argument.bool_array(), ACLGRAD_HANDLE_BOOL_ARRAY);
    case Argument::Kind::kReal: {
      const std::string number = fmt::format("{}", argument.real());
      return std::isfinite(argument.real()) ? number : quoted(number);  // JSON has no infinities
    }
    case Argument::Kind::kInteger:
      return fmt::format("{}", argument.integer());
    case Argument::Kind::kTensor:
    case Argument::Kind::kTensorList:
      break;
  }
  return "null";
}

// The tensors of a list, in the form of one.
template <class Format>
std::string tensors_of(const aclTensorList* list, const char* separator, Format format) {
  std::string text;
  for (const aclTensor* const tensor : list->elements) {
    if (!text.empty()) text += separator;
    text += format(tensor);
  }
  return fmt::format("[{}]", text);
}

std::string tensor_or_dead(const aclTensor* tensor) {
  if (tensor == nullptr) return "null";
  return is_live(tensor, ACLGRAD_HANDLE_TENSOR) ? tensor_text(*tensor) : "a dead handle";
}

std::string argument_text(const Parameter& parameter, const Argument& argument) {
  std::string text;
  if (parameter.role == Role::kAttribute) {
    text = value_of(argument);
  } else if (argument.tensor_list() == nullptr) {
    text = tensor_or_dead(argument.tensor());
  } else if (is_live(argument.tensor_list(), ACLGRAD_HANDLE_TENSOR_LIST)) {
    text = tensors_of(argument.tensor_list(), ", ", tensor_or_dead);
  } else {
    text = "a dead handle";
  }
  return fmt::format("{} {}", parameter.name, text);
}

std::string argument_json(const Parameter& parameter, const Argument& argument) {
  const std::string head =
      fmt::format(R"({{"name":"{}","role":"{}",)", parameter.name, role_name(parameter.role));
  if (parameter.role == Role::kAttribute) return head + "\"value\":" + value_of(argument) + "}";
  if (is_live(argument.tensor_list(), ACLGRAD_HANDLE_TENSOR_LIST)) {
    const auto json = [](const aclTensor* tensor) -> std::string {
      return is_live(tensor, ACLGRAD_HANDLE_TENSOR) ? fmt::format("{{{}}}", tensor_json(*tensor))
                                                    : "null";
    };
    return head + "\"tensors\":" + tensors_of(argument.tensor_list(), ",", json) + "}";
  }
  if (!is_live(argument.tensor(), ACLGRAD_HANDLE_TENSOR)) return head + "\"value\":null}";
  return head + tensor_json(*argument.tensor()) + "}";
}

template <class Format>
std::string joined(const OperatorSpec& spec, std::span<const Argument> arguments,
                   const char* separator, Format format) {
  std::string list;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) list += separator;
    list += format(spec.parameters[i], arguments[i]);
  }
  return list;
}

// A task that tells when it ran and for how long.
struct Logged {
  Launch inner;
  uint64_t call;
};

aclError run_logged(void* argument) {
  const Logged& task = *static_cast<Logged*>(argument);
  const auto begun = LogClock::now();
  const aclError status = task.inner.run(task.inner.argument);
  const double time = microseconds_since(begun);
  diagnostics().log_line((as_json() ? fmt::format(R"({{"call":{},"event":"run","operator":"{}",)"
                                                  R"("status":{},"microseconds":{:.3f}}})",
                                                  task.call, task.inner.name, status, time)
                                    : fmt::format("call {}: {} ran = {}, {:.1f} us", task.call,
                                                  task.inner.name, status, time))
                             .c_str());
  return status;
}

// What the task's units touch of each operand, taken together.
size_t whole_operands(const Launch& launch, aclgradFootprint* operands, size_t capacity) {
  if (launch.tiling == nullptr) return 0;
  const size_t count = launch.tiling->operands(launch.argument, operands, capacity);
  const int64_t steps = std::max<int64_t>(launch.tiling->units(launch.argument), 1) - 1;
  for (size_t i = 0; i < std::min(count, capacity); ++i) {
    aclgradFootprint& each = operands[i];
    if (each.length == 0) continue;
    const auto* const first = static_cast<const unsigned char*>(each.address);
    each = {std::min(first, first + each.step * steps), 0,
            std::abs(each.step) * steps + each.length, each.is_written};
  }
  return count;
}

// Whole, so that its time is its own; but its tensors can be moved.
constexpr aclgradTiling kLoggedTiling{
    .units = [](const void*) { return int64_t{0}; },
    .operands =
        [](const void* argument, aclgradFootprint* operands, size_t capacity) {
          return whole_operands(static_cast<const Logged*>(argument)->inner, operands, capacity);
        },
    .row_groups = nullptr,
    .run = [](void*, const aclgradTile*) -> aclError { return ACL_SUCCESS; },
    .move = [](void* argument, const void* tensor, intptr_t bytes) -> int32_t {
      const Launch& inner = static_cast<Logged*>(argument)->inner;
      return inner.tiling == nullptr || inner.tiling->move == nullptr
                 ? 0
                 : inner.tiling->move(inner.argument, tensor, bytes);
    },
};

void release_logged(void* argument) {
  const std::unique_ptr<Logged> task(static_cast<Logged*>(argument));
  if (task->inner.release != nullptr) task->inner.release(task->inner.argument);
}

}  // namespace

void log_plan(const OperatorSpec& spec, std::span<const Argument> arguments, aclnnStatus status,
              uint64_t call, uint64_t workspace, LogClock::time_point begun) {
  const double time = microseconds_since(begun);
  if (as_json()) {
    diagnostics().log_line(
        fmt::format(R"({{"call":{},"event":"plan","operator":"{}","arguments":[{}],"status":{},)"
                    R"("workspace":{},"microseconds":{:.3f}}})",
                    call, spec.name, joined(spec, arguments, ",", argument_json), status, workspace,
                    time)
            .c_str());
    return;
  }
  diagnostics().log_line(
      fmt::format("call {}: {}GetWorkspaceSize({}) = {}, workspace {} bytes, {:.1f} us", call,
                  spec.name, joined(spec, arguments, ", ", argument_text), status, workspace, time)
          .c_str());
}

void log_launch(const char* name, uint64_t call, uint64_t workspace_size, aclrtStream stream,
                aclnnStatus status, LogClock::time_point begun) {
  const double time = microseconds_since(begun);
  if (as_json()) {
    diagnostics().log_line(
        fmt::format(R"({{"call":{},"event":"launch","operator":"{}","stream":"{}",)"
                    R"("status":{},"workspace":{},"microseconds":{:.3f}}})",
                    call, name, stream, status, workspace_size, time)
            .c_str());
    return;
  }
  diagnostics().log_line(
      fmt::format("call {}: {} on stream {} = {}, {:.1f} us", call, name, stream, status, time)
          .c_str());
}

Launch with_log(const Launch& launch, uint64_t call) {
  return {launch.stream,  launch.name,   run_logged, new Logged{launch, call},
          release_logged, &kLoggedTiling};
}

}  // namespace aclgrad::diagnostics
