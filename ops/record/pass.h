// SPDX-License-Identifier: Apache-2.0
// A function of the C interface that stands before the one of the same name: it passes the call on,
// and has it recorded with its arguments.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "hccl/hccl_types.h"

namespace aclgrad::record {

// An argument, by what its type says of it.
struct Argument {
  enum class Kind {
    kAddress,   // of whatever: the number of an address alone is recorded
    kText,      // a string, which may be null
    kWritable,  // char*: a string in a phase one, else room for one
    kWhole,     // also bool and enumerations
    kUnsigned,
    kReal,
    kAddressOut,  // where the function leaves an address: void**
    kWholeOut,    // or a number, of `bytes` bytes
    kTensor,
    kTensorList,
    kScalar,
    kScalarList,
    kIntArray,
    kFloatArray,
    kBoolArray,
    kOther  // a structure
  };
  Kind kind = Kind::kOther;
  const void* address = nullptr;
  int64_t whole = 0;
  double real = 0;
  uint8_t bytes = 0;
};

template <class T>
Argument argument(T value) {
  using Kind = Argument::Kind;
  if constexpr (std::is_pointer_v<T>) {
    using Pointed = std::remove_pointer_t<T>;
    using Plain = std::remove_const_t<Pointed>;
    Argument made{.kind = Kind::kAddress};
    constexpr bool is_written = !std::is_const_v<Pointed>;
    if constexpr (std::is_function_v<Pointed>) {
      made.address = reinterpret_cast<const void*>(value);
    } else {
      made.address = value;
    }
    if constexpr (std::is_same_v<Plain, char>)
      made.kind = is_written ? Kind::kWritable : Kind::kText;
    if constexpr (std::is_same_v<Plain, aclTensor>) made.kind = Kind::kTensor;
    if constexpr (std::is_same_v<Plain, aclTensorList>) made.kind = Kind::kTensorList;
    if constexpr (std::is_same_v<Plain, aclScalar>) made.kind = Kind::kScalar;
    if constexpr (std::is_same_v<Plain, aclScalarList>) made.kind = Kind::kScalarList;
    if constexpr (std::is_same_v<Plain, aclIntArray>) made.kind = Kind::kIntArray;
    if constexpr (std::is_same_v<Plain, aclFloatArray>) made.kind = Kind::kFloatArray;
    if constexpr (std::is_same_v<Plain, aclBoolArray>) made.kind = Kind::kBoolArray;
    if constexpr (is_written && std::is_pointer_v<Pointed>) made.kind = Kind::kAddressOut;
    if constexpr (is_written && !std::is_same_v<Plain, char> &&
                  (std::is_integral_v<Pointed> || std::is_enum_v<Pointed>)) {
      made.kind = Kind::kWholeOut;
      made.bytes = sizeof(Pointed);
    }
    return made;
  } else if constexpr (std::is_unsigned_v<T>) {
    return {.kind = Kind::kUnsigned, .whole = static_cast<int64_t>(value)};
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return {.kind = Kind::kWhole, .whole = static_cast<int64_t>(value)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {.kind = Kind::kReal, .real = value};
  } else {
    return {};
  }
}

struct Handler;  // handlers.h
class State;

// One for every name.
struct Function {
  constexpr Function(const char* its_name, const char* its_parameters)
      : name(its_name), parameters(its_parameters) {}

  // The function behind, found at the first call; null where there is none, which is said once.
  void* behind();

  const char* name;
  const char* parameters;                // "workspace,workspaceSize,executor,stream"
  std::atomic<void*> address = nullptr;  // behind()
  const Handler* handler = nullptr;      // what is done beyond the line in the record
  std::optional<size_t> stream = {};     // the place of the stream on which it queues work
  std::atomic<uint64_t> calls = 0;       // whose bytes could be kept
  std::atomic<bool> is_found = false;
};

// One call that is recorded: made before, finished after. It never throws, and does nothing within
// another call of its thread: libraries behind call each other.
class Call {
 public:
  Call(Function& function, const Argument* arguments, bool is_phase_two) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // With the status, or a pointer that was made. Returns the status that the program gets: a
  // failure that only the recorder's own wait for a stream has seen is that of the program's next
  // one.
  int64_t end(int64_t status) noexcept;
  void end_with(const void* result) noexcept;

 private:
  State* state_ = nullptr;
};

// What a function of a status answers whose name the libraries behind lack.
inline constexpr int32_t kNotThere = ACL_ERROR_API_NOT_SUPPORT;

template <class Signature>
struct Pass;

template <class Result, class... Parameters>
struct Pass<Result(Parameters...)> {
  static constexpr bool kIsPhaseTwo =
      std::is_same_v<Result(Parameters...),
                     aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream)>;

  static Result call(Function& function, Parameters... parameters) {
    auto* const behind = reinterpret_cast<Result (*)(Parameters...)>(function.behind());
    if (behind == nullptr) {
      if constexpr (std::is_void_v<Result>) {
        return;
      } else if constexpr (std::is_same_v<Result, int32_t>) {
        return kNotThere;
      } else if constexpr (std::is_same_v<Result, HcclResult>) {
        return HCCL_E_NOT_SUPPORT;
      } else {
        return Result();
      }
    }
    const Argument arguments[] = {argument(parameters)..., Argument()};
    Call call(function, arguments, kIsPhaseTwo);
    if constexpr (std::is_void_v<Result>) {
      behind(parameters...);
      call.end(0);
    } else {
      const Result result = behind(parameters...);
      if constexpr (std::is_pointer_v<Result>) {
        call.end_with(result);
        return result;
      } else {
        return static_cast<Result>(call.end(static_cast<int64_t>(result)));
      }
    }
  }
};

}  // namespace aclgrad::record
