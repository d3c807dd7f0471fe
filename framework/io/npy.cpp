// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "io/file_kind.h"

namespace aclgrad {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::pair<DType, std::string_view> kTypes[] = {
    {DType::float16, "<f2"}, {DType::float32, "<f4"}, {DType::float64, "<f8"},
    {DType::int8, "|i1"},    {DType::int16, "<i2"},   {DType::int32, "<i4"},
    {DType::int64, "<i8"},   {DType::uint8, "|u1"},   {DType::boolean, "|b1"}};

// A whole number of so many bytes, little endian, at a place that must be within the text.
template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value =
        static_cast<T>(value | static_cast<T>(static_cast<std::uint8_t>(bytes[at + i])) << 8 * i);
  }
  return value;
}
template <class T>
void append(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i & 0xFF);
  }
}

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

// The elements lie in the order of the axes reversed.
Tensor from_fortran(const Tensor& reversed, const std::vector<std::int64_t>& shape) {
  Tensor result = Tensor::zeros(Shape(shape), reversed.dtype());
  const std::size_t size = size_of(reversed.dtype());
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    std::int64_t rest = i, stride = result.numel(), place = 0;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= shape[axis]) {
      stride /= shape[axis];
      place += rest % shape[axis] * stride;
    }
    std::copy_n(reversed.bytes() + static_cast<std::size_t>(place) * size, size,
                result.bytes() + static_cast<std::size_t>(i) * size);
  }
  return result;
}

Tensor parse_npy(std::string_view bytes, const std::string& file) {
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
  const std::size_t length = version == 1 ? number_at<std::uint16_t>(bytes, kLength)
                                          : number_at<std::uint32_t>(bytes, kLength);
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
  Tensor tensor = Tensor::zeros(*shape, dtype);
  if (!data.empty()) std::memcpy(tensor.bytes(), data.data(), data.size());
  if (dtype == DType::boolean) {
    for (const char byte : data) {
      if (byte != 0 && byte != 1) fail(file, "a byte of a bool is neither 0 nor 1");
    }
  }
  return header.fortran && shape->rank() > 1 ? from_fortran(tensor, header.shape) : tensor;
}

std::string npy_of(const Tensor& tensor) {
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

// ---- Archives: ZIP without compression ----------------------------------------------------------

std::uint32_t checksum(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xEDB88320U : 0);
      made[i] = value;
    }
    return made;
  }();
  std::uint32_t sum = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    sum = sum >> 8 ^ table[(sum ^ static_cast<std::uint8_t>(byte)) & 0xFF];
  }
  return ~sum;
}

constexpr std::string_view kLocal = "PK\x03\x04", kCentral = "PK\x01\x02", kEnd = "PK\x05\x06";
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::string_view kSuffix = ".npy";

}  // namespace

Tensor read_npy(const std::filesystem::path& path) {
  return parse_npy(read_file(path), path.string());
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  write_file_atomically(path, npy_of(tensor));
}

NamedTensors read_npz(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  const std::string_view bytes = content;
  const std::string file = path.string();
  const std::size_t end = bytes.rfind(kEnd);
  if (!(bytes.starts_with(kLocal) || bytes.starts_with(kEnd)) || end == std::string_view::npos ||
      bytes.size() - end < kEndSize) {
    const std::string kind = detail::other_kind(bytes, detail::Expected::tensors);
    fail(file, kind.empty() ? "not an archive of NumPy" : "not an archive of NumPy: " + kind);
  }
  const std::size_t count = number_at<std::uint16_t>(bytes, end + 10);
  std::size_t at = number_at<std::uint32_t>(bytes, end + 16);
  NamedTensors tensors;
  for (std::size_t i = 0; i < count; ++i) {
    if (at > end || end - at < kCentralSize || bytes.substr(at, 4) != kCentral) {
      fail(file, "the archive's list of arrays is damaged");
    }
    const std::size_t method = number_at<std::uint16_t>(bytes, at + 10);
    const std::uint32_t sum = number_at<std::uint32_t>(bytes, at + 16);
    const std::size_t size = number_at<std::uint32_t>(bytes, at + 20);
    const std::size_t name_size = number_at<std::uint16_t>(bytes, at + 28);
    const std::size_t rest = std::size_t{number_at<std::uint16_t>(bytes, at + 30)} +
                             number_at<std::uint16_t>(bytes, at + 32);
    const std::size_t local = number_at<std::uint32_t>(bytes, at + 42);
    if (end - at - kCentralSize < name_size + rest) fail(file, "a name in the archive is cut off");
    std::string name(bytes.substr(at + kCentralSize, name_size));
    at += kCentralSize + name_size + rest;
    const std::string array = fmt::format("{}, `{}`", file, name);
    if (method != 0) {
      fail(array, "it is compressed: write the archive with np.savez(), not np.savez_compressed()");
    }
    if (size == std::numeric_limits<std::uint32_t>::max()) fail(array, "it is of 4 GiB or more");
    if (local > end || end - local < kLocalSize || bytes.substr(local, 4) != kLocal) {
      fail(array, "the array is not where the archive's list says");
    }
    const std::size_t begin = local + kLocalSize + number_at<std::uint16_t>(bytes, local + 26) +
                              number_at<std::uint16_t>(bytes, local + 28);
    if (begin > end || size > end - begin) fail(array, "the array is cut off");
    const std::string_view data = bytes.substr(begin, size);
    if (checksum(data) != sum) fail(array, "the checksum does not agree: the file is damaged");
    Tensor tensor = parse_npy(data, array);
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    tensors.emplace_back(std::move(name), std::move(tensor));
  }
  return tensors;
}

void write_npz(const std::filesystem::path& path, const NamedTensors& tensors) {
  constexpr std::size_t kMostTensors = 65'535, kMostBytes = 0xFFFFFFFE;
  if (tensors.size() > kMostTensors) throw ValueError("an archive holds at most 65,535 tensors");
  std::string bytes, list;
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : tensors) {
    if (name.empty() || name.size() > 60'000 || !names.insert(name).second) {
      throw ValueError(
          fmt::format("a tensor of an archive has a name of its own, not \"{}\"", name));
    }
    const std::string data = npy_of(tensor), file = name + std::string(kSuffix);
    if (bytes.size() + data.size() + list.size() > kMostBytes) {
      throw ShapeError("an archive of more than 4 GiB: write several, or save_safetensors()");
    }
    const auto local = static_cast<std::uint32_t>(bytes.size());
    // What both headers say alike: versions, flags (names are UTF-8), no compression, a date.
    std::string both;
    for (const int number : {20, 0x800, 0, 0, 0x21}) {
      append(both, static_cast<std::uint16_t>(number));
    }
    append(both, checksum(data));
    append(both, static_cast<std::uint32_t>(data.size()));
    append(both, static_cast<std::uint32_t>(data.size()));
    append(both, static_cast<std::uint16_t>(file.size()));
    append(both, std::uint16_t{0});
    bytes.append(kLocal).append(both).append(file).append(data);
    list.append(kCentral);
    append(list, std::uint16_t{20});
    list += both;
    list.append(10, '\0');  // no comment, first disk, no attributes
    append(list, local);
    list += file;
  }
  const auto at = static_cast<std::uint32_t>(bytes.size());
  const auto count = static_cast<std::uint16_t>(tensors.size());
  bytes += list;
  bytes.append(kEnd).append(4, '\0');
  append(bytes, count);
  append(bytes, count);
  append(bytes, static_cast<std::uint32_t>(list.size()));
  append(bytes, at);
  append(bytes, std::uint16_t{0});
  write_file_atomically(path, bytes);
}

}  // namespace aclgrad
