// SPDX-License-Identifier: Apache-2.0
// ONNX's element types and tensors, and ours.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "aclgrad/dtype.h"
#include "aclgrad/tensor.h"
#include "io/posix_file.h"

namespace aclgrad::onnx {

namespace proto = ::onnx;

/// Our type for a TensorProto::DataType; nothing for strings, complex and most unsigned numbers,
/// which no tensor here holds.
std::optional<DType> dtype_of(std::int32_t type);

/// ONNX's number for a type.
proto::TensorProto::DataType type_of(DType dtype);

/// "FLOAT", "INT64": ONNX's name for a number; the number where it has none.
std::string type_name(std::int32_t type);

/// The numbers of a tensor, which may lie in a file beside the model: `folder` is the model's.
/// Throws ValueError, which names the tensor, for a type that there is not here, and where the
/// shape needs more or fewer numbers than there are; IoError for a file that cannot be read, or
/// that is not below the folder.
Tensor tensor_of(const proto::TensorProto& tensor, const std::filesystem::path& folder = {});

/// Where in a file something lies.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

/// Of a tensor whose raw_data still lies in the model's own file, there.
Tensor tensor_of(const proto::TensorProto& tensor, const aclgrad::detail::InputFile& file,
                 const FileRange& raw_data);

/// A tensor under a name, its numbers inside.
proto::TensorProto tensor_proto(const std::string& name, const Tensor& tensor);

}  // namespace aclgrad::onnx
