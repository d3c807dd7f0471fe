// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/io/npy.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "io/npy_format.h"
#include "io/zip.h"
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

// Python 2, other programs, and byte orders that are this machine's.
TEST_F(NpyTest, ReadsHeadersHoweverTheyAreWritten) {
  const std::string data = floats({1, 2, 3, 4, 5, 6});
  const Tensor matrix = Tensor::from({3, 2}, {1, 2, 3, 4, 5, 6});
  for (const char* header :
       {"{'descr': '<f4', 'fortran_order': False, 'shape': (3L, 2L), }",
        "{'shape': (3, 2), 'fortran_order': False, 'descr': '<f4'}",
        "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (3, 2)}",
        "{u'descr': u'=f4', b'fortran_order': False, u'shape': (3 ,2 ,)}",
        "{'descr':'f4','fortran_order':False,'shape':(3,2)}",
        "\n{ 'descr' : '|f4' , 'fortran_order' : False ,\n 'shape' : ( 3L , 2 ) , }"}) {
    EXPECT_TRUE(bitwise_equal(read(array(header, data)), matrix)) << header;
  }
  EXPECT_EQ(read(array("{'descr': '>i1', 'fortran_order': False, 'shape': (1L,)}", "\3")).get(0),
            3);
  const auto refused_header = [&](const std::string& header) {
    return refused(array(header, data));
  };
  EXPECT_THAT(refused_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2"),
              HasSubstr("the header of the array"));
  EXPECT_THAT(refused_header("{'descr': '<f4', 'fortran_order': 0, 'shape': (3, 2)}"),
              HasSubstr("'False' is missing"));
  EXPECT_THAT(refused_header("{'descr': '<f4', 'fortran_order': False, 'shape': (3, -2)}"),
              HasSubstr("an extent that is no number"));
  EXPECT_THAT(refused_header("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}"),
              HasSubstr("has \"x\", which is not known"));
  EXPECT_THAT(refused_header("{'descr': [('a', '<f4'), ('b', '<i4', (2,))], 'fortran_order': False,"
                             " 'shape': (2,)}"),
              HasSubstr("records of several fields"));
}

TEST_F(NpyTest, WidensIntegersWithoutASign) {
  const auto of = [&](const std::string& descr, const std::string& data) {
    return read(array("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,), }", data));
  };
  EXPECT_TRUE(bitwise_equal(of("<u2", {"\xFF\xFF\x01\x00", 4}),
                            Tensor::from({2}, {65535, 1}, DType::int32)));
  EXPECT_TRUE(bitwise_equal(of("<u4", {"\xFF\xFF\xFF\xFF\x01\x00\x00\x00", 8}),
                            Tensor::from({2}, {4294967295, 1}, DType::int64)));
  std::string large(16, '\0');
  large[0] = 5;
  EXPECT_TRUE(bitwise_equal(of("<u8", large), Tensor::from({2}, {5, 0}, DType::int64)));
  large[15] = '\x80';
  EXPECT_THAT(message_of<IoError>([&] { of("<u8", large); }), HasSubstr("larger than int64"));
}

// Of an archive with arrays of every kind and files that are none, in any order, what can be read
// is.
TEST_F(NpyTest, AnArchiveKeepsWhatCanBeReadAndNamesTheRest) {
  const auto header = [](const std::string& descr) {
    return "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }";
  };
  const std::vector<std::pair<std::string, std::string>> others = {
      {"names.npy", array(header("'<U2'"), "12345678")},
      {"bytes.npy", array(header("'|S3'"), "123")},
      {"config.npy", array(header("'|O'"), "\x80\x04 a pickle")},
      {"times.npy", array(header("'<M8[ns]'"), "12345678")},
      {"complex.npy", array(header("'<c8'"), "12345678")},
      {"large.npy", array(header("'>f8'"), "12345678")},
      {"record.npy", array(header("[('a', '<f4'), ('b', '<f4')]"), "12345678")},
      {"bfloat16.npy", array(header("'<V2'"), "12")},
      {"short.npy", array(header("'<f4'"), "12")},
      {"newer.npy", array(header("'<f4'"), "1234", 9)},
      {"README.txt", "made by hand"},
      {"__MACOSX/._x.npy", "not one"}};
  std::set<std::string> reasons;
  for (std::size_t first = 0; first < others.size(); ++first) {
    detail::ZipWriter archive;
    NamedTensors all = {{"x", Tensor::arange(3)}, {"y", Tensor::scalar(2)}};
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto& [name, content] = others[(first + i) % others.size()];
      archive.add(name, content, first % 2 == 0);
      if (i == 3) archive.add("x.npy", detail::npy_of(all["x"]), true);
      if (i == 7) archive.add("y", detail::npy_of(all["y"]), false);  // without the ending
    }
    archive.add("folder/", "", false);
    write_file_atomically(path_, std::move(archive).finish());
    const NamedTensors read = read_npz(path_);
    ASSERT_EQ(read.size(), 2u);
    EXPECT_TRUE(bitwise_equal(read["x"], all["x"]));
    EXPECT_TRUE(bitwise_equal(read["y"], all["y"]));
    EXPECT_EQ(read.refused.size(), others.size());
    for (const auto& [name, content] : others) {
      const std::string own = name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
      const std::string why = message_of<IoError>([&] { read[own]; });
      EXPECT_THAT(why, AllOf(HasSubstr(path_.string()), HasSubstr(name)));
      reasons.insert(why.substr(why.find(name) + name.size()));
    }
    EXPECT_THROW(read["z"], ValueError);
  }
  EXPECT_EQ(reasons.size(), others.size());  // each its own
  detail::ZipWriter nothing;
  nothing.add(others[0].first, others[0].second, false);
  write_file_atomically(path_, std::move(nothing).finish());
  EXPECT_THAT(message_of<IoError>([&] { read_npz(path_); }), HasSubstr("they hold texts"));
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
