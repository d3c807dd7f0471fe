// SPDX-License-Identifier: Apache-2.0
#include "onnx/tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "aclgrad/error.h"
#include "io/posix_file.h"

namespace aclgrad::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

using Type = proto::TensorProto;

struct TypeRow {
  std::int32_t type;
  DType dtype;
};
constexpr TypeRow kTypes[] = {
    {Type::FLOAT, DType::float32},  {Type::UINT8, DType::uint8},
    {Type::INT8, DType::int8},      {Type::INT16, DType::int16},
    {Type::INT32, DType::int32},    {Type::INT64, DType::int64},
    {Type::BOOL, DType::boolean},   {Type::FLOAT16, DType::float16},
    {Type::DOUBLE, DType::float64}, {Type::BFLOAT16, DType::bfloat16},
};

[[noreturn]] void fail(const proto::TensorProto& tensor, const std::string& what) {
  throw ValueError(fmt::format("the tensor `{}` {}", tensor.name(), what));
}

// Throws before anything is allocated: a shape may say whatever it likes.
void require_bytes(const proto::TensorProto& tensor, const Shape& shape, DType dtype,
                   std::uint64_t found) {
  const std::uint64_t wanted = static_cast<std::uint64_t>(shape.numel()) * size_of(dtype);
  if (found == wanted) return;
  fail(tensor, fmt::format("of {} {} takes {} bytes, but has {}", to_string(dtype),
                           to_string(shape), wanted, found));
}

// The numbers of a repeated field, each in the lowest bytes of what the field holds.
template <class Field>
Tensor from_field(const proto::TensorProto& tensor, const Field& field, const Shape& shape,
                  DType dtype) {
  const std::size_t width = size_of(dtype);
  require_bytes(tensor, shape, dtype, static_cast<std::uint64_t>(field.size()) * width);
  Tensor result = Tensor::zeros(shape, dtype);
  std::byte* at = result.bytes();
  for (const auto& number : field) {
    std::memcpy(at, &number, width);
    at += width;
  }
  return result;
}

std::uint64_t number_in(const proto::TensorProto& tensor, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    fail(tensor, "has external data at `" + text + "`, which is no number");
  }
  return number;
}

Tensor from_range(const proto::TensorProto& tensor, const aclgrad::detail::InputFile& file,
                  const FileRange& range, const Shape& shape, DType dtype) {
  require_bytes(tensor, shape, dtype, range.size);
  Tensor result = Tensor::zeros(shape, dtype);
  file.read(range.begin, result.bytes(), result.nbytes());
  return result;
}

Tensor from_file(const proto::TensorProto& tensor, const std::filesystem::path& folder,
                 const Shape& shape, DType dtype) {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
  for (const proto::StringStringEntryProto& entry : tensor.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = number_in(tensor, entry.value());
    if (entry.key() == "length") length = number_in(tensor, entry.value());
  }
  // A model must not read what its user did not give it.
  const std::filesystem::path relative = std::filesystem::path(location).lexically_normal();
  if (location.empty() || relative.is_absolute() || *relative.begin() == "..") {
    throw IoError(fmt::format("{}: the data of `{}` must lie below the folder of the model",
                              location, tensor.name()));
  }
  const aclgrad::detail::InputFile file(folder / relative);
  if (offset > file.size()) fail(tensor, "begins behind the end of " + file.path().string());
  const std::uint64_t wanted = static_cast<std::uint64_t>(shape.numel()) * size_of(dtype);
  return from_range(tensor, file, {offset, std::min(length.value_or(wanted), file.size() - offset)},
                    shape, dtype);
}

// bool has one byte, which is 0 or 1 here; a file may have others.
Tensor normalized(Tensor tensor) {
  if (tensor.dtype() != DType::boolean) return tensor;
  std::byte* const bytes = tensor.bytes();
  for (std::size_t i = 0; i < tensor.nbytes(); ++i) {
    bytes[i] = static_cast<std::byte>(bytes[i] != std::byte{0});
  }
  return tensor;
}

Tensor read(const proto::TensorProto& tensor, const std::filesystem::path& folder,
            const Shape& shape, DType dtype) {
  if (tensor.data_location() == proto::TensorProto::EXTERNAL) {
    return from_file(tensor, folder, shape, dtype);
  }
  if (tensor.has_raw_data()) {
    const std::string& raw = tensor.raw_data();
    require_bytes(tensor, shape, dtype, raw.size());
    Tensor result = Tensor::zeros(shape, dtype);
    std::copy_n(reinterpret_cast<const std::byte*>(raw.data()), raw.size(), result.bytes());
    return result;
  }
  if (dtype == DType::float32) return from_field(tensor, tensor.float_data(), shape, dtype);
  if (dtype == DType::float64) return from_field(tensor, tensor.double_data(), shape, dtype);
  if (dtype == DType::int64) return from_field(tensor, tensor.int64_data(), shape, dtype);
  return from_field(tensor, tensor.int32_data(), shape, dtype);
}

DType required_dtype(const proto::TensorProto& tensor) {
  const std::optional<DType> dtype = dtype_of(tensor.data_type());
  if (!dtype) {
    fail(tensor, "is of " + type_name(tensor.data_type()) + ", which no tensor here holds");
  }
  if (tensor.has_segment()) fail(tensor, "lies in segments, which nothing writes");
  return *dtype;
}

Shape required_shape(const proto::TensorProto& tensor) {
  try {
    return Shape(Dims(tensor.dims().begin(), tensor.dims().end()));
  } catch (const ShapeError& error) {
    fail(tensor, std::string("has no shape: ") + error.what());
  }
}

}  // namespace

std::optional<DType> dtype_of(std::int32_t type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return row.dtype;
  }
  return std::nullopt;
}

proto::TensorProto::DataType type_of(DType dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == dtype) return static_cast<proto::TensorProto::DataType>(row.type);
  }
  throw DTypeError("ONNX has no type for " + to_string(dtype));
}

std::string type_name(std::int32_t type) {
  if (!proto::TensorProto::DataType_IsValid(type)) return std::to_string(type);
  return proto::TensorProto::DataType_Name(static_cast<proto::TensorProto::DataType>(type));
}

Tensor tensor_of(const proto::TensorProto& tensor, const std::filesystem::path& folder) {
  const DType dtype = required_dtype(tensor);
  return normalized(read(tensor, folder, required_shape(tensor), dtype));
}

Tensor tensor_of(const proto::TensorProto& tensor, const aclgrad::detail::InputFile& file,
                 const FileRange& raw_data) {
  const DType dtype = required_dtype(tensor);
  const Shape shape = required_shape(tensor);
  if (tensor.data_location() == proto::TensorProto::EXTERNAL) {
    return normalized(from_file(tensor, file.path().parent_path(), shape, dtype));
  }
  return normalized(from_range(tensor, file, raw_data, shape, dtype));
}

proto::TensorProto tensor_proto(const std::string& name, const Tensor& tensor) {
  proto::TensorProto result;
  result.set_name(name);
  result.set_data_type(type_of(tensor.dtype()));
  for (const std::int64_t extent : tensor.shape()) result.add_dims(extent);
  result.set_raw_data(tensor.bytes(), tensor.nbytes());
  return result;
}

}  // namespace aclgrad::onnx
