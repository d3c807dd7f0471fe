// SPDX-License-Identifier: Apache-2.0
// A checkpoint as the tensors and the metadata of a safetensors file.
#pragma once

#include "aclgrad/io/checkpoint.h"

namespace aclgrad::detail {

/// Everything but the tensors, with a checksum over all.
Metadata metadata_of(const Checkpoint& checkpoint);

/// Whether a file's metadata says that it is a checkpoint.
bool is_checkpoint(const Metadata& metadata);

/// The inverse of metadata_of(). Throws IoError, beginning with the path, when something is missing
/// or the checksum is not that of the content.
Checkpoint checkpoint_of(const std::filesystem::path& path, SafetensorsFile file);

}  // namespace aclgrad::detail
