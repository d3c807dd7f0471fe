// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
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

TEST(CsvTest, ReadsNumbers) {
  const TemporaryFolder folder;
  const Tensor t = read_csv(folder.file("a.csv", "1,2.5\n-3e2, +4 \n"));
  EXPECT_EQ(t.dtype(), DType::float32);
  EXPECT_EQ(t.shape(), (Shape{2, 2}));
  EXPECT_THAT(t.data<float>(), ElementsAre(1, 2.5f, -300, 4));
}

TEST(CsvTest, TakesHeadersLineEndsMarksAndOtherDelimiters) {
  const TemporaryFolder folder;
  const Tensor t = read_csv(folder.file("a.csv", "\xEF\xBB\xBFx;y\r\n1;2\r\n3;4\r\n\r\n\n"),
                            {.delimiter = ';', .header = true, .dtype = DType::int16});
  EXPECT_THAT(t.data<std::int16_t>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(read_csv(folder.file("b.csv", "7")).shape(), (Shape{1, 1}));
  const Tensor tabs = read_csv(folder.file("c.tsv", "1\t2\n"), {.delimiter = '\t'});
  EXPECT_THAT(tabs.data<float>(), ElementsAre(1, 2));
}

TEST(CsvTest, IntegersAreExactAndFloatsSpecial) {
  const TemporaryFolder folder;
  const Tensor t = read_csv(folder.file("a.csv", "9007199254740993,-9223372036854775808,3.0,1e3"),
                            {.dtype = DType::int64});
  EXPECT_THAT(t.data<std::int64_t>(),
              ElementsAre(9007199254740993, std::numeric_limits<std::int64_t>::min(), 3, 1000));
  const Tensor special = read_csv(folder.file("b.csv", "nan,inf,-inf"));
  EXPECT_EQ(to_string(special), "[[nan, inf, -inf]]");
  const Tensor flags = read_csv(folder.file("c.csv", "0,1"), {.dtype = DType::boolean});
  EXPECT_THAT(flags.data<bool>(), ElementsAre(false, true));
}

// As NumPy and pandas have them.
TEST(CsvTest, ReadsNumbersAsStrtodDoesWhateverTheirSize) {
  const TemporaryFolder folder;
  const auto read = [&](const char* text, DType dtype) {
    return to_string(read_csv(folder.file("a.csv", text), {.dtype = dtype}));
  };
  EXPECT_EQ(read("1e400,-1e400,1e-400,0x1p3,0X1A,+Inf,-infinity,NAN,nan(7)", DType::float64),
            "[[inf, -inf, 0, 8, 26, inf, -inf, nan, nan]]");
  EXPECT_EQ(read("1e39,-1e400,1e-60,+1,\"2\",\" 3 \"", DType::float32),
            "[[inf, -inf, 0, 1, 2, 3]]");
  EXPECT_EQ(read("65520,-1e5,1", DType::float16), "[[inf, -inf, 1]]");
  EXPECT_EQ(read("0x10,1e2", DType::int32), "[[16, 100]]");
  const Tensor small = read_csv(folder.file("b.csv", "1e-310"), {.dtype = DType::float64});
  EXPECT_EQ(small.get(0), 1e-310);
}

TEST(CsvTest, RefusesADelimiterOfNumbers) {
  const TemporaryFolder folder;
  for (const char delimiter : {'.', '-', '0', 'e', 'X', '"', '\n', '\0'}) {
    EXPECT_THAT([&] { read_csv(folder.file("a.csv", "1"), {.delimiter = delimiter}); },
                ThrowsMessage<ValueError>(HasSubstr("a delimiter of columns")));
  }
}

TEST(CsvTest, FilesOfAnotherKindSayWhatTheyAre) {
  const TemporaryFolder folder;
  const std::pair<std::string, const char*> kinds[] = {
      {"\x1F\x8B\x08rest", "it is compressed with gzip: unpack it first"},
      {"\x93NUMPY\x01", "it is an array of NumPy (.npy): read_npy() reads it"},
      {std::string("PK\x03\x04") + std::string(22, '\0') + std::string("\x13\0\0\0", 4) +
           "[Content_Types].xml and more",
       "it is a spreadsheet (.xlsx): save its table as CSV"},
      {"\xFF\xFE"
       "1",
       "it is text in UTF-16: save it as UTF-8"},
      {std::string("\0\0\x08\x01", 4) + "rest", "it is an IDX file, as those of MNIST"},
      {"<!DOCTYPE html>", "download the file itself"},
      {R"({"weight_map": {"w": "1.safetensors"}})",
       "the index of a model in several files: load_safetensors() reads the files that it names"},
  };
  for (const auto& [content, message] : kinds) {
    const std::filesystem::path path = folder.file("a.csv", content);
    EXPECT_THAT([&] { read_csv(path); },
                ThrowsMessage<IoError>(
                    AllOf(HasSubstr("a.csv: not a table of numbers: "), HasSubstr(message))));
  }
}

struct CsvDamage {
  const char* name;
  std::string content;
  CsvOptions options;
  const char* message;
};

TEST(CsvTest, DamagedFilesAreRefusedWithThePlace) {
  const CsvDamage damages[] = {
      {"empty", "", {}, "there are no rows"},
      {"blank", "\n \n", {}, "there are no rows"},
      {"only a header", "x,y\n", {.header = true}, "there are no rows"},
      {"a word",
       "1,2\n3,four\n",
       {},
       "line 2: column 2: expected a number of type float32, found "
       "'four'"},
      {"header not announced",
       "x,y\n1,2\n",
       {},
       "found 'x'; where the first line has names, say .header = true"},
      {"missing field",
       "1,2\n3,\n",
       {},
       "line 2: column 2: expected a number of type float32, "
       "found nothing"},
      {"short row", "1,2\n3\n", {}, "line 2: 1 columns where the first row has 2"},
      {"long row", "1,2\n3,4,5\n", {}, "line 2: 3 columns where the first row has 2"},
      {"empty line inside", "1\n\n2\n", {}, "line 2: column 1:"},
      {"trailing letters", "1x\n", {}, "found '1x'"},
      {"two signs", "+-1\n", {}, "found '+-1'"},
      {"wrong delimiter", "1;2\n", {}, "found '1;2'"},
      {"fraction for integer", "1.5\n", {.dtype = DType::int32}, "type int32, found '1.5'"},
      {"out of range for uint8", "256\n", {.dtype = DType::uint8}, "type uint8, found '256'"},
      {"negative for uint8", "-1\n", {.dtype = DType::uint8}, "found '-1'"},
      {"too large for int64", "9223372036854775808\n", {.dtype = DType::int64}, "type int64"},
      {"nan for integer", "nan\n", {.dtype = DType::int64}, "found 'nan'"},
      {"two for bool", "2\n", {.dtype = DType::boolean}, "type bool, found '2'"},
      {"binary", std::string("\x01\x00\x02\n", 4), {}, "found '...'"},
      {"zeros at the end", std::string("1\n2\n\0\0\0", 7), {}, "line 3: column 1:"},
      {"overlong field", std::string(1000, '7') + "z\n", {}, "7'..."},
      {"overlong line", std::string((std::size_t{16} << 20) + 1, '1'), {}, "too long for a table"},
  };
  const TemporaryFolder folder;
  for (const CsvDamage& damage : damages) {
    SCOPED_TRACE(damage.name);
    const std::filesystem::path path = folder.file("damaged.csv", damage.content);
    EXPECT_THAT(
        [&] { read_csv(path, damage.options); },
        ThrowsMessage<IoError>(AllOf(StartsWith(path.string() + ": "), HasSubstr(damage.message))));
  }
}

TEST(CsvTest, MissingFileAndFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { read_csv(folder.path() / "none.csv"); },
              ThrowsMessage<IoError>(HasSubstr("none.csv: cannot read: No such file")));
  EXPECT_THAT([&] { read_csv(folder.path()); },
              ThrowsMessage<IoError>(HasSubstr("is not a regular file")));
}

}  // namespace
}  // namespace aclgrad::data
