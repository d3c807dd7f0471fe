// SPDX-License-Identifier: Apache-2.0
// What every entry point of the library shares: how calls and operations end, the wording of the
// usual failures, and the wall that no exception passes.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "hccl/hccl_types.h"

namespace aclgrad::hccl {

// How long to wait for other ranks; nothing: for ever.
using Timeout = std::optional<std::chrono::milliseconds>;
using Deadline = std::optional<std::chrono::steady_clock::time_point>;

inline Deadline deadline_after(Timeout timeout) {
  if (!timeout) return {};
  return std::chrono::steady_clock::now() + *timeout;
}

// Waits until it is over or late; whether it is over.
template <class IsOver>
bool wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                const Deadline& deadline, const IsOver& is_over) {
  if (deadline) return changed.wait_until(lock, *deadline, is_over);
  changed.wait(lock, is_over);
  return true;
}

// "2 s", "150 ms"
std::string to_text(std::chrono::milliseconds time);

// How something ended; the text says why when it is not a success.
struct Outcome {
  HcclResult result = HCCL_SUCCESS;
  std::string text = {};

  bool ok() const { return result == HCCL_SUCCESS; }
};

// Memory is exhausted. The words are so short that they need none.
inline Outcome out_of_memory() { return {HCCL_E_MEMORY, "out of memory"}; }

// A failure with a message of its own, thrown by what lies below an entry point.
struct Failure : std::exception {
  explicit Failure(Outcome how, const char* what_helps = "")
      : outcome(std::move(how)), solution(what_helps) {}
  Failure(HcclResult result, std::string text, const char* what_helps = "")
      : Failure(Outcome{result, std::move(text)}, what_helps) {}
  const char* what() const noexcept override { return outcome.text.c_str(); }

  Outcome outcome;
  const char* solution;
};

// The usual failures of arguments.
Failure null_pointer(const char* parameter);
template <class Value>
Failure bad_value(const char* parameter, const Value& value, const std::string& expected,
                  HcclResult result = HCCL_E_PARA) {
  return {result, fmt::format("argument {} is {}, expected {}", parameter, value, expected)};
}
Failure not_live(HcclComm comm);

// Of the calling thread. Throws a Failure when it has none.
int32_t current_device();

// Leaves the message of a function that has failed, and returns its status.
HcclResult report(const char* function, HcclResult result, const std::string& text,
                  const char* solution = "") noexcept;

// Runs the body of a C entry point.
template <class Body>
HcclResult entry(const char* function, Body&& body) {
  try {
    body();
    return HCCL_SUCCESS;
  } catch (const Failure& failure) {
    return report(function, failure.outcome.result, failure.outcome.text, failure.solution);
  } catch (const std::bad_alloc&) {
    return report(function, HCCL_E_MEMORY, "out of host memory");
  } catch (const std::exception& error) {
    return report(function, HCCL_E_INTERNAL, error.what());
  }
}

}  // namespace aclgrad::hccl
