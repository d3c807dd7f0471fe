// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "io/file_kind.h"

namespace aclgrad::data {
namespace {

constexpr std::pair<int, DType> kCodes[] = {{0x08, DType::uint8},   {0x09, DType::int8},
                                            {0x0B, DType::int16},   {0x0C, DType::int32},
                                            {0x0D, DType::float32}, {0x0E, DType::float64}};

}  // namespace

Tensor read_idx(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  const auto fail = [&](const std::string& what) {
    const std::string kind = aclgrad::detail::other_kind(content, aclgrad::detail::Expected::idx);
    throw IoError(path.string() + ": not a sound IDX file: " + (kind.empty() ? what : kind));
  };
  const auto byte_at = [&content](std::size_t at) {
    return static_cast<unsigned char>(content[at]);
  };
  if (content.size() < 4) fail(fmt::format("{} bytes are too few for a header", content.size()));
  if (byte_at(0) != 0 || byte_at(1) != 0) {
    fail(fmt::format("it begins with bytes {:#04x} {:#04x} instead of zeros", byte_at(0),
                     byte_at(1)));
  }
  const auto* const code = std::ranges::find(kCodes, byte_at(2), &std::pair<int, DType>::first);
  if (code == std::end(kCodes)) fail(fmt::format("unknown type code {:#04x}", byte_at(2)));
  const DType dtype = code->second;
  const std::size_t rank = byte_at(3);
  if (rank == 0) fail("it has no dimensions");
  const std::size_t header = 4 + 4 * rank;
  if (content.size() < header) {
    fail(fmt::format("{} dimensions need a header of {} bytes, the file has {}", rank, header,
                     content.size()));
  }
  std::vector<std::int64_t> dims(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    for (std::size_t i = 0; i < 4; ++i) dims[axis] = dims[axis] << 8 | byte_at(4 + 4 * axis + i);
  }
  Shape shape;
  try {
    shape = Shape(dims);
  } catch (const ShapeError& error) {
    fail(error.what());
  }
  // Compared in elements, so that a damaged extent costs no memory and nothing can overflow.
  const std::size_t width = size_of(dtype);
  const std::size_t present = content.size() - header;
  const auto elements = static_cast<std::size_t>(shape.numel());
  if (present % width != 0 || present / width != elements) {
    fail(fmt::format("shape {} of {} means {} elements of {} bytes, the file has {} bytes of data",
                     to_string(shape), to_string(dtype), elements, width, present));
  }
  Tensor tensor = Tensor::zeros(shape, dtype);
  if (present != 0) std::memcpy(tensor.bytes(), content.data() + header, present);
  for (std::byte* at = tensor.bytes(); width > 1 && at != tensor.bytes() + present; at += width) {
    std::reverse(at, at + width);  // big endian in the file
  }
  return tensor;
}

}  // namespace aclgrad::data
