// SPDX-License-Identifier: Apache-2.0
// The libraries that the recorder stands before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "acl/acl.h"

namespace aclgrad::record {

// Their function of a name; null where there is none.
void* find_behind(const char* name);

// A function that the recorder itself calls.
template <class Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(find_behind(name));
}

// ---- Memory -------------------------------------------------------------------------------------

void block_made(const void* address, uint64_t size);
void block_gone(const void* address);
// Whether an address lies in memory that the program has from the runtime.
bool is_in_block(uintptr_t address);

// Whether the device's memory is the host's, as our own libraries have it: any thread reads it.
bool is_host_memory();

// The bytes of the device's memory, in place where the host can read them, else copied to `room`.
// None where they cannot be read.
std::optional<std::span<const std::byte>> read_device(uintptr_t begin, uint64_t size,
                                                      std::vector<std::byte>& room);

// ---- Streams ------------------------------------------------------------------------------------

// Waits until a stream has done all its work. A failure of that work is kept for the program
// (take_failure), which would have met it at its own next wait.
bool wait_for(aclrtStream stream);
// Streams may have work from now on that waits for what the program does later.
void endless_work_possible();
// The failure that no wait of the program has returned yet: of a stream, or, with none, of any. 0:
// none.
aclError take_failure(std::optional<aclrtStream> stream);

// How many streams are being captured: their work does not run yet, and waiting for anything is
// forbidden meanwhile.
void capture_began();
void capture_ended();
bool is_capturing();

}  // namespace aclgrad::record
