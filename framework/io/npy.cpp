// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "io/file_kind.h"
#include "io/little_endian.h"
#include "io/npy_format.h"
#include "io/strided.h"

namespace aclgrad {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::pair<DType, std::string_view> kTypes[] = {
    {DType::float16, "<f2"}, {DType::float32, "<f4"}, {DType::float64, "<f8"},
    {DType::int8, "|i1"},    {DType::int16, "<i2"},   {DType::int32, "<i4"},
    {DType::int64, "<i8"},   {DType::uint8, "|u1"},   {DType::boolean, "|b1"}};

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw IoError(fmt::format("{}: {}", file, what));
}

// The header of an array is a Python dictionary:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
struct ArrayHeader {
  std::string descr;
  bool fortran = false;
  std::vector<std::int64_t> shape;
};

std::string_view after(std::string_view text, std::string_view key, const std::string& file) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos)
    fail(file, fmt::format("the header of the array has no {}", key));
  text.remove_prefix(at + key.size());
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(": ")));
  return text;
}

ArrayHeader header_of(std::string_view text, const std::string& file) {
  ArrayHeader header;
  std::string_view descr = after(text, "'descr'", file);
  if (!descr.starts_with('\'')) fail(file, "records of several fields are no tensor");
  descr.remove_prefix(1);
  header.descr = descr.substr(0, descr.find('\''));
  header.fortran = after(text, "'fortran_order'", file).starts_with("True");
  std::string_view shape = after(text, "'shape'", file);
  const std::size_t end = shape.find(')');
  if (!shape.starts_with('(') || end == std::string_view::npos) {
    fail(file, "the header of the array has no shape");
  }
  shape = shape.substr(1, end - 1);
  while (true) {
    shape.remove_prefix(std::min(shape.size(), shape.find_first_not_of(", ")));
    if (shape.empty()) return header;
    std::int64_t extent = 0;
    const auto [stop, error] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (error != std::errc() || extent < 0) fail(file, "an extent of the array is no number");
    header.shape.push_back(extent);
    shape.remove_prefix(static_cast<std::size_t>(stop - shape.data()));
  }
}

DType dtype_of(const ArrayHeader& header, const std::string& file) {
  for (const auto& [dtype, descr] : kTypes) {
    // One byte has no order.
    if (header.descr == descr ||
        (descr[0] == '|' && header.descr.ends_with(descr.substr(1)) && header.descr.size() == 3)) {
      return dtype;
    }
  }
  const bool is_other_order = header.descr.starts_with('>');
  const bool is_object = header.descr.find('O') != std::string::npos;
  fail(file, fmt::format("arrays of dtype '{}' are not read{}", header.descr,
                         is_object ? ": they hold Python objects"
                         : is_other_order
                             ? ": convert it with array.astype('<" + header.descr.substr(1) + "')"
                             : ": convert it with astype(), to float32 say"));
}

}  // namespace

Tensor detail::parse_npy(std::string_view bytes, const std::string& file) {
  constexpr std::size_t kVersion = 6, kLength = 8;
  if (bytes.size() < 12 || !bytes.starts_with(kMagic)) {
    const std::string kind = detail::other_kind(bytes, detail::Expected::tensors);
    fail(file, kind.empty() ? "not an array of NumPy" : "not an array of NumPy: " + kind);
  }
  const int version = static_cast<std::uint8_t>(bytes[kVersion]);
  if (version < 1 || version > 3) {
    fail(file, fmt::format("version {} of NumPy's format is not known", version));
  }
  const std::size_t begin = kLength + (version == 1 ? 2 : 4);
  const std::size_t length = version == 1 ? detail::number_at<std::uint16_t>(bytes, kLength)
                                          : detail::number_at<std::uint32_t>(bytes, kLength);
  if (length > bytes.size() - begin) fail(file, "the header of the array is cut off");
  const ArrayHeader header = header_of(bytes.substr(begin, length), file);
  const DType dtype = dtype_of(header, file);
  const std::string_view data = bytes.substr(begin + length);
  std::optional<Shape> shape;
  try {
    shape.emplace(header.shape);
  } catch (const ShapeError& error) {
    fail(file, error.what());
  }
  const auto wanted = static_cast<std::uint64_t>(shape->numel());
  if (data.size() % size_of(dtype) != 0 || data.size() / size_of(dtype) != wanted) {
    fail(file, fmt::format("{} bytes of data where an array {} of {} was announced", data.size(),
                           to_string(*shape), to_string(dtype)));
  }
  Dims strides(header.shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < strides.size() && wanted > 0; ++i) {
    const std::size_t axis = header.fortran ? i : strides.size() - 1 - i;
    strides[axis] = stride;
    stride *= header.shape[axis];
  }
  return detail::gathered(data, 0, *shape, strides, dtype, file);
}

std::string detail::npy_of(const Tensor& tensor) {
  const auto* type =
      std::ranges::find(kTypes, tensor.dtype(), &std::pair<DType, std::string_view>::first);
  if (type == std::end(kTypes)) {
    throw DTypeError(fmt::format("NumPy has no {}: convert the tensor with to(DType::float32)",
                                 to_string(tensor.dtype())));
  }
  std::string shape;
  for (const std::int64_t extent : tensor.shape().dims()) shape += fmt::format("{}, ", extent);
  if (shape.ends_with(", ")) shape.resize(shape.size() - (tensor.rank() == 1 ? 1 : 2));
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   type->second, shape);
  // Data begins at a multiple of 64.
  constexpr std::size_t kBefore = 10, kAlign = 64;
  header.append(kAlign - 1 - (kBefore + header.size()) % kAlign, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\0';
  append(bytes, static_cast<std::uint16_t>(header.size()));
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.bytes()), tensor.nbytes());
  return bytes;
}

Tensor read_npy(const std::filesystem::path& path) {
  return detail::parse_npy(read_file(path), path.string());
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  write_file_atomically(path, detail::npy_of(tensor));
}

}  // namespace aclgrad
