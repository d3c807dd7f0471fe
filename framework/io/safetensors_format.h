// SPDX-License-Identifier: Apache-2.0
// What writing and reading of safetensors files share: the words of the format, and writing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "aclgrad/dtype.h"
#include "aclgrad/io/safetensors.h"
#include "io/posix_file.h"

namespace aclgrad::detail {

static_assert(std::endian::native == std::endian::little,
              "tensors are written and read as they lie in memory, which is little endian");

inline constexpr std::string_view kMetadataKey = "__metadata__";
inline constexpr std::uint64_t kLongestHeader = 100'000'000;

struct SafetensorsDType {
  std::string_view name;
  DType dtype;
};

inline constexpr std::array kSafetensorsDTypes = {
    SafetensorsDType{"F64", DType::float64}, SafetensorsDType{"F32", DType::float32},
    SafetensorsDType{"F16", DType::float16}, SafetensorsDType{"BF16", DType::bfloat16},
    SafetensorsDType{"I64", DType::int64},   SafetensorsDType{"I32", DType::int32},
    SafetensorsDType{"I16", DType::int16},   SafetensorsDType{"I8", DType::int8},
    SafetensorsDType{"U8", DType::uint8},    SafetensorsDType{"BOOL", DType::boolean}};

/// What save_safetensors() writes, down to the disk; the file has yet to take its name. Throws as
/// that does.
void write_safetensors(TemporaryFile& file, const NamedTensors& tensors, const Metadata& metadata);

/// What the header of a file says, where it is sound and the file as long as it says; the numbers
/// are not read. Nothing for another file, or none.
std::optional<Metadata> metadata_of_whole(const std::filesystem::path& path);

}  // namespace aclgrad::detail
