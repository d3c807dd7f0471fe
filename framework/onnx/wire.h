// SPDX-License-Identifier: Apache-2.0
// A model's bytes in a file, parsed without the numbers of its initializers.
#pragma once

#include <onnx/onnx_pb.h>

#include <optional>
#include <vector>

#include "io/posix_file.h"
#include "onnx/tensors.h"

namespace aclgrad::onnx {

/// A tensor of a model's graph, without its raw_data: where in the file that lies, or nothing if it
/// has none.
struct Initializer {
  proto::TensorProto tensor;
  std::optional<FileRange> raw_data;
};

/// Parses a file of at most 2 GiB into the model and, apart from it, the initializers of its graph.
/// Returns false for bytes that are no message; throws IoError where they cannot be read.
bool read_apart(const aclgrad::detail::InputFile& file, proto::ModelProto& model,
                std::vector<Initializer>& initializers);

}  // namespace aclgrad::onnx
