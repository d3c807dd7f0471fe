// SPDX-License-Identifier: Apache-2.0
// run_onnxruntime FOLDER BATCH...: runs every FOLDER/NAME.onnx by onnxruntime, on the inputs
// NAME.BATCH.in.K.npy, and writes NAME.BATCH.out.K.npy. A program of its own: two libraries of
// ONNX's messages do not stand each other in one process.
#include <fmt/format.h>
#include <onnxruntime_cxx_api.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/io/npy.h"

namespace {

using aclgrad::DType;
using aclgrad::Tensor;

constexpr std::pair<ONNXTensorElementDataType, DType> kTypes[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, DType::float32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, DType::float64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, DType::int64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, DType::int32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, DType::uint8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, DType::boolean}};

Ort::Value borrowed(const Ort::MemoryInfo& memory, Tensor& tensor) {
  for (const auto& [type, dtype] : kTypes) {
    if (dtype != tensor.dtype()) continue;
    return Ort::Value::CreateTensor(memory, tensor.bytes(), tensor.nbytes(), tensor.shape().data(),
                                    tensor.rank(), type);
  }
  throw aclgrad::DTypeError("no input of this dtype is expected");
}

Tensor copied(const Ort::Value& value) {
  const Ort::TensorTypeAndShapeInfo info = value.GetTensorTypeAndShapeInfo();
  for (const auto& [type, dtype] : kTypes) {
    if (type != info.GetElementType()) continue;
    Tensor made = Tensor::zeros(aclgrad::Shape(info.GetShape()), dtype);
    std::memcpy(made.bytes(), value.GetTensorRawData(), made.nbytes());
    return made;
  }
  throw aclgrad::DTypeError("no output of this dtype is expected");
}

void run(const Ort::Env& env, const std::filesystem::path& model, int count, char** batches) {
  const Ort::SessionOptions options;
  Ort::Session session(env, model.c_str(), options);
  const Ort::MemoryInfo memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  Ort::AllocatorWithDefaultOptions allocator;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < session.GetInputCount(); ++k) {
    names.emplace_back(session.GetInputNameAllocated(k, allocator).get());
  }
  for (std::size_t k = 0; k < session.GetOutputCount(); ++k) {
    names.emplace_back(session.GetOutputNameAllocated(k, allocator).get());
  }
  std::vector<const char*> texts;
  for (const std::string& name : names) texts.push_back(name.c_str());
  for (int b = 0; b < count; ++b) {
    const auto file = [&](const char* what, std::size_t number) {
      return model.parent_path() /
             fmt::format("{}.{}.{}.{}.npy", model.stem().string(), batches[b], what, number);
    };
    std::vector<Tensor> tensors;
    for (std::size_t k = 0; k < session.GetInputCount(); ++k) {
      tensors.push_back(aclgrad::read_npy(file("in", k)));
    }
    std::vector<Ort::Value> inputs;
    for (Tensor& tensor : tensors) inputs.push_back(borrowed(memory, tensor));
    const std::vector<Ort::Value> outputs =
        session.Run(Ort::RunOptions(), texts.data(), inputs.data(), inputs.size(),
                    texts.data() + inputs.size(), session.GetOutputCount());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      aclgrad::write_npy(file("out", k), copied(outputs[k]));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Ort::Env env(ORT_LOGGING_LEVEL_ERROR);
  int failed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argc > 1 ? argv[1] : ".")) {
    if (entry.path().extension() != ".onnx") continue;
    try {
      run(env, entry.path(), argc - 2, argv + 2);
    } catch (const std::exception& problem) {
      fmt::print(stderr, "{}: {}\n", entry.path().string(), problem.what());
      failed = 1;
    }
  }
  return failed;
}
