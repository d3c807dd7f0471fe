// SPDX-License-Identifier: Apache-2.0
// Files with a ModelProto.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <filesystem>
#include <optional>

#include "onnx/tensors.h"

namespace aclgrad::onnx {

/// The model of a file; what its tensors have in other files is not read. Throws IoError for a file
/// that cannot be read, or that holds no model.
proto::ModelProto read_model(const std::filesystem::path& path);

/// Writes a model, so that at every moment the file is what it was or complete. With a bound,
/// initializers of as many bytes or more go to a file beside it, the path with ".data" behind it.
/// Throws IoError, also for more than the 2 GiB that protobuf has room for, and says what helps.
void write_model(proto::ModelProto model, const std::filesystem::path& path,
                 std::optional<std::size_t> external_bytes = std::nullopt);

}  // namespace aclgrad::onnx
