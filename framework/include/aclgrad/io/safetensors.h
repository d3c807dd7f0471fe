// SPDX-License-Identifier: Apache-2.0
// Named tensors in one file, in the public safetensors format: eight bytes with the length of the
// header (unsigned, little endian), a JSON header with dtype, shape and place of every tensor,
// padded with spaces to a multiple of eight, then the raw little-endian data without holes.
//
// The dtypes written and read are F64, F32, F16, BF16, I64, I32, I16, I8, U8 and BOOL.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "aclgrad/tensor/named_tensors.h"

namespace aclgrad {

/// Texts of a file, by name.
using Metadata = std::map<std::string, std::string>;

/// What a file held, in the order of its header. Tensors of dtypes that there are not here are in
/// tensors.refused.
struct SafetensorsFile {
  NamedTensors tensors;
  Metadata metadata;

  bool contains(std::string_view name) const { return tensors.contains(name); }

  /// Throws IoError that says why the tensor was refused, or lists the names there are.
  const Tensor& operator[](std::string_view name) const;
};

/// Writes the file as write_file_atomically does. The header keeps the order given; the data is
/// laid out with wider elements first, so that every tensor is aligned in the file.
/// Throws ValueError for a name given twice, the reserved name "__metadata__" and text that is not
/// UTF-8, IoError when writing fails.
void save_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                      const Metadata& metadata = {});

/// Reads a file and checks all of it before trusting any: lengths, JSON, types, names given twice,
/// shapes, offsets (in range, no overlap, no holes), sizes, bytes of BOOL. Headers may have up to
/// 100,000,000 bytes. Throws IoError that names the file, the tensor and what is wrong, also when
/// the file does not fit into memory; for a file of another kind (of PyTorch or NumPy, a compressed
/// one) it says which, and what to do.
///
/// Of the index of a model in several files (model.safetensors.index.json) it reads all tensors
/// that the index names, from the files beside it; their metadata together, which must agree about
/// "format".
SafetensorsFile load_safetensors(const std::filesystem::path& path);

}  // namespace aclgrad
