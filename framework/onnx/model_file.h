// SPDX-License-Identifier: Apache-2.0
// Files with a ModelProto.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "aclgrad/tensor.h"
#include "io/posix_file.h"
#include "onnx/wire.h"

namespace aclgrad::onnx {

/// A model whose initializers stay in its file: each is read into the tensor that it becomes, once.
/// Parsed with the model, its numbers would be copied twice more.
class ModelFile {
 public:
  /// Reads all but the numbers of initializers; what tensors have in other files is not read.
  /// Throws IoError for a file that cannot be read, or that holds no model.
  explicit ModelFile(const std::filesystem::path& path);

  /// The model; its graph's initializers are those of initializers().
  proto::ModelProto& model() { return model_; }
  const std::vector<Initializer>& initializers() const { return initializers_; }

  /// The tensor of one of them. Throws what tensor_of() does.
  Tensor read(const Initializer& initializer) const;

  /// The model with its initializers, which this then has no more.
  proto::ModelProto whole() &&;

 private:
  aclgrad::detail::InputFile file_;
  proto::ModelProto model_;
  std::vector<Initializer> initializers_;
};

/// The model of a file, whole. Throws as ModelFile does.
proto::ModelProto read_model(const std::filesystem::path& path);

/// Writes a model, so that at every moment the file is what it was or complete. With a bound,
/// initializers of as many bytes or more go to a file beside it, the path with ".data" behind it.
/// Throws IoError, also for more than the 2 GiB that protobuf has room for, and says what helps.
void write_model(proto::ModelProto model, const std::filesystem::path& path,
                 std::optional<std::size_t> external_bytes = std::nullopt);

}  // namespace aclgrad::onnx
