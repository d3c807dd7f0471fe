// SPDX-License-Identifier: Apache-2.0
// Making, finding and destroying the objects that handles stand for.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <new>

#include "aclgrad_ext.h"
#include "ops/meta/hooks.h"
#include "ops/meta/if_memory_allows.h"
#include "ops/meta/operator.h"

namespace aclgrad::ops {

// What may have become of a handle that is not live.
inline constexpr char kDestroyed[] = "It was destroyed already, or is a handle of another kind.";

inline void report_exhausted(const char* function) noexcept {
  if_memory_allows([&] { report(function, kInnerError, "out of host memory."); });
}

// Makes an object a live handle; null and a message when memory is exhausted, also when there is
// no object.
template <class T>
T* register_handle(const char* function, std::unique_ptr<T> object, aclgradHandleKind kind) {
  if (object != nullptr && aclgradHandleAdd(object.get(), kind) == ACL_SUCCESS) {
    return object.release();
  }
  report_exhausted(function);
  return nullptr;
}

template <class T>
void dispose(const T* object) {
  if (OperatorHooks* const active = hooks()) {
    active->dispose(object, [](const void* it) { delete static_cast<const T*>(it); });
  } else {
    delete object;
  }
}

// Destroys what a handle stands for. Null is fine; a handle that is not live leaves a message and
// gives 161002, so that destroying twice is an error and never a crash.
template <class T>
aclnnStatus destroy(const char* function, const T* handle, aclgradHandleKind kind) {
  if (handle == nullptr) return kSuccess;
  if (aclgradHandleRemove(handle, kind) == 0) {
    if_memory_allows([&] {
      report(function, kInvalidParameter,
             fmt::format("the argument ({}) is not a live handle, expected one in use.",
                         static_cast<const void*>(handle)),
             kDestroyed);
    });
    return kInvalidParameter;
  }
  dispose(handle);
  return kSuccess;
}

// 161001 and a message naming the parameter when `pointer` is null.
inline aclnnStatus check_given(const char* function, const char* parameter, const void* pointer) {
  if (pointer != nullptr) return kSuccess;
  if_memory_allows([&] {
    aclgradReportError("EZ1011", "AclNN_Null_Pointer",
                       fmt::format("{}: argument {} must not be null, but got a null pointer.",
                                   function, parameter)
                           .c_str(),
                       nullptr, nullptr);
  });
  return kNullPointer;
}

// As check_given, and 161002 when the handle is not live.
inline aclnnStatus check_handle(const char* function, const char* parameter, const void* handle,
                                aclgradHandleKind kind) {
  if (const aclnnStatus status = check_given(function, parameter, handle); status != kSuccess) {
    return status;
  }
  if (aclgradHandleCheck(handle, kind) != 0) return kSuccess;
  if_memory_allows([&] {
    report(function, kInvalidParameter,
           fmt::format("argument {} ({}) is not a live handle, expected one in use.", parameter,
                       handle),
           kDestroyed);
  });
  return kInvalidParameter;
}

}  // namespace aclgrad::ops
