// SPDX-License-Identifier: Apache-2.0
// ONNX models made in a test.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#include "aclgrad/onnx.h"
#include "onnx/model_file.h"
#include "onnx/tensors.h"

namespace aclgrad {

/// A model that grows node by node.
class ModelOf {
 public:
  explicit ModelOf(std::int64_t opset = 13) {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(opset);
  }

  /// Extents of -1 are left open.
  ModelOf& input(const std::string& name, const Dims& dims, DType dtype = DType::float32) {
    set(*graph().add_input(), name, dims, dtype);
    return *this;
  }
  ModelOf& output(const std::string& name, const Dims& dims, DType dtype = DType::float32) {
    set(*graph().add_output(), name, dims, dtype);
    return *this;
  }
  ModelOf& tensor(const std::string& name, const Tensor& value) {
    *graph().add_initializer() = onnx::tensor_proto(name, value);
    return *this;
  }
  /// Returns the node, for attributes.
  ::onnx::NodeProto& node(const std::string& op, std::initializer_list<std::string> inputs,
                          std::initializer_list<std::string> outputs) {
    ::onnx::NodeProto& made = *graph().add_node();
    made.set_op_type(op);
    for (const std::string& name : inputs) made.add_input(name);
    for (const std::string& name : outputs) made.add_output(name);
    return made;
  }

  onnx::Model load(const std::filesystem::path& path) const {
    onnx::write_model(proto, path);
    return onnx::load(path);
  }

  ::onnx::GraphProto& graph() { return *proto.mutable_graph(); }

  ::onnx::ModelProto proto;

 private:
  static void set(::onnx::ValueInfoProto& info, const std::string& name, const Dims& dims,
                  DType dtype) {
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::type_of(dtype));
    for (const std::int64_t extent : dims) {
      auto& dim = *type.mutable_shape()->add_dim();
      if (extent >= 0) dim.set_dim_value(extent);
    }
  }
};

inline void set_attribute(::onnx::NodeProto& node, const std::string& name, std::int64_t number) {
  ::onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(::onnx::AttributeProto::INT);
  attribute.set_i(number);
}

}  // namespace aclgrad
