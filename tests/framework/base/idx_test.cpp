// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "temporary_folder.h"

namespace aclgrad::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
          static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string idx(unsigned type, std::initializer_list<std::uint32_t> dims, std::string_view data) {
  std::string text = big_endian(type << 8 | static_cast<std::uint32_t>(dims.size()));
  for (const std::uint32_t dim : dims) text += big_endian(dim);
  return text.append(data);
}

TEST(IdxTest, ReadsEveryType) {
  using namespace std::string_view_literals;
  const TemporaryFolder folder;
  const auto read = [&](const std::string& content) {
    return read_idx(folder.file("a.idx", content));
  };
  const Tensor images = read(idx(0x08, {2, 1, 2}, "\x00\x01\xFE\xFF"sv));
  EXPECT_EQ(images.shape(), (Shape{2, 1, 2}));
  EXPECT_THAT(images.data<std::uint8_t>(), ElementsAre(0, 1, 254, 255));
  EXPECT_THAT(read(idx(0x09, {1}, "\xFF"sv)).data<std::int8_t>(), ElementsAre(-1));
  EXPECT_THAT(read(idx(0x0B, {2}, "\x01\x02\xFF\xFE"sv)).data<std::int16_t>(),
              ElementsAre(0x0102, -2));
  EXPECT_THAT(read(idx(0x0C, {1}, "\x01\x02\x03\x04"sv)).data<std::int32_t>(),
              ElementsAre(0x01020304));
  EXPECT_THAT(read(idx(0x0D, {2}, "\x3F\x80\x00\x00\xC0\x20\x00\x00"sv)).data<float>(),
              ElementsAre(1.0f, -2.5f));
  EXPECT_THAT(read(idx(0x0E, {1}, "\x3F\xF8\x00\x00\x00\x00\x00\x00"sv)).data<double>(),
              ElementsAre(1.5));
  EXPECT_EQ(read(idx(0x0C, {0, 5}, "")).shape(), (Shape{0, 5}));
}

TEST(IdxTest, DamagedFilesAreRefused) {
  const std::string sound = idx(0x0C, {2, 3}, std::string(24, 'x'));
  const std::pair<std::string, const char*> damages[] = {
      {"", "0 bytes are too few for a header"},
      {std::string("\0\0\x08", 3), "3 bytes are too few"},
      {"\x01" + sound.substr(1), "it begins with bytes 0x01 0x00"},
      {"\x1F\x8B\x08\x08rest", "it is compressed with gzip: unpack it first"},
      {"\x93NUMPY\x01", "it is an array of NumPy (.npy)"},
      {idx(0x0A, {1}, "x"), "unknown type code 0x0a"},
      {idx(0x08, {}, ""), "it has no dimensions"},
      {sound.substr(0, 9), "2 dimensions need a header of 12 bytes, the file has 9"},
      {sound.substr(0, sound.size() - 1), "means 6 elements of 4 bytes, the file has 23 bytes"},
      {sound.substr(0, 12), "the file has 0 bytes of data"},
      {sound + "y", "the file has 25 bytes of data"},
      {sound + "wxyz", "the file has 28 bytes of data"},
      {idx(0x08, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "x"), "63 bits"},
      {idx(0x0E, {0x40000000, 0x40000000}, "x"), "the file has 1 bytes of data"},
      {idx(0x0E, {0x80000000, 0x20000000}, ""), "the file has 0 bytes of data"},
  };
  const TemporaryFolder folder;
  for (const auto& [content, message] : damages) {
    SCOPED_TRACE(message);
    const std::filesystem::path path = folder.file("damaged.idx", content);
    EXPECT_THAT([&] { read_idx(path); },
                ThrowsMessage<IoError>(AllOf(StartsWith(path.string() + ": not a sound IDX file: "),
                                             HasSubstr(message))));
  }
  EXPECT_THROW(read_idx(folder.path() / "none"), IoError);
}

}  // namespace
}  // namespace aclgrad::data
