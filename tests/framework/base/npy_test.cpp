// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/npy.h"

#include <gmock/gmock.h>

#include <string>

#include "aclgrad/error.h"
#include "aclgrad/file.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/memory_file.h"
#include "tests/support/message_of.h"

namespace aclgrad {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class NpyTest : public testing::Test {
 protected:
  // What numpy.save() writes: the header ends at a multiple of 64.
  static std::string array(const std::string& dictionary, const std::string& data,
                           int version = 1) {
    std::string bytes("\x93NUMPY", 6);
    bytes += static_cast<char>(version);
    bytes += '\0';
    const std::size_t before = version == 1 ? 10 : 12;
    std::string header = dictionary;
    header.append(63 - (before + header.size()) % 64, ' ');
    header += '\n';
    bytes += static_cast<char>(header.size());
    bytes.append(before - 9, '\0');
    return bytes + header + data;
  }
  static std::string floats(std::initializer_list<float> values) {
    return {reinterpret_cast<const char*>(values.begin()), 4 * values.size()};
  }
  Tensor read(const std::string& bytes) {
    write_file_atomically(path_, bytes);
    return read_npy(path_);
  }
  std::string refused(const std::string& bytes) {
    return message_of<IoError>([&] { read(bytes); });
  }
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "array.npy";
};

TEST_F(NpyTest, ReadsWhatNumPyWrites) {
  const std::string data = floats({1, 2, 3, 4, 5, 6});
  const Tensor matrix = Tensor::from({2, 3}, {1, 2, 3, 4, 5, 6});
  for (const int version : {1, 2, 3}) {
    EXPECT_TRUE(bitwise_equal(
        read(array("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", data, version)),
        matrix));
  }
  EXPECT_TRUE(
      bitwise_equal(read(array("{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", data)),
                    matrix.transpose(0, 1)));
  EXPECT_TRUE(
      bitwise_equal(read(array("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", data)),
                    matrix.reshape({6})));
  EXPECT_TRUE(bitwise_equal(
      read(array("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", floats({7}))),
      Tensor::scalar(7)));
  EXPECT_TRUE(bitwise_equal(
      read(array("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", {'\1', '\0'})),
      Tensor::from({2}, {1, 0}, DType::boolean)));
  EXPECT_EQ(read(array("{'descr': '<i8', 'fortran_order': True, 'shape': (0, 4), }", "")).shape(),
            (Shape{0, 4}));
}

TEST_F(NpyTest, RefusesWhatItCannotRead) {
  const auto of = [&](const std::string& descr) {
    return refused(
        array("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,), }", "12345678"));
  };
  EXPECT_THAT(of("|O"), HasSubstr("Python objects"));
  EXPECT_THAT(of(">f8"), HasSubstr("astype('<f8')"));
  EXPECT_THAT(of("<c8"), HasSubstr("'<c8' are not read"));
  const std::string whole =
      array("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", floats({1, 2}));
  EXPECT_EQ(read(whole).get(1), 2);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(refused(whole.substr(0, size)), HasSubstr(path_.string())) << size;
  }
  EXPECT_THAT(refused(whole + "x"), HasSubstr("9 bytes of data where an array [2] of float32"));
  EXPECT_THAT(refused(array("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\x02")),
              HasSubstr("neither 0 nor 1"));
  EXPECT_THAT(refused(array("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999, "
                            "9999999999), }",
                            "")),
              HasSubstr(path_.string()));
  EXPECT_THAT(refused(array("{'descr': '<f4', 'shape': (-1,)}", "")), HasSubstr("fortran_order"));
  EXPECT_THAT(refused("PK\x03\x04 and more of it"), HasSubstr("not an array of NumPy"));
}

TEST_F(NpyTest, WhatIsWrittenIsReadAgain) {
  NamedTensors all;
  for (const DType dtype :
       {DType::float16, DType::float32, DType::float64, DType::int8, DType::int16, DType::int32,
        DType::int64, DType::uint8, DType::boolean}) {
    all.emplace_back(to_string(dtype), Tensor::from({2, 1, 2}, {0, 1, 1, 0}, dtype));
  }
  all.emplace_back("scalar", Tensor::scalar(-1.5));
  all.emplace_back("row", Tensor::arange(5));
  all.emplace_back("none", Tensor::zeros({0, 3}));
  for (const auto& [name, tensor] : all) {
    write_npy(path_, tensor);
    EXPECT_TRUE(bitwise_equal(read_npy(path_), tensor)) << name;
    EXPECT_EQ(read_file(path_).find('\n') % 64, 63u);
  }
  write_npz(path_, all);
  const NamedTensors again = read_npz(path_);
  ASSERT_EQ(again.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(again[i].first, all[i].first);
    EXPECT_TRUE(bitwise_equal(again[i].second, all[i].second)) << all[i].first;
  }
  EXPECT_TRUE(bitwise_equal(again["row"], Tensor::arange(5)));
  EXPECT_EQ(again.at("scalar").item(), -1.5);
  EXPECT_TRUE(again.contains("none"));
  EXPECT_FALSE(again.contains("rows"));
  EXPECT_THAT([&] { again["rows"]; },
              ThrowsMessage<ValueError>(AllOf(HasSubstr("there is no tensor 'rows'"),
                                              HasSubstr("int8"), HasSubstr("scalar, row, none"))));
  write_npz(path_, {});
  EXPECT_TRUE(read_npz(path_).empty());
  EXPECT_THROW(write_npy(path_, Tensor::zeros({1}, DType::bfloat16)), DTypeError);
  EXPECT_THROW(write_npz(path_, {{"a", Tensor()}, {"a", Tensor()}}), ValueError);
  EXPECT_THROW(write_npz(path_, {{"", Tensor()}}), ValueError);
}

TEST_F(NpyTest, DamagedArchivesAreRefused) {
  write_npz(path_, {{"x", Tensor::arange(3)}, {"y", Tensor::scalar(1)}});
  const std::string whole = read_file(path_);
  const auto refused_archive = [&](const std::string& bytes) {
    const MemoryFile file(bytes);
    return message_of<IoError>([&] { read_npz(file.path()); });
  };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(refused_archive(whole.substr(0, size)), testing::StartsWith("/proc")) << size;
  }
  // No byte of an array can be another one; of the list some say nothing that matters.
  const std::size_t list = whole.find("PK\x01\x02");
  for (std::size_t at = whole.find("NUMPY") - 1; at < whole.find("PK\x03\x04", 4); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_THAT(refused_archive(changed), HasSubstr("checksum")) << at;
  }
  // Offsets in the list: flags, the method, the size as it is packed, the size.
  const auto with_number_in_list = [&](std::size_t offset, char number) {
    std::string changed = whole;
    changed[list + offset] = number;
    return refused_archive(changed);
  };
  EXPECT_THAT(with_number_in_list(8, 1), HasSubstr("\"x.npy\": it is encrypted"));
  EXPECT_THAT(with_number_in_list(10, 8), HasSubstr("\"x.npy\": it cannot be unpacked"));
  EXPECT_THAT(with_number_in_list(10, 93), HasSubstr("packed with Zstandard (93): only Deflate"));
  EXPECT_THAT(with_number_in_list(24, 1), HasSubstr("bytes cannot have become"));
  EXPECT_THAT(refused_archive("no archive"), HasSubstr("not an archive of NumPy"));
  // Whatever its bytes are, nothing else happens.
  for (std::size_t at = list; at < whole.size(); ++at) {
    for (const char to : {'\0', '\xFF'}) {
      std::string changed = whole;
      changed[at] = to;
      refused_archive(changed);
    }
  }
}

}  // namespace
}  // namespace aclgrad
