// SPDX-License-Identifier: Apache-2.0
// The lives of everything that a program makes and has to give back: for what a dead handle was,
// for what changed between the phases, and for what is left in the end.
#pragma once

#include <cstdint>
#include <string>

#include "ops/diagnostics/checks.h"

namespace aclgrad::diagnostics {

// `kind` ("stream", "aclTensor") must live as long as the program; `detail` goes behind the name.
void object_made(const void* handle, const char* kind, const std::string& detail = "") noexcept;
void object_gone(const void* handle) noexcept;
void object_changed(const void* handle) noexcept;
// An executor has reached phase two.
void object_used(const void* handle) noexcept;

// Changes whenever the object does; 0 when it is not alive.
uint64_t version_of(const void* handle) noexcept;

// Reports a tensor, argument of the operator, that had this version in phase one and has another.
void check_version(const char* name, const char* argument, const void* handle,
                   uint64_t version) noexcept;

// Reports a handle that should have been a live object of this kind, and is not.
void report_missing(const void* handle, const char* kind) noexcept;

// "stream 3"; empty for a handle that nothing is known of.
std::string name_of_object(const void* handle);

// What the handle stands for, where it was made and where it ended, in lines with this indent;
// empty for a handle that nothing is known of.
std::string history_of(const void* handle, const std::string& indent);

// At aclFinalize: executors that never ran, and everything that the program did not give back, what
// went away with its device or context included. Each thing is reported once.
void report_leftovers() noexcept;

}  // namespace aclgrad::diagnostics
