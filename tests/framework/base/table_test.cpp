// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/data/table.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "aclgrad/data.h"
#include "aclgrad/error.h"
#include "aclgrad/io/file.h"
#include "tests/framework/base/temporary_folder.h"
#include "tests/support/message_of.h"

namespace aclgrad::data {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class NamedColumns : public testing::Test {
 protected:
  Table read(const std::string& content, char delimiter = ',') {
    write_file_atomically(path_, content);
    return read_table(path_, delimiter);
  }
  std::string refused(const std::string& content) {
    return message_of<IoError>([&] { read(content); });
  }
  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "table.csv";
};

TEST_F(NamedColumns, HasNamesTextsAndNumbers) {
  const Table table = read(
      "\xEF\xBB\xBFid, name ,\"size, in m\"\r\n1, Ann ,1.5\r\n2,\"Bo \"\"B\"\"\nO.\" "
      ",-2e3\r\n\r\n");
  EXPECT_THAT(table.names, ElementsAre("id", "name", "size, in m"));
  EXPECT_EQ(table.rows(), 2);
  EXPECT_THAT(table.text("name"), ElementsAre("Ann", "Bo \"B\"\nO."));
  EXPECT_TRUE(bitwise_equal(table.numbers("id", {.dtype = DType::int64}),
                            Tensor::from({2}, {1, 2}, DType::int64)));
  EXPECT_TRUE(
      bitwise_equal(table.numbers({"size, in m", "id"}), Tensor::from({2, 2}, {1.5, 1, -2000, 2})));
  EXPECT_EQ(table.numbers(std::vector<std::string>{}).shape(), (Shape{2, 0}));
  EXPECT_THAT(message_of<ValueError>([&] { table.text("age"); }),
              AllOf(HasSubstr("no column \"age\""), HasSubstr("\"id\", \"name\"")));
  EXPECT_THAT(message_of<ValueError>([&] { table.numbers("name"); }),
              HasSubstr("column \"name\", row 1: expected a number of type float32, found 'Ann'"));
}

TEST_F(NamedColumns, FieldsMayBeMissing) {
  const Table table = read("a\tb\n1\t\n\t2\n", '\t');
  EXPECT_EQ(table.rows(), 2);
  EXPECT_THAT(message_of<ValueError>([&] { table.numbers("b"); }),
              HasSubstr("row 1: expected a number of type float32, found nothing (for what stands "
                        "for it, say .missing)"));
  const Tensor numbers = table.numbers({"a", "b"}, {.missing = -1});
  EXPECT_TRUE(bitwise_equal(numbers, Tensor::from({2, 2}, {1, -1, -1, 2})));
  EXPECT_THROW(read("a\n1.5\n").numbers("a", {.dtype = DType::int32}), ValueError);
  EXPECT_EQ(read("a,b\n").rows(), 0);
  EXPECT_EQ(read("a,b\n").numbers("a").shape(), Shape{0});
}

TEST_F(NamedColumns, RefusesWhatIsNoTable) {
  EXPECT_THAT(refused(""), HasSubstr("no line with names"));
  EXPECT_THAT(refused("a,b\n1,2\n1\n"), HasSubstr("line 3: 1 columns where there are 2 names"));
  EXPECT_THAT(refused("a,a\n"), HasSubstr("two columns are called \"a\""));
  EXPECT_THAT(refused("a,b\n\"x\ny\",1\n1,\"2\n"), HasSubstr("line 4: a quote does not end"));
  EXPECT_THAT(refused("a\n\"x\"y\n"), HasSubstr("behind a quoted field"));
  EXPECT_THAT(refused("PAR1...."), HasSubstr("Parquet"));
  EXPECT_THROW(read("a", '"'), ValueError);
  EXPECT_THROW(read_table(folder_.path() / "none"), IoError);
}

TEST_F(NamedColumns, WhatIsWrittenIsReadAgain) {
  const Table table{{"plain", "a \"b\",c"}, {{"x", " y ", ""}, {"1\n2", "", "\"\""}}};
  for (const char delimiter : {',', ';', '\t'}) {
    write_csv(path_, table, delimiter);
    const Table again = read_table(path_, delimiter);
    EXPECT_EQ(again.names, table.names);
    EXPECT_EQ(again.columns, table.columns);
  }
  write_csv(path_, Table{{"x"}, {{"a", "", ""}}});
  EXPECT_EQ(read_table(path_).rows(), 3);
  // Names that would make it another file.
  for (const char* name : {"PAR1", "\xEF\xBB\xBFmark", ""}) {
    write_csv(path_, Table{{name}, {{"a"}}});
    EXPECT_THAT(read_table(path_).names, ElementsAre(name));
  }
  EXPECT_THROW(write_csv(path_, Table{{"x"}, {}}), ShapeError);
  EXPECT_THROW(write_csv(path_, Table{{"x", "y"}, {{"1"}, {}}}), ShapeError);
}

TEST_F(NamedColumns, NumbersKeepTheirBits) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    const Tensor numbers =
        Tensor::from({2, 3}, {0.1, -0.0, 1.0 / 3, 1e-7, INFINITY, -65000}).to(dtype);
    write_csv(path_, numbers, {"a", "b", "c"});
    EXPECT_TRUE(bitwise_equal(read_csv(path_, {.header = true, .dtype = dtype}), numbers));
    EXPECT_TRUE(
        bitwise_equal(read_table(path_).numbers({"a", "b", "c"}, {.dtype = dtype}), numbers));
  }
  const std::vector<std::int64_t> large = {std::numeric_limits<std::int64_t>::max(), -5};
  const Tensor whole = Tensor::from({2}, std::span<const std::int64_t>(large));
  write_csv(path_, whole);
  EXPECT_TRUE(bitwise_equal(read_csv(path_, {.dtype = DType::int64}), whole.reshape({2, 1})));
  EXPECT_THROW(write_csv(path_, Tensor::scalar(1)), ShapeError);
  EXPECT_THROW(write_csv(path_, whole, {"a", "b"}), ShapeError);
  EXPECT_THROW(write_csv(folder_.path() / "no" / "where.csv", whole), IoError);
}

TEST_F(NamedColumns, TextsBecomeClasses) {
  const Classes classes = classes_of({"cat", "dog", "cat", "ant"});
  EXPECT_THAT(classes.names, ElementsAre("ant", "cat", "dog"));
  EXPECT_TRUE(bitwise_equal(classes.numbers, Tensor::from({4}, {1, 2, 1, 0}, DType::int64)));
  EXPECT_EQ(classes_of({"dog"}, classes.names).numbers.get(0), 2);
  EXPECT_THAT(message_of<ValueError>([&] {
                classes_of({"dog", "cow"}, classes.names);
              }),
              HasSubstr("row 2: \"cow\" is none of the classes \"ant\""));
  EXPECT_EQ(classes_of({}).numbers.numel(), 0);
}

}  // namespace
}  // namespace aclgrad::data
