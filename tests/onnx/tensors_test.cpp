// SPDX-License-Identifier: Apache-2.0
#include "onnx/tensors.h"

#include <gmock/gmock.h>

#include <fstream>

#include "aclgrad/aclgrad.h"
#include "onnx/model_file.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/memory_file.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::HasSubstr;

constexpr DType kEach[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64,
                           DType::int8,    DType::int16,   DType::int32,    DType::int64,
                           DType::uint8,   DType::boolean};

TEST(OnnxTensors, ComeBackInEveryType) {
  for (const DType dtype : kEach) {
    const Tensor tensor = Tensor::from({2, 3}, {0, 1, 1, 0, 0, 1}, dtype);
    EXPECT_TRUE(bitwise_equal(onnx::tensor_of(onnx::tensor_proto("t", tensor)), tensor)) << dtype;
  }
}

// The same numbers in the field that the standard names for the type.
TEST(OnnxTensors, AreReadFromTypedFields) {
  for (const DType dtype : kEach) {
    const Tensor tensor = Tensor::from({2}, {1, 0}, dtype);
    ::onnx::TensorProto proto = onnx::tensor_proto("t", tensor);
    const std::string raw = proto.raw_data();
    proto.clear_raw_data();
    for (std::size_t i = 0; i < 2; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, raw.data() + i * size_of(dtype), size_of(dtype));
      if (dtype == DType::float32) {
        proto.add_float_data(static_cast<float>(tensor.get(static_cast<std::int64_t>(i))));
      } else if (dtype == DType::float64) {
        proto.add_double_data(tensor.get(static_cast<std::int64_t>(i)));
      } else if (dtype == DType::int64) {
        proto.add_int64_data(static_cast<std::int64_t>(bits));
      } else {
        proto.add_int32_data(static_cast<std::int32_t>(bits));
      }
    }
    EXPECT_TRUE(bitwise_equal(onnx::tensor_of(proto), tensor)) << dtype;
  }
}

TEST(OnnxTensors, RefuseWhatDoesNotFit) {
  ::onnx::TensorProto proto = onnx::tensor_proto("t", Tensor::zeros({2, 3}));
  proto.set_dims(0, 1LL << 40);  // must not be allocated
  EXPECT_THAT(message_of<ValueError>([&] { onnx::tensor_of(proto); }),
              HasSubstr("the tensor `t` of float32 [1099511627776, 3] takes 13194139533312 bytes, "
                        "but has 24"));
  proto.set_dims(0, -1);
  EXPECT_THAT(message_of<ValueError>([&] { onnx::tensor_of(proto); }), HasSubstr("has no shape"));
  proto.set_data_type(::onnx::TensorProto::STRING);
  EXPECT_THAT(message_of<ValueError>([&] { onnx::tensor_of(proto); }), HasSubstr("STRING"));
}

TEST(OnnxModelFile, KeepsLargeTensorsBeside) {
  const TemporaryFolder folder;
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  const Tensor large = Tensor::arange(1000), small = Tensor::arange(3), other = Tensor::arange(500);
  *model.mutable_graph()->add_initializer() = onnx::tensor_proto("large", large);
  *model.mutable_graph()->add_initializer() = onnx::tensor_proto("small", small);
  *model.mutable_graph()->add_initializer() = onnx::tensor_proto("other", other);
  const std::filesystem::path path = folder.path() / "model.onnx";
  onnx::write_model(model, path, 1024);
  ::onnx::ModelProto read = onnx::read_model(path);
  ASSERT_EQ(read.graph().initializer_size(), 3);
  EXPECT_FALSE(read.graph().initializer(0).has_raw_data());
  EXPECT_TRUE(read.graph().initializer(1).has_raw_data());
  const Tensor* const expected[] = {&large, &small, &other};
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(
        bitwise_equal(onnx::tensor_of(read.graph().initializer(i), folder.path()), *expected[i]));
  }
  // Of what lies elsewhere nothing is read.
  ::onnx::TensorProto tensor = read.graph().initializer(0);
  for (const char* location : {"../model.onnx.data", "/etc/passwd", ""}) {
    tensor.mutable_external_data(0)->set_value(location);
    EXPECT_THAT(message_of<IoError>([&] { onnx::tensor_of(tensor, folder.path()); }),
                HasSubstr("below the folder of the model"));
  }
}

TEST(OnnxModelFile, SaysWhatIsNoModel) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.onnx";
  std::ofstream(path) << "no model";
  EXPECT_THAT(message_of<IoError>([&] { onnx::read_model(path); }), HasSubstr("is no ONNX model"));
}

// With all that a file may hold: tensors by raw_data and by numbers, two pieces of one graph.
std::string model_bytes() {
  ::onnx::ModelProto first, second;
  first.set_ir_version(8);
  first.set_producer_name("a test");
  first.add_opset_import()->set_version(17);
  *first.mutable_graph()->add_initializer() = onnx::tensor_proto("a", Tensor::arange(6));
  *first.mutable_graph()->add_initializer() = onnx::tensor_proto("none", Tensor::zeros({0}));
  ::onnx::NodeProto& node = *first.mutable_graph()->add_node();
  node.set_op_type("Constant");
  node.add_output("c");
  *node.add_attribute()->mutable_t() = onnx::tensor_proto("t", Tensor::arange(2));
  node.mutable_attribute(0)->set_f(1.5F);
  second.mutable_graph()->set_name("graph");
  *second.mutable_graph()->add_initializer() = onnx::tensor_proto("b", Tensor::arange(3));
  ::onnx::TensorProto& numbers = *second.mutable_graph()->add_initializer();
  numbers.set_name("numbers");
  numbers.add_double_data(2.5);
  return first.SerializeAsString() + second.SerializeAsString();
}

// The model as it is read, and as protobuf's own parser reads it, written again; "" for none.
std::pair<std::string, std::string> read_and_parsed(const std::string& bytes) {
  const MemoryFile file(bytes);
  std::string read, parsed;
  try {
    read = onnx::read_model(file.path()).SerializeAsString();
  } catch (const IoError&) {
  }
  ::onnx::ModelProto model;
  if (model.ParseFromString(bytes) && model.has_graph()) parsed = model.SerializeAsString();
  return {read, parsed};
}

TEST(OnnxModelFile, ReadsWhatProtobufReads) {
  const std::string bytes = model_bytes();
  const auto [whole, expected] = read_and_parsed(bytes);
  EXPECT_FALSE(whole.empty());
  EXPECT_EQ(whole, expected);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto [read, parsed] = read_and_parsed(bytes.substr(0, size));
    EXPECT_EQ(read, parsed) << "the first " << size << " bytes";
  }
  std::string changed = bytes;
  for (std::size_t k = 0; k < 8 * bytes.size(); ++k) {
    char& byte = changed[k / 8];
    byte = static_cast<char>(byte ^ (1 << k % 8));
    const auto [read, parsed] = read_and_parsed(changed);
    // Groups, which ONNX does not have, are refused here, and skipped there.
    if (!read.empty()) {
      EXPECT_EQ(read, parsed) << "bit " << k % 8 << " of byte " << k / 8;
    }
    byte = bytes[k / 8];
  }
}

}  // namespace
}  // namespace aclgrad
