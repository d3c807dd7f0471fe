// SPDX-License-Identifier: Apache-2.0
// The two files of a record: calls.jsonl, a line for every call, and contents.bin, the bytes of
// tensors, each distinct content once. Both only grow, and what a line refers to is written before
// it, so that a process that is killed leaves a record that can be read, but for the last line
// perhaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ops/record/hash.h"

namespace aclgrad::record {

// Whether this process writes a record. The files are made at the first question; where they cannot
// be made, and where a write fails later, a sentence on stderr says so, and nothing more is
// recorded.
bool is_recording();

// Appends a line that begins with {"n":N, with the next number, and goes on with `rest`. Returns
// the number.
uint64_t write_line(const std::string& rest);

// Bytes by their hash, which decides what is new, and where they stand in contents.bin; none where
// they are more than what the settings allow.
struct Kept {
  Hash hash;
  std::optional<uint64_t> begin;
};
Kept keep(std::span<const std::byte> bytes);

}  // namespace aclgrad::record
