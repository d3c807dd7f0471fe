// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/io/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "io/file_kind.h"
#include "io/little_endian.h"
#include "io/npy_format.h"
#include "io/shown.h"
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

// "<f4" and "=f4" without the order of bytes, which is this machine's; "" where it is another's.
std::string_view kind_and_size(std::string_view descr) {
  const bool is_byte = descr.ends_with('1') && descr.size() == 3;  // which has no order
  const bool has_order =
      !descr.empty() && std::string_view("<=|>").find(descr[0]) != std::string_view::npos;
  if (has_order && descr[0] == '>' && !is_byte) return {};
  return has_order ? descr.substr(1) : descr;
}

std::optional<DType> dtype_of(std::string_view kind) {
  for (const auto& [dtype, descr] : kTypes) {
    if (kind == descr.substr(1)) return dtype;
  }
  return std::nullopt;
}

// As what integers without a sign lie in the file, and what holds them.
struct Widened {
  std::string_view kind;
  DType stored, dtype;
};
constexpr Widened kWidened[] = {{"u2", DType::int16, DType::int32},
                                {"u4", DType::int32, DType::int64},
                                {"u8", DType::int64, DType::int64}};

std::string refusal_of(const std::string& descr) {
  if (descr.empty()) return "records of several fields are no tensor";
  std::string why = ": convert it with astype(), to float32 say";
  const std::size_t kind = descr.find_first_not_of("<>=|");
  switch (kind == std::string::npos ? '\0' : descr[kind]) {
    case 'O':
      why = ": they hold Python objects";
      break;
    case 'U':
    case 'S':
    case 'a':
      why = ": they hold texts";
      break;
    case 'M':
    case 'm':
      why = ": they hold times: convert them with astype('int64')";
      break;
    case 'c':
      why = ": they hold complex numbers: save array.real and array.imag";
      break;
    default:
      if (const std::string_view rest = std::string_view(descr).substr(1);
          descr[0] == '>' && (dtype_of(rest) || std::ranges::find(kWidened, rest, &Widened::kind) !=
                                                    std::end(kWidened))) {
        why = ": convert it with array.astype('<" + descr.substr(1) + "')";
      }
  }
  const std::string text = detail::shown(descr);  // in double quotes
  return fmt::format("arrays of dtype '{}' are not read{}", text.substr(1, text.size() - 2), why);
}

// The bits of each as a number without a sign. False where int64 does not hold one of 64 bits.
bool widen(Tensor& tensor, const Widened& way) {
  Tensor wide = tensor.to(DType::int64);
  const std::int64_t beyond = std::int64_t{1} << 8 * size_of(way.stored) % 64;
  for (std::int64_t& number : wide.data<std::int64_t>()) {
    if (number >= 0) continue;
    if (way.stored == DType::int64) return false;
    number += beyond;
  }
  tensor = wide.to(way.dtype);
  return true;
}

}  // namespace

bool detail::begins_as_npy(std::string_view bytes) { return bytes.starts_with(kMagic); }

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
  const detail::NpyHeader header = detail::npy_header(bytes.substr(begin, length), file);
  const std::string_view kind = kind_and_size(header.descr);
  const auto* widened = std::ranges::find(kWidened, kind, &Widened::kind);
  const std::optional<DType> dtype =
      widened == std::end(kWidened) ? dtype_of(kind) : std::optional(widened->stored);
  if (!dtype) fail(file, refusal_of(header.descr));
  const std::string_view data = bytes.substr(begin + length);
  std::optional<Shape> shape;
  try {
    shape.emplace(header.shape);
  } catch (const ShapeError& error) {
    fail(file, error.what());
  }
  const auto wanted = static_cast<std::uint64_t>(shape->numel());
  if (data.size() % size_of(*dtype) != 0 || data.size() / size_of(*dtype) != wanted) {
    fail(file, fmt::format("{} bytes of data where an array {} of {} was announced", data.size(),
                           to_string(*shape), to_string(*dtype)));
  }
  Dims strides(header.shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < strides.size() && wanted > 0; ++i) {
    const std::size_t axis = header.fortran ? i : strides.size() - 1 - i;
    strides[axis] = stride;
    stride *= header.shape[axis];
  }
  Tensor tensor = detail::gathered(data, 0, *shape, strides, *dtype, file);
  if (widened != std::end(kWidened) && !widen(tensor, *widened)) {
    fail(file, "a number of the array is larger than int64 holds");
  }
  return tensor;
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
