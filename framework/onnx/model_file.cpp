// SPDX-License-Identifier: Apache-2.0
#include "onnx/model_file.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "onnx/tensors.h"

namespace aclgrad::onnx {
namespace {

constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();
// Where runtimes map the file into memory, tensors begin at its pages.
constexpr std::size_t kAlignment = 4096;

void set_entry(proto::TensorProto& tensor, const char* key, const std::string& value) {
  proto::StringStringEntryProto& entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

// Moves the numbers of large tensors to a file.
void move_out(proto::ModelProto& model, const std::filesystem::path& path, std::size_t least) {
  std::vector<std::string> kept;
  std::size_t end = 0;
  const std::string padding(kAlignment, '\0');
  std::vector<std::string_view> pieces;
  kept.reserve(static_cast<std::size_t>(model.graph().initializer_size()));
  for (proto::TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (!tensor.has_raw_data() || tensor.raw_data().size() < least) continue;
    const std::size_t begin = (end + kAlignment - 1) / kAlignment * kAlignment;
    pieces.push_back(std::string_view(padding).substr(0, begin - end));
    kept.push_back(std::move(*tensor.mutable_raw_data()));
    pieces.push_back(kept.back());
    end = begin + kept.back().size();
    tensor.clear_raw_data();
    tensor.set_data_location(proto::TensorProto::EXTERNAL);
    set_entry(tensor, "location", path.filename().string());
    set_entry(tensor, "offset", std::to_string(begin));
    set_entry(tensor, "length", std::to_string(kept.back().size()));
  }
  if (!pieces.empty()) write_file_atomically(path, pieces);
}

}  // namespace

ModelFile::ModelFile(const std::filesystem::path& path) : file_(path) {
  if (file_.size() > kMostBytes) {
    throw IoError(fmt::format("{}: is no ONNX model: it has {} bytes, a model has at most {}",
                              path.string(), file_.size(), kMostBytes));
  }
  if (!read_apart(file_, model_, initializers_) || !model_.has_graph()) {
    throw IoError(path.string() + ": is no ONNX model");
  }
}

Tensor ModelFile::read(const Initializer& initializer) const {
  return initializer.raw_data ? tensor_of(initializer.tensor, file_, *initializer.raw_data)
                              : tensor_of(initializer.tensor, file_.path().parent_path());
}

proto::ModelProto ModelFile::whole() && {
  for (Initializer& initializer : initializers_) {
    proto::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.Swap(&initializer.tensor);
    if (!initializer.raw_data) continue;
    std::string& data = *tensor.mutable_raw_data();
    data.resize(initializer.raw_data->size);
    file_.read(initializer.raw_data->begin, data.data(), data.size());
  }
  return std::move(model_);
}

proto::ModelProto read_model(const std::filesystem::path& path) { return ModelFile(path).whole(); }

void write_model(proto::ModelProto model, const std::filesystem::path& path,
                 std::optional<std::size_t> external_bytes) {
  if (external_bytes) {
    std::filesystem::path data = path;
    data += ".data";
    move_out(model, data, *external_bytes);
  }
  const std::size_t size = model.ByteSizeLong();
  if (size > kMostBytes) {
    throw IoError(
        fmt::format("{}: cannot write: the model has {} bytes, a file has room for {}; "
                    "let its tensors lie beside it",
                    path.string(), size, kMostBytes));
  }
  write_file_atomically(path, model.SerializeAsString());
}

}  // namespace aclgrad::onnx
